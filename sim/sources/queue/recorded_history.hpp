// SPDX-License-Identifier: Apache-2.0
// The replay of a trace beside what its system did with the same jobs.
#pragma once
#include "models/job/workload.hpp"
#include "sim/sources/queue/queue_metrics.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>

namespace trainyard {

/// Waits until the first start, of jobs that the trace has a wait of and that started in the replay.
struct RecordedHistory {
  int jobs = 0;
  Distribution recorded;
  Distribution replayed;
  Distribution difference; // |replayed - recorded| of each job
  double within = 0;       // share of the jobs whose waits differ by less than a minute

  /// Two lines for people, a table's worth of figures.
  std::string text(const std::string& policy) const;
};

/// @p waits: by line of the trace's file. Nothing where no job has one.
std::optional<RecordedHistory> history_of(const Workload& workload, const SchedulingResult& result,
                                          const std::unordered_map<std::int64_t, Instant>& waits);

} // namespace trainyard
