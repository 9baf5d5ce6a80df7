// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "sim/step/training/server_fabric.hpp"
#include "sim/step/training/server_program.hpp"
#include "sim/step/training/worker_groups.hpp"

#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace trainyard {

/// Layers that compute as one operation.
struct LayerRun {
  std::size_t first = 0;
  std::size_t last = 0;
};

/// Variables that a worker is sent as one message; the first gives it its name.
struct PulledMessage {
  std::vector<int> parts;
  Bytes bytes;
  double rows = 0; // of tables, which the worker must name
};

/// What the workers of a job and its parameter servers exchange, in which messages, between whom, and when workers that
/// are out of step begin: what a server program is made of before its first operation.
class ServerPlan
{
public:
  /// @p first_step: of the program. All live as long as this. @p join_small: where workers run without a barrier, what
  /// travels in no time beside other messages goes with them (join_small_messages()).
  ServerPlan(const TrainingContext& context, const ServerExchange& exchange, int first_step, bool join_small = false);

  /// Tensors of the model.
  std::size_t variables() const { return names_.size(); }
  /// What travels as one message, and the name of its (first) variable.
  const std::vector<VariablePart>& parts() const { return parts_; }
  const VariablePart& part(int number) const { return parts_[static_cast<std::size_t>(number)]; }
  const std::string& name(int part) const { return names_[static_cast<std::size_t>(this->part(part).variable)]; }
  int layer_of(int part) const { return layer_of_variable_[static_cast<std::size_t>(this->part(part).variable)]; }
  const std::vector<int>& parts_of_layer(std::size_t layer) const { return parts_of_layer_[layer]; }
  /// In order of the layers: what computes without waiting for a message, forward, and without sending one, backward.
  const std::vector<LayerRun>& forward_runs() const { return forward_runs_; }
  /// Of the layers of @p run, which take @p times, slower by @p factor.
  Compute compute(const LayerRun& run, const std::vector<Seconds>& times, double factor, double flop_factor) const;
  /// What accumulation computes between the first forward and the last backward pass.
  Compute between(const WorkerTimes& times, double factor) const;
  const std::vector<LayerRun>& backward_runs() const { return backward_runs_; }

  const std::vector<WorkerGroup>& groups() const { return groups_; }
  const WorkerGroup& group(int number) const { return groups_[static_cast<std::size_t>(number)]; }
  /// Workers of a node sum their gradients before they talk to servers.
  bool grouped() const { return e_.local_aggregation != "none"; }
  /// Groups that appear as operations.
  const std::vector<int>& simulated() const { return simulated_; }
  /// How many each of those that appear stands for: one of many equal ones, or as many as are worth their messages.
  double members() const { return static_cast<double>(groups_.size()) / static_cast<double>(simulated_.size()); }
  /// Whether servers take part at all.
  bool served() const { return served_; }

  /// One of them alone.
  PulledMessage message_of(int part) const { return {{part}, this->part(part).bytes, this->part(part).rows}; }
  /// What a group asks for in a step, in its order.
  std::vector<PulledMessage> pulls(int group, int step) const;
  /// Bytes that go to the server once the gradient of a part is there, with those that have waited for it; nothing
  /// where it waits for a later one.
  std::optional<Bytes> pushed(int part) const { return pushed_[static_cast<std::size_t>(part)]; }
  /// Small variables and gradients share the messages of others.
  bool joins() const { return joined_ > Bytes{}; }
  double compute_factor(int worker, int step) const;
  /// The steps of a worker are equal from here on.
  void leave_out_jitter() { jitters_ = false; }
  /// How many steps back that is which something of a step waits for; nothing where other steps do not go alike.
  std::optional<int> steps_back() const;
  /// Computing of the slowest worker of a group in a step.
  Seconds group_time(int group, int step) const;
  /// The same, and its way to the busiest server.
  Seconds arrives_after(int group, int step) const { return group_time(group, step) + way_to_server(group); }
  /// Nothing makes workers begin their steps together: no barrier, or one that lags by a step at least.
  bool out_of_step() const;
  /// Workers that are out of step begin spread over one step's computing; a program that does not begin with step 0
  /// draws their places in the step at random, because unequal shares of the network make them wander against each
  /// other.
  Seconds start_delay(int group) const;
  /// By a group's first worker; one that begins at once has none.
  std::map<int, Seconds> start_delays() const;
  /// How many of @p steps steps each group takes: without a barrier a fast worker takes more than a slow one.
  std::vector<int> steps_of_groups(int steps) const;
  /// From which step on each is like the one before it while all groups take part; nothing where some differ.
  std::optional<int> alike_from() const;
  /// Steps by worker, of those by group.
  std::vector<int> steps_of_workers(const std::vector<int>& of_groups) const;

private:
  void make_variables();
  void add_rows(const ParameterTensor& table, VariablePart part);
  void make_groups();
  void make_messages();
  void join_small_messages();
  std::vector<LayerRun> runs_from(const std::vector<bool>& begins) const;
  std::vector<int> pull_order(int group, int step) const;
  void take_sample();
  void place_sample();
  double random_place(int group) const;
  bool switches_bind() const { return switches_may_bind(c_.cluster, groups_, e_.servers, parts_, server_rate(e_)); }
  bool serving_groups() const;
  bool groups_are_alike() const;
  bool links_are_alike(std::span<const int> simulated) const;
  Seconds step_at_least(int group) const;
  Seconds way_to_server(int group) const;

  const TrainingContext& c_;
  const ServerExchange& e_;
  int first_step_;
  std::vector<int> layer_of_variable_;
  std::vector<std::string> names_; // of variables
  std::vector<VariablePart> parts_;
  std::vector<std::vector<int>> parts_of_layer_;
  Bytes joined_;                             // what messages of other parts may carry beside them
  std::vector<std::optional<Bytes>> pushed_; // by part
  std::vector<LayerRun> forward_runs_, backward_runs_;
  std::vector<WorkerGroup> groups_;
  std::vector<int> simulated_;
  std::vector<double> spread_;  // factors of the workers; empty: none
  std::map<int, double> place_; // in the step in which a group of a sample begins
  bool join_small_ = false;
  bool jitters_ = true;
  bool served_ = true;
};

} // namespace trainyard
