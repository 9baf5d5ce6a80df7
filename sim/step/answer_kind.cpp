// SPDX-License-Identifier: Apache-2.0
#include "sim/step/answer_kind.hpp"

#include "models/dnn/transformer.hpp"
#include "models/parallel/layout.hpp"
#include "sim/step/training/message_cost.hpp"

#include <algorithm>
#include <set>

namespace trainyard {
namespace {

/// What the messages of a job cross.
const char* crossed(const PreparedScenario& prepared, const PreparedJob& job, const PlacedJob& placed)
{
  std::set<int> machines;
  for (const auto* tasks : {&placed.placement.workers, &placed.placement.servers})
    for (const VertexId task : *tasks)
      if (tasks == &placed.placement.workers || job.spec.training.mode != "multi_tower") // its towers are one process
        machines.insert(prepared.cluster.vertex(task).node.index);
  if (placed.context->whole() == 1 && machines.size() == 1)
    return "one";
  if (machines.size() == 1)
    return "machine";
  const auto& transports = placed.context->transports;
  const auto transport = transports.find(job.spec.training.settings.text("transport", job.spec.training.transport));
  return transport != transports.end() && goes_over_rdma(transport->second) ? "rdma" : "tcp";
}

std::string divided(const Transformer& transformer, const ParallelLayout& layout)
{
  const bool experts = transformer.experts > 1;
  return std::string{"divided "} + (experts ? "experts " : "dense ") + (layout.zero == 3 ? "sharded" : "staged") +
         (experts && layout.experts_by() != "fused" ? " unfused" : "");
}

} // namespace

bool is_fitted(const Scenario& scenario)
{
  return scenario.calibration && scenario.calibration->provenance == Provenance::fitted;
}

bool has_measured_row(const Scenario& scenario, const std::string& gpu, const std::string& transport)
{
  using Of = AppliedConstant::Of;
  const std::optional<CalibrationUse>& use = scenario.calibration;
  return use && use->provenance == Provenance::fitted && use->explained && (gpu.empty() || use->covers(Of::gpu, gpu)) &&
         (transport.empty() || use->covers(Of::transport, transport));
}

AnswerKind answer_kind(const PreparedScenario& prepared, const PreparedJob& job, const PlacedJob& placed, Seconds step)
{
  const bool measured = job.spec.single_gpu_step.has_value() || job.dnn.timed();
  const std::string way = crossed(prepared, job, placed);
  const std::string& gpu = prepared.cluster.node(prepared.cluster.vertex(placed.placement.workers.front()).node).gpu;
  const std::string transport = job.spec.training.settings.text("transport", job.spec.training.transport);
  const std::string row =
      has_measured_row(prepared.scenario, measured || !job.mode->trains() ? "" : gpu, way == "one" ? "" : transport)
          ? "row "
          : "";
  const double rest = step > Seconds{} ? std::clamp(1 - placed.single_gpu_step / step, 0.0, 1.0) : 0;
  if (const ParallelLayout* layout = job.spec.training.parallel.get())
    return {row + divided(job.spec.transformer ? *job.spec.transformer : *find_transformer(job.spec.model), *layout),
            rest};
  constexpr double next_to_nothing = 1e-3; // of the step: it is one message, and no training
  if (!job.mode->trains() || rest > 1 - next_to_nothing)
    return {row + (job.mode->trains() ? "collective all_reduce " : "collective other ") + way,
            placed.context->dnn.parameter_elements() * placed.context->bytes_per_gradient_element};
  if (measured && way == "one")
    return {};
  const bool servers = !placed.placement.servers.empty() || job.spec.training.mode == "multi_tower";
  return {row + (servers ? "servers " : "all_reduce ") + std::string{measured ? "measured " : "names "} + way, rest};
}

AnswerKind answer_kind(const ParallelJob& job, const ParallelStep& step, bool with_row)
{
  return {(with_row ? "row " : "") + divided(job.transformer, job.layout),
          step.step > Seconds{} ? 1 - step.compute / step.step : 0};
}

} // namespace trainyard
