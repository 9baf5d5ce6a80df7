// SPDX-License-Identifier: Apache-2.0
// The steps of workers that exchange through parameter servers, as a graph of operations.
//
// Workers that sum their gradients before talking to the servers form a group (the GPUs of a node); otherwise each
// worker is a group of one. Within a step a group pulls each variable part before the forward pass of its layer,
// computes, pushes the gradient when the backward pass has produced it; the server adds it up and updates. With
// `pull_after_update` workers keep replicas, and a part is fetched as soon as it is updated. All messages that are
// ready travel at once and share links and servers: a server answers no pull before its pushes unless the capacity is
// there, which is how unscheduled senders behave.
//
// Equal workers (no straggler, no jitter, synchronous) can be represented by one: each server's capacity and network
// card then appear as resources of 1/members of their rate, because all members send the same bytes at the same time.
#include "sim/step/training/jitter.hpp"
#include "sim/step/training/message_cost.hpp"
#include "sim/step/training/server_fabric.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <utility>

namespace trainyard {
namespace {

std::size_t at(int index)
{
  return static_cast<std::size_t>(index);
}

/// Fewest messages of one server, however many variables share one. With a single message no gradient could leave
/// before the last is computed, and workers without a barrier would get out of step differently.
constexpr int fewest_parts = 2;

constexpr const char* start_name = "start"; // of what keeps a worker from beginning at once

/// Layers that compute as one operation.
struct LayerRun {
  std::size_t first = 0;
  std::size_t last = 0;
};

class Builder
{
public:
  Builder(const TrainingContext& context, const ServerExchange& exchange, int first_step, int steps)
      : c_{context}, e_{exchange}, first_step_{first_step}, steps_{steps}
  {
    make_variables();
    make_groups();
    make_messages();
    program_.job = c_.job.name;
    program_.workers = static_cast<int>(c_.placement.workers.size());
    program_.samples_per_step =
        static_cast<double>(program_.workers) * c_.job.batch_per_gpu * c_.job.accumulation_steps;
    fabric_ = std::make_unique<ServerFabric>(program_, c_, e_, groups_, simulated_);
  }

  StepProgram build()
  {
    std::vector<int> own_steps(groups_.size(), steps_);
    if (free_running())
      own_steps = proportional_steps();
    ended_.assign(groups_.size(), {});
    loose_ends_.assign(groups_.size(), {});
    consumed_.assign(c_.workers.size(), {});
    for (int step = 0; step < steps_; ++step) {
      std::vector<int> active;
      for (const int group : simulated_)
        if (step < own_steps[at(group)])
          active.push_back(group);
      add_step(step, active);
      if (step == 0)
        program_.operations.reserve(program_.operations.size() * at(steps_) + 64);
    }
    program_.steps = steps_;
    return std::move(program_);
  }

  /// Gives @p program the places in the step that workers have when they begin with another step.
  bool begin_elsewhere(StepProgram& program) const
  {
    if (c_.job.jitter.distribution != "none" || !out_of_step())
      return false;
    std::map<int, Seconds> delays; // by a group's first worker; one that begins at once has no such operation
    for (std::size_t group = 0; group < groups_.size(); ++group)
      if (const Seconds late = start_delay(static_cast<int>(group)); late > Seconds{})
        delays[groups_[group].workers.front()] = late;
    std::vector<Operation*> starts;
    for (Operation& operation : program.operations)
      if (operation.step == 0 && operation.role == Role::other && operation.name == start_name &&
          delays.contains(operation.worker))
        starts.push_back(&operation);
    if (starts.size() != delays.size())
      return false;
    for (Operation* start : starts)
      std::get<HostWork>(start->work).duration = delays.at(start->worker);
    return true;
  }

private:
  using Ids = std::vector<OperationId>;

  void make_variables()
  {
    for (std::size_t layer = 0; layer < c_.dnn.layers.size(); ++layer)
      for (const ParameterTensor& tensor : c_.dnn.layers[layer].parameters) {
        layer_of_variable_.push_back(static_cast<int>(layer));
        bytes_.push_back(Bytes{tensor.elements * c_.bytes_per_gradient_element});
        names_.push_back(tensor.name.empty() ? c_.dnn.layers[layer].name : tensor.name);
      }
    parts_ = e_.placement->place(bytes_, std::max<int>(1, static_cast<int>(e_.servers.size())));
  }

  int layer_of(int part) const { return layer_of_variable_[at(parts_[at(part)].variable)]; }
  NodeId node_of(VertexId vertex) const { return c_.cluster.vertex(vertex).node; }
  VertexId gpu(int worker) const { return c_.placement.workers[at(worker)]; }
  VertexId host(const WorkerGroup& group) const { return c_.cluster.node(group.node).host; }
  bool grouped() const { return e_.local_aggregation != "none"; }

  void make_groups()
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

  void make_messages()
  {
    const int servers = std::max(1, static_cast<int>(e_.servers.size()));
    const bool joined = parts_.size() * simulated_.size() > static_cast<std::size_t>(e_.messages_per_step);
    if (joined)
      parts_ =
          joined_parts(parts_, servers,
                       std::max(fewest_parts, e_.messages_per_step / (servers * static_cast<int>(simulated_.size()))));
    parts_of_layer_.resize(c_.dnn.layers.size());
    for (std::size_t part = 0; part < parts_.size(); ++part)
      parts_of_layer_[at(layer_of(static_cast<int>(part)))].push_back(static_cast<int>(part));
    // Layers between two messages compute as one operation in a large program; nothing else happens there.
    for (std::size_t layer = 0; layer < c_.dnn.layers.size(); ++layer)
      if (runs_.empty() || !joined || !parts_of_layer_[layer].empty())
        runs_.push_back({layer, layer});
      else
        runs_.back().last = layer;
  }

  double members() const { return represent_ ? static_cast<double>(groups_.size()) : 1; }

  double compute_factor(int worker, int step) const
  {
    const double shared = c_.placement.workers.size() > 1 ? e_.shared_host_factor : 1;
    return shared * jitter_factor(c_.job.jitter, c_.random, c_.job.name, worker, first_step_ + step);
  }

  Seconds compute_time(int worker, int step) const
  {
    return computing_time(c_.workers[at(worker)]) * compute_factor(worker, step);
  }

  Seconds group_time(int group, int step) const
  {
    Seconds slowest;
    for (const int worker : groups_[at(group)].workers)
      slowest = std::max(slowest, compute_time(worker, step));
    return slowest;
  }

  bool free_running() const { return !e_.rule->aggregates() && !e_.rule->all_must_have_finished(1000000).has_value(); }

  /// Nothing makes workers begin their steps together: no barrier, or one that lags by a step at least.
  bool out_of_step() const
  {
    const std::optional<int> waited = e_.rule->all_must_have_finished(1000000);
    return !e_.rule->aggregates() && (!waited || *waited < 1000000 - 1);
  }

  /// Workers that are out of step begin spread over one step's computing; a program that does not begin with step 0
  /// draws their places in the step at random, because unequal shares of the network make them wander against each
  /// other.
  Seconds start_delay(int group) const
  {
    if (first_step_ == 0)
      return step_at_least(group) * (double(group) / double(groups_.size()));
    RandomStream random =
        c_.random.stream("start/" + c_.job.name + "/" + std::to_string(group) + "/" + std::to_string(first_step_));
    return step_at_least(group) * random.uniform();
  }

  /// A lower bound of the step: a worker's own computing and its way to the busiest server, or what that server moves
  /// for all.
  Seconds step_at_least(int group) const
  {
    const Seconds longest = longest_transfer(c_.cluster, groups_[at(group)], e_.servers, parts_, server_rate(e_));
    return std::max(group_time(group, 0) + longest, longest * static_cast<double>(groups_.size()));
  }

  /// Without a barrier a fast worker takes more steps than a slow one in the same time.
  std::vector<int> proportional_steps() const
  {
    std::vector<Seconds> times;
    for (int group = 0; group < static_cast<int>(groups_.size()); ++group)
      times.push_back(group_time(group, 0));
    return steps_in_equal_time(times, steps_);
  }

  OperationId add(std::string name, Role role, Work work, Ids after, std::vector<LaneId> lanes, int step, int worker,
                  int priority = 0)
  {
    return program_.add(Operation{.name = std::move(name),
                                  .role = role,
                                  .work = std::move(work),
                                  .lanes = std::move(lanes),
                                  .after = std::move(after),
                                  .priority = priority,
                                  .step = step,
                                  .worker = worker});
  }

  std::string label(const std::string& verb, int part) const
  {
    return verb + " " + names_[at(parts_[at(part)].variable)];
  }

  void add_step(int step, const std::vector<int>& active)
  {
    const bool aggregates = e_.rule->aggregates();
    std::vector<Ids> starts(groups_.size());
    OperationId everyone;
    if (const std::optional<int> waited = e_.rule->all_must_have_finished(step);
        waited && *waited >= 0 && *waited < static_cast<int>(finished_.size()))
      everyone = finished_[at(*waited)];
    for (const int group : active) {
      if (everyone.index >= 0)
        starts[at(group)].push_back(everyone);
      if (!aggregates && ended_[at(group)].index >= 0)
        starts[at(group)].push_back(ended_[at(group)]);
      for (const OperationId id : loose_ends_[at(group)])
        starts[at(group)].push_back(id);
      if (step == 0 && out_of_step()) // nothing synchronises such workers
        if (const Seconds late = start_delay(group); late > Seconds{})
          starts[at(group)].push_back(
              add(start_name, Role::other, HostWork{late}, {}, {}, step, groups_[at(group)].workers.front()));
      loose_ends_[at(group)].clear();
    }

    std::vector<std::vector<Ids>> pushed(groups_.size()); // per group and part: what the server waits for
    std::vector<Ids> computed(groups_.size());            // the last operations of the workers themselves
    for (const int group : active)
      pushed[at(group)] = add_work(group, step, starts[at(group)], computed[at(group)]);

    if (aggregates)
      finish_together(step, active, pushed, computed);
    else
      finish_alone(step, active, pushed, computed);
  }

  Compute compute(const LayerRun& run, const std::vector<Seconds>& times, double factor, double flop_factor) const
  {
    Compute sum;
    for (std::size_t layer = run.first; layer <= run.last; ++layer) {
      sum.duration += times[layer] * factor;
      sum.flop += c_.dnn.layers[layer].forward * (flop_factor * c_.job.batch_per_gpu);
    }
    return sum;
  }

  /// Pull, forward, backward and push of one group; returns what must be done before a part counts as arrived at its
  /// server.
  std::vector<Ids> add_work(int group, int step, const Ids& start, Ids& computed)
  {
    const WorkerGroup& g = groups_[at(group)];
    std::vector<std::vector<Ids>> pulled; // per part and worker of the group
    if (!e_.pull_after_update) {
      pulled.resize(parts_.size());
      for (int part = 0; part < static_cast<int>(parts_.size()); ++part)
        pulled[at(part)] = add_pull(group, part, step, start);
    }
    std::vector<std::vector<OperationId>> backward(g.workers.size());
    for (std::size_t member = 0; member < g.workers.size(); ++member) {
      const int worker = g.workers[member];
      const double factor = compute_factor(worker, step);
      const Ids input = add_input(worker, step, start);
      OperationId last;
      for (const LayerRun& run : runs_) {
        Ids after = run.first == 0 ? start : Ids{last};
        if (run.first == 0 && !input.empty()) { // the batch is taken from its buffer, which may be filled again
          after.insert(after.end(), input.begin(), input.end());
          after = {add("take batch", Role::input, HostWork{}, std::move(after), {}, step, worker)};
          consumed_[at(worker)].push_back(after.front());
        }
        if (!pulled.empty())
          for (const int part : parts_of_layer_[run.first])
            for (const OperationId id : pulled[at(part)][member])
              after.push_back(id);
        last = add("forward " + c_.dnn.layers[run.first].name, Role::forward,
                   compute(run, c_.workers[at(worker)].forward, factor, 1), std::move(after),
                   {fabric_->compute(worker)}, step, worker);
      }
      backward[member].resize(c_.dnn.layers.size());
      for (std::size_t index = runs_.size(); index-- > 0;) {
        const LayerRun& run = runs_[index];
        last = add("backward " + c_.dnn.layers[run.first].name, Role::backward,
                   compute(run, c_.workers[at(worker)].backward, factor, 2), {last}, {fabric_->compute(worker)}, step,
                   worker);
        backward[member][run.first] = last;
      }
      if (e_.client) {
        last = add("fetch", Role::input,
                   Transfer{gpu(worker), *e_.client, Bytes{4}, message_cost(e_.transport, Bytes{4}), {}}, {last}, {},
                   step, worker);
      } else if (!e_.pull_after_update && c_.workers[at(worker)].update > Seconds{}) {
        last = add("update", Role::update, Compute{c_.workers[at(worker)].update * factor, {}, {}}, {last},
                   {fabric_->compute(worker)}, step, worker);
      }
      computed.push_back(last);
    }

    if (!e_.push_during_backward && e_.fuse_per_tensor > Seconds{}) // all gradients into one buffer
      for (std::size_t member = 0; member < g.workers.size(); ++member)
        backward[member][0] =
            add("fuse", Role::exchange, Compute{e_.fuse_per_tensor * static_cast<double>(bytes_.size()), {}, {}},
                {backward[member][0]}, {fabric_->compute(g.workers[member])}, step, g.workers[member]);

    std::vector<Ids> pushed(parts_.size());
    for (std::size_t layer = c_.dnn.layers.size(); layer-- > 0;)
      for (const int part : parts_of_layer_[layer]) {
        Ids produced;
        for (std::size_t member = 0; member < g.workers.size(); ++member)
          produced.push_back(backward[member][e_.push_during_backward ? layer : 0]);
        pushed[at(part)] = add_push(group, part, step, produced);
      }
    return pushed;
  }

  /// Data of one step: fed by the client, or read and preprocessed on the node.
  Ids add_input(int worker, int step, const Ids& start)
  {
    const double batch = static_cast<double>(c_.job.batch_per_gpu) * c_.job.accumulation_steps;
    if (e_.client) {
      const Bytes bytes{c_.dnn.input_bytes * batch};
      Ids after = start;
      if (e_.feed_prefetch > 0) {
        after.clear();
        const std::vector<OperationId>& consumed = consumed_[at(worker)];
        if (const int freed = static_cast<int>(consumed.size()) - e_.feed_prefetch; freed >= 0)
          after.push_back(consumed[at(freed)]);
      }
      return {add("feed", Role::input,
                  Transfer{*e_.client, gpu(worker), bytes, message_cost(e_.transport, bytes), fabric_->client_sends()},
                  std::move(after), {}, step, worker)};
    }
    if (c_.job.input.source == "synthetic")
      return {};
    const InputSpec& input = c_.job.input;
    const NodeId node = node_of(gpu(worker));
    Ids after;
    const std::vector<OperationId>& consumed = consumed_[at(worker)];
    if (const int freed = static_cast<int>(consumed.size()) - std::max(1, input.prefetch_steps); freed >= 0)
      after.push_back(consumed[at(freed)]);
    const bool shared = input.source == "storage";
    const double readers = shared ? members() : represent_ ? groups_[at(simulated_.front())].mates : 1;
    if (input.bandwidth > BytesPerSecond{})
      after = {add("read", Role::input, HostWork{input.bytes_per_sample * (batch * readers) / input.bandwidth},
                   std::move(after), {lane(shared ? NodeId{} : node, shared ? "storage" : "disk")}, step, worker)};
    if (input.preprocess_per_sample > Seconds{} && input.cpu_cores > 0) {
      const double mates = represent_ ? groups_[at(simulated_.front())].mates : 1;
      after = {add("preprocess", Role::input, HostWork{input.preprocess_per_sample * (batch * mates / input.cpu_cores)},
                   std::move(after), {lane(node, "preprocessing")}, step, worker)};
    }
    return after;
  }

  LaneId lane(NodeId node, const std::string& name)
  {
    const auto [entry, fresh] = input_lane_.try_emplace({node, name}, LaneId{});
    if (fresh)
      entry->second = program_.add(Lane{.name = (node.index >= 0 ? c_.cluster.node(node).name + " " : "") + name,
                                        .kind = LaneKind::host,
                                        .slots = 1,
                                        .members = 1,
                                        .node = node});
    return entry->second;
  }

  /// One variable part from its server to every worker of the group.
  std::vector<Ids> add_pull(int group, int part, int step, const Ids& after)
  {
    const WorkerGroup& g = groups_[at(group)];
    const VariablePart& p = parts_[at(part)];
    const int priority = e_.pull_in_layer_order ? layer_of(part) : 0;
    const int first = g.workers.front();
    std::vector<Ids> result(g.workers.size(), after);
    if (e_.in_process) {
      for (std::size_t member = 0; member < g.workers.size(); ++member)
        result[member] = {add(label("pull", part), Role::pull,
                              Copy{e_.servers[at(p.server)], gpu(g.workers[member]), p.bytes, {}}, after, {}, step,
                              g.workers[member], priority)};
      return result;
    }
    Ids arrived = after;
    if (served_) {
      const VertexId server = e_.servers[at(p.server)];
      if (e_.message_cpu > Seconds{})
        arrived = {add(label("serve", part), Role::pull, HostWork{e_.message_cpu * members()}, arrived,
                       {fabric_->server_cpu(p.server)}, step, first, priority)};
      const VertexId target = grouped() ? host(g) : gpu(first);
      arrived = {add(label("pull", part), Role::pull,
                     Transfer{server, target, p.bytes, message_cost(e_.transport, p.bytes),
                              fabric_->capacities(g.node, p.server, false)},
                     arrived, fabric_->connection(group, p.server, false), step, first, priority)};
    }
    if (!grouped()) {
      result.front() = arrived;
    } else if (e_.local_aggregation == "host") {
      for (std::size_t member = 0; member < g.workers.size(); ++member)
        result[member] = {add(label("copy", part), Role::pull, Copy{host(g), gpu(g.workers[member]), p.bytes, {}},
                              arrived, {}, step, g.workers[member], priority)};
    } else {
      if (served_)
        arrived = scatter(g, part, step, arrived, false);
      if (g.workers.size() > 1)
        arrived = {collective("all_gather", g, part, step, arrived)};
      result.assign(g.workers.size(), arrived);
    }
    return result;
  }

  /// Each GPU's share of a part between host and device memory; collectives and copies of a node take turns on its PCIe
  /// tree.
  Ids scatter(const WorkerGroup& g, int part, int step, const Ids& after, bool to_host)
  {
    Ids done;
    const Bytes share = parts_[at(part)].bytes / static_cast<double>(g.workers.size());
    for (const int worker : g.workers) {
      const Copy copy = to_host ? Copy{gpu(worker), host(g), share, {}} : Copy{host(g), gpu(worker), share, {}};
      done.push_back(add(label("copy", part), to_host ? Role::push : Role::pull, copy, after,
                         worker == g.workers.front() ? fabric_->collectives(g.node) : std::vector<LaneId>{}, step,
                         worker));
    }
    return done;
  }

  OperationId collective(const std::string& operation, const WorkerGroup& g, int part, int step, Ids after)
  {
    CollectiveCall call;
    call.algorithm = e_.local_collective;
    call.operation = operation;
    for (const int worker : g.workers)
      call.ranks.push_back(gpu(worker));
    call.payload = parts_[at(part)].bytes;
    call.cost = e_.local_cost;
    call.start_up = e_.local_start_up;
    return add(label(operation, part), Role::exchange, std::move(call), std::move(after),
               {fabric_->collectives(g.node).front()}, step, g.workers.front());
  }

  /// One gradient part from a group to its server; ends when the server has added it.
  Ids add_push(int group, int part, int step, const Ids& produced)
  {
    const WorkerGroup& g = groups_[at(group)];
    const VariablePart& p = parts_[at(part)];
    const int first = g.workers.front();
    Ids done = produced;
    if (e_.in_process) {
      done = {add(label("push", part), Role::push, Copy{gpu(first), e_.servers[at(p.server)], p.bytes, {}}, done, {},
                  step, first)};
    } else if (e_.local_aggregation == "host") {
      Ids copied;
      for (std::size_t member = 0; member < g.workers.size(); ++member)
        copied.push_back(add(label("copy", part), Role::push, Copy{gpu(g.workers[member]), host(g), p.bytes, {}},
                             {produced[member]}, {}, step, g.workers[member]));
      done = copied;
      if (g.workers.size() > 1 && e_.aggregate_per_byte > SecondsPerByte{})
        done = {add(label("sum", part), Role::aggregate,
                    HostWork{p.bytes * e_.aggregate_per_byte * static_cast<double>(g.workers.size() - 1)}, done,
                    {fabric_->host(g.node)}, step, first)};
    } else if (grouped() && g.workers.size() > 1) {
      done = {collective("reduce_scatter", g, part, step, done)};
    }
    if (!served_)
      return done;
    if (!e_.in_process) {
      if (e_.local_aggregation == "collective")
        done = scatter(g, part, step, done, true);
      done = {add(label("push", part), Role::push,
                  Transfer{grouped() ? host(g) : gpu(first), e_.servers[at(p.server)], p.bytes,
                           message_cost(e_.transport, p.bytes), fabric_->capacities(g.node, p.server, true)},
                  done, fabric_->connection(group, p.server, true), step, first)};
    }
    const Seconds sum = (p.bytes * e_.aggregate_per_byte + e_.message_cpu) * members();
    if (sum > Seconds{})
      done = {add(label("aggregate", part), Role::aggregate, HostWork{sum}, done, {fabric_->server_cpu(p.server)}, step,
                  first)};
    return done;
  }

  /// Synchronous: each part is updated when the gradients of all contributors are in; one mark for all.
  void finish_together(int step, const std::vector<int>& active, const std::vector<std::vector<Ids>>& pushed,
                       const std::vector<Ids>& computed)
  {
    std::vector<Seconds> times;
    for (const int group : active)
      times.push_back(group_time(group, step));
    std::vector<int> counted;
    for (const int index : e_.rule->contributors(times))
      counted.push_back(active[at(index)]);

    Ids all;
    std::vector<std::vector<Ids>> replicas(groups_.size());
    for (int part = 0; part < static_cast<int>(parts_.size()); ++part) {
      Ids arrived;
      for (const int group : counted)
        arrived.insert(arrived.end(), pushed[at(group)][at(part)].begin(), pushed[at(group)][at(part)].end());
      if (served_)
        arrived = {add(label("update", part), Role::update, HostWork{parts_[at(part)].bytes * e_.update_per_byte},
                       std::move(arrived), {fabric_->server_cpu(parts_[at(part)].server)}, step, -1)};
      if (!e_.pull_after_update) {
        all.insert(all.end(), arrived.begin(), arrived.end());
        continue;
      }
      for (const int group : active) {
        replicas[at(group)].resize(groups_[at(group)].workers.size());
        const std::vector<Ids> pulled = add_pull(group, part, step, arrived);
        for (std::size_t member = 0; member < pulled.size(); ++member)
          replicas[at(group)][member].insert(replicas[at(group)][member].end(), pulled[member].begin(),
                                             pulled[member].end());
      }
    }
    for (const int group : active) {
      const bool waits = std::ranges::count(counted, group) > 0;
      Ids own = computed[at(group)];
      if (e_.pull_after_update)
        for (std::size_t member = 0; member < groups_[at(group)].workers.size(); ++member) {
          const int worker = groups_[at(group)].workers[member];
          const Ids& replica = replicas[at(group)][member];
          own.insert(own.end(), replica.begin(), replica.end());
          Seconds update = c_.workers[at(worker)].update;
          if (!e_.push_during_backward) // and back out of the buffer
            update += e_.fuse_per_tensor * static_cast<double>(bytes_.size());
          if (update > Seconds{}) {
            Ids after = replica;
            after.push_back(computed[at(group)][member]);
            own.push_back(add("update", Role::update, Compute{update * compute_factor(worker, step), {}, {}},
                              std::move(after), {fabric_->compute(worker)}, step, worker));
          }
        }
      if (waits) {
        all.insert(all.end(), own.begin(), own.end());
      } else { // too late: its gradients are dropped, and it continues when it is done
        for (const Ids& ids : pushed[at(group)])
          own.insert(own.end(), ids.begin(), ids.end());
        loose_ends_[at(group)] = own;
      }
    }
    finished_.push_back(add("step", Role::other, StepEnd{step, -1}, std::move(all), {}, step, -1));
  }

  /// Asynchronous and bounded: every gradient is applied on its own; one mark per worker.
  void finish_alone(int step, const std::vector<int>& active, const std::vector<std::vector<Ids>>& pushed,
                    const std::vector<Ids>& computed)
  {
    Ids ends;
    for (const int group : active) {
      const int first = groups_[at(group)].workers.front();
      Ids applied = computed[at(group)];
      for (int part = 0; part < static_cast<int>(parts_.size()); ++part) {
        Ids arrived = pushed[at(group)][at(part)];
        arrived = {add(label("update", part), Role::update, HostWork{parts_[at(part)].bytes * e_.update_per_byte},
                       std::move(arrived), {fabric_->server_cpu(parts_[at(part)].server)}, step, first)};
        if (e_.pull_after_update)
          for (const Ids& pulled : add_pull(group, part, step, arrived))
            applied.insert(applied.end(), pulled.begin(), pulled.end());
        applied.insert(applied.end(), arrived.begin(), arrived.end());
      }
      ended_[at(group)] = add("step", Role::other, StepEnd{step, first}, std::move(applied), {}, step, first);
      ends.push_back(ended_[at(group)]);
    }
    finished_.push_back(add("all workers", Role::other, HostWork{}, std::move(ends), {}, step, -1));
  }

  const TrainingContext& c_;
  const ServerExchange& e_;
  int first_step_;
  int steps_;
  StepProgram program_;
  std::unique_ptr<ServerFabric> fabric_; // lanes and capacities

  std::vector<int> layer_of_variable_;
  std::vector<Bytes> bytes_;
  std::vector<std::string> names_;
  std::vector<VariablePart> parts_;
  std::vector<std::vector<int>> parts_of_layer_;
  std::vector<LayerRun> runs_;

  std::vector<WorkerGroup> groups_;
  std::vector<int> simulated_; // groups that appear as operations
  bool represent_ = false;
  bool served_ = true;

  std::map<std::pair<NodeId, std::string>, LaneId> input_lane_;

  std::vector<OperationId> ended_;                 // of a group's last step (no barrier)
  std::vector<Ids> loose_ends_;                    // of a group whose gradient came too late
  std::vector<OperationId> finished_;              // all workers, by step
  std::vector<std::vector<OperationId>> consumed_; // per worker: when a step has taken its batch
};

} // namespace

StepProgram server_program(const TrainingContext& context, const ServerExchange& exchange, int first_step, int steps)
{
  return Builder{context, exchange, first_step, steps}.build();
}

bool begin_elsewhere_with_servers(const TrainingContext& context, const ServerExchange& exchange, int first_step,
                                  StepProgram& program)
{
  return Builder{context, exchange, first_step, program.steps}.begin_elsewhere(program);
}

} // namespace trainyard
