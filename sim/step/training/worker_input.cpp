// SPDX-License-Identifier: Apache-2.0
#include "sim/step/training/server_messages.hpp"

#include "sim/step/training/message_cost.hpp"

#include <algorithm>
#include <cmath>

namespace trainyard {

WorkerInput::WorkerInput(StepProgram& program, const TrainingContext& context, const ServerExchange& exchange,
                         const ServerPlan& plan, ServerFabric& fabric, ServerMessages& messages)
    : program_{program}, c_{context}, e_{exchange}, plan_{plan}, fabric_{fabric}, messages_{messages},
      taken_(context.workers.size())
{
}

WorkerInput::Ids WorkerInput::take(int worker, int step, Ids start)
{
  const Ids batch = bring(worker, step, start);
  if (batch.empty())
    return start;
  start.insert(start.end(), batch.begin(), batch.end());
  const OperationId taken = messages_.add("take batch", Role::input, HostWork{}, std::move(start), {}, step, worker);
  taken_[static_cast<std::size_t>(worker)].push_back(taken);
  return {taken};
}

WorkerInput::Ids WorkerInput::room(int worker, int size) const
{
  const std::vector<OperationId>& taken = taken_[static_cast<std::size_t>(worker)];
  const int freed = static_cast<int>(taken.size()) - size;
  return freed < 0 ? Ids{} : Ids{taken[static_cast<std::size_t>(freed)]};
}

WorkerInput::Ids WorkerInput::bring(int worker, int step, const Ids& start)
{
  const double batch = static_cast<double>(c_.job.batch_per_gpu) * c_.job.accumulation_steps;
  const VertexId gpu = c_.placement.workers[static_cast<std::size_t>(worker)];
  if (e_.client)
    return {messages_.add(
        "feed", Role::input,
        message(e_.transport, c_.cluster, *e_.client, gpu, Bytes{c_.dnn.input_bytes * batch}, fabric_.client_sends()),
        e_.feed_prefetch > 0 ? room(worker, e_.feed_prefetch) : start, {}, step, worker)};
  if (c_.job.input.source == "synthetic")
    return {};
  const InputSpec& input = c_.job.input;
  const NodeId node = c_.cluster.vertex(gpu).node;
  const bool shared = input.source == "storage";
  // One after another for each of those that a worker stands for, whose batches come one after another.
  constexpr double most_pieces = 16;
  const double mates = fabric_.mates_for_each(node);
  const double pieces = std::clamp(std::round(mates), 1.0, most_pieces);
  const Ids free = room(worker, std::max(1, input.prefetch_steps));
  Ids after = free;
  for (int piece = 0; piece < static_cast<int>(pieces); ++piece) {
    after = free;
    if (input.bandwidth > BytesPerSecond{})
      after = {messages_.add(
          "read", Role::input,
          HostWork{input.bytes_per_sample * (batch * (shared ? plan_.members() : mates) / pieces) / input.bandwidth},
          std::move(after), {lane(shared ? NodeId{} : node, shared ? "storage" : "disk")}, step, worker)};
    if (input.preprocess_per_sample > Seconds{} && input.cpu_cores > 0)
      after = {messages_.add("preprocess", Role::input,
                             HostWork{input.preprocess_per_sample * (batch * mates / pieces / input.cpu_cores)},
                             std::move(after), {lane(node, "preprocessing")}, step, worker)};
  }
  return after;
}

LaneId WorkerInput::lane(NodeId node, const std::string& name)
{
  const auto [entry, fresh] = lanes_.try_emplace({node, name}, LaneId{});
  if (fresh)
    entry->second = program_.add(Lane{.name = (node.index >= 0 ? c_.cluster.node(node).name + " " : "") + name,
                                      .kind = LaneKind::host,
                                      .slots = 1,
                                      .members = 1,
                                      .node = node});
  return entry->second;
}

} // namespace trainyard
