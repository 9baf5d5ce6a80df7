// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/core/output.hpp"
#include "models/results/csv.hpp"
#include "sim/results/results.hpp"

#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

namespace trainyard {

/// Version of the layout of summary.json and manifest.json; grows when a key changes its meaning or goes away.
inline constexpr int results_schema_version = 1;

std::string jobs_csv(const Results& results);
std::string steps_csv(const Results& results);
std::string links_csv(const Results& results);
std::string link_loads_csv(const Results& results);
void link_loads_csv(const Results& results, const TextSink& sink);
std::string events_csv(const Results& results);
std::string traffic_csv(const Results& results);

/// One document with everything a reader or another program needs; units in the key names, no time stamps, never NaN.
std::string summary_json(const Results& results);
void summary_json(const Results& results, const TextSink& sink);

/// What `simrun manifest.json` needs to run the same again: scenario text, overrides, seed, versions, SHA-256 of the
/// inputs.
std::string manifest_json(const Results& results);

/// The run that a manifest describes. Throws InputError where the text is not a manifest, or one of a later layout.
RunInfo read_manifest(const std::string& text, const std::string& file);
/// Where its scenario was: files that it names are looked for beside it.
std::string scenario_path(const RunInfo& run);

/// The parts of a summary that `explain` shows: jobs, links, advice. Throws InputError as read_manifest.
Results read_summary(const std::string& text, const std::string& file);

/// Chrome trace-event JSON (Perfetto, chrome://tracing): one process per job and point, one thread per lane.
std::string trace_json(const Results& results);
void trace_json(const Results& results, const TextSink& sink);

/// Writes all files of a run into @p folder, as write_folder(): summary.json, manifest.json, jobs.csv, steps.csv,
/// links.csv, link_loads.csv, events.csv, trace.json.gz and the plots.
std::string write_results(const Results& results, const std::filesystem::path& folder, bool plots = true,
                          const Replace& replace = {});

} // namespace trainyard
