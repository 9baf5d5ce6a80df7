// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "sim/results/results.hpp"

#include <filesystem>
#include <string>

namespace trainyard {

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
