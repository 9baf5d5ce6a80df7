// SPDX-License-Identifier: Apache-2.0
#include "sim/step/chosen_fidelity.hpp"

#include <algorithm>

namespace trainyard {

ChosenFidelity chosen_fidelity(const Scenario& scenario)
{
  if (scenario.run.fidelity != "auto")
    return {scenario.run.fidelity, {}};
  long long jobs = 0, workers = 0;
  for (const JobSpec& job : scenario.jobs) {
    jobs += job.copies;
    workers += static_cast<long long>(job.copies) * job.workers;
  }
  constexpr long long most = 1'000'000'000;
  return auto_fidelity(static_cast<int>(std::min(jobs, most)), static_cast<int>(std::min(workers, most)));
}

} // namespace trainyard
