// SPDX-License-Identifier: Apache-2.0
#include "sim/cluster/wait_log.hpp"

#include <algorithm>
#include <utility>

namespace trainyard {

WaitLog::WaitLog(bool enabled, std::size_t jobs, std::int64_t most)
    : enabled_{enabled}, most_each_{std::max<std::int64_t>(
                             8, most / std::max<std::int64_t>(1, static_cast<std::int64_t>(jobs)))},
      states_(enabled ? jobs : 0)
{
}

void WaitLog::record(JobId id, State& state, Seconds now)
{
  if (state.last >= 0) {
    WaitRecord& gathered = records_[static_cast<std::size_t>(state.last)];
    gathered.reason = WaitReason::changing;
    gathered.blocker = {};
    gathered.to = now;
    gathered.planned = state.planned;
    return;
  }
  records_.push_back({id, state.reason, state.blocker, state.since, now, state.free_gpus, state.planned});
  if (++state.records >= most_each_)
    state.last = static_cast<int>(records_.size()) - 1;
}

void WaitLog::set(JobId id, WaitReason reason, JobId blocker, Seconds now, int free_gpus, Seconds planned)
{
  if (!enabled_)
    return;
  State& state = states_[index(id)];
  state.said = now;
  if (state.reason == reason && state.blocker == blocker) {
    if (planned >= Seconds{0})
      state.planned = planned;
    return;
  }
  if (state.reason != WaitReason::none && state.since < now)
    record(id, state, now);
  state.reason = reason;
  state.blocker = blocker;
  state.since = now;
  state.free_gpus = free_gpus;
  if (planned >= Seconds{0} || reason == WaitReason::none)
    state.planned = planned; // else the last reason given
}

void WaitLog::begin(JobId id, Seconds now, int free_gpus)
{
  set(id, WaitReason::none, {}, now, free_gpus);
  if (enabled_)
    states_[index(id)].since = now;
}

std::vector<WaitRecord> WaitLog::take()
{
  std::ranges::stable_sort(records_, {}, &WaitRecord::to); // those that gathered ended later than they were begun
  return std::move(records_);
}

} // namespace trainyard
