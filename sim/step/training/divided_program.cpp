// SPDX-License-Identifier: Apache-2.0

#include "sim/step/training/divided.hpp"
#include "sim/step/training/message_cost.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <utility>

namespace trainyard {
namespace {

using PartGroup = NetworkPart::Group;
using OperationIds = std::vector<OperationId>;
using Tasks = std::span<const PipelineTask>; // one, or those that run together

const char* name_of(PartGroup group)
{
  switch (group) {
  case PartGroup::stage:
    return "PP";
  case PartGroup::tensor:
    return "TP";
  case PartGroup::context:
    return "CP";
  case PartGroup::expert:
    return "EP";
  case PartGroup::data:
  case PartGroup::copies:
    return "DP";
  case PartGroup::tied:
    return "embedding";
  }
  return "";
}

bool is_there(OperationId id)
{
  return id.index >= 0;
}

Seconds total(const std::vector<NetworkPart>& parts, Seconds NetworkPart::*time = &NetworkPart::time)
{
  Seconds sum;
  for (const NetworkPart& part : parts)
    sum += part.*time;
  return sum;
}

class DividedProgram
{
public:
  DividedProgram(const TrainingContext& context, const ParallelJob& job, const Transport& library)
      : cluster_{context.cluster}, job_{job}, work_{divided_work(job)}, ranks_{static_cast<std::size_t>(job.layout.pp)},
        micro_batches_{static_cast<std::size_t>(job.layout.micro_batches())},
        ways_{context, job.layout, simulated_rails(context, job)}, members_{job.layout.replicas() * job.layout.tp},
        holders_(static_cast<std::size_t>(work_.stages)), closings_(work_.chunks.size(), 0)
  {
    const NodeId machine = context.cluster.vertex(context.placement.workers.front()).node;
    cost_.efficiency = efficiency_of_cards(context.cluster, context.cluster.node(machine), library);
    cost_.limit = library.stream_limit;
    cost_.whole_latency = true;
    cost_.rdma = goes_over_rdma(library);
    program_.job = context.job.name;
    program_.workers = job.layout.gpus();
    program_.samples_per_step = job.layout.global_batch;
    for (std::size_t rank = 0; rank < ranks_; ++rank) {
      const VertexId gpu = context.placement.workers[rank * static_cast<std::size_t>(members_)];
      const NodeId node = context.cluster.vertex(gpu).node;
      compute_.push_back(program_.add(Lane{.name = context.cluster.vertex(gpu).name + " compute",
                                           .kind = LaneKind::compute,
                                           .members = members_,
                                           .node = node}));
      data_.push_back(program_.add(Lane{.name = fmt::format("stage {} gradients and weights", rank),
                                        .kind = LaneKind::communication,
                                        .members = members_,
                                        .node = node}));
      for (std::vector<LaneId>* lanes : {&to_next_, &to_previous_})
        lanes->push_back(program_.add(
            Lane{.name = fmt::format("stage {} to the {} one", rank, lanes == &to_next_ ? "next" : "previous"),
                 .kind = LaneKind::communication,
                 .members = members_,
                 .node = node}));
      // In a machine both leave over the GPU's own links, one after the other; between machines they share the cards.
      if (work_.handoff.flow <= Bytes{})
        to_previous_.back() = to_next_.back();
    }
    whole_.reserve(work_.chunks.size());
    for (std::size_t slot = 0; slot < work_.chunks.size(); ++slot) {
      const DividedWork::Chunk& chunk = work_.chunks[slot];
      DividedPass& both = whole_.emplace_back(chunk.backward);
      both.busy += chunk.weights.busy;
      both.network.insert(both.network.end(), chunk.weights.network.begin(), chunk.weights.network.end());
      holders_[static_cast<std::size_t>(chunk.stage)].push_back(slot);
    }
    for (std::size_t rank = 0; rank < ranks_; ++rank)
      for (const PipelineTask& task : work_.tasks[rank])
        closings_[slot_of(task, rank)] += closes(task) ? 1 : 0;
  }

  StepProgram build(int first_step, int steps)
  {
    program_.steps = steps;
    for (step_ = first_step; step_ < first_step + steps; ++step_)
      add_step();
    return std::move(program_);
  }

private:
  struct Gathered {
    OperationId first, all;
  };
  /// Gradients of a stage on all ranks that hold it.
  struct Reduction {
    OperationIds early, ends;
    OperationId sent;
  };

  std::size_t slot_of(const PipelineTask& task, std::size_t rank) const
  {
    return rank + static_cast<std::size_t>(task.chunk) * ranks_;
  }
  std::size_t stage_of(const PipelineTask& task, std::size_t rank) const
  {
    return static_cast<std::size_t>(work_.chunks[slot_of(task, rank)].stage);
  }
  std::size_t at(std::size_t stage, const PipelineTask& task) const
  {
    return stage * micro_batches_ + static_cast<std::size_t>(task.micro_batch);
  }
  /// Whether gradients of weights of its micro-batch are there behind it.
  bool closes(const PipelineTask& task) const
  {
    return task.pass == Pass::whole || task.pass == (work_.parted ? Pass::weights : Pass::backward);
  }
  /// Chunks whose stages follow each other from the first rank to the last.
  bool goes_down(const PipelineTask& task) const { return work_.order == StageOrder::round || task.chunk == 0; }
  /// Whether stages @p before and before + 1 are on one rank, where a V turns round.
  bool turns_after(std::size_t before) const { return work_.order == StageOrder::v && before + 1 == ranks_; }

  OperationId add(std::string name, Role role, Work work, OperationIds after, std::size_t rank,
                  std::vector<LaneId> lanes, int priority = 0)
  {
    std::erase_if(after, [](OperationId before) { return !is_there(before); });
    return program_.add(Operation{.name = std::move(name),
                                  .role = role,
                                  .work = std::move(work),
                                  .lanes = std::move(lanes),
                                  .after = std::move(after),
                                  .priority = priority,
                                  .step = step_,
                                  .worker = static_cast<int>(rank) * members_});
  }

  OperationId compute(const char* name, Role role, Seconds time, OperationIds after, std::size_t rank)
  {
    return add(name, role, Compute{.duration = time, .flop = {}, .bytes = {}}, std::move(after), rank,
               {compute_[rank]});
  }

  /// @p share of the part's bytes and time.
  OperationId message(const NetworkPart& part, double share, OperationIds after, std::size_t rank,
                      std::vector<LaneId> lanes, const char* name, bool to_previous = false, int priority = 0)
  {
    const GpuPairs& ways = ways_.of(part.group, rank, to_previous);
    const Seconds time = part.time * share;
    const Seconds wires = part.flow * part.ways / job_.network.between;
    if (ways.empty() || part.flow <= Bytes{})
      return add(name, Role::exchange, HostWork{time}, std::move(after), rank, std::move(lanes), priority);
    CollectiveCall call;
    call.algorithm = "pairs";
    call.operation = "send";
    call.ranks = ways;
    // Trees put less on the wires than the ring that the bytes are counted for.
    call.payload = part.flow * (share * std::min(1.0, part.time / wires));
    call.cost = cost_;
    call.start_up = std::max(Seconds{}, (part.time - wires) * share);
    return add(name, Role::exchange, std::move(call), std::move(after), rank, std::move(lanes), priority);
  }

  /// @p share of what the replicas of a stage exchange, part by part.
  OperationId exchange(const std::vector<NetworkPart>& parts, double share, OperationIds after, std::size_t stage,
                       const char* name, int priority = 0)
  {
    std::vector<LaneId> lanes;
    for (const std::size_t slot : holders_[stage])
      lanes.push_back(data_[slot % ranks_]);
    for (const NetworkPart& part : parts)
      after = {message(part, share, std::move(after), holders_[stage].front() % ranks_, lanes, name, false, priority)};
    return after.front();
  }

  const DividedWork::Chunk& first_holder(std::size_t stage) const { return work_.chunks[holders_[stage].front()]; }

  /// Weights come layer by layer, in the order in which they are needed.
  void gather()
  {
    gathered_.assign(holders_.size(), {});
    for (std::size_t stage = 0; stage < holders_.size(); ++stage) {
      const DividedWork::Chunk& chunk = first_holder(stage);
      if (total(chunk.gather) <= Seconds{})
        continue;
      const int order = static_cast<int>(stage);
      gathered_[stage].first = exchange(chunk.gather, chunk.alone, {begin_}, stage, "weights", order);
      if (chunk.alone < 1)
        gathered_[stage].all =
            exchange(chunk.gather, 1 - chunk.alone, {gathered_[stage].first}, stage, "weights", order);
    }
  }

  /// @p early: the last pass of one of the ranks that hold the stage goes on with its first layer; else it has ended.
  void reduce(std::size_t stage, OperationId id, bool early)
  {
    Reduction& reduction = reductions_[stage];
    OperationIds& known = early ? reduction.early : reduction.ends;
    known.push_back(id);
    if (known.size() < holders_[stage].size())
      return;
    const DividedWork::Chunk& chunk = first_holder(stage);
    if (early) {
      reduction.sent = exchange(chunk.reduce, 1 - chunk.alone, known, stage, "gradients");
      return;
    }
    known.push_back(reduction.sent);
    const OperationId reduced = exchange(chunk.reduce, chunk.alone, known, stage, "gradients");
    for (const std::size_t slot : holders_[stage])
      ends_[slot % ranks_].push_back(reduced);
  }

  /// Whether gradients and weights travel beside the computation. Else a rank computes when it has all of its weights,
  /// and sends gradients when it has computed all of them.
  bool beside_computation() const { return job_.layout.overlap_gradients; }

  DividedPass pass_of(const PipelineTask& task, std::size_t rank) const
  {
    const std::size_t slot = slot_of(task, rank);
    const DividedWork::Chunk& chunk = work_.chunks[slot];
    if (task.pass == Pass::forward)
      return chunk.forward;
    if (task.pass == Pass::weights)
      return chunk.weights;
    return task.pass == Pass::whole || !work_.parted ? whole_[slot] : chunk.backward;
  }

  /// A forward and a backward pass as one: tokens on their way to experts hide behind the kernels of the other.
  DividedPass together(Tasks tasks, std::size_t rank) const
  {
    DividedPass both;
    for (std::size_t i = 0; i < tasks.size(); ++i) {
      DividedPass pass = pass_of(tasks[i], rank);
      const DividedPass other = pass_of(tasks[(i + 1) % tasks.size()], rank);
      Seconds sent;
      for (const NetworkPart& part : pass.network)
        sent += part.group == PartGroup::expert ? part.time : Seconds{};
      for (NetworkPart& part : pass.network)
        if (part.group == PartGroup::expert && sent > Seconds{}) {
          part.beside = std::max(part.beside, other.kernels * (part.time / sent));
          part.taken = Seconds{taken_by_collectives(work_.collective_share, part.time.value(), part.beside.value())};
        }
      both.busy +=
          pass.busy - Seconds{hidden_messages(work_.collective_share, pass.tokens.value(), other.kernels.value())};
      both.network.insert(both.network.end(), pass.network.begin(), pass.network.end());
    }
    return both;
  }

  /// Returns the operation with which the tasks end.
  OperationId add_tasks(Tasks tasks, std::size_t rank, OperationIds after)
  {
    const DividedPass pass = tasks.size() > 1 ? together(tasks, rank) : pass_of(tasks.front(), rank);
    const bool forward = tasks.size() == 1 && tasks.front().pass == Pass::forward;
    const char* name = forward ? "forward" : tasks.front().pass == Pass::weights ? "weights" : "backward";
    const Role role = forward ? Role::forward : Role::backward;
    std::vector<std::size_t> first, last; // stages whose weights are needed, whose gradients are there
    for (const PipelineTask& task : tasks) {
      const std::size_t slot = slot_of(task, rank), stage = stage_of(task, rank);
      if (task.pass == Pass::forward && begun_[slot]++ == 0)
        first.push_back(stage);
      if (closes(task) && ++closed_[slot] == closings_[slot] && total(first_holder(stage).reduce) > Seconds{})
        last.push_back(stage);
    }
    Seconds beside, taken, left = pass.busy;
    for (const NetworkPart& part : pass.network)
      beside += part.beside;
    for (const std::size_t stage : first) {
      if (beside_computation())
        after.push_back(gathered_[stage].first);
      if (is_there(gathered_[stage].all))
        taken += total(first_holder(stage).gather, &NetworkPart::taken);
    }
    for (const std::size_t stage : last)
      if (const DividedWork::Chunk& chunk = first_holder(stage); chunk.alone < 1) {
        after = {compute(name, role, pass.busy * chunk.alone, std::move(after), rank)};
        taken += total(chunk.reduce, &NetworkPart::taken);
        left -= pass.busy * chunk.alone;
        reduce(stage, after.front(), true);
      }
    const double share = beside > left ? left / beside : 1;
    after = {compute(name, role, left - beside * share, std::move(after), rank)};
    if (taken > Seconds{})
      after = {compute(taken_name, role, taken, std::move(after), rank)};
    for (const NetworkPart& part : pass.network)
      if (part.beside > Seconds{}) {
        const OperationId sent = message(part, 1, after, rank, {}, name_of(part.group));
        OperationId computed = compute(beside_name, role, part.beside * share, after, rank);
        if (part.taken > Seconds{})
          computed = compute(taken_name, role, part.taken, {computed}, rank);
        after = {sent, computed};
      }
    for (const NetworkPart& part : pass.network)
      if (part.beside <= Seconds{})
        after = {message(part, 1, std::move(after), rank, {}, name_of(part.group))};
    for (const std::size_t stage : first)
      if (is_there(gathered_[stage].all))
        after.push_back(gathered_[stage].all);
    const OperationId end =
        after.size() == 1 ? after.front() : add("", Role::other, HostWork{}, std::move(after), rank, {});
    for (const std::size_t stage : last)
      if (beside_computation())
        reduce(stage, end, false);
    return end;
  }

  /// Whether what the task waits for is known; adds it to @p after.
  bool waits_for(const PipelineTask& task, std::size_t rank, OperationIds& after) const
  {
    const std::size_t stage = stage_of(task, rank);
    const auto need = [&](const OperationIds& ids, std::size_t of) {
      after.push_back(ids[of]);
      return is_there(ids[of]);
    };
    if (task.pass == Pass::forward)
      return stage == 0 || need(forward_sent_, at(stage - 1, task));
    if (task.pass == Pass::weights)
      return need(backward_, at(stage, task));
    return need(forward_, at(stage, task)) &&
           (stage + 1 == holders_.size() || need(backward_sent_, at(stage + 1, task)));
  }

  /// A message to the stage on the next rank or the previous one. It leaves the lane to others while it is on long
  /// wires: those of its own way, where the closed form has the longest of all.
  OperationId hand_over(OperationIds after, std::size_t rank, LaneId lane, bool to_previous)
  {
    NetworkPart part = work_.handoff;
    const char* name = name_of(PartGroup::stage);
    const ParallelNetwork& network = job_.network;
    const GpuPairs& ways = ways_.of(PartGroup::stage, rank, to_previous);
    const bool far = network.wires != nullptr && !network.tuning.hop_stated && part.flow > Bytes{} && !ways.empty();
    if (!far)
      return message(part, 1, std::move(after), rank, {lane}, name, to_previous);
    const Seconds hop = network.tuning.network_hop;
    part.time -= std::max(Seconds{}, network.wires->to_next(job_.layout.tp * job_.layout.replicas()) - hop);
    Seconds wires;
    for (std::size_t i = 0; i + 1 < ways.size(); i += 2)
      wires = std::max(wires, stated_wires(cluster_, ways[i], ways[i + 1]) - hop);
    const OperationId sent = message(part, 1, std::move(after), rank, {lane}, name, to_previous);
    return wires > Seconds{} ? add(name, Role::exchange, HostWork{wires}, {sent}, rank, {}) : sent;
  }

  /// What the task leaves to others.
  void hand_on(const PipelineTask& task, std::size_t rank, OperationId end)
  {
    const std::size_t stage = stage_of(task, rank);
    const auto sent = [&](bool turns, bool to_previous) {
      const LaneId lane = (to_previous ? to_previous_ : to_next_)[rank]; // one after the other
      return turns ? end : hand_over({end}, rank, lane, to_previous);
    };
    if (task.pass == Pass::forward) {
      forward_[at(stage, task)] = end;
      if (stage + 1 < holders_.size())
        forward_sent_[at(stage, task)] = sent(turns_after(stage), !goes_down(task));
    } else if (task.pass != Pass::weights) {
      backward_[at(stage, task)] = end;
      if (stage > 0)
        backward_sent_[at(stage, task)] = sent(turns_after(stage - 1), goes_down(task));
    }
  }

  /// The tasks of all ranks, as far as each can go; @p before: what each rank waits for, in the end its last task.
  void add_pipeline(OperationIds& before)
  {
    const OperationIds none(holders_.size() * micro_batches_);
    forward_ = backward_ = forward_sent_ = backward_sent_ = none;
    std::vector<std::size_t> next(ranks_, 0);
    for (bool moved = true; moved;) {
      moved = false;
      for (std::size_t rank = 0; rank < ranks_; ++rank)
        while (next[rank] < work_.tasks[rank].size()) {
          const std::vector<PipelineTask>& list = work_.tasks[rank];
          std::size_t behind = next[rank] + 1;
          while (list[behind - 1].with_next && behind < list.size())
            ++behind;
          const Tasks tasks = Tasks{list}.subspan(next[rank], behind - next[rank]);
          OperationIds after{before[rank]};
          if (!std::ranges::all_of(tasks, [&](const PipelineTask& task) { return waits_for(task, rank, after); }))
            break;
          before[rank] = add_tasks(tasks, rank, std::move(after));
          for (const PipelineTask& task : tasks)
            hand_on(task, rank, before[rank]);
          next[rank] = behind;
          moved = true;
        }
    }
  }

  /// @p begin: of each rank.
  void wait_for_weights(OperationIds& begin)
  {
    for (std::size_t rank = 0; rank < ranks_; ++rank) {
      OperationIds after{begin[rank]};
      for (std::size_t slot = rank; slot < work_.chunks.size(); slot += ranks_)
        after.push_back(gathered_[static_cast<std::size_t>(work_.chunks[slot].stage)].first);
      std::erase_if(after, [](OperationId weights) { return !is_there(weights); });
      if (!after.empty())
        begin[rank] = add("", Role::other, HostWork{}, std::move(after), rank, {});
    }
  }

  /// @p end: of each rank's passes.
  void reduce_all(const OperationIds& end)
  {
    for (std::size_t slot = 0; slot < work_.chunks.size(); ++slot)
      if (const auto stage = static_cast<std::size_t>(work_.chunks[slot].stage);
          total(first_holder(stage).reduce) > Seconds{})
        reduce(stage, end[slot % ranks_], false);
  }

  void add_step()
  {
    OperationIds before(ranks_, begin_);
    ends_.assign(ranks_, {});
    begun_.assign(work_.chunks.size(), 0);
    closed_.assign(work_.chunks.size(), 0);
    reductions_.assign(holders_.size(), {});
    gather();
    if (!beside_computation())
      wait_for_weights(before);
    add_pipeline(before);
    if (!beside_computation())
      reduce_all(before);
    for (std::size_t rank = 0; rank < ranks_; ++rank)
      ends_[rank].push_back(before[rank]);
    if (work_.tied.time > Seconds{} && ranks_ > 1) {
      OperationIds after = ends_.front();
      after.insert(after.end(), ends_.back().begin(), ends_.back().end());
      const OperationId sent = message(work_.tied, 1, std::move(after), 0, {}, "embedding");
      ends_.front().push_back(sent);
      ends_.back().push_back(sent);
    }
    OperationIds updated;
    updated.reserve(ranks_);
    for (std::size_t rank = 0; rank < ranks_; ++rank)
      updated.push_back(compute("update", Role::update, work_.optimizer, ends_[rank], rank));
    begin_ = add("step end", Role::other, StepEnd{step_, -1}, std::move(updated), 0, {});
    program_.operations.back().worker = -1;
  }

  const Cluster& cluster_;
  const ParallelJob& job_;
  DividedWork work_;
  std::size_t ranks_; // of the pipeline
  std::size_t micro_batches_;
  DividedWays ways_;
  int members_; // GPUs of a rank of the pipeline
  MessageCost cost_;
  StepProgram program_;
  std::vector<LaneId> compute_, data_, to_next_, to_previous_;     // by rank
  std::vector<DividedPass> whole_;                                 // by chunk: both gradients
  std::vector<std::vector<std::size_t>> holders_;                  // by stage: chunks
  std::vector<int> closings_;                                      // by chunk: tasks that close
  std::vector<int> begun_, closed_;                                // by chunk, in this step
  OperationIds forward_, backward_, forward_sent_, backward_sent_; // by stage and micro-batch, in this step
  OperationId begin_;
  std::vector<Gathered> gathered_;    // by stage
  std::vector<Reduction> reductions_; // by stage
  std::vector<OperationIds> ends_;    // by rank: what its update waits for
  int step_ = 0;
};

} // namespace

StepProgram divided_program(const TrainingContext& context, const ParallelJob& job, const Transport& library,
                            int first_step, int steps)
{
  return DividedProgram{context, job, library}.build(first_step, steps);
}

} // namespace trainyard
