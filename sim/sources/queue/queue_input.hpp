// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "sim/sources/queue/scheduling.hpp"

namespace trainyard {

/// Throws std::invalid_argument for a workload or options that `simulate_queue` refuses, naming the line or the jobs.
void check_queue_input(const Workload& workload, const SchedulingOptions& options);

} // namespace trainyard
