// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

namespace trainyard::bench {

/// A message from one host to another.
struct TimedFlow {
  int from = 0;
  int to = 0;
  double bytes = 0;
  double start = 0; // s
};

/// The time in s at which the last of these flows ends on a star of @p hosts by SimGrid alone, in a child process; each
/// host has one link of @p bandwidth (B/s) per direction, without latency.
double simgrid_flows(int hosts, double bandwidth, std::span<const TimedFlow> flows);

} // namespace trainyard::bench
