// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "sim/sources/queue/scheduling.hpp"

namespace trainyard {

/// How long a waiting job will hold GPUs at a speed, by what is left of its estimate, with its start and its saves.
inline Instant planned_length(const ClusterView& cluster, JobId id, double speed = 1)
{
  const Instant work = cluster.estimated_remaining(id);
  return time_at(speed, work) + cluster.saving_ahead(id, work);
}

} // namespace trainyard
