// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/cluster/cluster.hpp"
#include "sim/step/engine/executor.hpp"

#include <span>
#include <string>
#include <vector>

namespace trainyard {

/// What is impossible in these traces: an operation that ends before it begins or before what it waits for, a lane with
/// more operations at a time than it has slots, more bytes over a link or resource than its bandwidth carries in the
/// time, a link busy longer than the run.
///
/// Empty if there is nothing. One sentence each, at most ten. @p shared_links: links are shared out among all programs
/// (every fidelity but `closed_form`, where collectives do not slow each other). Rounding of 1e-6 is let pass.
std::vector<std::string> broken_physics(const Cluster& cluster, std::span<const StepProgram* const> programs,
                                        std::span<const StepTrace* const> traces, bool shared_links);

} // namespace trainyard
