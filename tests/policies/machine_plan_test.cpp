// SPDX-License-Identifier: Apache-2.0
// Gaps of Slurm's backfill by machine. All times by hand from the rules of src/plugins/sched/backfill/backfill.c and of
// the will-run test in src/plugins/select/cons_tres/job_test.c.
#include "sim/sources/queue/policies/machine_plan.hpp"

#include <gtest/gtest.h>

namespace trainyard {
namespace {

using Nodes = std::vector<int>;

/// Machines on which jobs run until they end.
struct Machines {
  NodePool pool;
  std::vector<std::pair<Instant, Allocation>> ends;

  Machines(int count, int gpus) : pool{ClusterShape::machines(count, gpus)} {}
  void run(int node, int gpus, Instant end)
  {
    const TaskShare share{.node = node, .gpu_mask = (1U << gpus) - 1};
    pool.take(share);
    ends.push_back({end, {.gpus = gpus, .gpu_type = 0, .shares = {share}}});
  }
  MachinePlan plan(Instant now = {}) const
  {
    MachinePlan plan{pool, now, 86400_s};
    for (const auto& [end, held] : ends)
      plan.ends(end, held);
    plan.sort_ends();
    return plan;
  }
};

MachinePlan::Test split(int gpus, Instant length)
{
  return {.request = {.task = {.gpus = gpus}, .tasks = 0}, .length = length};
}

TEST(MachinePlan, LooksAgainWhereAPlanEnds)
{
  // Two machines of 4 GPUs, free from 100 s and 200 s on. A job of 8 GPUs gets both from 200 s to 250 s.
  Machines machines{2, 4};
  machines.run(0, 4, 100_s);
  machines.run(1, 4, 200_s);
  MachinePlan plan = machines.plan();
  const auto both = plan.earliest(split(8, 50_s));
  ASSERT_TRUE(both);
  EXPECT_EQ(both->start, 200_s);
  EXPECT_EQ(both->nodes, (Nodes{0, 1}));
  plan.plan(*both, 50_s);
  // 4 GPUs for 60 s: the first machine is free from 100 s to 200 s. For 150 s: only after the plan.
  EXPECT_EQ(plan.earliest(split(4, 60_s))->start, 100_s);
  const auto late = plan.earliest(split(4, 150_s));
  ASSERT_TRUE(late);
  EXPECT_EQ(late->start, 250_s);
  EXPECT_EQ(late->nodes, (Nodes{0}));
  // Two tasks of 3 GPUs, each on a machine of its own: at 200 s both are free, but planned.
  const auto tasks =
      plan.earliest({.request = {.task = {.gpus = 3}, .tasks = 2, .distinct_nodes = true}, .length = 10_s});
  ASSERT_TRUE(tasks);
  EXPECT_EQ(tasks->start, 250_s);
  EXPECT_EQ(tasks->nodes, (Nodes{0, 1}));
  EXPECT_FALSE(plan.earliest(split(9, 10_s))) << "more than there is";
}

TEST(MachinePlan, EndsOfHalfAMinuteAreOne)
{
  // Of two machines with one GPU, one is free from 100 s on; the other end is 20 s later, and both count as one.
  Machines machines{3, 1};
  machines.run(0, 1, 100_s);
  machines.run(1, 1, 120_s);
  machines.run(2, 1, 500_s);
  MachinePlan plan = machines.plan();
  const auto gap = plan.earliest(split(1, 30_s));
  ASSERT_TRUE(gap);
  EXPECT_EQ(gap->start, 120_s);
  EXPECT_EQ(gap->nodes, (Nodes{0}));
}

TEST(MachinePlan, AnEndThatComesAfterAPlanIsNotWaitedFor)
{
  // As before, but the third machine is free, and planned from 10 s to 110 s. Room by the ends is at 120 s, after the
  // plan: at 110 s the third machine is there.
  Machines machines{3, 1};
  machines.run(0, 1, 100_s);
  machines.run(1, 1, 120_s);
  MachinePlan plan = machines.plan();
  plan.plan({.start = 10_s, .nodes = {2}}, 100_s);
  const auto gap = plan.earliest(split(1, 30_s));
  ASSERT_TRUE(gap);
  EXPECT_EQ(gap->start, 110_s);
  EXPECT_EQ(gap->nodes, (Nodes{2}));
  // Who is done before the plan begins gets the machine now.
  EXPECT_EQ(plan.earliest(split(1, 9_s))->start, 0_s);
}

TEST(MachinePlan, WhoHasJustStartedEndsToo)
{
  Machines machines{1, 2};
  machines.run(0, 1, 100_s);
  MachinePlan plan = machines.plan();
  plan.take(40_s, {.gpus = 1, .gpu_type = 0, .shares = {{.node = 0, .gpu_mask = 2}}});
  EXPECT_EQ(plan.earliest(split(1, 10_s))->start, 40_s);
  EXPECT_EQ(plan.earliest(split(2, 10_s))->start, 100_s);
}

TEST(MachinePlan, AFullSecondIsOnlyFullWhenItsLastNanosecondIsOver)
{
  // Three years into a trace. A double of seconds would round the end up to the next one.
  const Instant now = 99'999'990_s;
  Machines machines{1, 1};
  machines.run(0, 1, now + 10_s + Instant{999'999'999});
  MachinePlan plan = machines.plan(now);
  EXPECT_EQ(plan.earliest(split(1, 10_s))->start, now + 10_s);
}

TEST(MachinePlan, AWindowWithoutAnEndHoldsJobsWithoutAnEnd)
{
  Machines machines{1, 1};
  machines.run(0, 1, 100_s);
  MachinePlan plan{machines.pool, 50_s, end_of_time};
  plan.ends(100_s, machines.ends.front().second);
  const auto gap = plan.earliest(split(1, end_of_time));
  ASSERT_TRUE(gap);
  EXPECT_EQ(gap->start, 100_s);
  plan.plan(*gap, end_of_time);
  EXPECT_FALSE(plan.earliest(split(1, 60_s))) << "the machine is never free again";
}

} // namespace
} // namespace trainyard
