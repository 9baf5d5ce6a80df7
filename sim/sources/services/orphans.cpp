// SPDX-License-Identifier: Apache-2.0
#include "sim/sources/services/recovery.hpp"

namespace trainyard::orchestration {

int Orphans::leave(int number, TaskPhase phase, EndReason reason)
{
  Task& task = book_.task(number);
  progress_.carry(task.unit);
  if (task.runs())
    progress_.burden(task, -1);
  orphans_.push_back({.task = number, .instance = task.instance, .share = task.share, .since = agenda_.now()});
  task.instance = -1;
  life_.set_phase(number, phase);
  task.holds = false;
  life_.lose(number, reason);
  return static_cast<int>(orphans_.size()) - 1;
}

void Orphans::end(int number, EndReason reason)
{
  Orphan& orphan = orphans_[static_cast<std::size_t>(number)];
  if (orphan.over)
    return;
  orphan.over = true;
  accounts_.orphaned(book_.task(orphan.task).service, orphan.share, orphan.since);
  life_.give_back(orphan.share, orphan.task, orphan.instance, reason);
}

void Orphans::end_on(int node)
{
  for (std::size_t i = 0; i < orphans_.size(); ++i)
    if (orphans_[i].share.node == node)
      end(static_cast<int>(i), EndReason::job_ended);
}

void Orphans::end_on_gpu(int node, int gpu)
{
  for (std::size_t i = 0; i < orphans_.size(); ++i)
    if (orphans_[i].share.node == node && (orphans_[i].share.gpu_mask >> gpu & 1u) != 0)
      end(static_cast<int>(i), EndReason::gpu_lost);
}

void Orphans::finish()
{
  for (const Orphan& orphan : orphans_)
    if (!orphan.over)
      accounts_.orphaned(book_.task(orphan.task).service, orphan.share, orphan.since);
}

} // namespace trainyard::orchestration
