// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace trainyard::bench {

/// Seconds that a ring all-reduce of @p bytes over @p ranks hosts on a star takes by SimGrid alone, in a child process;
/// each host has one link of @p bandwidth (B/s) and @p latency (s) per direction.
double simgrid_ring(int ranks, double bytes, double bandwidth, double latency);

} // namespace trainyard::bench
