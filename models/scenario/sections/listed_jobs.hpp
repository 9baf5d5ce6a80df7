// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/job/workload.hpp"
#include "models/scenario/section.hpp"

#include <map>
#include <optional>
#include <string>

namespace trainyard {

/// Declares `jobs`: the jobs themselves, one map each; @p workload gets them in order of submission.
///
/// Names that do not exist, cycles and sizes that contradict each other are faults with their places; with faults the
/// result is not to be used. @p steps: of jobs that give steps instead of a run time, by name. @p input: null while the
/// schema is written.
void listed_jobs_field(Fields& keys, std::optional<Workload>& workload, std::map<std::string, double>& steps,
                       const SectionInput* input);

} // namespace trainyard
