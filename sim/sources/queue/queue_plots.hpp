// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "sim/report/picture.hpp"
#include "sim/sources/queue/queue_report.hpp"

#include <vector>

namespace trainyard {

/// GPUs in use, waiting jobs and fragmentation over time, a line per policy.
Picture queue_picture(const std::vector<QueueRun>& runs);

/// Gantt chart of one policy: GPUs from bottom to top, time from left to right, a colour per team; of many jobs the
/// busiest stretch of time.
Picture gantt_picture(const QueueRun& run);

} // namespace trainyard
