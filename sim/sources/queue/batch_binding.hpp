// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/cluster/node_shape.hpp"
#include "models/job/batch_rules.hpp"
#include "models/job/kueue_rules.hpp"
#include "models/job/workload.hpp"

#include <memory>

namespace trainyard {

/// Gives the workload the rules of its batch system: machines of a partition get the label partition=NAME, and jobs of
/// the queue of that name ask for it.
///
/// Throws InputError, with the path in the scenario, for machines that the cluster does not have, rules that name each
/// other wrongly, and jobs of a QOS or reservation that the rules lack.
void bind_rules(Workload& workload, ClusterShape& shape, std::shared_ptr<const BatchRules> rules);

/// Gives the workload the quotas of Kueue. Throws InputError, with the path in the scenario, for flavors of GPUs or
/// machines that the cluster does not have, and for jobs whose team has no cluster queue.
void bind_quotas(Workload& workload, const ClusterShape& shape, std::shared_ptr<const KueueRules> rules);

} // namespace trainyard
