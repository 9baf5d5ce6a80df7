// SPDX-License-Identifier: Apache-2.0
// Slurm's priority and its two schedulers, worked out by hand.
#include "models/job/batch_rules.hpp"
#include "sim/sources/queue/policies/fair_tree.hpp"
#include "sim/sources/queue/scheduling.hpp"
#include "tests/support/queue_policies.hpp"
#include "tests/support/queue_times.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

namespace trainyard {
namespace {

using tests::job;
using tests::Times;

std::vector<double> starts(const Workload& workload, int gpus, const Settings& settings = {})
{
  return tests::start_times(
      simulate_queue(workload, ClusterShape::pool(gpus), *Registry<QueuePolicy>::instance().create("slurm", settings)));
}

TEST(SlurmPolicy, BackfillRunsAtItsIntervalAndDelaysNobody)
{
  // 4 GPUs. Job 0 has 3 until 100 s. Job 1 wants 4: its gap begins at 100 s. At 0 s backfill runs, for nobody. Job 2
  // (1 GPU, 50 s) comes at 5 s: the main scheduler stops at job 1, and backfill starts it when it runs next, at 30 s.
  // Job 3 (1 GPU, 90 s) would end after 100 s: it starts when job 1 has ended, at 110 s.
  Workload workload;
  workload.jobs = {job(0, 100, 3), job(0, 10, 4), job(5, 50, 1), job(6, 90, 1)};
  EXPECT_EQ(starts(workload, 4), (Times{0, 100, 30, 110}));
  Settings none;
  none.set("backfill", 0.0);
  EXPECT_EQ(starts(workload, 4, none), (Times{0, 100, 110, 110})) << "sched/builtin";
}

TEST(SlurmPolicy, BackfillRunsAtMultiplesOfItsIntervalToTheNanosecond)
{
  // 4 GPUs. Job 0 has 3 of them, job 1 waits for all 4, job 2 (1 GPU, 50 s) is started by the first backfill after it:
  // every 0.1 s for hours, and half a millisecond after it came.
  const auto start = [](double interval, double head, double late) {
    Workload workload;
    workload.jobs = {job(0, 20000, 3), job(head, 10, 4), job(late, 50, 1)};
    Settings settings;
    settings.set("bf_interval", interval);
    const auto policy = Registry<QueuePolicy>::instance().create("slurm", settings);
    return simulate_queue(workload, ClusterShape::pool(4), *policy).jobs[2].first_start;
  };
  EXPECT_EQ(start(0.1, 0, 10000.05), Instant{10'000'100'000'000});
  EXPECT_EQ(start(30, 29.9994, 29.9995), Instant{30_s});
}

TEST(SlurmPolicy, WhoHasUsedLessOfItsShareGoesFirst)
{
  // One GPU. a's job runs 0-100 s. Then a's second (submitted 1 s) and b's (2 s) wait: b has used nothing.
  Workload workload;
  workload.teams.index_of("a");
  workload.teams.index_of("b");
  workload.jobs = {job(0, 100, 1), job(1, 10, 1), job(2, 10, 1)};
  workload.jobs[0].team = workload.jobs[1].team = 1;
  workload.jobs[2].team = 2;
  EXPECT_EQ(starts(workload, 1), (Times{0, 100, 110})) << "weights of 0: in order of submission";
  Settings fair;
  fair.set("weight_fairshare", 1000.0);
  fair.set("calc_period", 10.0);
  EXPECT_EQ(starts(workload, 1, fair), (Times{0, 110, 100}));
}

TEST(SlurmPolicy, ALimitOfAUserBlocksOnlyItsJobs)
{
  Workload workload;
  workload.users.index_of("ann");
  workload.users.index_of("bob");
  workload.jobs = {job(0, 100, 2), job(1, 10, 1), job(2, 10, 2)};
  workload.jobs[0].user = workload.jobs[1].user = 1;
  workload.jobs[2].user = 2;
  Settings limited;
  limited.set("max_gpus_per_user", 2.0);
  EXPECT_EQ(starts(workload, 4, limited), (Times{0, 100, 2}));
}

TEST(FairTree, RanksAccountsFirstAndUsersInsideThem)
{
  // Account a has used 30 of 40 GPU-seconds with half of the shares, b 10: b is first. In b, bob has used all: carl,
  // who has used nothing, is before him. In a, ann and dan have used 20 and 10. Order: carl, bob, dan, ann.
  Workload workload;
  for (const char* name : {"a", "b"})
    workload.teams.index_of(name);
  for (const char* name : {"ann", "bob", "carl", "dan"})
    workload.users.index_of(name);
  for (const auto& [team, user] : {std::pair{1, 1}, std::pair{2, 2}, std::pair{2, 3}, std::pair{1, 4}}) {
    workload.jobs.push_back(job(0, 1, 1));
    workload.jobs.back().team = team;
    workload.jobs.back().user = user;
  }
  FairTree tree{workload, "", end_of_time};
  for (const auto& [team, user, gpus] : {std::tuple{1, 1, 2.0}, std::tuple{2, 2, 1.0}, std::tuple{1, 4, 1.0}}) {
    tree.change(team, user, gpus, 0_s);
    tree.change(team, user, -gpus, 10_s);
  }
  tree.rank(10_s);
  EXPECT_DOUBLE_EQ(tree.factor(2, 3), 1);
  EXPECT_DOUBLE_EQ(tree.factor(2, 2), 0.75);
  EXPECT_DOUBLE_EQ(tree.factor(1, 4), 0.5);
  EXPECT_DOUBLE_EQ(tree.factor(1, 1), 0.25);
  // With four fifths of the shares a has used less of its share: 0.75 / 0.8 < 0.25 / 0.2.
  FairTree other{workload, "a=4 b=1", end_of_time};
  for (const auto& [team, user, gpus] : {std::tuple{1, 1, 2.0}, std::tuple{2, 2, 1.0}, std::tuple{1, 4, 1.0}}) {
    other.change(team, user, gpus, 0_s);
    other.change(team, user, -gpus, 10_s);
  }
  other.rank(10_s);
  EXPECT_DOUBLE_EQ(other.factor(1, 4), 1);
  EXPECT_THROW((FairTree{workload, "x=4", 1_s}), std::invalid_argument);
  EXPECT_THROW((FairTree{workload, "a=much", 1_s}), std::invalid_argument);
}

// optics lies below physics, which has 60 of 100 shares; anna (optics) has used 30 of 60 GPU-seconds, paul (physics)
// 10, carl (chemistry) 20. At the root: physics (40/60) / 0.6 = 1.11, chemistry (20/60) / 0.4 = 0.83, which is first.
// In physics: paul (10/40) / 0.5 = 0.5 before optics (30/40) / 0.5 = 1.5. As siblings, paul would be before carl.
TEST(FairTree, AnAccountBelowAnotherIsRankedInsideIt)
{
  Workload workload;
  const int physics = workload.teams.index_of("physics"), optics = workload.teams.index_of("optics"),
            chemistry = workload.teams.index_of("chemistry");
  const int anna = workload.users.index_of("anna"), paul = workload.users.index_of("paul"),
            carl = workload.users.index_of("carl");
  BatchRules rules;
  rules.associations = {{.account = "optics", .parent = "physics"}};
  workload.rules = std::make_shared<const BatchRules>(rules);
  const std::vector<std::tuple<int, int, double>> used = {{optics, anna, 3}, {physics, paul, 1}, {chemistry, carl, 2}};
  for (const auto& [team, user, gpus] : used) {
    workload.jobs.push_back(job(0, 1, 1));
    workload.jobs.back().team = team;
    workload.jobs.back().user = user;
  }
  FairTree tree{workload, "physics=60 chemistry=40", end_of_time};
  for (const auto& [team, user, gpus] : used) {
    tree.change(team, user, gpus, 0_s);
    tree.change(team, user, -gpus, 10_s);
  }
  tree.rank(10_s);
  EXPECT_DOUBLE_EQ(tree.factor(chemistry, carl), 1);
  EXPECT_DOUBLE_EQ(tree.factor(physics, paul), 2.0 / 3);
  EXPECT_DOUBLE_EQ(tree.factor(optics, anna), 1.0 / 3);
}

// "Ties": what is below two equal accounts is ranked together. a and b have used 10 each: of their users ann (4 of 10)
// comes before ben (5 of 10) and bob (5 of 10), who share a rank, and those before art (6 of 10).
TEST(FairTree, WhatIsBelowEqualAccountsIsRankedTogether)
{
  Workload workload;
  const int a = workload.teams.index_of("a"), b = workload.teams.index_of("b");
  const std::vector<std::tuple<int, const char*, double>> used = {
      {a, "ann", 4}, {a, "art", 6}, {b, "ben", 5}, {b, "bob", 5}};
  for (const auto& [team, user, gpus] : used) {
    workload.jobs.push_back(job(0, 1, 1));
    workload.jobs.back().team = team;
    workload.jobs.back().user = workload.users.index_of(user);
  }
  FairTree tree{workload, "", end_of_time};
  std::vector<double> factors;
  for (const auto& [team, user, gpus] : used) {
    tree.change(team, workload.users.index_of(user), gpus, 0_s);
    tree.change(team, workload.users.index_of(user), -gpus, 10_s);
  }
  tree.rank(10_s);
  for (const auto& [team, user, gpus] : used)
    factors.push_back(tree.factor(team, workload.users.index_of(user)));
  EXPECT_EQ(factors, (std::vector<double>{1, 0.25, 0.75, 0.75}));
}

} // namespace
} // namespace trainyard
