// SPDX-License-Identifier: Apache-2.0
#include "sim/cluster/speed/step_times.hpp"

#include "sim/results/breakdown.hpp"
#include "sim/step/chosen_fidelity.hpp"
#include "sim/step/steady_state.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace trainyard {
namespace {

/// Steps of the slowest of several jobs that are simulated together; the first one does not count.
constexpr double stretch = 6;

} // namespace

StepTimes::StepTimes(const PreparedScenario& scenario, const Catalogue& catalogue)
    : scenario_{scenario}, catalogue_{catalogue}, queued_{chosen_fidelity(scenario.scenario).name == "closed_form"},
      executor_{Registry<Executor>::instance().create(chosen_fidelity(scenario.scenario).name)}
{
}

std::unique_ptr<PlacedJob> StepTimes::placed(const PreparedJob& job, const Placement& placement) const
{
  Diagnostics diagnostics;
  std::unique_ptr<PlacedJob> placed = place(scenario_, job, placement, catalogue_, diagnostics);
  if (diagnostics.has_errors())
    throw std::runtime_error{
        fmt::format("job '{}' cannot train at its place: {}", job.spec.name, diagnostics.sorted().front().message)};
  return placed;
}

Situated StepTimes::at(const PreparedJob& job, const Placement& placement)
{
  const std::unique_ptr<PlacedJob> there = placed(job, placement);
  there->context->alone = false; // what it may load beside others
  return shapes_.at(job, *there, job.mode->program(*there->context, 0, 1), job.spec.name, queued_);
}

std::vector<double> StepTimes::simulate(const SituatedGroup& group, std::span<const double> alone) const
{
  std::vector<std::unique_ptr<PlacedJob>> places;
  std::vector<SteppedJob> stepped;
  for (const Situated* job : group) {
    places.push_back(placed(*job->job, job->placement));
    stepped.push_back(stepped_job(*job->job->mode, *places.back()->context, *executor_, group.size() == 1));
  }
  SteadyStateOptions options = options_of_a_run(stepped, scenario_.scenario.run, *executor_);
  if (group.size() > 1) {
    options.start_draws = 1; // there are too many situations
    if (std::ranges::none_of(stepped, &SteppedJob::random)) {
      options.most_steps = 24;
      // Neighbours with steps of different length never repeat: the mean over a stretch of `stretch` steps of the
      // slowest is taken at once.
      options.relative_half_width = 1;
      const double longest = *std::ranges::max_element(alone);
      for (std::size_t i = 0; i < stepped.size(); ++i)
        stepped[i].first_steps =
            std::min(options.most_steps, static_cast<int>(std::ceil(stretch * longest / alone[i]))) -
            steps_left_out(stepped[i], options);
    }
  }
  std::vector<double> times;
  for (const StepEstimate& estimate : steady_state(scenario_.cluster, stepped, *executor_, options))
    times.push_back(estimate.step_time.value());
  return times;
}

ShownStep StepTimes::shown(const Situated& job) const
{
  const std::unique_ptr<PlacedJob> there = placed(*job.job, job.placement);
  const SteppedJob stepped = stepped_job(*job.job->mode, *there->context, *executor_, true);
  const std::span<const SteppedJob> alone{&stepped, 1};
  const StepEstimate estimate =
      steady_state(scenario_.cluster, alone, *executor_, options_of_a_run(alone, scenario_.scenario.run, *executor_))
          .front();
  const Breakdown parts = breakdown(scenario_, *job.job, *there, estimate);
  return {estimate.step_time, estimate.samples_per_second, parts.bottleneck, there->gpu_reserved,
          parts.step > Seconds{} ? parts.compute / parts.step : 0};
}

std::vector<double> StepTimes::of(const SituatedGroup& group)
{
  const auto [index, situation] = situation_of(group);
  SituatedGroup order;
  for (const std::size_t i : index)
    order.push_back(group[i]);
  auto known = known_.find(situation);
  if (known == known_.end()) {
    std::vector<double> times_alone;
    for (std::size_t i = 0; i < order.size() && order.size() > 1; ++i)
      times_alone.push_back(alone(*order[i]));
    known = known_.emplace(situation, simulate(order, times_alone)).first;
  }
  std::vector<double> times(group.size());
  for (std::size_t i = 0; i < index.size(); ++i)
    times[index[i]] = known->second[i];
  return times;
}

} // namespace trainyard
