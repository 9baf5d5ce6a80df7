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

/// Draws what the results hold, each as PNG and SVG, without a display: throughput.png/.svg (samples per second over
/// GPUs, one curve per variant, one panel per model) where there are several points, timeline.png/.svg (the last
/// simulated step of the first job drawn) where there are spans. Throws std::runtime_error where a file cannot be
/// written.
void write_plots(const Results& results, const std::filesystem::path& folder);

/// Throughput over the number of GPUs; @p path without extension. False where there is nothing to draw.
bool plot_throughput(const Results& results, const std::filesystem::path& path);

/// When the bottleneck of a job was in use: the load of its link, or the messages of its task. Empty where the
/// bottleneck computes (its lane is in the timeline) or nothing is known.
struct BottleneckLane {
  struct Part {
    Seconds begin;
    Seconds end;
    double load = 1; // 0…1
  };
  std::string name; // "NIC of ps-0"
  std::vector<Part> parts;
};
BottleneckLane bottleneck_lane(const Results& results, const std::string& point, const std::string& job, Seconds begin,
                               Seconds end);

/// The timeline of one step of the job and point of the last span: its bottleneck, then lanes from top to bottom. False
/// where there is nothing to draw.
bool plot_timeline(const Results& results, const std::filesystem::path& path);

} // namespace trainyard
