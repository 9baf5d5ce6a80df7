// SPDX-License-Identifier: Apache-2.0
#include "sim/step/training/input_pipeline.hpp"

#include <algorithm>
#include <utility>

namespace trainyard {

InputPipeline::InputPipeline(StepProgram& program, const TrainingContext& context, int worker, int mates, int all)
    : worker_{worker}, prefetch_{std::max(1, context.job.input.prefetch_steps)}
{
  const InputSpec& input = context.job.input;
  if (input.source == "synthetic")
    return;
  const double batch = static_cast<double>(context.job.batch_per_gpu) * std::max(context.job.accumulation_steps, 1);
  const bool shared = input.source == "storage";
  if (input.bandwidth > BytesPerSecond{})
    read_ = input.bytes_per_sample * (batch * (shared ? all : mates)) / input.bandwidth;
  if (input.cpu_cores > 0)
    preprocess_ = input.preprocess_per_sample * (batch * mates / input.cpu_cores);
  const VertexId vertex = context.placement.workers[static_cast<std::size_t>(worker)];
  const NodeId node = context.cluster.vertex(vertex).node;
  const std::string name = context.cluster.node(node).name;
  if (read_ > Seconds{})
    reader_ =
        program.add(Lane{.name = shared ? name + " storage" : name + " disk", .kind = LaneKind::host, .node = node});
  if (preprocess_ > Seconds{})
    cores_ = program.add(Lane{.name = name + " preprocessing", .kind = LaneKind::host, .node = node});
}

OperationId InputPipeline::add(StepProgram& program, const char* name, Seconds duration, std::vector<OperationId> after,
                               std::vector<LaneId> lanes, int step) const
{
  return program.add(Operation{.name = name,
                               .role = Role::input,
                               .work = HostWork{duration},
                               .lanes = std::move(lanes),
                               .after = std::move(after),
                               .step = step,
                               .worker = worker_});
}

std::vector<OperationId> InputPipeline::take(StepProgram& program, int step, std::vector<OperationId> start)
{
  if (read_ <= Seconds{} && preprocess_ <= Seconds{})
    return start;
  std::vector<OperationId> batch;
  if (const int freed = static_cast<int>(taken_.size()) - prefetch_; freed >= 0)
    batch.push_back(taken_[static_cast<std::size_t>(freed)]);
  if (read_ > Seconds{})
    batch = {add(program, "read", read_, std::move(batch), {reader_}, step)};
  if (preprocess_ > Seconds{})
    batch = {add(program, "preprocess", preprocess_, std::move(batch), {cores_}, step)};
  start.insert(start.end(), batch.begin(), batch.end());
  taken_.push_back(add(program, "take batch", Seconds{}, std::move(start), {}, step));
  return {taken_.back()};
}

} // namespace trainyard
