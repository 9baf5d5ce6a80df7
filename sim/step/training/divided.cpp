// SPDX-License-Identifier: Apache-2.0
/// A divided transformer as a program of tasks and messages; see divided.hpp.
#include "sim/step/training/divided.hpp"

#include "sim/step/training/message_cost.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

namespace trainyard {
namespace {

using PartGroup = NetworkPart::Group;
using OperationIds = std::vector<OperationId>;
using GpuPairs = std::vector<VertexId>; // from, to, from, to…

constexpr const char* library_name = "nccl";
constexpr const char* beside_name = "beside"; // computing while the operation before it is under way

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
    return "DP";
  case PartGroup::tied:
    return "embedding";
  }
  return "";
}

/// Who sends to whom between machines.
class DividedWays
{
public:
  /// Of the first @p rails ranks of each tensor-parallel group.
  DividedWays(const TrainingContext& context, const ParallelLayout& layout, int rails)
      : cluster_{context.cluster}, workers_{context.placement.workers}, layout_{layout}
  {
    const auto stages = static_cast<std::size_t>(layout.pp);
    for (std::vector<GpuPairs>* ways : {&forward_, &backward_, &tensor_, &context_, &expert_, &data_})
      ways->resize(stages);
    for (int stage = 0; stage < layout.pp; ++stage) {
      const auto s = static_cast<std::size_t>(stage);
      // The chunks of the last rank hand on to the first one.
      const int next = (stage + 1) % layout.pp;
      for (int replica = 0; replica < layout.replicas(); ++replica)
        for (int t = 0; t < rails; ++t) {
          send(forward_[s], at(stage, replica, t), at(next, replica, t));
          send(backward_[static_cast<std::size_t>(next)], at(next, replica, t), at(stage, replica, t));
          if (stage + 1 == layout.pp) {
            send(tied_, at(stage, replica, t), at(0, replica, t));
            send(tied_, at(0, replica, t), at(stage, replica, t));
          }
        }
      if (rails == layout.tp)
        for (int replica = 0; replica < layout.replicas(); ++replica) {
          GpuPairs group;
          for (int t = 0; t < layout.tp; ++t)
            group.push_back(at(stage, replica, t));
          ring(tensor_[s], group);
        }
      for (int t = 0; t < rails; ++t) {
        GpuPairs all;
        for (int replica = 0; replica < layout.replicas(); ++replica)
          all.push_back(at(stage, replica, t));
        ring(data_[s], all);
        for (int d = 0; d < layout.dp; ++d)
          for (int c = 0; c < layout.cp && layout.cp > 1; ++c)
            send(context_[s], at(stage, d * layout.cp + c, t), at(stage, d * layout.cp + (c + 1) % layout.cp, t));
        for (std::size_t first = 0; first < all.size() && layout.ep > 1; first += static_cast<std::size_t>(layout.ep))
          to_all(expert_[s], {all.begin() + static_cast<std::ptrdiff_t>(first),
                              all.begin() + static_cast<std::ptrdiff_t>(
                                                std::min(all.size(), first + static_cast<std::size_t>(layout.ep)))});
      }
    }
  }

  const GpuPairs& of(PartGroup group, std::size_t rank, bool backward = false) const
  {
    switch (group) {
    case PartGroup::stage:
      return backward ? backward_[rank] : forward_[rank];
    case PartGroup::tensor:
      return tensor_[rank];
    case PartGroup::context:
      return context_[rank];
    case PartGroup::expert:
      return expert_[rank];
    case PartGroup::data:
      return data_[rank];
    case PartGroup::tied:
      break;
    }
    return tied_;
  }

  /// Links of the ways of one tensor-parallel rank, in the order of the ways.
  std::vector<LinkId> links_of(int t) const
  {
    std::vector<LinkId> links;
    const auto add = [&](VertexId from, VertexId to) {
      if (!same_machine(from, to)) {
        const std::vector<LinkId> route = cluster_.route(from, to);
        links.insert(links.end(), route.begin(), route.end());
        links.push_back(LinkId{}); // the end of a way
      }
    };
    for (int stage = 0; stage < layout_.pp; ++stage) {
      GpuPairs data;
      GpuPairs all;
      for (int replica = 0; replica < layout_.replicas(); ++replica) {
        all.push_back(at(stage, replica, t));
        for (const int other :
             {stage + 1, stage - 1, stage == 0 ? layout_.pp - 1 : -1, stage + 1 == layout_.pp ? 0 : -1})
          if (other >= 0 && other < layout_.pp)
            add(at(stage, replica, t), at(other, replica, t));
      }
      ring(data, all);
      if (layout_.cp > 1 || layout_.ep > 1)
        to_all(data, all);
      for (std::size_t i = 0; i + 1 < data.size(); i += 2)
        add(data[i], data[i + 1]);
    }
    return links;
  }

private:
  VertexId at(int stage, int replica, int t) const
  {
    return workers_[static_cast<std::size_t>((stage * layout_.replicas() + replica) * layout_.tp + t)];
  }

  bool same_machine(VertexId a, VertexId b) const { return cluster_.vertex(a).node == cluster_.vertex(b).node; }

  void send(GpuPairs& ways, VertexId from, VertexId to) const
  {
    if (same_machine(from, to))
      return;
    ways.push_back(from);
    ways.push_back(to);
  }

  std::vector<GpuPairs> by_machine(const GpuPairs& ranks) const
  {
    std::vector<GpuPairs> machines;
    std::map<NodeId, std::size_t> index;
    for (const VertexId rank : ranks) {
      const auto [known, fresh] = index.try_emplace(cluster_.vertex(rank).node, machines.size());
      if (fresh)
        machines.emplace_back();
      machines[known->second].push_back(rank);
    }
    return machines;
  }

  void ring(GpuPairs& ways, const GpuPairs& ranks) const
  {
    const std::vector<GpuPairs> machines = by_machine(ranks);
    for (std::size_t i = 0; i < machines.size() && machines.size() > 1; ++i) {
      const GpuPairs& next = machines[(i + 1) % machines.size()];
      for (std::size_t k = 0; k < std::min(machines[i].size(), next.size()); ++k)
        send(ways, machines[i][k], next[k]);
    }
  }

  void to_all(GpuPairs& ways, const GpuPairs& ranks) const
  {
    const std::vector<GpuPairs> machines = by_machine(ranks);
    for (const GpuPairs& from : machines)
      for (const GpuPairs& to : machines)
        for (std::size_t k = 0; k < from.size() && &from != &to; ++k)
          send(ways, from[k], to[k % to.size()]);
  }

  const Cluster& cluster_;
  const std::vector<VertexId>& workers_;
  const ParallelLayout& layout_;
  std::vector<GpuPairs> forward_, backward_, tensor_, context_, expert_, data_; // by rank of the pipeline
  GpuPairs tied_;
};

/// Whether each tensor-parallel rank has links of its own between machines, equal to those of the first rank.
bool rails_are_alike(const TrainingContext& context, const ParallelLayout& layout, const DividedWays& ways)
{
  const auto rate = [&](LinkId link) { return context.cluster.link(link).data_rate(); };
  const std::vector<LinkId> first = ways.links_of(0);
  std::map<LinkId, int> owner;
  for (int t = 0; t < layout.tp; ++t) {
    const std::vector<LinkId> links = t == 0 ? first : ways.links_of(t);
    if (links.size() != first.size())
      return false;
    std::map<LinkId, LinkId> twin;
    for (std::size_t i = 0; i < links.size(); ++i) {
      if ((links[i].index < 0) != (first[i].index < 0))
        return false;
      if (links[i].index < 0)
        continue;
      if (rate(links[i]) != rate(first[i]) || owner.try_emplace(links[i], t).first->second != t ||
          twin.try_emplace(first[i], links[i]).first->second != links[i])
        return false;
    }
  }
  return true;
}

/// Ranks of each tensor-parallel group that are simulated, for all of them.
int rails_of(const TrainingContext& context, const ParallelJob& job)
{
  const ParallelLayout& layout = job.layout;
  if (!context.alone || layout.tp == 1 || layout.tp > job.network.gpus_per_node)
    return layout.tp;
  return rails_are_alike(context, layout, DividedWays{context, layout, 0}) ? 1 : layout.tp;
}

class DividedProgram
{
public:
  DividedProgram(const TrainingContext& context, const ParallelJob& job)
      : job_{job}, work_{divided_work(job)}, stages_{static_cast<std::size_t>(job.layout.pp)},
        micro_batches_{static_cast<std::size_t>(job.layout.micro_batches())},
        ways_{context, job.layout, rails_of(context, job)}, members_{job.layout.replicas() * job.layout.tp}
  {
    const Transport& library = context.transports.at(library_name);
    cost_.efficiency = transport_efficiency(library, 64_MB); // as the closed form counts it
    cost_.limit = library.stream_limit;
    cost_.whole_latency = true;
    program_.job = context.job.name;
    program_.workers = job.layout.gpus();
    program_.samples_per_step = job.layout.global_batch;
    for (std::size_t rank = 0; rank < stages_; ++rank) {
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
    }
    passes_.reserve(work_.chunks.size());
    for (const DividedWork::Chunk& chunk : work_.chunks) {
      DividedPass both = chunk.backward;
      if (!work_.parted) {
        both.busy += chunk.weights.busy;
        both.network.insert(both.network.end(), chunk.weights.network.begin(), chunk.weights.network.end());
      }
      passes_.push_back(std::move(both));
    }
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

  std::size_t slot(std::size_t stage, int micro_batch) const
  {
    return stage * micro_batches_ + static_cast<std::size_t>(micro_batch);
  }

  OperationId add(std::string name, Role role, Work work, OperationIds after, std::size_t rank,
                  std::vector<LaneId> lanes, int priority = 0)
  {
    std::erase_if(after, [](OperationId before) { return before.index < 0; });
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
                      std::vector<LaneId> lanes, const char* name, bool backward = false, int priority = 0)
  {
    const GpuPairs& ways = ways_.of(part.group, rank, backward);
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

  /// Weights come layer by layer, in the order in which they are needed.
  void gather()
  {
    gathered_.assign(work_.chunks.size(), {});
    for (std::size_t stage = 0; stage < work_.chunks.size(); ++stage) {
      const DividedWork::Chunk& chunk = work_.chunks[stage];
      if (chunk.gather.time <= Seconds{})
        continue;
      const std::size_t rank = stage % stages_;
      const int order = static_cast<int>(stage);
      gathered_[stage].first =
          message(chunk.gather, chunk.alone, {begin_}, rank, {data_[rank]}, "weights", false, order);
      if (chunk.alone < 1)
        gathered_[stage].all = message(chunk.gather, 1 - chunk.alone, {gathered_[stage].first}, rank, {data_[rank]},
                                       "weights", false, order);
    }
  }

  /// A task; returns the operation with which it ends.
  OperationId add_task(const PipelineTask& task, std::size_t rank, OperationIds after, bool first, bool last)
  {
    const std::size_t stage = rank + static_cast<std::size_t>(task.chunk) * stages_;
    const DividedWork::Chunk& chunk = work_.chunks[stage];
    const bool forward = task.pass == Pass::forward;
    const DividedPass& pass = forward ? chunk.forward : task.pass == Pass::weights ? chunk.weights : passes_[stage];
    const char* name = forward ? "forward" : task.pass == Pass::weights ? "weights" : "backward";
    const Role role = forward ? Role::forward : Role::backward;
    Seconds beside, left = pass.busy;
    for (const NetworkPart& part : pass.network)
      beside += part.beside;
    if (first)
      after.push_back(gathered_[stage].first);
    OperationId reduced;
    if (last && chunk.reduce.time > Seconds{} && chunk.alone < 1) {
      after = {compute(name, role, pass.busy * chunk.alone, std::move(after), rank)};
      left -= pass.busy * chunk.alone;
      reduced = message(chunk.reduce, 1 - chunk.alone, after, rank, {data_[rank]}, "gradients");
    }
    const double share = beside > left ? left / beside : 1;
    after = {compute(name, role, left - beside * share, std::move(after), rank)};
    for (const NetworkPart& part : pass.network)
      if (part.beside > Seconds{}) {
        const OperationId sent = message(part, 1, after, rank, {}, name_of(part.group));
        after = {sent, compute(beside_name, role, part.beside * share, after, rank)};
      }
    for (const NetworkPart& part : pass.network)
      if (part.beside <= Seconds{})
        after = {message(part, 1, std::move(after), rank, {}, name_of(part.group))};
    if (first && gathered_[stage].all.index >= 0)
      after.push_back(gathered_[stage].all);
    const OperationId end =
        after.size() == 1 ? after.front() : add("", Role::other, HostWork{}, std::move(after), rank, {});
    if (last && chunk.reduce.time > Seconds{})
      ends_[rank].push_back(message(chunk.reduce, chunk.alone, {end, reduced}, rank, {data_[rank]}, "gradients"));
    return end;
  }

  void add_step()
  {
    const OperationIds none(work_.chunks.size() * micro_batches_);
    OperationIds forward = none, backward = none, forward_sent = none, backward_sent = none;
    std::vector<std::size_t> next(stages_, 0);
    OperationIds before(stages_, begin_);
    ends_.assign(stages_, {});
    gather();
    // Whether the tasks that it waits for are there.
    const auto waits_for = [&](const PipelineTask& task, std::size_t stage, OperationIds& after) {
      const std::size_t at = slot(stage, task.micro_batch);
      const auto need = [&](const OperationIds& ids, std::size_t of) {
        after.push_back(ids[of]);
        return ids[of].index >= 0;
      };
      if (task.pass == Pass::forward)
        return stage == 0 || need(forward_sent, slot(stage - 1, task.micro_batch));
      if (task.pass == Pass::weights)
        return need(backward, at);
      return need(forward, at) &&
             (stage + 1 == work_.chunks.size() || need(backward_sent, slot(stage + 1, task.micro_batch)));
    };
    const Pass closing = work_.parted ? Pass::weights : Pass::backward;
    for (bool moved = true; moved;) {
      moved = false;
      for (std::size_t rank = 0; rank < stages_; ++rank)
        for (; next[rank] < work_.tasks[rank].size(); ++next[rank]) {
          const PipelineTask& task = work_.tasks[rank][next[rank]];
          const std::size_t stage = rank + static_cast<std::size_t>(task.chunk) * stages_;
          OperationIds after{before[rank]};
          if (!waits_for(task, stage, after))
            break;
          const bool first = task.pass == Pass::forward && task.micro_batch == 0;
          const bool last = task.pass == closing && static_cast<std::size_t>(task.micro_batch) + 1 == micro_batches_;
          const OperationId end = add_task(task, rank, std::move(after), first, last);
          before[rank] = end;
          const std::size_t at = slot(stage, task.micro_batch);
          if (task.pass == Pass::forward) {
            forward[at] = end;
            if (stage + 1 < work_.chunks.size())
              forward_sent[at] = message(work_.handoff, 1, {end}, rank, {}, name_of(PartGroup::stage));
          } else if (task.pass == Pass::backward) {
            backward[at] = end;
            if (stage > 0)
              backward_sent[at] = message(work_.handoff, 1, {end}, rank, {}, name_of(PartGroup::stage), true);
          }
          moved = true;
        }
    }
    for (std::size_t rank = 0; rank < stages_; ++rank)
      ends_[rank].push_back(before[rank]);
    if (work_.tied.time > Seconds{} && stages_ > 1) {
      OperationIds after = ends_.front();
      after.insert(after.end(), ends_.back().begin(), ends_.back().end());
      const OperationId sent = message(work_.tied, 1, std::move(after), 0, {}, "embedding");
      ends_.front().push_back(sent);
      ends_.back().push_back(sent);
    }
    OperationIds updated;
    updated.reserve(stages_);
    for (std::size_t rank = 0; rank < stages_; ++rank)
      updated.push_back(compute("update", Role::update, work_.optimizer, ends_[rank], rank));
    begin_ = add("step end", Role::other, StepEnd{step_, -1}, std::move(updated), 0, {});
    program_.operations.back().worker = -1;
  }

  const ParallelJob& job_;
  DividedWork work_;
  std::size_t stages_; // ranks of the pipeline
  std::size_t micro_batches_;
  DividedWays ways_;
  int members_; // GPUs of a stage
  MessageCost cost_;
  StepProgram program_;
  std::vector<LaneId> compute_, data_;
  std::vector<DividedPass> passes_; // backward, with the gradients of weights where the schedule does not part them
  OperationId begin_;
  std::vector<Gathered> gathered_; // by stage
  std::vector<OperationIds> ends_; // by rank: what its update waits for
  int step_ = 0;
};

class Divided final : public TrainingMode
{
public:
  void check(const TrainingContext& context, Diagnostics& diagnostics) const override
  {
    const ParallelLayout& asked = *context.job.training.parallel;
    const int of_replica = asked.tp * asked.pp * asked.cp;
    const auto workers = static_cast<int>(context.placement.workers.size());
    if (workers % of_replica != 0) {
      diagnostics.error({.path = context.job.path},
                        fmt::format("job '{}': {} GPUs are no multiple of tp x pp x cp = {}: replicas are added or "
                                    "left out as a whole",
                                    context.job.name, workers, of_replica));
      return;
    }
    const ParallelJob job = divided_job(context);
    for (const LayoutFault& fault : layout_faults(job.layout, job.transformer, workers))
      diagnostics.error({.path = context.job.path}, fmt::format("job '{}': {}", context.job.name, fault.message));
    if (job.network.between <= BytesPerSecond{} && workers > job.network.gpus_per_node)
      diagnostics.error({.path = context.job.path},
                        fmt::format("job '{}': its machines have no NIC to reach each other", context.job.name));
  }

  StepProgram program(const TrainingContext& context, int first_step, int steps) const override
  {
    const ParallelJob job = divided_job(context);
    return DividedProgram{context, job}.build(first_step, steps);
  }
};

} // namespace

std::unique_ptr<TrainingMode> divided_mode()
{
  return std::make_unique<Divided>();
}

ParallelJob divided_job(const TrainingContext& context)
{
  ParallelJob job;
  job.layout = *context.job.training.parallel;
  const int dp = static_cast<int>(context.placement.workers.size()) / (job.layout.tp * job.layout.pp * job.layout.cp);
  if (dp > 0 && dp != job.layout.dp) {
    job.layout.global_batch = job.layout.global_batch / job.layout.dp * dp;
    job.layout.dp = dp;
  }
  job.transformer = context.job.transformer ? *context.job.transformer : *find_transformer(context.job.model);
  job.gpu = *context.gpu;
  job.host_per_operator = context.job.host_per_operator;
  const NodeId node = context.cluster.vertex(context.placement.workers.front()).node;
  job.network =
      parallel_network(context.cluster, context.cluster.node(node), job.gpu, context.transports.at(library_name));
  return job;
}

ParallelNetwork parallel_network(const Cluster& cluster, const Node& node, const Gpu& gpu, const Transport& library)
{
  ParallelNetwork network;
  network.gpus_per_node = static_cast<int>(node.gpus.size());
  network.gpu = gpu.name;
  const double reached = transport_efficiency(library, 64_MB);
  BytesPerSecond nvlink, pcie;
  for (const LinkId id : cluster.outgoing(node.gpus.front())) {
    const Link& link = cluster.link(id);
    (link.kind == LinkKind::nvlink ? nvlink : pcie) += link.data_rate();
  }
  network.nvlink = nvlink > BytesPerSecond{};
  network.inside = (network.nvlink ? nvlink : pcie) * reached;
  BytesPerSecond nics;
  for (const VertexId nic : node.nics)
    for (const LinkId id : cluster.outgoing(nic))
      if (const VertexKind kind = cluster.vertex(cluster.link(id).to).kind;
          kind == VertexKind::network_switch || kind == VertexKind::nic)
        nics += cluster.link(id).data_rate();
  network.between = nics * (reached / network.gpus_per_node);
  network.switch_reduction = node.switch_reduction;
  network.tuning = collective_tuning(library.settings, gpu.peak.contains("fp8"));
  return network;
}

ParallelStep divided_step(const ParallelJob& job, const StepProgram& program, const StepTrace& trace, Seconds step)
{
  ParallelStep measured = parallel_step(job);
  const DividedWork work = divided_work(job);
  const auto ranks = static_cast<std::size_t>(job.layout.pp);
  std::vector<Seconds> busy(ranks);
  for (std::size_t stage = 0; stage < work.chunks.size(); ++stage)
    for (const DividedPass* pass :
         {&work.chunks[stage].forward, &work.chunks[stage].backward, &work.chunks[stage].weights})
      busy[stage % ranks] += pass->busy;
  const auto slowest = static_cast<int>(std::ranges::max_element(busy) - busy.begin());
  const int worker = slowest * job.layout.replicas() * job.layout.tp;
  std::map<std::string, Seconds> exposed;
  const int first_step = program.operations.front().step;
  Seconds first_pass{-1}, last_pass = trace.begin, update = trace.begin;
  for (std::size_t i = 0; i < program.operations.size() && program.operations[i].step == first_step; ++i) {
    const Operation& operation = program.operations[i];
    const Span& span = trace.spans[i];
    if (operation.role == Role::update)
      update = std::max(update, span.begin);
    if (operation.role == Role::forward || operation.role == Role::backward) {
      first_pass = first_pass < Seconds{} ? span.begin : std::min(first_pass, span.begin);
      last_pass = std::max(last_pass, span.end);
    }
    const bool of_a_pass = operation.role == Role::exchange && operation.lanes.empty() && operation.name != "PP" &&
                           operation.name != "embedding";
    if (of_a_pass)
      last_pass = std::max(last_pass, span.end);
    if (!of_a_pass || operation.worker != worker)
      continue;
    const bool paired = i + 1 < program.operations.size() && program.operations[i + 1].name == beside_name;
    exposed[operation.name] += paired ? std::max(Seconds{}, span.end - trace.spans[i + 1].end) : span.end - span.begin;
  }
  const ParallelGroups groups = groups_of(job.layout, job.network.gpus_per_node);
  if (groups.tensor.nodes() > 1)
    measured.tensor = exposed["TP"];
  if (groups.context.nodes() > 1)
    measured.context = exposed["CP"];
  if (groups.expert.nodes() > 1)
    measured.expert = exposed["EP"];
  const Seconds passes_inside =
      job.layout.zero >= 2 && groups.data.nodes() == 1
          ? measured.data - (work.chunks.front().gather.time + work.chunks.front().reduce.time)
          : exposed["DP"];
  measured.data = std::max(Seconds{}, passes_inside) + std::max(Seconds{}, first_pass - trace.begin) +
                  std::max(Seconds{}, update - last_pass);
  measured.step = step;
  const Seconds others = measured.compute + measured.host + measured.tensor + measured.context + measured.expert +
                         measured.data + measured.optimizer;
  measured.bubble = std::min(measured.bubble, std::max(Seconds{}, step - others));
  measured.pipeline = std::max(Seconds{}, step - others - measured.bubble);
  derive_figures(measured, job);
  return measured;
}

} // namespace trainyard
