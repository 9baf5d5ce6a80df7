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

void WaitLog::record(JobId id, State& state, Instant now)
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

void WaitLog::set(JobId id, WaitReason reason, JobId blocker, Instant now, int free_gpus, Instant planned)
{
  if (!enabled_)
    return;
  State& state = states_[index(id)];
  state.said = now;
  state.waits = reason != WaitReason::none;
  if (state.reason == reason && state.blocker == blocker) {
    if (planned >= Instant{0})
      state.planned = planned;
    return;
  }
  if (state.reason != WaitReason::none && state.since < now)
    record(id, state, now);
  state.reason = reason;
  state.blocker = blocker;
  state.since = now;
  state.free_gpus = free_gpus;
  if (planned >= Instant{0} || reason == WaitReason::none)
    state.planned = planned; // else the last reason given
}

void WaitLog::begin(JobId id, Instant now, int free_gpus)
{
  set(id, WaitReason::none, {}, now, free_gpus);
  if (!enabled_)
    return;
  states_[index(id)].since = now;
  states_[index(id)].waits = true;
}

std::vector<WaitRecord> WaitLog::take()
{
  // In order but for those that gathered, which ended later than they were begun: only these are sorted.
  std::vector<std::pair<Instant, std::size_t>> gathered;
  for (const State& state : states_)
    if (state.last >= 0)
      gathered.emplace_back(records_[static_cast<std::size_t>(state.last)].to, static_cast<std::size_t>(state.last));
  if (gathered.empty())
    return std::move(records_);
  std::vector<bool> moves(records_.size(), false);
  for (const auto& [to, number] : gathered)
    moves[number] = true;
  std::ranges::sort(gathered);
  std::vector<WaitRecord> sorted;
  sorted.reserve(records_.size());
  auto next = gathered.begin();
  const auto put_before = [&](const std::pair<Instant, std::size_t>& record) {
    for (; next != gathered.end() && *next < record; ++next)
      sorted.push_back(records_[next->second]);
  };
  for (std::size_t i = 0; i < records_.size(); ++i)
    if (!moves[i]) {
      put_before({records_[i].to, i});
      sorted.push_back(records_[i]);
    }
  put_before({end_of_time, records_.size()});
  records_.clear();
  return sorted;
}

} // namespace trainyard
