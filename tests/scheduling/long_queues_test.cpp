// SPDX-License-Identifier: Apache-2.0
// Policies that keep long queues in structures of their own decide as if they looked at every job each time.
#include "sim/sources/queue/policies/greedy_order.hpp"
#include "sim/sources/queue/policies/kinetic_maximum.hpp"
#include "sim/sources/queue/scheduling.hpp"
#include "tests/support/random_workload.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <tuple>

namespace trainyard {
namespace {

TEST(KineticMaximum, KnowsTheHighestLineAtEveryTimeAsIfItLookedAtAll)
{
  RandomStream draw = Random{3}.stream("lines");
  KineticMaximum lines;
  std::vector<std::pair<JobId, KineticMaximum::Line>> there;
  Instant now;
  for (int step = 0; step < 4000; ++step) {
    now += Instant{draw.below(3) == 0 ? 0 : static_cast<std::int64_t>(draw.exponential(5))};
    if (there.empty() || draw.uniform() < 0.55) {
      const KineticMaximum::Line line{now + Instant{10 - static_cast<std::int64_t>(draw.below(30))},
                                      Instant{1 + static_cast<std::int64_t>(draw.below(40))}};
      there.emplace_back(JobId{step}, line);
      lines.insert(JobId{step}, line, now);
    } else {
      const auto which = static_cast<std::ptrdiff_t>(draw.below(there.size()));
      lines.erase(there[static_cast<std::size_t>(which)].first, now);
      there.erase(there.begin() + which);
    }
    ASSERT_EQ(lines.size(), there.size());
    if (there.empty()) {
      EXPECT_FALSE(lines.highest(now));
      continue;
    }
    const auto best = std::ranges::min_element(there, {}, [&](const auto& one) {
      return std::pair{-one.second.at(now), one.first};
    });
    const auto highest = lines.highest(now);
    ASSERT_TRUE(highest);
    ASSERT_EQ(highest->id, best->first) << "step " << step << " at " << now.count();
    ASSERT_EQ(highest->value, best->second.at(now));
    const double level = there.front().second.at(now);
    ASSERT_EQ(lines.count_above(level, now), static_cast<std::size_t>(std::ranges::count_if(
                                                 there, [&](const auto& one) { return one.second.at(now) > level; })));
  }
}

TEST(KineticMaximum, AtTheNanosecondAtWhichTwoMeetTheLowerJobIsAhead)
{
  // (t + 0.1 s) / 0.1 s and t / 0.05 s are both 2 at 0.1 s; a nanosecond before, the first is larger.
  const Instant meeting{100_ms};
  for (const bool lower : {true, false}) {
    const JobId slow{lower ? 2 : 1}, fast{lower ? 1 : 2};
    KineticMaximum lines;
    lines.insert(slow, {-meeting, 100_ms}, Instant{0});
    lines.insert(fast, {Instant{0}, 50_ms}, Instant{0});
    EXPECT_EQ(lines.highest(meeting - Instant{1})->id, slow);
    EXPECT_EQ(lines.highest(meeting)->id, lower ? fast : slow);
    EXPECT_EQ(lines.highest(meeting)->value, 2);
    EXPECT_EQ(lines.highest(meeting + Instant{1})->id, fast);
  }
  // Years later the values of two that differ by a nanosecond are the same double.
  const Instant late{100'000'000_s};
  KineticMaximum lines;
  lines.insert(JobId{1}, {Instant{1}, 1_s}, late);
  lines.insert(JobId{2}, {Instant{0}, 1_s}, late);
  EXPECT_EQ(lines.highest(late)->id, JobId{2});
}

/// Themis' rule with every job's rho computed at every decision: the leases that run on, then the share 1 - f of those
/// that fare worst, the worst first, then the others, those that run first.
class EveryRho final : public QueuePolicy
{
public:
  EveryRho(Instant lease, double fairness) : lease_{lease}, fairness_{fairness} {}

  void decide(const ClusterView& cluster, Decisions& decisions) override
  {
    if (start_all_waiting(cluster, decisions))
      return;
    std::vector<std::tuple<int, double, JobId>> order; // group, rank, job
    std::vector<std::pair<double, JobId>> offered;
    const double active = static_cast<double>(cluster.waiting().size() + cluster.running().size());
    const auto bid = [&](JobId id) {
      const TraceJob& job = cluster.job(id);
      const double share = cluster.cluster().total_gpus() / active;
      const double alone =
          (cluster.now() - job.submit + cluster.estimated_remaining(id)) / std::max<Instant>(job.estimate, 1_ms);
      offered.emplace_back(-alone / std::max(1.0, job.gpus / share), id);
    };
    for (const JobId id : cluster.running())
      if (cluster.now() - begin(cluster, id) < lease_)
        order.emplace_back(0, 0, id);
      else
        bid(id);
    for (const JobId id : cluster.waiting())
      bid(id);
    std::ranges::sort(offered);
    const auto bidders =
        static_cast<std::size_t>(std::max(1.0, std::ceil((1 - fairness_) * static_cast<double>(offered.size()))));
    for (std::size_t i = 0; i < offered.size(); ++i)
      if (i < bidders)
        order.emplace_back(1, offered[i].first, offered[i].second);
      else
        order.emplace_back(cluster.is_running(offered[i].second) ? 2 : 3, 0, offered[i].second);
    std::ranges::sort(order);
    GreedyAllocation allocation{cluster};
    allocation.release_all_running();
    for (const auto& [group, rank, id] : order)
      allocation.offer(id);
    allocation.apply(decisions);
    Instant next = end_of_time;
    for (const JobId id : cluster.running())
      next = std::min(next, begin(cluster, id) + lease_);
    if (!cluster.waiting().empty())
      decisions.wake_at(next);
  }

private:
  Instant begin(const ClusterView& cluster, JobId id) const
  {
    const Instant start = cluster.state(id).last_start, from = cluster.now() - (cluster.now() - start) % lease_;
    return from == cluster.now() && from > start && !cluster.waiting().empty() ? from - lease_ : from;
  }

  Instant lease_;
  double fairness_;
};

/// Jobs stopped at the same instant may be listed in another order.
void expect_same_stays(SchedulingResult a, SchedulingResult b)
{
  ASSERT_EQ(a.runs.size(), b.runs.size());
  for (SchedulingResult* one : {&a, &b})
    std::ranges::sort(one->runs, {}, [](const RunRecord& run) { return std::tuple{run.to, run.job, run.from}; });
  for (std::size_t i = 0; i < a.runs.size(); ++i)
    ASSERT_TRUE(a.runs[i].job == b.runs[i].job && a.runs[i].from == b.runs[i].from && a.runs[i].to == b.runs[i].to)
        << "stay " << i;
}

TEST(LongQueues, FinishTimeFairnessServesWhomLookingAtEveryRhoWouldServe)
{
  for (std::uint64_t seed = 1; seed <= 6; ++seed)
    for (const double fairness : {0.0, 0.8, 0.97}) {
      SCOPED_TRACE("seed " + std::to_string(seed) + ", fairness " + std::to_string(fairness));
      const Workload workload = tests::random_workload(seed, {.jobs = 150, .mean_gap = 15});
      SchedulingOptions options;
      options.record_runs = true;
      Settings settings;
      settings.set("lease", 120.0);
      settings.set("fairness", fairness);
      const auto policy = Registry<QueuePolicy>::instance().create("finish_time_fairness", settings);
      EveryRho every{120_s, fairness};
      const SchedulingResult kept = simulate_queue(workload, ClusterShape::pool(16), *policy, nullptr, options);
      ASSERT_NO_FATAL_FAILURE(
          expect_same_stays(kept, simulate_queue(workload, ClusterShape::pool(16), every, nullptr, options)));
    }
}

TEST(LongQueues, ConservativeBackfillStartsTheSameWhetherOrNotAllReservationsAreAskedFor)
{
  // With reasons recorded every waiting job has a reservation; without, only those that could matter at the moment.
  for (std::uint64_t seed = 1; seed <= 8; ++seed)
    for (const double badness : {0.0, 3.0}) {
      SCOPED_TRACE("seed " + std::to_string(seed) + ", badness " + std::to_string(badness));
      const Workload workload = tests::random_workload(seed, {.jobs = 250, .mean_gap = 20, .badness = badness});
      SchedulingOptions few, all;
      few.record_runs = all.record_runs = all.record_waits = true;
      const auto run = [&](const SchedulingOptions& options) {
        return simulate_queue(workload, ClusterShape::pool(16),
                              *Registry<QueuePolicy>::instance().create("conservative_backfill"), nullptr, options);
      };
      ASSERT_NO_FATAL_FAILURE(expect_same_stays(run(few), run(all)));
    }
}

} // namespace
} // namespace trainyard
