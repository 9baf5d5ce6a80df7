// SPDX-License-Identifier: Apache-2.0
// The steps of workers that exchange through parameter servers, as a graph of operations.
//
// Workers that sum their gradients before talking to the servers form a group (the GPUs of a node); otherwise each
// worker is a group of one. Within a step a group pulls each variable part before the forward pass of its layer,
// computes, pushes the gradient when the backward pass has produced it; the server adds it up and updates. With
// `pull_after_update` workers keep replicas, and a part is fetched as soon as it is updated. Over a connection whole
// parts come one after another: pulls in the order in which the worker asks, pushes as they become ready. Connections
// share links and servers: a server answers no pull before its pushes unless the capacity is there, which is how
// unscheduled senders behave.
//
// Of many equal workers (no straggler, no jitter, synchronous) some can stand for all: what is shared - servers, slots,
// cards, links between switches - then appears as a resource with their share of its rate, because all send the same
// bytes at the same time. Of very many without a barrier a sample appears in the same way.
#include "sim/step/training/server_program.hpp"
#include "models/cost/kept_state.hpp"
#include "sim/step/training/message_cost.hpp"
#include "sim/step/training/server_messages.hpp"
#include "sim/step/training/server_plan.hpp"
#include "sim/step/training/spread.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>
#include <utility>

namespace trainyard {
namespace {

std::size_t at(int index)
{
  return static_cast<std::size_t>(index);
}

class Builder
{
public:
  Builder(const TrainingContext& context, const ServerExchange& exchange, int first_step, int steps, bool joins = false)
      : c_{context}, e_{exchange}, plan_{context, exchange, first_step, joins}, first_step_{first_step}, steps_{steps}
  {
    program_.job = c_.job.name;
    program_.workers = static_cast<int>(c_.placement.workers.size());
    program_.samples_per_step = c_.job.training.settings.number(share_of_batch, 1) * program_.workers *
                                c_.job.batch_per_gpu * c_.job.accumulation_steps;
    const std::size_t groups = plan_.groups().size();
    drops_ = e_.rule->aggregates() && e_.rule->contributors(std::vector<Seconds>(groups)).size() < groups;
    if (drops_) { // a group may be a machine with few workers or many
      std::vector<int> all(groups);
      std::iota(all.begin(), all.end(), 0);
      std::size_t counted = 0;
      for (const int group : contributors(all, 0))
        counted += plan_.group(group).workers.size();
      program_.samples_per_step *= static_cast<double>(counted) / static_cast<double>(program_.workers);
    }
    program_.stands_for = plan_.members();
    for (const Layer& layer : c_.dnn.layers)
      names_.emplace_back("forward " + layer.name, "backward " + layer.name);
    fabric_ = std::make_unique<ServerFabric>(program_, c_, e_, plan_.groups(), plan_.simulated(), plan_.parts());
    messages_ = std::make_unique<ServerMessages>(program_, c_, e_, plan_, *fabric_);
    input_ = std::make_unique<WorkerInput>(program_, c_, e_, plan_, *fabric_, *messages_);
    if (e_.dense_by_all_reduce)
      dense_ = std::make_unique<DenseSums>(program_, c_, e_.dense_transport, program_.workers);
  }

  StepProgram build() { return build(plan_.steps_of_groups(steps_)); }

  /// Slow workers take as many steps as fast ones, and all steps of a worker are equal.
  StepProgram build_for_all()
  {
    plan_.leave_out_jitter();
    return build(std::vector<int>(plan_.groups().size(), steps_));
  }

  /// Gives @p program the places in the step that workers have when they begin with another step.
  bool begin_elsewhere(StepProgram& program) const
  {
    if (c_.job.jitter.distribution != "none" || e_.sync_every > 1 || e_.pull_order == PullOrder::random ||
        !plan_.out_of_step())
      return false;
    return begin_at(program, plan_.start_delays());
  }

private:
  StepProgram build(const std::vector<int>& own_steps)
  {
    ended_.assign(plan_.groups().size(), {});
    loose_ends_.assign(plan_.groups().size(), {});
    ready_.assign(plan_.groups().size(), {});
    if (const auto tokens = e_.rule->tokens(static_cast<int>(plan_.groups().size()))) {
      add_token_steps(*tokens);
      program_.steps = steps_;
      return std::move(program_);
    }
    const std::optional<int> alike_from = plan_.alike_from();
    for (int step = 0; step < steps_; ++step) {
      std::vector<int> active;
      for (const int group : plan_.simulated())
        if (step < own_steps[at(group)])
          active.push_back(group);
      add_step(step, active);
      if (step == 0 && e_.sync_every == 1) // all are alike
        program_.operations.reserve(program_.operations.size() * at(steps_) + 64);
      if (step == alike_from && active.size() == plan_.simulated().size() &&
          repeat_last_step(program_, plan_.steps_of_workers(own_steps)))
        break;
    }
    program_.steps = steps_;
    return std::move(program_);
  }

  using Ids = ServerMessages::Ids;
  OperationId add(SharedText name, Role role, Work work, Ids after, SmallList<LaneId> lanes, int step, int worker)
  {
    return messages_->add(std::move(name), role, std::move(work), std::move(after), std::move(lanes), step, worker);
  }

  VertexId gpu(int worker) const { return c_.placement.workers[at(worker)]; }
  void add_step(int step, const std::vector<int>& active)
  {
    const bool aggregates = e_.rule->aggregates();
    std::vector<Ids> starts(plan_.groups().size());
    OperationId everyone;
    if (const std::optional<int> waited = e_.rule->all_must_have_finished(step);
        aggregates && e_.sync_every == 1 && waited && *waited >= 0 && *waited < static_cast<int>(finished_.size()))
      everyone = finished_[at(*waited)];
    for (const int group : active) {
      if (everyone.index >= 0 && !e_.forward_by_layer)
        starts[at(group)].push_back(everyone);
      if (!aggregates && ended_[at(group)].index >= 0 && !e_.forward_by_layer)
        starts[at(group)].push_back(ended_[at(group)]);
      for (const OperationId id : loose_ends_[at(group)])
        starts[at(group)].push_back(id);
      if (step == 0 && plan_.out_of_step()) // nothing synchronises such workers
        if (const Seconds late = plan_.start_delay(group); late > Seconds{})
          starts[at(group)].push_back(
              add(start_of_worker, Role::other, HostWork{late}, {}, {}, step, plan_.group(group).workers.front()));
      loose_ends_[at(group)].clear();
    }

    if (e_.sync_every > 1)
      return add_own_steps(step, active, starts);
    std::vector<std::vector<Ids>> pushed(plan_.groups().size()); // per group and part: what the server waits for
    std::vector<Ids> computed(plan_.groups().size());            // the last operations of the workers themselves
    for (const int group : active)
      pushed[at(group)] = add_work(group, step, step, starts[at(group)], computed[at(group)]);

    if (aggregates)
      finish_together(step, active, pushed, computed);
    else
      finish_alone(step, active, pushed, computed);
  }

  /// Each worker computes and updates its replica. In every sync_every-th step, the first one included, it then sends
  /// its parameters and goes on with those that the servers have made of them: of all, or of its own and theirs.
  void add_own_steps(int step, const std::vector<int>& active, const std::vector<Ids>& starts)
  {
    const bool exchanges = (first_step_ + step) % e_.sync_every == 0;
    const bool aggregates = e_.rule->aggregates();
    std::vector<std::vector<Ids>> pushed(plan_.groups().size());
    std::vector<Ids> own(plan_.groups().size()); // by member of a group, its last operation
    for (const int group : active) {
      for (const int worker : plan_.group(group).workers)
        own[at(group)].push_back(add_own_step(worker, step, starts[at(group)]));
      for (int part = 0; exchanges && part < static_cast<int>(plan_.parts().size()); ++part)
        pushed[at(group)].push_back(messages_->push(group, part, plan_.part(part).bytes, step, own[at(group)]));
    }
    for (int part = 0; exchanges && part < static_cast<int>(plan_.parts().size()); ++part) {
      Ids of_all;
      for (const int group : active)
        of_all.insert(of_all.end(), pushed[at(group)][at(part)].begin(), pushed[at(group)][at(part)].end());
      if (aggregates && plan_.served())
        of_all = {add_update(part, std::move(of_all), step)};
      if (aggregates && e_.spread > 0) // one that is slower is so in each of the steps
        of_all = {add("wait for the slowest", Role::other, HostWork{wait_for(active, step) * e_.sync_every}, of_all, {},
                      step, -1)};
      for (const int group : active) {
        Ids updated = of_all;
        if (!aggregates)
          updated = {add(messages_->label("update", part), Role::update,
                         HostWork{plan_.part(part).bytes * e_.update_per_byte * plan_.members()},
                         pushed[at(group)][at(part)], {fabric_->server_cpu(plan_.part(part).server)}, step,
                         plan_.group(group).workers.front())};
        for (const Ids& pulled : messages_->pull(group, plan_.message_of(part), step, updated, part))
          own[at(group)].insert(own[at(group)].end(), pulled.begin(), pulled.end());
      }
    }
    Ids all;
    for (const int group : active) {
      loose_ends_[at(group)] = own[at(group)];
      all.insert(all.end(), own[at(group)].begin(), own[at(group)].end());
      const int first = plan_.group(group).workers.front();
      if (!aggregates)
        add("step", Role::other, StepEnd{step, first}, own[at(group)], {}, step, first);
    }
    if (aggregates)
      add("step", Role::other, StepEnd{step, -1}, std::move(all), {}, step, -1);
  }

  /// Forward, backward and update of one worker; the last of them.
  OperationId add_own_step(int worker, int step, const Ids& start)
  {
    const WorkerTimes& times = c_.workers[at(worker)];
    const double factor = plan_.compute_factor(worker, step);
    Ids after = input_->take(worker, step, start);
    const std::size_t layers = c_.dnn.layers.size();
    Compute forward = plan_.compute({0, layers - 1}, times.forward, factor, 1);
    if (c_.job.accumulation_steps > 1) {
      const Compute more = plan_.between(times, factor);
      forward.duration += more.duration;
      forward.flop += more.flop;
    }
    OperationId last =
        add("forward", Role::forward, forward, std::move(after), {fabric_->compute(worker)}, step, worker);
    last = add("backward", Role::backward, plan_.compute({0, layers - 1}, times.backward, factor, 2), {last},
               {fabric_->compute(worker)}, step, worker);
    return add("update", Role::update, Compute{times.update * factor, {}, {}}, {last}, {fabric_->compute(worker)}, step,
               worker);
  }

  /// All sum what is no table, and each worker updates its replica. Returns what the step waits for.
  Ids sum_dense(int step, const std::vector<int>& active, const std::vector<Ids>& computed)
  {
    if (dense_->share() <= 0)
      return {};
    Ids own;
    for (const int group : active)
      own.insert(own.end(), computed[at(group)].begin(), computed[at(group)].end());
    const Ids summed = dense_->sum(step, *messages_, std::move(own));
    Ids updated = summed;
    for (const int group : active)
      for (const int worker : plan_.group(group).workers)
        if (const OperationId update = add_own_update(worker, step, dense_->share(), summed); update.index >= 0)
          updated.push_back(update);
    return updated;
  }

  /// Workers that wait for tokens: the rounds of each step, those whose gradients come too late too, and its update.
  void add_token_steps(const TokenRules& rules)
  {
    const std::size_t groups = plan_.groups().size();
    const TokenSchedule schedule = token_schedule(
        rules, std::vector<TokenWorker>(groups), [&](int group, int round) { return plan_.group_time(group, round); },
        steps_);
    // A group may be a machine with few workers or many. Until the tokens of the start are used up all count.
    const int settled = std::min(e_.rule->settling_steps({}), steps_ - 1);
    std::size_t counted = 0;
    for (const TokenRound& one : schedule.rounds)
      if (one.counts && one.step >= settled && one.step < steps_)
        counted += plan_.group(one.worker).workers.size();
    program_.samples_per_step *=
        static_cast<double>(counted) / (static_cast<double>(steps_ - settled) * program_.workers);
    auto round = schedule.rounds.begin();
    for (int step = 0; step < steps_; ++step) {
      std::vector<Ids> arrived(plan_.parts().size());
      for (; round != schedule.rounds.end() && round->step == step; ++round) {
        Ids& last = loose_ends_[at(round->worker)]; // a worker takes its token once its gradients are there
        Ids start = last;
        if (step > 0)
          start.push_back(finished_.back());
        last.clear();
        const std::vector<Ids> pushed = add_work(round->worker, step, round->number, start, last);
        for (std::size_t part = 0; part < pushed.size(); ++part) {
          last.insert(last.end(), pushed[part].begin(), pushed[part].end());
          if (round->counts)
            arrived[part].insert(arrived[part].end(), pushed[part].begin(), pushed[part].end());
        }
      }
      Ids all;
      for (std::size_t part = 0; part < arrived.size(); ++part)
        all.push_back(add_update(static_cast<int>(part), std::move(arrived[part]), step));
      finished_.push_back(add("step", Role::other, StepEnd{step, -1}, std::move(all), {}, step, -1));
      if (step == 0)
        program_.operations.reserve(program_.operations.size() * at(steps_) + 64);
    }
  }

  /// A server applies the sum of what has arrived. Towers that keep variables on their GPUs update them there.
  OperationId add_update(int part, Ids arrived, int step)
  {
    const VariablePart& held = plan_.part(part);
    if (e_.in_process && c_.cluster.vertex(e_.servers[at(held.server)]).kind == VertexKind::gpu &&
        c_.workers[at(held.server)].update > Seconds{})
      return add_own_update(held.server, step, held.bytes / whole_model(), std::move(arrived));
    return add(messages_->label("update", part), Role::update, HostWork{held.bytes * e_.update_per_byte},
               std::move(arrived), {fabric_->server_cpu(held.server)}, step, -1);
  }

  Bytes whole_model() const
  {
    Bytes whole;
    for (const VariablePart& part : plan_.parts())
      whole += part.bytes;
    return whole;
  }

  /// The time that the slowest of these groups takes longer than the computed one.
  Seconds wait_for(const std::vector<int>& groups, int step) const
  {
    Seconds slowest;
    double workers = 0;
    for (const int group : groups) {
      slowest = std::max(slowest, plan_.group_time(group, step));
      workers += plan_.members() * static_cast<double>(plan_.group(group).workers.size());
    }
    return wait_for_slowest(slowest * e_.spread, static_cast<int>(std::lround(workers)));
  }

  /// With replicas: the worker's own update of what it has fetched, or of a part of it.
  OperationId add_own_update(int worker, int step, double share, Ids after)
  {
    Seconds update = c_.workers[at(worker)].update;
    if (!e_.push_during_backward) // and back out of the buffer
      update += e_.fuse_per_tensor * static_cast<double>(plan_.variables());
    if (!(update > Seconds{}))
      return {};
    return add("update", Role::update, Compute{update * (share * plan_.compute_factor(worker, step)), {}, {}},
               std::move(after), {fabric_->compute(worker)}, step, worker);
  }

  /// With forward_by_layer: what the next forward pass of each layer waits for, once `after` have happened to a part.
  void add_ready(int group, int part, int step, const Ids& after, const Ids& computed)
  {
    const WorkerGroup& g = plan_.group(group);
    std::vector<std::vector<Ids>>& ready = ready_[at(group)];
    ready.resize(plan_.parts().size());
    const int turn = e_.pull_order == PullOrder::layer ? plan_.layer_of(part) : 0;
    ready[at(part)] = messages_->pull(group, plan_.message_of(part), step, after, turn);
    for (std::size_t member = 0; member < g.workers.size(); ++member) {
      Ids own = ready[at(part)][member];
      own.push_back(computed[member]);
      if (const OperationId updated =
              add_own_update(g.workers[member], step, plan_.part(part).bytes / whole_model(), own);
          updated.index >= 0)
        ready[at(part)][member] = {updated};
    }
  }

  /// Pull, forward, backward and push of one group, its @p round from the start on; returns what must be done before a
  /// part counts as arrived at its server.
  std::vector<Ids> add_work(int group, int step, int round, const Ids& start, Ids& computed)
  {
    const WorkerGroup& g = plan_.group(group);
    std::vector<std::vector<Ids>> pulled; // per part and worker of the group
    if (!e_.pull_after_update) {
      pulled.resize(plan_.parts().size());
      const std::vector<OperationId>* held = e_.rule->aggregates() ? nullptr : pushed_by_all(step);
      int turn = 0;
      for (const PulledMessage& message : plan_.pulls(group, round)) {
        Ids after = start;
        if (held != nullptr)
          after.push_back((*held)[at(message.parts.front())]);
        const std::vector<Ids> arrived = messages_->pull(group, message, step, after, turn++);
        for (const int part : message.parts)
          pulled[at(part)] = arrived;
      }
    }
    if (e_.forward_by_layer)
      pulled = std::exchange(ready_[at(group)], {});
    std::vector<std::vector<OperationId>> backward(g.workers.size());
    for (std::size_t member = 0; member < g.workers.size(); ++member) {
      const int worker = g.workers[member];
      const double factor = plan_.compute_factor(worker, round);
      const Ids batch = input_->take(worker, step, start);
      OperationId last;
      for (const LayerRun& run : plan_.forward_runs()) {
        Ids after = run.first == 0 ? batch : Ids{last};
        if (!pulled.empty())
          for (const int part : plan_.parts_of_layer(run.first))
            for (const OperationId id : pulled[at(part)][member])
              if (std::ranges::find(after, id) == after.end()) // several may come in one message
                after.push_back(id);
        last =
            add(names_[run.first].first, Role::forward, plan_.compute(run, c_.workers[at(worker)].forward, factor, 1),
                std::move(after), {fabric_->compute(worker)}, step, worker);
      }
      if (c_.job.accumulation_steps > 1)
        last = add("micro-steps up to the last one", Role::forward, plan_.between(c_.workers[at(worker)], factor),
                   {last}, {fabric_->compute(worker)}, step, worker);
      backward[member].resize(c_.dnn.layers.size());
      for (std::size_t index = plan_.backward_runs().size(); index-- > 0;) {
        const LayerRun& run = plan_.backward_runs()[index];
        last = add(names_[run.first].second, Role::backward,
                   plan_.compute(run, c_.workers[at(worker)].backward, factor, 2), {last}, {fabric_->compute(worker)},
                   step, worker);
        backward[member][run.first] = last;
      }
      if (e_.client)
        last = add("fetch", Role::input, message(e_.transport, c_.cluster, gpu(worker), *e_.client, Bytes{4}), {last},
                   {}, step, worker);
      computed.push_back(last);
    }

    if (dense_ != nullptr)
      for (const std::vector<OperationId>& ends : backward)
        dense_->wait_for(ends);

    if (!e_.push_during_backward && e_.fuse_per_tensor > Seconds{}) // all gradients into one buffer
      for (std::size_t member = 0; member < g.workers.size(); ++member) {
        const int worker = g.workers[member];
        const double copies = static_cast<double>(plan_.variables()) * plan_.compute_factor(worker, round);
        backward[member][0] = add("fuse", Role::exchange, Compute{e_.fuse_per_tensor * copies, {}, {}},
                                  {backward[member][0]}, {fabric_->compute(worker)}, step, worker);
      }

    std::vector<Ids> pushed(plan_.parts().size());
    for (std::size_t layer = c_.dnn.layers.size(); layer-- > 0;)
      for (const int part : plan_.parts_of_layer(layer)) {
        const std::optional<Bytes> bytes = plan_.pushed(part);
        if (!bytes)
          continue;
        Ids produced;
        for (std::size_t member = 0; member < g.workers.size(); ++member)
          produced.push_back(backward[member][e_.push_during_backward ? layer : 0]);
        pushed[at(part)] = messages_->push(group, part, *bytes, step, produced);
      }
    return pushed;
  }

  /// The step in which all workers must have pushed before one is given what it needs for @p step, by part; null: none.
  const std::vector<OperationId>* pushed_by_all(int step) const
  {
    const std::optional<int> waited = e_.rule->all_must_have_finished(step);
    return waited && *waited >= 0 && *waited < static_cast<int>(pushed_.size()) ? &pushed_[at(*waited)] : nullptr;
  }

  /// Those of these groups whose gradients the update of a step waits for.
  std::vector<int> contributors(const std::vector<int>& groups, int step) const
  {
    std::vector<Seconds> times;
    for (const int group : groups)
      times.push_back(drops_ ? plan_.arrives_after(group, step) : plan_.group_time(group, step));
    std::vector<int> counted;
    for (const int index : e_.rule->contributors(times))
      counted.push_back(groups[at(index)]);
    return counted;
  }

  /// Synchronous: each part is updated when the gradients of all contributors are in; one mark for all.
  void finish_together(int step, const std::vector<int>& active, const std::vector<std::vector<Ids>>& pushed,
                       const std::vector<Ids>& computed)
  {
    const std::vector<int> counted = contributors(active, step);

    Ids all;
    std::vector<std::vector<Ids>> replicas(plan_.groups().size());
    for (int part = 0; part < static_cast<int>(plan_.parts().size()); ++part) {
      Ids arrived;
      for (const int group : counted)
        arrived.insert(arrived.end(), pushed[at(group)][at(part)].begin(), pushed[at(group)][at(part)].end());
      if (e_.forward_by_layer && e_.spread > 0)
        arrived = {add("wait for the slowest", Role::other, HostWork{wait_for(counted, step)}, std::move(arrived), {},
                       step, -1)};
      if (plan_.served())
        arrived = {add_update(part, std::move(arrived), step)};
      if (!e_.pull_after_update || e_.forward_by_layer)
        all.insert(all.end(), arrived.begin(), arrived.end());
      if (e_.forward_by_layer)
        for (const int group : active)
          add_ready(group, part, step, arrived, computed[at(group)]);
      if (!e_.pull_after_update || e_.forward_by_layer)
        continue;
      for (const int group : active) {
        replicas[at(group)].resize(plan_.group(group).workers.size());
        const int turn = e_.pull_order == PullOrder::layer ? plan_.layer_of(part) : 0;
        const std::vector<Ids> pulled = messages_->pull(group, plan_.message_of(part), step, arrived, turn);
        for (std::size_t member = 0; member < pulled.size(); ++member)
          replicas[at(group)][member].insert(replicas[at(group)][member].end(), pulled[member].begin(),
                                             pulled[member].end());
      }
    }
    if (e_.dense_by_all_reduce)
      std::ranges::copy(sum_dense(step, active, computed), std::back_inserter(all));
    for (const int group : active) {
      const bool waits = std::ranges::count(counted, group) > 0;
      Ids own = computed[at(group)];
      if (e_.forward_by_layer)
        loose_ends_[at(group)] = own;
      else if (e_.pull_after_update)
        for (std::size_t member = 0; member < plan_.group(group).workers.size(); ++member) {
          const int worker = plan_.group(group).workers[member];
          const Ids& replica = replicas[at(group)][member];
          own.insert(own.end(), replica.begin(), replica.end());
          Ids after = replica;
          after.push_back(computed[at(group)][member]);
          if (const OperationId updated = add_own_update(worker, step, 1, std::move(after)); updated.index >= 0)
            own.push_back(updated);
        }
      if (waits) {
        all.insert(all.end(), own.begin(), own.end());
      } else { // too late: its gradients are dropped, and it continues when it is done
        for (const Ids& ids : pushed[at(group)])
          own.insert(own.end(), ids.begin(), ids.end());
        loose_ends_[at(group)] = own;
      }
    }
    if (e_.spread > 0 && !e_.forward_by_layer)
      all = {add("wait for the slowest", Role::other, HostWork{wait_for(counted, step)}, std::move(all), {}, step, -1)};
    finished_.push_back(add("step", Role::other, StepEnd{step, -1}, std::move(all), {}, step, -1));
  }

  /// Asynchronous and bounded: every gradient is applied on its own; one mark per worker.
  void finish_alone(int step, const std::vector<int>& active, const std::vector<std::vector<Ids>>& pushed,
                    const std::vector<Ids>& computed)
  {
    const std::size_t parts = plan_.parts().size();
    std::vector<std::vector<OperationId>> updated(plan_.groups().size());
    for (const int group : active)
      for (std::size_t part = 0; part < parts; ++part) {
        const std::optional<Bytes> bytes = plan_.pushed(static_cast<int>(part));
        if (!bytes)
          continue;
        updated[at(group)].push_back(add(messages_->label("update", static_cast<int>(part)), Role::update,
                                         HostWork{(plan_.joins() ? *bytes : plan_.part(static_cast<int>(part)).bytes) *
                                                  e_.update_per_byte * plan_.members()},
                                         pushed[at(group)][part],
                                         {fabric_->server_cpu(plan_.part(static_cast<int>(part)).server)}, step,
                                         plan_.group(group).workers.front()));
      }
    if (e_.rule->all_must_have_finished(step)) { // servers hold back what not all have pushed
      std::vector<OperationId> all;
      for (std::size_t part = 0; part < parts; ++part) {
        Ids of_all;
        for (const int group : active)
          of_all.push_back(updated[at(group)][part]);
        all.push_back(add("pushed by all", Role::other, HostWork{}, std::move(of_all), {}, step, -1));
      }
      pushed_.push_back(std::move(all));
    }
    const std::vector<OperationId>* held = pushed_by_all(step + 1);
    for (const int group : active) {
      Ids applied = computed[at(group)];
      applied.insert(applied.end(), updated[at(group)].begin(), updated[at(group)].end());
      if (e_.forward_by_layer)
        loose_ends_[at(group)] = computed[at(group)];
      for (std::size_t part = 0; part < parts && e_.pull_after_update; ++part) {
        Ids after{updated[at(group)][part]};
        if (held != nullptr)
          after.push_back((*held)[part]);
        if (e_.forward_by_layer) {
          add_ready(group, static_cast<int>(part), step, after, computed[at(group)]);
          continue;
        }
        const int turn = e_.pull_order == PullOrder::layer ? plan_.layer_of(static_cast<int>(part)) : 0;
        for (const Ids& pulled : messages_->pull(group, plan_.message_of(static_cast<int>(part)), step, after, turn))
          applied.insert(applied.end(), pulled.begin(), pulled.end());
      }
      const int first = plan_.group(group).workers.front();
      ended_[at(group)] = add("step", Role::other, StepEnd{step, first}, std::move(applied), {}, step, first);
    }
  }

  const TrainingContext& c_;
  const ServerExchange& e_;
  ServerPlan plan_;
  int first_step_;
  int steps_;
  bool drops_ = false; // gradients of the slowest
  StepProgram program_;
  std::vector<std::pair<SharedText, SharedText>> names_; // of operations, by layer: forward, backward
  std::unique_ptr<ServerFabric> fabric_;                 // lanes and capacities
  std::unique_ptr<ServerMessages> messages_;
  std::unique_ptr<WorkerInput> input_;
  std::unique_ptr<DenseSums> dense_;                 // with dense_by_all_reduce
  std::vector<OperationId> ended_;                   // of a group's last step (no barrier)
  std::vector<Ids> loose_ends_;                      // of a group whose gradient came too late
  std::vector<std::vector<std::vector<Ids>>> ready_; // by group, part and member: what a layer's forward pass waits for
  std::vector<OperationId> finished_;                // all workers, by step
  std::vector<std::vector<OperationId>> pushed_;     // by all workers, by step and part (bounded)
};

} // namespace

StepProgram server_program(const TrainingContext& context, const ServerExchange& exchange, int first_step, int steps)
{
  // One worker alone is shown message by message.
  return Builder{context, exchange, first_step, steps, context.placement.workers.size() > 1}.build();
}

bool begin_elsewhere_with_servers(const TrainingContext& context, const ServerExchange& exchange, int first_step,
                                  StepProgram& program)
{
  return Builder{context, exchange, first_step, program.steps}.begin_elsewhere(program);
}

std::optional<EndlessSteps> endless_with_servers(const TrainingContext& context, const ServerExchange& exchange)
{
  if (exchange.sync_every > 1) // steps that differ
    return std::nullopt;
  ServerPlan plan{context, exchange, 0};
  const std::optional<int> back = plan.steps_back();
  if (!back)
    return std::nullopt;
  plan.leave_out_jitter();
  std::vector<Seconds> times;
  for (const int group : plan.simulated())
    times.push_back(plan.group_time(group, 0));
  constexpr int random_places = 1; // any but step 0, from which on workers begin at even distances
  EndlessSteps steps{.program = Builder{context, exchange, random_places, 2 * (*back + 1), true}.build_for_all(),
                     .settling = exchange.rule->settling_steps(times),
                     .back = *back,
                     .lead = -exchange.rule->all_must_have_finished(0).value_or(0)};
  if (is_random(context.job.jitter))
    steps.factor = [&context](int worker, int step) {
      return jitter_factor(context.job.jitter, context.random, worker, random_places + step);
    };
  return steps;
}

} // namespace trainyard
