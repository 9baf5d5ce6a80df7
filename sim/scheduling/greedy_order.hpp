#pragma once
#include "sim/scheduling/scheduling.hpp"

#include <span>

namespace trainyard {

/// What happens to the jobs behind one that does not fit in what is left.
enum class WhenBlocked { skip, stop };

/// Preemptive greedy allocation: GPUs go to the jobs in this order, running ones and waiting ones alike; a running job that gets none is
/// preempted, a waiting one that gets some starts. Gangs are whole or not at all. GPUs are counted per type where types differ in speed.
///
/// On machines a chosen job may still find no place (fragmentation); it waits then, and whoever was preempted for it is started again
/// before others, in order.
void allocate_in_order(const ClusterView& cluster, Decisions& decisions, std::span<const JobId> order,
                       WhenBlocked blocked = WhenBlocked::skip);

/// Starts every waiting job where all of them fit beside what runs; false, with some of them perhaps started, where they do not. Cheaper
/// than any order, and the same as a greedy one.
bool start_all_waiting(const ClusterView& cluster, Decisions& decisions);

} // namespace trainyard
