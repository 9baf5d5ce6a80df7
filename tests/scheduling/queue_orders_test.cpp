// SPDX-License-Identifier: Apache-2.0
// The orders that the queue keeps, of ends and of waiting jobs, against plain sets, whatever comes and goes.
#include "models/core/random.hpp"
#include "sim/sources/queue/end_times.hpp"
#include "sim/sources/queue/policies/waiting_classes.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

namespace trainyard {
namespace {

TEST(QueueOrders, EndsAreThoseSaidLast)
{
  RandomStream draw = Random{1}.stream("ends");
  EndTimes ends;
  std::map<JobId, std::pair<Instant, int>> said; // by job: its end, and when it was said
  const auto first = [&] { return std::ranges::min_element(said, {}, [](const auto& one) { return one.second; }); };
  for (int round = 0; round < 20'000; ++round) {
    const JobId id{static_cast<int>(draw.below(30))};
    const double what = draw.uniform();
    if (what < 0.4) {
      const Instant time{static_cast<std::int64_t>(draw.below(20))};
      ends.set(id, time);
      said[id] = {time, round};
    } else if (what < 0.5) {
      ends.set(id, end_of_time);
      said.erase(id);
    } else if (what < 0.6) {
      ends.forget(id);
      said.erase(id);
    } else {
      const Instant now{static_cast<std::int64_t>(draw.below(20))};
      const bool due = !said.empty() && first()->second.first <= now;
      EXPECT_EQ(ends.take(now), due ? std::optional{first()->first} : std::nullopt);
      if (due)
        said.erase(first());
    }
    ASSERT_EQ(ends.next(), said.empty() ? end_of_time : first()->second.first);
  }
}

TEST(QueueOrders, WaitingJobsAreWalkedInOrderAndByClass)
{
  RandomStream draw = Random{2}.stream("waiting");
  Workload workload;
  for (int job = 0; job < 40; ++job) {
    workload.jobs.emplace_back();
    workload.jobs.back().gpus = 1 << draw.below(3);
  }
  const ClusterState pool{ClusterShape::pool(8), nullptr};
  const ClusterView cluster{workload, pool};
  WaitingClasses<int> waiting;
  std::map<JobId, int> keys;
  for (int round = 0; round < 20'000; ++round) {
    // Now and then many come or go at once, mostly one or none waits.
    const JobId id{static_cast<int>(draw.below(draw.below(10) == 0 ? 40 : 2))};
    const double what = draw.uniform();
    if (what < 0.4) {
      keys[id] = static_cast<int>(draw.below(5));
      waiting.insert(cluster, id, keys[id]);
    } else if (what < 0.8) {
      keys.erase(id);
      waiting.erase(id);
    } else {
      // One that fits starts, and takes all the room for its class.
      std::set<std::pair<int, JobId>> order;
      for (const auto& [job, key] : keys)
        order.emplace(key, job);
      std::vector<JobId> expected, visited;
      std::set<int> classes;
      for (const auto& [key, job] : order)
        if (classes.insert(cluster.job(job).gpus).second)
          expected.push_back(job);
      waiting.walk([&](JobId job) {
        visited.push_back(job);
        if (what < 0.9) {
          waiting.erase(job);
          keys.erase(job);
        }
        return Walk::skip_class;
      });
      ASSERT_EQ(visited, expected) << "round " << round;
    }
    ASSERT_EQ(waiting.empty(), keys.empty());
  }
}

} // namespace
} // namespace trainyard
