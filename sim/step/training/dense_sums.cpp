// SPDX-License-Identifier: Apache-2.0
#include "sim/step/training/server_messages.hpp"

#include "sim/step/training/fusion.hpp"

#include <algorithm>
#include <memory>
#include <utility>

namespace trainyard {

DenseSums::DenseSums(StepProgram& program, const TrainingContext& context, const Transport& transport, int workers)
    : program_{program}
{
  double dense = 0;
  for (const Layer& layer : context.dnn.layers)
    for (const ParameterTensor& tensor : layer.parameters)
      dense += tensor.sparse() ? 0 : tensor.elements;
  share_ = dense > 0 ? dense / context.dnn.gradient_elements(context.job.batch_per_gpu) : 0;
  if (workers <= 1)
    return;
  const Settings merged = over_transport(transport, {});
  const std::shared_ptr<const Rings> rings = library_rings(context, transport, merged);
  const CollectiveShape& shape = ring_shape(context, transport, rings.get());
  ExchangeSettings exchange = exchange_settings(context, transport, merged);
  exchange.rows.clear();
  const auto slowest =
      std::ranges::max_element(context.workers, {}, [](const WorkerTimes& times) { return computing_time(times, 1); });
  const auto fusion = Registry<Fusion>::instance().create("buckets", merged);
  planned_ = plan_collectives(context.dnn, *slowest, context.bytes_per_gradient_element, *fusion, exchange, shape);
  for (const PlannedCollective& planned : planned_)
    calls_.push_back(
        library_call(context, transport, exchange, rings.get(), shape, merged.integer("channels", 1), planned));
  copies_ = HostCopies{program, context.job.name, exchange.staging, workers};
  stream_ =
      program.add(Lane{.name = context.job.name + " all-reduce", .kind = LaneKind::communication, .members = workers});
  ready_.resize(planned_.size());
}

void DenseSums::wait_for(const std::vector<OperationId>& backward)
{
  for (std::size_t bucket = 0; bucket < planned_.size(); ++bucket) {
    auto layer = static_cast<std::size_t>(planned_[bucket].last_layer);
    while (backward[layer].index < 0)
      --layer;
    ready_[bucket].push_back(backward[layer]);
  }
}

DenseSums::Ids DenseSums::sum(int step, ServerMessages& messages, Ids computed)
{
  if (planned_.empty())
    return computed;
  Ids summed;
  for (std::size_t bucket = 0; bucket < planned_.size(); ++bucket) {
    const Bytes payload = planned_[bucket].payload;
    const Ids ready = copies_.copied(program_, payload, true, std::exchange(ready_[bucket], {}), step);
    const OperationId done = messages.add("all-reduce " + std::to_string(bucket), Role::exchange, calls_[bucket], ready,
                                          {stream_}, step, -1, static_cast<int>(bucket));
    summed.push_back(copies_.copied(program_, payload, false, {done}, step).front());
  }
  return summed;
}

} // namespace trainyard
