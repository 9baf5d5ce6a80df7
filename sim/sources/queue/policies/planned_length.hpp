// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "sim/sources/queue/scheduling.hpp"

#include <algorithm>

namespace trainyard {

/// How long a waiting job will hold GPUs at a speed, by what is left of its estimate, with its start and its saves.
inline Instant planned_length(const ClusterView& cluster, JobId id, double speed = 1)
{
  const Instant work = cluster.estimated_remaining(id);
  return time_at(speed, work) + cluster.saving_ahead(id, work);
}

/// When a job that has not ended at @p estimated, as it should have, is taken to end: a second later than now, as Slurm
/// guesses (_guess_job_end in select/cons_tres), or a twentieth of what it is late by, where that is more; up to a
/// whole second of the clock. So who asks again at this time does so at most every second, for all late jobs at once,
/// and the more rarely the later they are: some 300 times in a year.
inline Instant later_end(Instant now, Instant estimated)
{
  const Instant end = now + std::max(Instant{1_s}, 0.05 * (now - estimated));
  const Instant part = end % 1_s;
  return part > Instant{0} ? end + (1_s - part) : end;
}

} // namespace trainyard
