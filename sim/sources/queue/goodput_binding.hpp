// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/cluster/node_shape.hpp"
#include "models/job/batch_goodput.hpp"
#include "models/job/workload.hpp"

#include <map>
#include <string>

namespace trainyard {

/// Reads the measured steps of @p specs and gives the workload the goodput of its models (Workload::goodput) and, where
/// the cluster has several types of GPU, their speeds by type. @p reference: the type that run times mean, where jobs
/// do not say it; empty: the only one. The workload is bound to @p shape.
///
/// Returns what a reader has to know, a line each: models without jobs, and jobs without a goodput. Throws InputError,
/// with the place in the scenario, for tables that cannot be read, types without a table, and for sizes of jobs and
/// machines from which the tables give no step.
std::string bind_goodput(Workload& workload, const std::map<std::string, GoodputSpec>& specs,
                         const std::string& reference, const ClusterShape& shape);

} // namespace trainyard
