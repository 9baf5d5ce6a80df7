// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/cluster/cluster.hpp"
#include "sim/results/results.hpp"
#include "sim/step/engine/executor.hpp"
#include "sim/step/engine/step_program.hpp"

#include <cstddef>
#include <span>
#include <vector>

namespace trainyard {

inline constexpr std::size_t most_traffic_rows = 500'000;

/// Who sends how much to whom per step: payload bytes of messages and collectives between tasks ("worker-3", "ps-0",
/// "client"), pairs that exchange nothing left out. Copies inside a process are not traffic.
///
/// Servers that share a host are one task ("ps-0+ps-2"). Where one worker stands for many equal ones, its messages are
/// written out for all of them, unless there would be more than @p most rows: then for it alone. Where several stand
/// for all, those of the others are left out. Without @p list no rows, only how many workers they would be about.
struct TrafficTable {
  std::vector<TrafficRow> rows;
  int listed = 0;   // workers,
  int left_out = 0; // and those whose rows are those of one that stands for them
};
TrafficTable traffic_rows(const Cluster& cluster, const Placement& placement, const StepProgram& program,
                          std::size_t most = most_traffic_rows, bool list = true);

/// How busy each link was in each of @p parts equal parts of the whole time, for the colours of links under a time
/// scrubber.
///
/// The bytes of a transfer or collective are spread evenly over its time on the links of its route, so that a link's
/// loads times its bandwidth times the length of the parts add up to the bytes of links.csv, whatever the fidelity;
/// within one operation the rate is its mean. Parts in a row with equal load are one. Links that carry nothing, and
/// runs with more than @p most_messages different messages or whose program loads more than 50,000 links, have
/// none: no picture shows so many, and their file would have a hundred megabytes.
std::vector<LinkLoad> link_loads(const Cluster& cluster, std::span<const StepProgram* const> programs,
                                 std::span<const StepTrace* const> traces, int parts = 100,
                                 std::size_t most_messages = 400'000);

} // namespace trainyard
