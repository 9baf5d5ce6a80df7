// SPDX-License-Identifier: Apache-2.0
#include "sim/step/answer_kind.hpp"

#include "models/dnn/transformer.hpp"
#include "models/parallel/layout.hpp"
#include "sim/step/training/message_cost.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <optional>
#include <set>
#include <utility>

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

std::string network_of(const Scenario& scenario)
{
  const NetworkSpec& network = scenario.cluster.network;
  return fmt::format("{} of {:g} bit/s", network.link.empty() ? "link" : network.link, 8 * network.bandwidth.value());
}

namespace {

/// How much of a step goes with the constants of a GPU and of a network.
struct Shares {
  double gpu = 0, network = 0;
};

/// Whose constants decide an answer.
struct Deciders {
  std::string gpu, transport, network;
  bool one_machine = false;
};

Shares shares_of(const FittedRow& row, const Deciders& of)
{
  std::string transport = of.transport;
  std::ranges::replace(transport, '_', ' ');
  Shares shares;
  for (const auto& [name, share] : row.decides)
    if (name == of.gpu + ": kernels" || name.starts_with("host: "))
      shares.gpu += std::abs(share);
    else if (of.one_machine ? name == of.gpu + ": all-reduce in a machine"
                            : row.network == of.network && name.starts_with(transport + ": "))
      shares.network += std::abs(share);
  return shares;
}

/// Whether the fitted rows leave less than half of the variance that the answer's logarithm has by names: both
/// constants have normal errors, and each row measures its own mixture of them, up to what two answers differ.
bool told_by_rows(const Scenario& scenario, const Deciders& of, const Shares& answer)
{
  if (!is_fitted(scenario) || !scenario.calibration->explained)
    return false;
  const double gpu = model_errors().of({"all_reduce names", 0}).deviation(),
               network = model_errors().of({"collective", 0}).deviation(),
               row_error = model_errors().of({"all_reduce", 0}).own;
  double gg = gpu * gpu, gn = 0, nn = network * network; // the covariance
  const auto variance = [&](const Shares& s) {
    return s.gpu * s.gpu * gg + 2 * s.gpu * s.network * gn + s.network * s.network * nn;
  };
  const double before = variance(answer);
  for (const FittedRow& row : scenario.calibration->rows) {
    const Shares s = shares_of(row, of);
    const double along_gpu = gg * s.gpu + gn * s.network, along_network = gn * s.gpu + nn * s.network,
                 all = variance(s) + row_error * row_error;
    gg -= along_gpu * along_gpu / all;
    gn -= along_gpu * along_network / all;
    nn -= along_network * along_network / all;
  }
  return variance(answer) < before / 2;
}

/// Of a job whose step a calibration was fitted to, in this very scenario: the mean of measured over predicted.
std::optional<AnswerKind> measured_here(const Scenario& scenario, const std::string& job)
{
  if (!is_fitted(scenario) || !scenario.calibration->explained)
    return std::nullopt;
  double sum = 0;
  int rows = 0;
  for (const FittedRow& row : scenario.calibration->here)
    if (row.job == job || (row.job.empty() && scenario.jobs.size() == 1)) {
      sum += std::log(row.off);
      ++rows;
    }
  return rows > 0 ? std::optional{AnswerKind{"measured", std::exp(sum / rows)}} : std::nullopt;
}

/// Share of a step in which stages wait for each other, by the schedule's formula.
double bubble_of(const ParallelLayout& layout, double computing)
{
  return computing * (layout.pp - 1) / std::max(layout.micro_batches() * layout.vp, 1);
}

} // namespace

AnswerKind answer_kind(const PreparedScenario& prepared, const PreparedJob& job, const PlacedJob& placed, Seconds step)
{
  if (std::optional<AnswerKind> here = measured_here(prepared.scenario, job.spec.name))
    return *here;
  const bool measured = job.spec.single_gpu_step.has_value() || job.dnn.timed();
  const std::string way = crossed(prepared, job, placed);
  const std::string& gpu = prepared.cluster.node(prepared.cluster.vertex(placed.placement.workers.front()).node).gpu;
  const std::string transport = job.spec.training.settings.text("transport", job.spec.training.transport);
  const double rest = step > Seconds{} ? std::clamp(1 - placed.single_gpu_step / step, 0.0, 1.0) : 0;
  const ParallelLayout* layout = job.spec.training.parallel.get();
  const double waits = layout == nullptr ? 0 : std::min(bubble_of(*layout, 1 - rest), rest);
  const Deciders deciders{gpu, transport, network_of(prepared.scenario), way == "machine"};
  const Shares decide{measured || !job.mode->trains() ? 0 : 1 - rest + waits, way == "one" ? 0 : rest - waits};
  const std::string row = told_by_rows(prepared.scenario, deciders, decide) ? "row " : "";
  if (layout != nullptr)
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

AnswerKind answer_kind(const ParallelJob& job, const ParallelStep& step)
{
  return {divided(job.transformer, job.layout), step.step > Seconds{} ? 1 - step.compute / step.step : 0};
}

AnswerKind answer_kind(const ParallelJob& job, const ParallelStep& step, const Scenario& scenario, const JobSpec& spec)
{
  if (std::optional<AnswerKind> here = measured_here(scenario, spec.name))
    return *here;
  AnswerKind kind = answer_kind(job, step);
  const double sent = (step.tensor + step.context + step.expert + step.data + step.pipeline) / step.step;
  const std::string transport = spec.training.settings.text("transport", spec.training.transport);
  if (told_by_rows(scenario, {job.gpu.name, transport, network_of(scenario)}, {1 - sent, sent}))
    kind.name = "row " + kind.name;
  return kind;
}

} // namespace trainyard
