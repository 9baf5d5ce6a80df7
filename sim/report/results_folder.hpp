// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/core/output.hpp"
#include "sim/results/results.hpp"

#include <filesystem>
#include <string>

namespace trainyard {

/// Writes all files of a run into @p folder, as write_folder(): summary.json, manifest.json, jobs.csv, steps.csv,
/// links.csv, link_loads.csv, events.csv, trace.json.gz and the plots.
std::string write_results(const Results& results, const std::filesystem::path& folder, bool plots = true,
                          const Replace& replace = {});

} // namespace trainyard
