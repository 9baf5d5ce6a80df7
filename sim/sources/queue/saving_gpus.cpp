// SPDX-License-Identifier: Apache-2.0
#include "sim/sources/queue/saving_gpus.hpp"

#include <algorithm>
#include <array>
#include <bit>

namespace trainyard {

Instant PeriodicSaves::Job::pause(Instant now)
{
  settle(now);
  if (written_at > now)
    return written_at;
  writing = next;
  next += costs.interval;
  written_at = now + costs.written;
  return now + costs.stall;
}

Instant PeriodicSaves::Job::ahead(Instant from, Instant done, Instant work, double speed) const
{
  const auto& [interval, whole, stall] = costs;
  const Instant end = done + work;
  if (end <= next || speed <= 0)
    return {};
  // The first waits for the write that is under way, each later one for that of the one before it.
  const Instant first = std::max(Instant{0}, written_at - from - (next - done) / speed) + stall;
  const std::int64_t later = (end - next - Instant{1}).count() / interval.count();
  return first + later * std::max(stall, whole - interval / speed);
}

void PeriodicSaves::Job::settle(Instant now)
{
  if (written_at <= now)
    kept = std::max(kept, writing);
}

void PeriodicSaves::begin(JobId id, const PeriodicSave& costs, Instant done)
{
  if (!is_finite(costs.interval) || costs.interval <= Instant{0} || costs.written <= Instant{0}) {
    if (!jobs_.empty())
      forget(id);
    return;
  }
  Job& job = jobs_[id.index];
  job.costs = costs;
  job.next = done - done % costs.interval + costs.interval;
  job.writing = Instant{};
  job.written_at = Instant{-1};
}

void PeriodicSaves::end(JobId id, Instant now)
{
  Job* job = of(id);
  if (job == nullptr)
    return;
  due.forget(id);
  job->settle(now);
}

void SavingGpus::hold(const Allocation& held, Saver saver)
{
  if (held.shares.empty()) {
    std::vector<Counted>& pool = pools_[held.gpu_type];
    const auto place =
        std::ranges::upper_bound(pool, saver.until, {}, [](const Counted& one) { return one.saver.until; });
    pool.insert(place, {saver, held.gpus});
    return;
  }
  for (const TaskShare& share : held.shares)
    nodes_[share.node].push_back({saver, share});
}

std::optional<SavingGpus::Saver> SavingGpus::take(const Allocation& taken, int free_before, Instant now)
{
  std::optional<Saver> last;
  if (!taken.shares.empty()) {
    for (const TaskShare& share : taken.shares) {
      const auto known = nodes_.find(share.node);
      if (known == nodes_.end())
        continue;
      std::erase_if(known->second, [&](const OnMachine& one) { return one.saver.until <= now; });
      for (const OnMachine& one : known->second)
        if ((share.gpu_mask & one.share.gpu_mask) != 0 && (!last || one.saver.until > last->until))
          last = one.saver;
    }
    return last;
  }
  std::vector<Counted>& pool = pools_[taken.gpu_type];
  std::erase_if(pool, [&](const Counted& one) { return one.saver.until <= now; });
  int ready = free_before;
  for (const Counted& one : pool)
    ready -= one.gpus;
  int wanted = taken.gpus - std::max(ready, 0);
  while (wanted > 0 && !pool.empty()) {
    Counted& first = pool.front();
    const int used = std::min(wanted, first.gpus);
    last = first.saver;
    wanted -= used;
    first.gpus -= used;
    if (first.gpus == 0)
      pool.erase(pool.begin());
  }
  return last;
}

std::vector<JobId> SavingGpus::on(int node, Instant now) const
{
  std::vector<JobId> jobs;
  if (const auto known = nodes_.find(node); known != nodes_.end())
    for (const OnMachine& one : known->second)
      if (one.saver.until > now)
        jobs.push_back(one.saver.job);
  std::ranges::sort(jobs);
  jobs.erase(std::ranges::unique(jobs).begin(), jobs.end());
  return jobs;
}

void SavingGpus::stop(JobId job)
{
  for (auto& [node, here] : nodes_)
    std::erase_if(here, [&](const OnMachine& one) { return one.saver.job == job; });
}

std::vector<TaskShare> SavingGpus::unused(const NodePool& machines, Instant now)
{
  std::vector<TaskShare> shares;
  for (auto& [node, here] : nodes_) {
    std::erase_if(here, [&](const OnMachine& one) { return one.saver.until <= now; });
    if (here.empty() || !machines.state(node).up)
      continue;
    std::array<int, 32> saved{}; // thousandths of each GPU
    for (const OnMachine& one : here)
      for (std::uint32_t mask = one.share.gpu_mask; mask != 0; mask &= mask - 1)
        saved[static_cast<std::size_t>(std::countr_zero(mask))] += one.share.gpu_milli;
    const auto free = machines.gpu_free(node);
    for (std::size_t gpu = 0; gpu < free.size(); ++gpu)
      if (const int milli = std::min<int>(saved[gpu], free[gpu]); milli > 0)
        shares.push_back({.node = node, .gpu_mask = 1U << gpu, .gpu_milli = milli});
  }
  return shares;
}

Instant SavingGpus::next(Instant now) const
{
  Instant next = end_of_time;
  for (const auto& [node, here] : nodes_)
    for (const OnMachine& one : here)
      if (one.saver.until > now)
        next = std::min(next, one.saver.until);
  return next;
}

} // namespace trainyard
