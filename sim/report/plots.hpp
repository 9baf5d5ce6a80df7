// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "sim/report/results.hpp"

#include <filesystem>
#include <string>

namespace trainyard {

/// Draws what the results hold, each as PNG and SVG, without a display: throughput.png/.svg (samples per second over GPUs, one curve per
/// variant, one panel per model) where there are several points, timeline.png/.svg (the last simulated step of the first job drawn) where
/// there are spans. Throws std::runtime_error where a file cannot be written.
void write_plots(const Results& results, const std::filesystem::path& folder);

/// Throughput over the number of GPUs; @p path without extension. False where there is nothing to draw.
bool plot_throughput(const Results& results, const std::filesystem::path& path);

/// The timeline of one step of the job and point of the last span; lanes from top to bottom. False where there is nothing to draw.
bool plot_timeline(const Results& results, const std::filesystem::path& path);

} // namespace trainyard
