// SPDX-License-Identifier: Apache-2.0
#include "sim/step/training/server_plan.hpp"

#include "sim/step/training/sparse_rows.hpp"
#include "sim/step/training/spread.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace trainyard {
namespace {

/// Fewest messages of one server, however many variables share one. With a single message no gradient could leave
/// before the last is computed, and workers without a barrier would get out of step differently.
constexpr int fewest_parts = 2;
/// What a message may carry for others beside its own, as a share of all that the busiest connection carries in a step:
/// no variable arrives later by more than this share of a step.
constexpr double joined_share = 0.001;
/// A step that has all the steps before it that a rule may wait for.
constexpr int late_step = 1'000'000;

} // namespace

ServerPlan::ServerPlan(const TrainingContext& context, const ServerExchange& exchange, int first_step, bool join_small)
    : c_{context}, e_{exchange}, first_step_{first_step}, join_small_{join_small}
{
  groups_ = worker_groups(c_.cluster, c_.placement, grouped());
  make_variables();
  make_groups();
  make_messages();
  take_sample();
  if (e_.spread > 0 && !e_.rule->aggregates())
    spread_ = spread_factors(e_.spread, c_);
}

void ServerPlan::make_variables()
{
  // Moving averages stay where the variables of the workers are: with replicas that is not on the servers. They travel
  // so little that only their places count.
  const bool with_untrained = e_.placement->places_untrained() && !e_.pull_after_update && !e_.dense_by_all_reduce;
  std::vector<Bytes> sizes;
  std::vector<int> variable_of;               // what is placed; -1: untrained
  std::vector<const ParameterTensor*> tables; // by variable; null: no table
  for (std::size_t layer = 0; layer < c_.dnn.layers.size(); ++layer) {
    const Layer& made = c_.dnn.layers[layer];
    for (const ParameterTensor& tensor : made.parameters) {
      if (e_.dense_by_all_reduce && !tensor.sparse())
        continue;
      variable_of.push_back(static_cast<int>(names_.size()));
      layer_of_variable_.push_back(static_cast<int>(layer));
      sizes.push_back(Bytes{tensor.elements * c_.bytes_per_gradient_element});
      names_.push_back(tensor.name.empty() ? made.name : tensor.name);
      tables.push_back(tensor.sparse() && e_.sync_every == 1 ? &tensor : nullptr);
    }
    if (with_untrained && made.type == "batch_norm" && !made.parameters.empty()) // mean and variance, as many elements
      for (int average = 0; average < 2; ++average) {
        variable_of.push_back(-1);
        sizes.push_back(Bytes{made.parameters.front().elements * 4}); // always fp32
      }
  }
  for (VariablePart part : e_.placement->place(sizes, std::max<int>(1, static_cast<int>(e_.servers.size())))) {
    part.variable = variable_of[static_cast<std::size_t>(part.variable)];
    if (part.variable < 0)
      continue;
    if (const ParameterTensor* table = tables[static_cast<std::size_t>(part.variable)])
      add_rows(*table, part);
    else
      parts_.push_back(part);
  }
}

/// The share of the touched rows that is on the server of @p part. A server gets and sends all of its rows of a table
/// in one message, in however many pieces it keeps them.
void ServerPlan::add_rows(const ParameterTensor& table, VariablePart part)
{
  const double share = part.bytes / Bytes{table.elements * c_.bytes_per_gradient_element};
  const Bytes row{table.row_elements() * c_.bytes_per_gradient_element};
  part.rows = share * exchanged_rows(c_, table.table, static_cast<int>(groups_.front().workers.size()));
  part.bytes = row * part.rows;
  part.of_each = row * (share * exchanged_rows(c_, table.table));
  const auto same = std::ranges::find_if(parts_, [&](const VariablePart& known) {
    return known.variable == part.variable && known.server == part.server;
  });
  if (same == parts_.end()) {
    parts_.push_back(part);
    return;
  }
  same->bytes += part.bytes;
  same->rows += part.rows;
  same->of_each += part.of_each;
}

std::vector<int> ServerPlan::pull_order(int group, int step) const
{
  std::vector<int> order(parts_.size());
  std::iota(order.begin(), order.end(), 0); // parts stand in the order of the layers
  if (e_.pull_order == PullOrder::layer)
    return order;
  const std::string worker = "pull/" + std::to_string(group);
  RandomStream random = e_.pull_order == PullOrder::random
                            ? c_.random.stream(worker + "/" + std::to_string(first_step_ + step))
                            : Random{1}.stream(worker); // the same for every seed of a run
  for (std::size_t left = order.size(); left > 1; --left)
    std::swap(order[left - 1], order[random.below(left)]);
  return order;
}

void ServerPlan::make_groups()
{
  // Inside one node the collective alone has the sum: BytePS then runs without servers.
  served_ = !(e_.local_aggregation == "collective" && groups_.size() == 1);
  const int all = static_cast<int>(groups_.size());
  for (int group = 0; group < all; ++group)
    simulated_.push_back(group);
  if (!e_.one_represents_all || all < 2 || e_.in_process || e_.client || !groups_are_alike() ||
      (!e_.representation_demanded &&
       (switches_bind() || ((e_.pull_after_update || e_.dense_by_all_reduce) && serving_groups()))))
    return;
  // Each has an arbitrary order of its own, as all have: with half as many messages the step is within 1 % of all.
  const int most = std::max(1, e_.messages_per_step / 2 / std::max(1, static_cast<int>(parts_.size())));
  const int wanted = e_.representation_demanded ? 1 : std::min(most, all);
  std::vector<int> chosen{typical_group(c_.cluster, groups_, e_.servers, parts_)};
  if (wanted > 1)
    chosen.clear();
  for (int i = 0; wanted > 1 && i < wanted; ++i)
    chosen.push_back(static_cast<int>((2LL * i + 1) * all / (2LL * wanted)));
  if (links_are_alike(chosen))
    simulated_ = chosen;
}

/// Some servers share machines with workers. Where variables are fetched as soon as they are updated, the card of such
/// a machine sends answers at the same time as that machine's own gradients. What stands for all sees one of the two
/// only.
bool ServerPlan::serving_groups() const
{
  return std::ranges::any_of(e_.servers, [this](VertexId server) {
    return std::ranges::count(groups_, c_.cluster.vertex(server).node, &WorkerGroup::node) > 0;
  });
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
  for (const VariablePart& part : parts_)
    pushed_.emplace_back(part.pushed());
  join_small_messages();
  // Layers between two messages compute as one operation in a large program; nothing else happens there.
  const bool each = !joined && !joins();
  std::vector<bool> receives, sends;
  for (const std::vector<int>& parts : parts_of_layer_) {
    receives.push_back(each || !parts.empty());
    sends.push_back(each || std::ranges::any_of(parts, [this](int part) { return pushed(part).has_value(); }));
  }
  forward_runs_ = runs_from(receives);
  backward_runs_ = runs_from(sends);
}

std::vector<LayerRun> ServerPlan::runs_from(const std::vector<bool>& begins) const
{
  std::vector<LayerRun> runs;
  for (std::size_t layer = 0; layer < begins.size(); ++layer)
    if (runs.empty() || begins[layer])
      runs.push_back({layer, layer});
    else
      runs.back().last = layer;
  return runs;
}

/// A bias or a norm's scale travels in no time beside a matrix of weights, but it is an operation as that is. So
/// without a barrier small variables share the message before theirs on their connection, which ends later by so much,
/// and small gradients the message after theirs, which the server needs no sooner: only the end of the step waits for
/// them. No message gets another place in the order of its worker.
void ServerPlan::join_small_messages()
{
  const bool alike = !e_.rule->aggregates() && !e_.rule->all_must_have_finished(late_step) && !e_.in_process &&
                     !grouped() && !e_.pull_after_update && e_.messages_in_flight == 1;
  if (!join_small_ || !e_.join_small_messages || !alike || e_.message_cpu > Seconds{} || e_.transport.rate.size() > 1)
    return;
  std::vector<Bytes> carried(e_.servers.size());
  for (const VariablePart& part : parts_)
    carried[static_cast<std::size_t>(part.server)] += part.bytes;
  joined_ = *std::ranges::max_element(carried) * joined_share;
  std::vector<Bytes> waits(e_.servers.size());
  std::vector<int> last(e_.servers.size(), -1); // that waits
  for (std::size_t layer = parts_of_layer_.size(); layer-- > 0;)
    for (const int part : parts_of_layer_[layer]) {
      const VariablePart& sent = this->part(part);
      const auto server = static_cast<std::size_t>(sent.server);
      const Bytes together = waits[server] + sent.pushed();
      const bool small = together <= joined_;
      pushed_[static_cast<std::size_t>(part)] = small ? std::optional<Bytes>{} : together;
      waits[server] = small ? together : Bytes{};
      last[server] = small ? part : -1;
    }
  for (std::size_t server = 0; server < last.size(); ++server)
    if (last[server] >= 0)
      pushed_[static_cast<std::size_t>(last[server])] = waits[server];
}

std::vector<PulledMessage> ServerPlan::pulls(int group, int step) const
{
  std::vector<PulledMessage> messages;
  std::vector<std::size_t> last(e_.servers.size(), parts_.size()); // by server: its last message
  std::vector<Bytes> beside(e_.servers.size());                    // what that carries for others
  for (const int part : pull_order(group, step)) {
    const VariablePart& sent = this->part(part);
    if (const auto server = static_cast<std::size_t>(sent.server); joins()) {
      if (last[server] < messages.size() && beside[server] + sent.bytes <= joined_) {
        PulledMessage& message = messages[last[server]];
        message.parts.push_back(part);
        message.bytes += sent.bytes;
        message.rows += sent.rows;
        beside[server] += sent.bytes;
        continue;
      }
      last[server] = messages.size();
      beside[server] = Bytes{};
    }
    messages.push_back(message_of(part));
  }
  return messages;
}

/// Workers that neither wait for each other nor differ meet at the servers only. A sample of n of W, which gets n / W
/// of what a server can do, is served as all are: where a server is the bottleneck, it stays it, at the same rate for
/// each worker. Where none is, a worker that has a server to itself gets W / n times less of it than it would among
/// all; as all W fill less than a step of the server, each direction takes no more than 1 / n of a step longer. Between
/// the two it counts how unevenly the workers come, so that the sample is as even as all are (place_sample()).
void ServerPlan::take_sample()
{
  if (!e_.sample_represents_all || e_.in_process || e_.client || !served_)
    return;
  const int wanted = sampled_groups(groups_.size(), parts_.size(), e_.sampled_pairs);
  if (wanted == static_cast<int>(groups_.size()) || !groups_are_alike() || serving_groups() || switches_bind())
    return;
  const std::vector<int> sample = even_sample(groups_, wanted);
  if (!links_are_alike(sample))
    return;
  simulated_ = sample;
  if (first_step_ != 0)
    place_sample();
}

/// All compute as long, as many on each machine, with as many cores and as long wires.
bool ServerPlan::groups_are_alike() const
{
  const auto wires = [this](const WorkerGroup& group) {
    Seconds latency;
    const auto server =
        std::ranges::find_if(e_.servers, [&](VertexId one) { return c_.cluster.vertex(one).node != group.node; });
    if (server != e_.servers.end())
      for (const LinkId id : c_.cluster.seen_route(c_.cluster.node(group.node).host, *server, {}))
        latency += c_.cluster.link(id).latency;
    return latency;
  };
  constexpr double of_computing = 1e-3; // so much does not count
  const WorkerGroup& first = groups_.front();
  const Seconds time = group_time(0, 0), latency = wires(first);
  for (int number = 0; number < static_cast<int>(groups_.size()); ++number) {
    const WorkerGroup& group = this->group(number);
    if (group.mates != first.mates || group.workers.size() != first.workers.size() || group_time(number, 0) != time ||
        c_.cluster.node(group.node).cpu_cores != c_.cluster.node(first.node).cpu_cores ||
        std::abs((wires(group) - latency).value()) > of_computing * time.value())
      return false;
  }
  return true;
}

/// Each link of a machine that is on no way of these groups is as busy as one that is, or never holds anybody up; and
/// all groups but a few send over links that are as busy.
bool ServerPlan::links_are_alike(std::span<const int> simulated) const
{
  constexpr double safe_share = 0.75, few = 0.05, rounding = 1e-6;
  const ExchangeWays ways{c_.cluster, c_.placement, groups_, grouped(), parts_};
  const LinkBytes all = ways.of_all(simulated), own = ways.of(simulated);
  for (const bool out : {true, false}) {
    const std::vector<Bytes>& bytes = out ? all.to_servers : all.from_servers;
    const auto time = [&](std::size_t link) { return bytes[link] / c_.cluster.links()[link].data_rate() / Seconds{1}; };
    std::vector<double> seen, others; // s
    for (std::size_t index = 0; index < c_.cluster.links().size(); ++index) {
      const Link& link = c_.cluster.links()[index];
      if (c_.cluster.vertex(link.from).node.index >= 0 || c_.cluster.vertex(link.to).node.index >= 0)
        ((out ? own.to_servers : own.from_servers)[index] > Bytes{} ? seen : others).push_back(time(index));
    }
    std::ranges::sort(seen);
    const double busiest = seen.empty() ? 0 : seen.back();
    if (std::ranges::any_of(others, [&](double other) {
          const auto like = std::ranges::lower_bound(seen, other * (1 - rounding));
          return other > safe_share * busiest && (like == seen.end() || *like > other * (1 + rounding));
        }))
      return false;
    const auto is_freer = [&](int group) {
      double own_busiest = 0;
      for (int server = 0; server < static_cast<int>(e_.servers.size()); ++server)
        for (const LinkId id : ways.way(group, server, out))
          own_busiest = std::max(own_busiest, time(static_cast<std::size_t>(id.index)));
      return own_busiest < busiest * (1 - rounding);
    };
    if (static_cast<double>(std::ranges::count_if(simulated, is_freer)) > few * static_cast<double>(simulated.size()))
      return false;
  }
  return true;
}

double ServerPlan::compute_factor(int worker, int step) const
{
  const double shared = c_.placement.workers.size() > 1 ? e_.shared_host_factor : 1;
  const double own = spread_.empty() ? 1 : spread_[static_cast<std::size_t>(worker)];
  const double drawn = jitters_ ? jitter_factor(c_.job.jitter, c_.random, worker, first_step_ + step) : 1;
  return shared * own * drawn;
}

std::optional<int> ServerPlan::steps_back() const
{
  if (e_.rule->aggregates() || e_.pull_order == PullOrder::random) // each step has an order of its own
    return std::nullopt;
  int back = 1;
  if (const std::optional<int> waited = e_.rule->all_must_have_finished(0))
    back = std::max(back, -*waited);
  if (e_.client)
    back = std::max(back, e_.feed_prefetch);
  else if (c_.job.input.source != "synthetic")
    back = std::max(back, c_.job.input.prefetch_steps);
  return back;
}

Seconds ServerPlan::group_time(int group, int step) const
{
  Seconds slowest;
  for (const int worker : this->group(group).workers)
    slowest =
        std::max(slowest, computing_time(c_.workers[static_cast<std::size_t>(worker)], c_.job.accumulation_steps) *
                              compute_factor(worker, step));
  return slowest;
}

bool ServerPlan::out_of_step() const
{
  const std::optional<int> waited = e_.rule->all_must_have_finished(late_step);
  return !e_.rule->aggregates() && (!waited || *waited < late_step - 1);
}

Seconds ServerPlan::start_delay(int group) const
{
  if (first_step_ == 0)
    return step_at_least(group) * (double(group) / double(groups_.size()));
  const auto place = place_.find(group);
  return step_at_least(group) * (place != place_.end() ? place->second : random_place(group));
}

std::map<int, Seconds> ServerPlan::start_delays() const
{
  std::map<int, Seconds> delays;
  for (const int group : simulated())
    if (const Seconds late = start_delay(group); late > Seconds{})
      delays[this->group(group).workers.front()] = late;
  return delays;
}

/// In the step, from 0 to 1.
double ServerPlan::random_place(int group) const
{
  return c_.random.stream("start/" + std::to_string(group) + "/" + std::to_string(first_step_)).uniform();
}

/// Of the places that all draw, in order, a sample of n of W has every W / n-th: it is as even as all are, and not
/// as uneven as n places at random. Who has which is chance, as among all.
void ServerPlan::place_sample()
{
  std::vector<double> places;
  for (int group = 0; group < static_cast<int>(groups_.size()); ++group)
    places.push_back(random_place(group));
  std::vector<int> order = simulated_;
  std::ranges::stable_sort(order, {}, [&](int group) { return places[static_cast<std::size_t>(group)]; });
  std::ranges::sort(places);
  for (std::size_t i = 0; i < order.size(); ++i)
    place_[order[i]] = places[static_cast<std::size_t>((static_cast<double>(i) + 0.5) * members())];
}

/// A lower bound of the step: a worker's own computing and its way to the busiest server, or what that server moves
/// for all.
Seconds ServerPlan::step_at_least(int group) const
{
  return std::max(arrives_after(group, 0), way_to_server(group) * static_cast<double>(groups_.size()));
}

Seconds ServerPlan::way_to_server(int group) const
{
  return longest_transfer(c_.cluster, this->group(group), e_.servers, parts_, server_rate(e_));
}

std::vector<int> ServerPlan::steps_of_groups(int steps) const
{
  if (e_.rule->aggregates() || e_.rule->all_must_have_finished(late_step).has_value())
    return std::vector<int>(groups_.size(), steps);
  std::vector<Seconds> times;
  for (int group = 0; group < static_cast<int>(groups_.size()); ++group)
    times.push_back(group_time(group, 0));
  return steps_in_equal_time(times, steps);
}

std::optional<int> ServerPlan::alike_from() const
{
  const std::optional<int> back = steps_back();
  const bool differ = c_.job.jitter.distribution != "none" || e_.sync_every > 1 || e_.dense_by_all_reduce;
  return back && !differ ? std::optional{*back + 1} : std::nullopt;
}

std::vector<int> ServerPlan::steps_of_workers(const std::vector<int>& of_groups) const
{
  std::vector<int> steps(c_.placement.workers.size());
  for (std::size_t group = 0; group < groups_.size(); ++group)
    for (const int worker : groups_[group].workers)
      steps[static_cast<std::size_t>(worker)] = of_groups[group];
  return steps;
}

Compute ServerPlan::compute(const LayerRun& run, const std::vector<Seconds>& times, double factor,
                            double flop_factor) const
{
  Compute sum;
  for (std::size_t layer = run.first; layer <= run.last; ++layer) {
    sum.duration += times[layer] * factor;
    sum.flop += c_.dnn.layers[layer].forward * (flop_factor * c_.job.batch_per_gpu);
  }
  return sum;
}

Compute ServerPlan::between(const WorkerTimes& times, double factor) const
{
  const int more = c_.job.accumulation_steps - 1;
  return {.duration = (computing_time(times, more) - times.update) * factor,
          .flop = c_.dnn.forward_flop() * (3.0 * more * c_.job.batch_per_gpu)};
}

} // namespace trainyard
