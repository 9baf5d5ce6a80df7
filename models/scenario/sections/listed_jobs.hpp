#pragma once
#include "models/job/workload.hpp"
#include "models/scenario/section.hpp"

#include <nlohmann/json.hpp>

namespace trainyard {

/// `workload: jobs:`: jobs of the queue that stand in the scenario itself, a map each.
nlohmann::ordered_json listed_jobs_schema();

/// Reads them, sorted by submission; faults (a name given twice, 'after' of an unknown job) go to the diagnostics of @p input.
Workload read_listed_jobs(const SectionInput& input, const DocumentNode& node);

} // namespace trainyard
