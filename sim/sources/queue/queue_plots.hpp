// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/job/workload.hpp"
#include "sim/sources/queue/queue_metrics.hpp"

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace trainyard {

/// GPUs in use and waiting jobs over time, a line per policy: <path>.png and <path>.svg.
void plot_queue_series(const std::vector<std::pair<std::string, std::vector<QueueSample>>>& series, int total_gpus,
                       const std::filesystem::path& path);

/// Gantt chart of one policy: GPUs from bottom to top, time from left to right, a colour per team; of many jobs the
/// busiest stretch of time.
void plot_gantt(const std::string& title, const Workload& workload, const SchedulingResult& result, int total_gpus,
                const std::filesystem::path& path);

} // namespace trainyard
