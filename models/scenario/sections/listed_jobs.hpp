// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/job/workload.hpp"
#include "models/scenario/section.hpp"

#include <nlohmann/json.hpp>

namespace trainyard {

/// JSON Schema of `workload.jobs`: the jobs themselves, one map each.
nlohmann::ordered_json listed_jobs_schema();

/// Reads `workload.jobs`, in order of submission. Names that do not exist, cycles and sizes that contradict each other
/// are faults with their places; with faults the result is not to be used.
Workload read_listed_jobs(const SectionInput& input, const DocumentNode& list);

} // namespace trainyard
