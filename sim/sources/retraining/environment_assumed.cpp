// SPDX-License-Identifier: Apache-2.0
// Which defaults of retraining change nothing in a scenario.
#include "models/scenario/sections/task_environment.hpp"
#include "sim/sources/retraining/environment_report.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace trainyard {

std::vector<FilledDefault> retraining_seen(const Scenario& scenario)
{
  const auto& section = *scenario.section<TaskEnvironmentSection>("task_environment");
  std::vector<FilledDefault> seen;
  const auto unless = [&](bool matters, const std::string& path) {
    if (!matters)
      seen.push_back({path, "", {}});
  };
  const bool planned =
      std::ranges::any_of(section.planners, [](const NamedPart& planner) { return planner.name != "none"; });
  const bool fails = !section.faults.empty() || std::isfinite(section.mean_time_to_failure.value());
  unless(planned, "task_environment.duplicates"); // without a planner duplicates are not checked
  unless(section.cluster && !section.through_queue, "task_environment.placement");
  unless(!section.through_queue, "task_environment.planner"); // the queue decides
  unless(std::ranges::any_of(section.models, [](const RetrainedModel& model) { return model.data > Bytes{0}; }),
         "task_environment.upload.bandwidth");
  unless(section.messages.loss > 0, "task_environment.submission"); // only then an answer can be missing
  unless(section.confirm.by == "polling" || section.messages.loss > 0, "task_environment.upload.confirm.period");
  unless(section.status.by != "message" || section.messages.loss > 0, "task_environment.status.period");
  unless(fails, "task_environment.models.*.checkpoint_interval");
  if (!section.faults.empty())
    seen.push_back({"task_environment.mean_time_to_failure", "fail only as 'faults' says", {}});
  return seen;
}

} // namespace trainyard
