// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/cluster/cluster.hpp"
#include "sim/results/results.hpp"
#include "sim/step/engine/executor.hpp"

#include <optional>
#include <string>

namespace trainyard {

/// The connection that is nearest to the rate of its library: "one grpc connection of 0.5 GB/s".
///
/// Its utilisation is the share of the trace in which its messages would be under way if nothing but
/// MessageCost::limit held them back, at most 1; each direction is one of its own. Looks at the messages of @p worker
/// and at those of all; collectives within a node do not count. None where no message has a limit.
std::optional<UseRow> busiest_connection(const Cluster& cluster, const StepProgram& program, const StepTrace& trace,
                                         int worker, const std::string& transport);

} // namespace trainyard
