// SPDX-License-Identifier: Apache-2.0
// What quotas of Kueue do to a queue. All times by hand, from the rules in its documentation
// (https://kueue.sigs.k8s.io/docs/concepts/cluster_queue/, /cohort/, /preemption/) and source:
// pkg/cache/resource_node.go (commit 034454c), pkg/scheduler/scheduler.go (0054103),
// pkg/scheduler/flavorassigner/flavorassigner.go (0037224), pkg/scheduler/preemption/preemption.go (47689ed) and
// classical/hierarchical_preemption.go (01c0b27).
#include "models/core/csv.hpp"
#include "models/core/diagnostics.hpp"
#include "sim/sources/queue/queue_setup.hpp"
#include "sim/sources/queue/scheduling.hpp"
#include "tests/support/queue_scenario.hpp"
#include "tests/support/queue_times.hpp"
#include "tests/support/read_bytes.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <optional>

namespace trainyard {
namespace {

using ::testing::HasSubstr;
using tests::Times;

/// A cluster under construction: one flavor "gpu" for all GPUs unless others are given.
struct Cluster {
  Workload workload;
  KueueRules rules{.flavors = {{.name = "gpu"}}, .cohorts = {}, .cluster_queues = {}};
  ClusterShape shape = ClusterShape::pool(8);
  Settings settings;

  KueueClusterQueue& queue(const std::string& team, const std::string& cohort, double nominal)
  {
    rules.cluster_queues.push_back({.name = team, .cohort = cohort, .quotas = {{.flavor = "gpu", .nominal = nominal}}});
    return rules.cluster_queues.back();
  }
  Cluster& add(const std::string& team, double submit, double duration, int gpus, float priority = 0)
  {
    workload.jobs.push_back({.submit = Seconds{submit},
                             .duration = Seconds{duration},
                             .estimate = Seconds{duration},
                             .gpus = gpus,
                             .priority = priority});
    workload.jobs.back().team = workload.teams.index_of(team);
    return *this;
  }
  SchedulingResult run(ClusterEvents* events = nullptr)
  {
    workload.gpu_types = shape.gpu_types;
    bind_quotas(workload, shape, std::make_shared<const KueueRules>(rules));
    const auto placement =
        shape.counted() ? nullptr : Registry<PlacementPolicy>::instance().create("first_fit", Settings{});
    SchedulingOptions options;
    options.record_runs = true;
    options.events = events;
    return simulate_queue(workload, shape, *Registry<QueuePolicy>::instance().create("kueue", settings),
                          placement.get(), options);
  }
  /// -1: never.
  Times starts() { return tests::start_times(run()); }
  Times ends() { return tests::end_times(run()); }
  std::string fault()
  {
    try {
      run();
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  }
};

TEST(KueueQuota, IsBorrowedFromTheCohortUpToTheLimit)
{
  // a has 4 and may borrow 2 of b's 4: 4 + 2 run at once, the next 2 wait for the end of the first.
  Cluster cluster;
  cluster.queue("a", "all", 4).quotas[0].borrowing_limit = 2;
  cluster.queue("b", "all", 4);
  cluster.add("a", 0, 10, 4).add("a", 0, 10, 2).add("a", 0, 10, 2);
  EXPECT_EQ(cluster.starts(), (Times{0, 0, 10}));
}

TEST(KueueQuota, MoreThanTheMostThatCanBeBorrowedNeverStarts)
{
  // 4 + 2 = 6 at most (potentialAvailable in resource_node.go), so 7 never do; others pass, because of BestEffortFIFO.
  Cluster cluster;
  cluster.queue("a", "all", 4).quotas[0].borrowing_limit = 2;
  cluster.queue("b", "all", 4);
  cluster.add("a", 0, 10, 7).add("a", 1, 10, 6);
  EXPECT_EQ(cluster.starts(), (Times{-1, 1}));
}

TEST(KueueQuota, IsLentUpToTheLimit)
{
  // b lends 1 of its 4: a gets 4 + 1. b then has its guaranteed 3 at once, but its fourth only when a ends at 10.
  Cluster cluster;
  cluster.queue("a", "all", 4);
  cluster.queue("b", "all", 4).quotas[0].lending_limit = 1;
  cluster.add("a", 0, 10, 4).add("a", 0, 10, 1).add("b", 1, 10, 3).add("b", 2, 10, 1);
  EXPECT_EQ(cluster.starts(), (Times{0, 0, 1, 10}));
}

TEST(KueueQuota, WithoutACohortIsAllThereIs)
{
  Cluster cluster;
  cluster.queue("a", "", 4);
  cluster.queue("b", "", 4);
  cluster.add("a", 0, 10, 4).add("a", 0, 10, 1);
  EXPECT_EQ(cluster.starts(), (Times{0, 10}));
}

TEST(KueueQuota, IsHeldWhileAJobWaitsForMachines)
{
  // Quota 8 on 4 GPUs: 0 and 1 are admitted at 0, but 1 finds GPUs at 10 only. 2 is admitted at 10, when 0 gives its
  // quota back, and finds a GPU at 20.
  Cluster cluster;
  cluster.shape = ClusterShape::pool(4);
  cluster.queue("a", "", 8);
  cluster.add("a", 0, 10, 4).add("a", 0, 10, 4).add("a", 0, 10, 1);
  EXPECT_EQ(cluster.starts(), (Times{0, 10, 20}));
}

/// The first machine fails at 5 s, for good.
class OneFailure final : public ClusterEvents
{
public:
  std::optional<Instant> next() const override { return fired_ ? std::nullopt : std::optional<Instant>{Seconds{5}}; }
  void fire(ClusterControl& control) override
  {
    control.set_node(0, false);
    fired_ = true;
  }

private:
  bool fired_ = false;
};

TEST(KueueQuota, StaysWithAJobWhoseMachineFails)
{
  // 0 loses its machine and its work at 5, and goes on with its quota on the other machine until 15. 1, although more
  // important, waits for that quota.
  Cluster cluster;
  cluster.shape = ClusterShape::machines(2, 4);
  cluster.queue("a", "", 4);
  cluster.add("a", 0, 10, 4).add("a", 1, 10, 4, 1);
  OneFailure failure;
  const SchedulingResult result = cluster.run(&failure);
  EXPECT_EQ(result.jobs[0].end, Seconds{15});
  EXPECT_EQ(result.jobs[1].first_start, Seconds{15});
}

TEST(KueueOrder, OnlyAStrictQueueWaitsForItsHead)
{
  // 4 GPUs. 1 (2 GPUs) does not fit beside 0 (3 GPUs); 2 (1 GPU) does.
  for (const bool strict : {false, true}) {
    Cluster cluster;
    cluster.queue("a", "", 4).strict_fifo = strict;
    cluster.add("a", 0, 10, 3).add("a", 1, 10, 2).add("a", 2, 10, 1);
    EXPECT_EQ(cluster.starts(), strict ? (Times{0, 10, 10}) : (Times{0, 10, 2}));
  }
}

TEST(KueueOrder, EveryQueueHasOneHeadInACycle)
{
  // In order of submission a's second job would borrow what b's first one needs. The heads of a cycle are 0 and 2.
  Cluster cluster;
  cluster.shape = ClusterShape::pool(4);
  cluster.queue("a", "all", 2);
  cluster.queue("b", "all", 2);
  cluster.add("a", 0, 10, 2).add("a", 0, 10, 2).add("b", 0, 10, 2);
  EXPECT_EQ(cluster.starts(), (Times{0, 10, 0}));
}

TEST(KueueOrder, WhoDoesNotBorrowGoesBeforePriorityAndThatBeforeSubmission)
{
  // 4 GPUs, each job needs 3 of them. a borrows 2, b nothing, so b goes first although it is less important.
  Cluster cluster;
  cluster.shape = ClusterShape::pool(4);
  cluster.queue("a", "all", 1);
  cluster.queue("b", "all", 3);
  cluster.add("a", 0, 10, 3, 5).add("b", 0, 10, 3);
  EXPECT_EQ(cluster.starts(), (Times{10, 0}));
  // All of it is c's: both borrow, so the more important one goes first.
  Cluster borrowers;
  borrowers.shape = ClusterShape::pool(4);
  borrowers.queue("a", "all", 0);
  borrowers.queue("b", "all", 0);
  borrowers.queue("c", "all", 4);
  borrowers.add("a", 0, 10, 3).add("b", 0, 10, 3, 1);
  EXPECT_EQ(borrowers.starts(), (Times{10, 0}));
}

TEST(KueueOrder, AStrictHeadThatMayNotReclaimKeepsItsQuotaFromBorrowers)
{
  // b borrows 2 of a's 4 until 100. a's head needs 4 and may stop nobody: what is left of its quota (2) is kept for it
  // in every cycle, so that b's second job may not borrow it (reserveCapacityForUnreclaimablePreempt in scheduler.go).
  // In a BestEffortFIFO queue the head is put aside until quota is given back, and keeps nothing.
  for (const bool strict : {true, false}) {
    Cluster cluster;
    cluster.queue("a", "all", 4).strict_fifo = strict;
    cluster.queue("b", "all", 4);
    cluster.add("b", 0, 100, 6).add("a", 1, 10, 4).add("b", 2, 10, 1);
    EXPECT_EQ(cluster.starts(), strict ? (Times{0, 100, 100}) : (Times{0, 100, 2}));
  }
}

TEST(KueuePreemption, OfTheSameQueueIsByPriority)
{
  // 1 stops 0 at 5 and runs to 15; 0 has 5 s left, to 20.
  Cluster cluster;
  cluster.queue("a", "", 4).within_cluster_queue = KueuePreemption::lower_priority;
  cluster.add("a", 0, 10, 4).add("a", 5, 10, 4, 1);
  EXPECT_EQ(cluster.ends(), (Times{20, 15}));
  cluster.rules.cluster_queues[0].within_cluster_queue = KueuePreemption::never;
  EXPECT_EQ(cluster.ends(), (Times{10, 20}));
}

TEST(KueuePreemption, OfTheSameQueueMayReachJobsThatCameLater)
{
  // 4 GPUs. 2 passes 1 at 2, because 2 GPUs are free. When 0 ends at 10, 1 stops 2, which is newer; 2 has 12 s left
  // then, from 20 to 32. By priority alone 1 waits for the end of 2 at 22.
  Cluster cluster;
  cluster.queue("a", "", 4).within_cluster_queue = KueuePreemption::lower_or_newer_equal_priority;
  cluster.add("a", 0, 10, 2).add("a", 1, 10, 4).add("a", 2, 20, 2);
  EXPECT_EQ(cluster.ends(), (Times{10, 20, 32}));
  cluster.rules.cluster_queues[0].within_cluster_queue = KueuePreemption::lower_priority;
  EXPECT_EQ(cluster.ends(), (Times{10, 32, 22}));
}

TEST(KueuePreemption, ReclaimsFromTheBorrowerThatWasAdmittedLast)
{
  // a borrows 4 of b. At 5 b takes them back: 1, admitted last, is stopped with 16 s left and starts again at 15.
  Cluster cluster;
  cluster.queue("a", "all", 4);
  cluster.queue("b", "all", 4).reclaim_within_cohort = KueuePreemption::any;
  cluster.add("a", 0, 20, 4).add("a", 1, 20, 4).add("b", 5, 10, 4);
  EXPECT_EQ(cluster.ends(), (Times{20, 31, 15}));
  // Of lower priority there is none: b waits for the end of 0 at 20.
  cluster.rules.cluster_queues[1].reclaim_within_cohort = KueuePreemption::lower_priority;
  EXPECT_EQ(cluster.ends(), (Times{20, 21, 30}));
}

TEST(KueuePreemption, StopsNoMoreThanNeeded)
{
  // a holds 4, 3 and 1 GPUs, 4 of them borrowed. b needs 3: candidates are tried in order of admission, the last first,
  // until it fits: those of 1 and 3. Then the first of them is found not to be needed and runs on (fillBackWorkloads).
  Cluster cluster;
  cluster.queue("a", "all", 4);
  cluster.queue("b", "all", 4).reclaim_within_cohort = KueuePreemption::any;
  cluster.add("a", 0, 100, 4).add("a", 1, 100, 3).add("a", 2, 100, 1).add("b", 5, 10, 3);
  EXPECT_EQ(cluster.ends(), (Times{100, 111, 102, 15}));
}

TEST(KueuePreemption, WhileBorrowingIsForLowerPriorityBelowTheThreshold)
{
  // b has 2 and needs 4; a holds 6 of the cohort's 8. With borrowWithinCohort b may stop a's less important job
  // although b borrows as well; with a threshold below that job's priority it may not.
  Cluster cluster;
  cluster.queue("a", "all", 2);
  KueueClusterQueue& b = cluster.queue("b", "all", 2);
  b.reclaim_within_cohort = KueuePreemption::lower_priority;
  b.borrow_within_cohort = true;
  cluster.queue("c", "all", 4);
  cluster.add("a", 0, 30, 6).add("b", 5, 10, 4, 1);
  EXPECT_EQ(cluster.ends(), (Times{40, 15}));
  cluster.rules.cluster_queues[1].max_priority_threshold = -1;
  EXPECT_EQ(cluster.ends(), (Times{30, 40}));
  cluster.rules.cluster_queues[1].borrow_within_cohort = false;
  EXPECT_EQ(cluster.ends(), (Times{30, 40}));
}

TEST(KueueCohorts, ALimitOfACohortHoldsForAllBelowIt)
{
  // left (a: 2, b: 2) may borrow 2 of right's 4, so a gets 6; its next 2 wait, while c has 2 of its own.
  Cluster cluster;
  cluster.rules.cohorts = {
      {.name = "company", .parent = "", .quotas = {}},
      {.name = "left", .parent = "company", .quotas = {{.flavor = "gpu", .nominal = 0, .borrowing_limit = 2}}},
      {.name = "right", .parent = "company", .quotas = {}}};
  cluster.queue("a", "left", 2);
  cluster.queue("b", "left", 2);
  cluster.queue("c", "right", 4);
  cluster.add("a", 0, 10, 6).add("a", 0, 10, 2).add("c", 0, 10, 2);
  EXPECT_EQ(cluster.starts(), (Times{0, 10, 0}));
  // right lends 1: left has 4 + 1.
  cluster.rules.cohorts[1].quotas.clear();
  cluster.rules.cohorts[2].quotas = {{.flavor = "gpu", .nominal = 0, .lending_limit = 1}};
  cluster.workload.jobs.clear();
  cluster.add("a", 0, 10, 5).add("a", 0, 10, 1);
  EXPECT_EQ(cluster.starts(), (Times{0, 10}));
}

TEST(KueueCohorts, MayHaveQuotaOfTheirOwn)
{
  // Nobody but the cohort has 8; its queues share them.
  Cluster cluster;
  cluster.rules.cohorts = {{.name = "all", .parent = "", .quotas = {{.flavor = "gpu", .nominal = 8}}}};
  cluster.queue("a", "all", 0);
  cluster.queue("b", "all", 0);
  cluster.add("a", 0, 10, 6).add("b", 1, 10, 2).add("b", 2, 10, 1);
  EXPECT_EQ(cluster.starts(), (Times{0, 1, 10}));
}

TEST(KueueCohorts, WhoStaysWithinItsCohortsQuotaReclaimsFromOtherCohorts)
{
  // left has 4 (a: 2, b: 2), all lent to c of right. b's job of 4 is more than b has, but within left, so it may stop
  // jobs of right, even more important ones: 1, admitted last, stops at 5 with 96 s left.
  Cluster cluster;
  cluster.rules.cohorts = {{.name = "company", .parent = "", .quotas = {}},
                           {.name = "left", .parent = "company", .quotas = {}},
                           {.name = "right", .parent = "company", .quotas = {}}};
  cluster.queue("a", "left", 2);
  cluster.queue("b", "left", 2).reclaim_within_cohort = KueuePreemption::any;
  cluster.queue("c", "right", 4);
  cluster.add("c", 0, 100, 4, 5).add("c", 1, 100, 4, 5).add("b", 5, 10, 4);
  EXPECT_EQ(cluster.ends(), (Times{100, 111, 15}));
  // In one flat cohort it would borrow, so it waits.
  for (KueueClusterQueue& queue : cluster.rules.cluster_queues)
    queue.cohort = "company";
  EXPECT_EQ(cluster.ends(), (Times{100, 101, 110}));
}

TEST(KueueFairSharing, TheSmallerShareOfWhatIsBorrowedGoesFirst)
{
  // All 8 GPUs are c's. At 10 a's second job and b's first want the 4 that c gives back. a would borrow 8 of 8, b 4 of
  // 8: b goes first, although a came first. With weight 4, a's share would be 8 / 8 / 4 = 0.25, below b's 0.5.
  Cluster cluster;
  cluster.queue("a", "all", 0);
  cluster.queue("b", "all", 0);
  cluster.queue("c", "all", 8);
  cluster.add("a", 0, 100, 4).add("c", 0, 10, 4).add("a", 1, 10, 4).add("b", 2, 10, 4);
  EXPECT_EQ(cluster.starts(), (Times{0, 0, 10, 20}));
  cluster.settings.set("fair_sharing", 1);
  EXPECT_EQ(cluster.starts(), (Times{0, 0, 20, 10}));
  cluster.rules.cluster_queues[0].weight = 4;
  EXPECT_EQ(cluster.starts(), (Times{0, 0, 10, 20}));
}

TEST(KueueFairSharing, StopsWhoBorrowsMoreUntilTheSharesAreEqual)
{
  // a borrows all 8 GPUs of c, in jobs of 2. At 10 b's first job (share 0.25 of the cohort) stops 3, which leaves a
  // 0.75; b's second (0.5) stops 2, which leaves a 0.5. b's third would have 0.75, more than a keeps (0.25) and more
  // than a has (0.5), so it waits until 20. Then b's share is the smaller one: it starts, and 2 beside it; 3 starts
  // at 30.
  Cluster cluster;
  cluster.settings.set("fair_sharing", 1);
  cluster.queue("a", "all", 0);
  cluster.queue("b", "all", 0).reclaim_within_cohort = KueuePreemption::any;
  cluster.queue("c", "all", 8);
  cluster.add("a", 0, 100, 2).add("a", 1, 100, 2).add("a", 2, 100, 2).add("a", 3, 100, 2);
  cluster.add("b", 10, 10, 2).add("b", 10, 10, 2).add("b", 10, 10, 2);
  EXPECT_EQ(cluster.ends(), (Times{100, 101, 112, 123, 20, 20, 30}));
}

/// A cluster of 4 fast and 4 slow GPUs, where team a has both.
Cluster two_flavors()
{
  Cluster cluster;
  cluster.shape.gpu_types = {"fast", "slow"};
  cluster.shape.counts = {4, 4};
  cluster.rules.flavors = {{.name = "f", .gpu = "fast", .nodes = {}}, {.name = "s", .gpu = "slow", .nodes = {}}};
  cluster.rules.cluster_queues = {
      {.name = "a", .cohort = "all", .quotas = {{.flavor = "f", .nominal = 4}, {.flavor = "s", .nominal = 4}}}};
  return cluster;
}

/// GPU type of each stay of a job, in order.
std::vector<int> types_of(const SchedulingResult& result, int job)
{
  std::vector<int> types;
  for (const RunRecord& stay : result.runs)
    if (stay.job.index == job)
      types.push_back(stay.held.gpu_type);
  return types;
}

TEST(KueueFlavors, AreTriedInOrder)
{
  Cluster cluster = two_flavors();
  cluster.add("a", 0, 10, 4).add("a", 1, 10, 4);
  const SchedulingResult result = cluster.run();
  EXPECT_EQ(result.jobs[1].first_start, Seconds{1});
  EXPECT_EQ(types_of(result, 0), std::vector{0});
  EXPECT_EQ(types_of(result, 1), std::vector{1});
  // The other way round.
  std::ranges::reverse(cluster.rules.cluster_queues[0].quotas);
  EXPECT_EQ(types_of(cluster.run(), 0), std::vector{1});
}

TEST(KueueFlavors, ThatDoNotHaveTheTypeThatAJobAsksForAreLeftOut)
{
  Cluster cluster = two_flavors();
  cluster.add("a", 0, 10, 2);
  cluster.workload.jobs[0].gpu_type = 1;
  EXPECT_EQ(types_of(cluster.run(), 0), std::vector{1});
}

TEST(KueueFlavors, AreBorrowedOrTheNextIsTried)
{
  // a has 2 fast GPUs and may borrow 2 of b. By default it does, with TryNextFlavor it takes its 4 slow ones.
  Cluster cluster = two_flavors();
  cluster.rules.cluster_queues[0].quotas[0].nominal = 2;
  cluster.rules.cluster_queues.push_back({.name = "b", .cohort = "all", .quotas = {{.flavor = "f", .nominal = 2}}});
  cluster.add("a", 0, 10, 4);
  EXPECT_EQ(types_of(cluster.run(), 0), std::vector{0});
  cluster.rules.cluster_queues[0].try_next_before_borrowing = true;
  EXPECT_EQ(types_of(cluster.run(), 0), std::vector{1});
}

TEST(KueueFlavors, ArePreemptedOrTheNextIsTried)
{
  // By default the more important 1 takes free slow GPUs. With whenCanPreempt: Preempt it stops 0 on the fast ones,
  // which goes on on the slow ones at once.
  Cluster cluster = two_flavors();
  cluster.rules.cluster_queues[0].within_cluster_queue = KueuePreemption::lower_priority;
  cluster.add("a", 0, 20, 4).add("a", 5, 10, 4, 1);
  EXPECT_EQ(types_of(cluster.run(), 1), std::vector{1});
  cluster.rules.cluster_queues[0].try_next_before_preempting = false;
  const SchedulingResult result = cluster.run();
  EXPECT_EQ(types_of(result, 1), std::vector{0});
  EXPECT_EQ(types_of(result, 0), (std::vector{0, 1}));
  EXPECT_EQ(result.jobs[0].end, Seconds{20});
}

TEST(KueueFlavors, MayBeMachines)
{
  Cluster cluster;
  cluster.shape = ClusterShape::machines(3, 4);
  cluster.rules.flavors = {{.name = "last", .gpu = "", .nodes = {"node-2"}}};
  cluster.rules.cluster_queues = {{.name = "a", .cohort = "", .quotas = {{.flavor = "last", .nominal = 8}}}};
  cluster.add("a", 0, 10, 4).add("a", 0, 10, 1);
  const SchedulingResult result = cluster.run();
  for (const RunRecord& stay : result.runs)
    EXPECT_EQ(stay.held.shares.front().node, 2);
  EXPECT_EQ(result.jobs[1].first_start, Seconds{10}); // its machine is full; others are not of the flavor
}

TEST(KueueRules, SayWhenANewJobStartsOnAGivenState)
{
  // Now: bert holds all 8 GPUs of language for 3 h, sweep 4 of vision's 8 for 40 min, each on its machine; `waiting`
  // (8 of vision) waits. `new` borrows the 4 GPUs beside sweep at once, until 3602 s. `waiting` has to wait for that
  // too: at 40 min only 4 of the 16 GPUs of quota are free.
  const std::string text =
      "trainyard: 1\nname: q\nquestion: when?\ncluster:\n"
      "  node_types: {n: {gpu: V100-SXM2-16GB, gpus: 8, cpu_cores: 32, memory: 256 GB}}\n"
      "  nodes: [{name: n, type: n, count: 2}]\n  network: {topology: star, link: 25GbE}\n"
      "kueue:\n  flavors: [{name: v100}]\n  cluster_queues:\n"
      "    - {name: language, cohort: all, quotas: [{flavor: v100, nominal_quota: 8}]}\n"
      "    - {name: vision, cohort: all, quotas: [{flavor: v100, nominal_quota: 8}]}\n"
      "workload:\n  jobs:\n"
      "    - {name: bert, duration: 3 h, gpus: 8, team: language, node_selector: [kubernetes.io/hostname=n-1]}\n"
      "    - {name: sweep, duration: 40 min, gpus: 4, team: vision, node_selector: [kubernetes.io/hostname=n-0]}\n"
      "    - {name: waiting, submit: 1 s, duration: 2 h, gpus: 8, team: vision}\n"
      "    - {name: new, submit: 2 s, duration: 1 h, gpus: 4, tasks: 1, team: language}\n"
      "scheduling: {policy: kueue}\n";
  const tests::QueueFolder folder{tests::run_queue(text)};
  const CsvTable jobs = read_csv(folder.path() / "jobs.csv");
  std::map<std::string, std::string> starts;
  for (const CsvTable::Row& row : jobs.rows)
    starts[jobs.cell(row, "job")] = jobs.cell(row, "start_s");
  EXPECT_EQ(starts,
            (std::map<std::string, std::string>{{"bert", "0"}, {"sweep", "0"}, {"waiting", "3602"}, {"new", "2"}}));
  EXPECT_THAT(folder.explain("waiting"), HasSubstr("its team has no quota left for it"));
  EXPECT_THAT(tests::queue_faults(tests::queue_head + "workload: {jobs: [{duration: 1 h, node_selector: "
                                                      "[kubernetes.io/hostname=n-7]}]}\n"),
              HasSubstr("there is no machine 'n-7'; did you mean 'n-0'?"));
}

TEST(KueueRules, AreReadFromAScenario)
{
  // 8 GPUs; red borrows all of them until 1 h, so blue takes its 4 back at 10 min: red is stopped once.
  const std::string text =
      tests::queue_head +
      "kueue:\n  flavors: [{name: v100, gpu: V100-SXM2-16GB}]\n  cluster_queues:\n"
      "    - {name: red, cohort: all, quotas: [{flavor: v100, nominal_quota: 4}]}\n"
      "    - {name: blue, cohort: all, quotas: [{flavor: v100, nominal_quota: 4}], reclaim_within_cohort: Any}\n"
      "workload:\n  jobs:\n    - {name: r, duration: 1 h, gpus: 8, team: red}\n"
      "    - {name: b, submit: 10 min, duration: 10 min, gpus: 4, team: blue}\n"
      "scheduling: {policy: kueue}\n";
  EXPECT_EQ(tests::queue_faults(text), "");
  const RunReport report = tests::run_queue(text);
  const tests::QueueFolder folder{report};
  const CsvTable jobs = read_csv(folder.path() / "jobs.csv");
  ASSERT_EQ(jobs.rows.size(), 2u);
  for (const CsvTable::Row& row : jobs.rows)
    EXPECT_EQ(jobs.cell(row, "start_s"), jobs.cell(row, "job") == "b" ? "600" : "0");
}

TEST(KueueRules, AreRefusedWithTheirPlace)
{
  Cluster cluster = two_flavors();
  cluster.rules.flavors[0].gpu = "fats";
  cluster.add("a", 0, 1, 1);
  EXPECT_THAT(cluster.fault(), HasSubstr("kueue.flavors.0.gpu: the cluster has no GPU 'fats'; did you mean 'fast'?"));
  Cluster teams;
  teams.queue("vision", "", 8);
  teams.add("visoin", 0, 1, 1);
  EXPECT_THAT(teams.fault(), HasSubstr("kueue.cluster_queues: job 0 belongs to team 'visoin', which has no cluster "
                                       "queue; did you mean 'vision'?; add one"));
  Cluster pool;
  pool.rules.flavors[0].nodes = {"node-0"};
  pool.queue("a", "", 8);
  pool.add("a", 0, 1, 1);
  EXPECT_THAT(pool.fault(), HasSubstr("kueue.flavors.0.nodes: a pool has no machines"));
}

/// When the jobs of a scenario start under `kueue`.
std::map<std::string, std::string> starts_of(const std::string& scenario)
{
  const tests::QueueFolder folder{tests::run_queue(scenario + "scheduling: {policy: kueue, placement: first_fit}\n")};
  const CsvTable jobs = parse_csv(tests::read_bytes(folder.path() / "jobs.csv"), "jobs.csv");
  std::map<std::string, std::string> starts;
  for (const CsvTable::Row& row : jobs.rows)
    starts[jobs.cell(row, "job")] = jobs.cell(row, "start_s");
  return starts;
}

// Without a section `kueue`. A gang of 16 GPUs needs two of three machines: their quota is one of 16, and that of the
// third stays its own. Three jobs of partition p, which has 8 GPUs, come one after the other; they hold no quota of q,
// whose job starts when it comes. With one quota of all 24 GPUs the three would have it all until the first ends.
TEST(KueueRules, WithoutASectionAGangJoinsOnlyTheMachinesThatItNeeds)
{
  auto starts =
      starts_of("trainyard: 1\ncluster:\n  node_types: {n: {gpu: V100-SXM2-16GB, gpus: 8}}\n"
                "  nodes: [{name: p, type: n}, {name: q, type: n}, {name: r, type: n}]\n"
                "  network: {topology: star, link: 25GbE}\n"
                "slurm: {partitions: [{name: p, nodes: [p]}, {name: q, nodes: [q]}, {name: both, nodes: [q, r]}]}\n"
                "workload:\n  jobs:\n    - {name: p, copies: 3, duration: 1 h, gpus: 8, queue: p}\n"
                "    - {name: q, submit: 1 min, duration: 1 h, gpus: 8, queue: q}\n"
                "    - {name: wide, submit: 5 h, duration: 1 h, gpus: 16, queue: both}\n");
  EXPECT_EQ(starts["q"], "60");
  EXPECT_EQ(starts["p-2"], "7200");
  EXPECT_EQ(starts["wide"], "18000");
}

// Partitions of the machines a and b, and of b and c, of 4 GPUs each. ab4 waits for its own partition until 100 s, and
// leaves c to bc4, which comes later. So it is also where the workload has a gang that makes one set of all machines.
TEST(KueueRules, WithoutASectionAJobHasNoQuotaBesideFullMachinesOfItsOwn)
{
  const std::string jobs = "trainyard: 1\ncluster:\n  node_types: {n: {gpu: V100-SXM2-16GB, gpus: 4}}\n"
                           "  nodes: [{name: a, type: n}, {name: b, type: n}, {name: c, type: n}]\n"
                           "  network: {topology: star, link: 25GbE}\n"
                           "slurm: {partitions: [{name: ab, nodes: [a, b]}, {name: bc, nodes: [b, c]}]}\n"
                           "workload:\n  jobs:\n    - {name: ab8, duration: 100 s, gpus: 8, queue: ab}\n"
                           "    - {name: ab4, submit: 1 s, duration: 100 s, gpus: 4, queue: ab}\n"
                           "    - {name: bc4, submit: 2 s, duration: 100 s, gpus: 4, queue: bc}\n";
  for (const char* later : {"", "    - {name: bc8, submit: 300 s, duration: 100 s, gpus: 8, queue: bc}\n"}) {
    auto starts = starts_of(jobs + later);
    EXPECT_EQ(starts["ab4"], "100") << later;
    EXPECT_EQ(starts["bc4"], "2") << later;
  }
}

TEST(KueueRules, ThatContradictEachOtherAreRefused)
{
  const auto faults = [](const std::string& kueue) {
    return tests::queue_faults(tests::queue_head + "kueue:\n  flavors: [{name: g}]\n" + kueue +
                               "workload: {jobs: [{duration: 1 h, gpus: 1, team: a}]}\nscheduling: {policy: kueue}\n");
  };
  const std::string queue = "  cluster_queues: [{name: a, quotas: [{flavor: g, nominal_quota: 4}]}]\n";
  EXPECT_EQ(faults(queue), "");
  EXPECT_THAT(faults("  cluster_queues: [{name: a, quotas: [{flavor: gg, nominal_quota: 4}]}]\n"),
              HasSubstr("there is no flavor 'gg'; did you mean 'g'?; list it in kueue.flavors"));
  EXPECT_THAT(faults("  cluster_queues: [{name: a, quotas: [{flavor: g, nominal_quota: 4, borrowing_limit: 1}]}]\n"),
              HasSubstr("'borrowing_limit' has no effect without a cohort"));
  EXPECT_THAT(faults("  cohorts: [{name: x, parent: y}, {name: y, parent: x}]\n" + queue),
              HasSubstr("the parents of cohort 'x' lead back to it"));
  EXPECT_THAT(faults("  cohorts: [{name: x, parent: z}]\n" + queue), HasSubstr("there is no cohort 'z'"));
  EXPECT_THAT(
      faults("  cluster_queues: [{name: a, cohort: c, borrow_within_cohort: LowerPriority, quotas: [{flavor: g, "
             "nominal_quota: 4}]}]\n"),
      HasSubstr("it needs reclaim_within_cohort: LowerPriority or Any"));
}

} // namespace
} // namespace trainyard
