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
  std::vector<std::pair<double, Allocation>> ends;

  Machines(int count, int gpus) : pool{ClusterShape::machines(count, gpus)} {}
  void run(int node, int gpus, double end)
  {
    const TaskShare share{.node = node, .gpu_mask = (1U << gpus) - 1};
    pool.take(share);
    ends.push_back({end, {.gpus = gpus, .gpu_type = 0, .shares = {share}}});
  }
  MachinePlan plan() const
  {
    MachinePlan plan{pool, 0, 86400};
    for (const auto& [end, held] : ends)
      plan.ends(end, held);
    plan.sort_ends();
    return plan;
  }
};

MachinePlan::Test split(int gpus, double length)
{
  return {.request = {.task = {.gpus = gpus}, .tasks = 0}, .length = length};
}

TEST(MachinePlan, LooksAgainWhereAPlanEnds)
{
  // Two machines of 4 GPUs, free from 100 s and 200 s on. A job of 8 GPUs gets both from 200 s to 250 s.
  Machines machines{2, 4};
  machines.run(0, 4, 100);
  machines.run(1, 4, 200);
  MachinePlan plan = machines.plan();
  const auto both = plan.earliest(split(8, 50));
  ASSERT_TRUE(both);
  EXPECT_EQ(both->start, 200);
  EXPECT_EQ(both->nodes, (Nodes{0, 1}));
  plan.plan(*both, 50);
  // 4 GPUs for 60 s: the first machine is free from 100 s to 200 s. For 150 s: only after the plan.
  EXPECT_EQ(plan.earliest(split(4, 60))->start, 100);
  const auto late = plan.earliest(split(4, 150));
  ASSERT_TRUE(late);
  EXPECT_EQ(late->start, 250);
  EXPECT_EQ(late->nodes, (Nodes{0}));
  // Two tasks of 3 GPUs, each on a machine of its own: at 200 s both are free, but planned.
  const auto tasks =
      plan.earliest({.request = {.task = {.gpus = 3}, .tasks = 2, .distinct_nodes = true}, .length = 10});
  ASSERT_TRUE(tasks);
  EXPECT_EQ(tasks->start, 250);
  EXPECT_EQ(tasks->nodes, (Nodes{0, 1}));
  EXPECT_FALSE(plan.earliest(split(9, 10))) << "more than there is";
}

TEST(MachinePlan, EndsOfHalfAMinuteAreOne)
{
  // Of two machines with one GPU, one is free from 100 s on; the other end is 20 s later, and both count as one.
  Machines machines{3, 1};
  machines.run(0, 1, 100);
  machines.run(1, 1, 120);
  machines.run(2, 1, 500);
  MachinePlan plan = machines.plan();
  const auto gap = plan.earliest(split(1, 30));
  ASSERT_TRUE(gap);
  EXPECT_EQ(gap->start, 120);
  EXPECT_EQ(gap->nodes, (Nodes{0}));
}

TEST(MachinePlan, AnEndThatComesAfterAPlanIsNotWaitedFor)
{
  // As before, but the third machine is free, and planned from 10 s to 110 s. Room by the ends is at 120 s, after the
  // plan: at 110 s the third machine is there.
  Machines machines{3, 1};
  machines.run(0, 1, 100);
  machines.run(1, 1, 120);
  MachinePlan plan = machines.plan();
  plan.plan({.start = 10, .nodes = {2}}, 100);
  const auto gap = plan.earliest(split(1, 30));
  ASSERT_TRUE(gap);
  EXPECT_EQ(gap->start, 110);
  EXPECT_EQ(gap->nodes, (Nodes{2}));
  // Who is done before the plan begins gets the machine now.
  EXPECT_EQ(plan.earliest(split(1, 9))->start, 0);
}

TEST(MachinePlan, WhoHasJustStartedEndsToo)
{
  Machines machines{1, 2};
  machines.run(0, 1, 100);
  MachinePlan plan = machines.plan();
  plan.take(40, {.gpus = 1, .gpu_type = 0, .shares = {{.node = 0, .gpu_mask = 2}}});
  EXPECT_EQ(plan.earliest(split(1, 10))->start, 40);
  EXPECT_EQ(plan.earliest(split(2, 10))->start, 100);
}

} // namespace
} // namespace trainyard
