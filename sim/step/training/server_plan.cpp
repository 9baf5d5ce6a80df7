// SPDX-License-Identifier: Apache-2.0
#include "sim/step/training/server_plan.hpp"

#include "sim/step/training/jitter.hpp"
#include "sim/step/training/server_fabric.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace trainyard {
namespace {

/// Fewest messages of one server, however many variables share one. With a single message no gradient could leave
/// before the last is computed, and workers without a barrier would get out of step differently.
constexpr int fewest_parts = 2;

} // namespace

ServerPlan::ServerPlan(const TrainingContext& context, const ServerExchange& exchange, int first_step)
    : c_{context}, e_{exchange}, first_step_{first_step}
{
  make_variables();
  make_groups();
  make_messages();
}

void ServerPlan::make_variables()
{
  // Moving averages stay where the variables of the workers are: with replicas that is not on the servers. They travel
  // so little that only their places count.
  const bool with_untrained = e_.placement->places_untrained() && !e_.pull_after_update;
  std::vector<Bytes> sizes;
  std::vector<int> variable_of; // what is placed; -1: untrained
  for (std::size_t layer = 0; layer < c_.dnn.layers.size(); ++layer) {
    const Layer& made = c_.dnn.layers[layer];
    for (const ParameterTensor& tensor : made.parameters) {
      variable_of.push_back(static_cast<int>(names_.size()));
      layer_of_variable_.push_back(static_cast<int>(layer));
      sizes.push_back(Bytes{tensor.elements * c_.bytes_per_gradient_element});
      names_.push_back(tensor.name.empty() ? made.name : tensor.name);
    }
    if (with_untrained && made.type == "batch_norm" && !made.parameters.empty()) // mean and variance, as many elements
      for (int average = 0; average < 2; ++average) {
        variable_of.push_back(-1);
        sizes.push_back(Bytes{made.parameters.front().elements * 4}); // always fp32
      }
  }
  for (VariablePart part : e_.placement->place(sizes, std::max<int>(1, static_cast<int>(e_.servers.size())))) {
    part.variable = variable_of[static_cast<std::size_t>(part.variable)];
    if (part.variable >= 0)
      parts_.push_back(part);
  }
}

std::vector<int> ServerPlan::pull_order(int group, int step) const
{
  std::vector<int> order(parts_.size());
  std::iota(order.begin(), order.end(), 0); // parts stand in the order of the layers
  if (e_.pull_order == PullOrder::layer)
    return order;
  const std::string worker = "pull/" + c_.job.name + "/" + std::to_string(group);
  RandomStream random = e_.pull_order == PullOrder::random
                            ? c_.random.stream(worker + "/" + std::to_string(first_step_ + step))
                            : Random{1}.stream(worker); // the same for every seed of a run
  for (std::size_t left = order.size(); left > 1; --left)
    std::swap(order[left - 1], order[random.below(left)]);
  return order;
}

void ServerPlan::make_groups()
{
  groups_ = worker_groups(c_.cluster, c_.placement, grouped());
  // Inside one node the collective alone has the sum: BytePS then runs without servers.
  served_ = !(e_.local_aggregation == "collective" && groups_.size() == 1);
  represent_ =
      e_.one_represents_all && groups_.size() > 1 && !e_.in_process && !e_.client &&
      (e_.representation_demanded || !switches_may_bind(c_.cluster, groups_, e_.servers, parts_, server_rate(e_)));
  if (represent_)
    simulated_.push_back(typical_group(c_.cluster, groups_, e_.servers, parts_));
  else
    for (int group = 0; group < static_cast<int>(groups_.size()); ++group)
      simulated_.push_back(group);
}

void ServerPlan::make_messages()
{
  const int servers = std::max(1, static_cast<int>(e_.servers.size()));
  const bool joined = parts_.size() * simulated_.size() > static_cast<std::size_t>(e_.messages_per_step);
  if (joined)
    parts_ =
        joined_parts(parts_, servers,
                     std::max(fewest_parts, e_.messages_per_step / (servers * static_cast<int>(simulated_.size()))));
  parts_of_layer_.resize(c_.dnn.layers.size());
  for (std::size_t part = 0; part < parts_.size(); ++part)
    parts_of_layer_[static_cast<std::size_t>(layer_of(static_cast<int>(part)))].push_back(static_cast<int>(part));
  // Layers between two messages compute as one operation in a large program; nothing else happens there.
  for (std::size_t layer = 0; layer < c_.dnn.layers.size(); ++layer)
    if (runs_.empty() || !joined || !parts_of_layer_[layer].empty())
      runs_.push_back({layer, layer});
    else
      runs_.back().last = layer;
}

double ServerPlan::compute_factor(int worker, int step) const
{
  const double shared = c_.placement.workers.size() > 1 ? e_.shared_host_factor : 1;
  return shared * jitter_factor(c_.job.jitter, c_.random, c_.job.name, worker, first_step_ + step);
}

Seconds ServerPlan::group_time(int group, int step) const
{
  Seconds slowest;
  for (const int worker : this->group(group).workers)
    slowest =
        std::max(slowest, computing_time(c_.workers[static_cast<std::size_t>(worker)]) * compute_factor(worker, step));
  return slowest;
}

bool ServerPlan::out_of_step() const
{
  const std::optional<int> waited = e_.rule->all_must_have_finished(1000000);
  return !e_.rule->aggregates() && (!waited || *waited < 1000000 - 1);
}

Seconds ServerPlan::start_delay(int group) const
{
  if (first_step_ == 0)
    return step_at_least(group) * (double(group) / double(groups_.size()));
  RandomStream random =
      c_.random.stream("start/" + c_.job.name + "/" + std::to_string(group) + "/" + std::to_string(first_step_));
  return step_at_least(group) * random.uniform();
}

/// A lower bound of the step: a worker's own computing and its way to the busiest server, or what that server moves
/// for all.
Seconds ServerPlan::step_at_least(int group) const
{
  const Seconds longest = longest_transfer(c_.cluster, this->group(group), e_.servers, parts_, server_rate(e_));
  return std::max(group_time(group, 0) + longest, longest * static_cast<double>(groups_.size()));
}

std::vector<int> ServerPlan::steps_of_groups(int steps) const
{
  if (e_.rule->aggregates() || e_.rule->all_must_have_finished(1000000).has_value())
    return std::vector<int>(groups_.size(), steps);
  std::vector<Seconds> times;
  for (int group = 0; group < static_cast<int>(groups_.size()); ++group)
    times.push_back(group_time(group, 0));
  return steps_in_equal_time(times, steps);
}

} // namespace trainyard
