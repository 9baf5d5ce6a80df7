// SPDX-License-Identifier: Apache-2.0
#include "sim/step/chosen_fidelity.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace trainyard {

bool places_jobs(const Scenario& scenario)
{
  return std::ranges::any_of(job_placing_parts, [&](const char* part) { return scenario.sections.contains(part); });
}

ChosenFidelity chosen_fidelity(const Scenario& scenario)
{
  if (scenario.run.fidelity != "auto")
    return {scenario.run.fidelity, {}};
  if (places_jobs(scenario))
    return {"fluid", "jobs come and go, in many situations"};
  long long jobs = 0, workers = 0;
  for (const JobSpec& job : scenario.jobs) {
    jobs += job.copies;
    workers += static_cast<long long>(job.copies) * job.workers;
  }
  constexpr long long most = 1'000'000'000;
  return auto_fidelity(static_cast<int>(std::min(jobs, most)), static_cast<int>(std::min(workers, most)));
}

std::string to_text(const ChosenFidelity& fidelity)
{
  return fidelity.why.empty() ? fidelity.name : fmt::format("auto ({}: {})", fidelity.name, fidelity.why);
}

} // namespace trainyard
