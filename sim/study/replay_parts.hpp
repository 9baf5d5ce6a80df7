// SPDX-License-Identifier: Apache-2.0
// What the files of sim/study/replay*.cpp share.
#pragma once
#include "models/core/random.hpp"
#include "sim/study/replay.hpp"

#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <vector>

namespace trainyard {

constexpr double replay_week = 7 * 86400;
inline constexpr const char* scenario_row = "scenario.yaml, one run"; // of the tables of predictors

/// A job of a replay.
struct ReplayJob {
  TraceJob job;
  double start = std::numeric_limits<double>::infinity(); // recorded; infinity: not yet known then
  std::string chain{};                                    // each job of a chain starts after the one before it
};

/// Waits from @p from on, of jobs whose row is not negative, by that row. @p usable GPUs.
std::map<std::int64_t, double> replay_from(const RecordedQueue& log, std::vector<ReplayJob> jobs,
                                           const ReplayModel& model, double from, double until, int usable,
                                           const std::vector<Standstill>& standstills);
/// Jobs of the record that matter from a moment on: who runs then, who waits, who comes until @p last. Rows are their
/// numbers, -1 of those that are not asked for.
std::vector<ReplayJob> jobs_around(const RecordedQueue& log, double from, double last, double asked_until);
/// Share of the waiting hours in which the machine has room for who waits.
double room_share_of(const RecordedQueue& log);
int usable_gpus(const RecordedQueue& log, const ReplayModel& model);

/// Whether a job counts: after the first week; of the first half, or of the second.
bool counts(const RecordedQueue& log, std::size_t i, bool second);
ReplayError error_of(const RecordedQueue& log, const std::vector<double>& waits, bool second);

/// Fills `bounds` and those of each job. @p unchosen: a prediction for which nothing was chosen, for the first half.
void add_bounds(const RecordedQueue& log, const std::vector<double>& unchosen, Replay& replay);
/// Fills `forecast`.
void add_forecast(const RecordedQueue& log, const ReplayOptions& options, Replay& replay);

} // namespace trainyard
