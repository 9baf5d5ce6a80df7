// SPDX-License-Identifier: Apache-2.0
#include "sim/cluster/wait_log.hpp"

#include "models/job/kueue_rules.hpp"

#include <algorithm>
#include <utility>

namespace trainyard {

std::string blocker_name(const Workload& workload, JobId blocker)
{
  const auto flavor = static_cast<std::size_t>(-2 - blocker.index);
  return blocker ? workload.name(blocker)
         : workload.kueue == nullptr || blocker.index > -2 || flavor >= workload.kueue->flavors.size()
             ? std::string{}
             : workload.kueue->flavors[flavor].name;
}

WaitLog::WaitLog(bool enabled, std::size_t jobs, std::int64_t most)
    : enabled_{enabled}, most_each_{std::max<std::int64_t>(
                             8, most / std::max<std::int64_t>(1, static_cast<std::int64_t>(jobs)))},
      states_(enabled ? jobs : 0)
{
  if (enabled) // memory that nobody writes to costs nothing; growing would touch it twice
    records_.reserve(std::min(static_cast<std::size_t>(most), 16 * jobs));
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
  records_.push_back({.job = id,
                      .blocker = state.blocker,
                      .from = state.since,
                      .to = now,
                      .planned = state.planned,
                      .free_gpus = state.free_gpus,
                      .reason = state.reason});
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
  state.since = std::max(state.since, now); // a wait may begin later
  state.free_gpus = free_gpus;
  if (planned >= Instant{0} || reason == WaitReason::none)
    state.planned = planned; // else the last reason given
}

void WaitLog::begin(JobId id, Instant from, int free_gpus)
{
  set(id, WaitReason::none, {}, from, free_gpus);
  if (!enabled_)
    return;
  states_[index(id)].since = from;
  states_[index(id)].waits = true;
}

std::vector<WaitRecord> WaitLog::take()
{
  // In order but for those that gathered, which ended later than they were begun: only these move. The others close up
  // to the front, then both are merged from the back, in place, as these records are most of a long run's memory.
  std::vector<std::size_t> gathered; // where they stand
  for (const State& state : states_)
    if (state.last >= 0)
      gathered.push_back(static_cast<std::size_t>(state.last));
  std::ranges::sort(gathered);
  std::vector<std::pair<std::size_t, WaitRecord>> moved; // by end, then by place
  moved.reserve(gathered.size());
  std::size_t kept = gathered.empty() ? records_.size() : gathered.front();
  for (std::size_t i = kept; i < records_.size(); ++i)
    if (moved.size() < gathered.size() && gathered[moved.size()] == i)
      moved.emplace_back(i, records_[i]);
    else
      records_[kept++] = records_[i];
  std::ranges::stable_sort(moved, {}, [](const auto& record) { return record.second.to; });
  std::size_t above = records_.size(); // the last kept one stood right below it
  for (std::size_t write = records_.size(); !moved.empty(); --write) {
    for (; !gathered.empty() && gathered.back() + 1 == above; --above)
      gathered.pop_back();
    const auto& [place, last] = moved.back();
    if (kept == 0 || std::pair{records_[kept - 1].to, above - 1} < std::pair{last.to, place}) {
      records_[write - 1] = last;
      moved.pop_back();
    } else {
      records_[write - 1] = records_[--kept];
      --above;
    }
  }
  return std::move(records_);
}

} // namespace trainyard
