// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/scenario/sections/scheduling.hpp"
#include "sim/sources/queue/scheduling.hpp"

#include <memory>

namespace trainyard {

/// Jobs that ask for more than `largest_job` ask for so many. Throws InputError, at its place, for a user or a job that
/// the workload does not have.
void bind_site_rules(const SiteRules& rules, Workload& workload);

/// The policy sees only jobs that the rules let in, and starts them only when the rules allow it.
std::unique_ptr<QueuePolicy> under_site_rules(std::unique_ptr<QueuePolicy> policy, const SiteRules& rules);

} // namespace trainyard
