// SPDX-License-Identifier: Apache-2.0
// Placement policies on clusters small enough to work out by hand.
#include "sim/sources/queue/scheduling.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <map>
#include <set>

namespace trainyard {
namespace {

/// Four machines of four GPUs, two per rack; @p used GPUs of each are taken.
NodePool pool_with(const std::vector<int>& used, int nvlink_group = 0)
{
  ClusterShape shape = ClusterShape::machines(static_cast<int>(used.size()), 4, 64'000, 256'000, 2);
  for (NodeShape& node : shape.nodes) {
    node.nvlink_group = nvlink_group;
    node.spine = node.rack / 2;
  }
  NodePool pool{shape};
  for (std::size_t node = 0; node < used.size(); ++node)
    for (int i = 0; i < used[node]; ++i)
      pool.take(share_at(pool, static_cast<int>(node), TaskRequest{.gpus = 1}));
  return pool;
}

/// Machines that a gang of @p gpus GPUs, freely split, goes to: (machine, GPUs).
std::vector<std::pair<int, int>> places(const std::string& policy, NodePool& pool, int gpus,
                                        const Settings& settings = {})
{
  const auto placement = Registry<PlacementPolicy>::instance().create(policy, settings);
  placement->begin(pool, {}, Random{1});
  const auto found = placement->place(pool, {.task = {.gpus = gpus}, .tasks = 0});
  std::map<int, int> sum;
  if (found)
    for (const TaskShare& share : found->shares)
      sum[share.node] += share.gpus();
  return {sum.begin(), sum.end()};
}

using Where = std::vector<std::pair<int, int>>;

TEST(Placement, PackTakesTheFullestMachineThatHolds)
{
  NodePool pool = pool_with({1, 3, 2, 0});
  EXPECT_EQ(places("pack", pool, 1), (Where{{1, 1}}));
  EXPECT_EQ(places("pack", pool, 2), (Where{{2, 2}}));
  EXPECT_EQ(places("pack", pool, 4), (Where{{3, 4}}));
}

TEST(Placement, SpreadTakesTheEmptiestMachineGpuByGpu)
{
  NodePool pool = pool_with({1, 3, 2, 0});
  EXPECT_EQ(places("spread", pool, 1), (Where{{3, 1}}));
  // 4 free, then 3 and 3 (lowest index first), then 3, …: machine 3, 0, 3, 0
  EXPECT_EQ(places("spread", pool, 4), (Where{{0, 2}, {3, 2}}));
}

TEST(Placement, SwarmSpreadCountsTasksOnly)
{
  NodePool pool = pool_with({1, 0, 0, 0});
  pool.take(share_at(pool, 1, TaskRequest{.gpus = 3}));                        // one task with three GPUs
  EXPECT_EQ(places("swarm_spread", pool, 1), (Where{{2, 1}}));                 // no task
  EXPECT_EQ(places("swarm_spread", pool, 3), (Where{{0, 1}, {2, 1}, {3, 1}})); // 2, 3, then the first with one task
}

TEST(Placement, DotProductAvoidsMachinesThatAreFreeWhereItAsks)
{
  NodePool pool = pool_with({0, 1, 3, 2});
  EXPECT_EQ(places("dot_product", pool, 1), (Where{{2, 1}}));
}

/// The GPU that a task of @p milli thousandths of one gets: (machine, GPU).
std::pair<int, int> shared_place(const std::string& policy, NodePool& pool, int milli)
{
  const auto placement = Registry<PlacementPolicy>::instance().create(policy);
  placement->begin(pool, {}, Random{1});
  const auto found = placement->place(pool, {.task = {.gpus = 1, .gpu_milli = milli}, .tasks = 1});
  return found ? std::pair{found->shares.front().node, std::countr_zero(found->shares.front().gpu_mask)}
               : std::pair{-1, -1};
}

/// Takes @p milli of one GPU.
void share_gpu(NodePool& pool, int node, unsigned gpu, int milli)
{
  pool.take({.node = node, .gpu_mask = 1U << gpu, .gpu_milli = milli});
}

TEST(Placement, GpuPackingTakesSharedGpusThenUsedMachinesThenIdleOnes)
{
  // Machine 0 idle; machine 1 has one whole GPU taken; machine 2 shares GPU 0 (600 free) and machine 3 GPU 2 (300
  // free).
  NodePool pool = pool_with({0, 1, 0, 0});
  share_gpu(pool, 2, 0, 400);
  share_gpu(pool, 3, 2, 700);
  // 200 of a GPU: machine 3 scores 100 - 30/10 = 97, machine 2 100 - 60/10 = 94, machine 1 50 - 1 = 49, machine 0 33 -
  // 4 = 29.
  EXPECT_EQ(shared_place("gpu_packing", pool, 200), (std::pair{3, 2}));
  EXPECT_EQ(shared_place("gpu_packing", pool, 500), (std::pair{2, 0}));
  // 800: nobody's shared GPU holds it; machines 1, 2 and 3 all score 49 with a whole GPU of theirs, the first wins, its
  // first free GPU.
  EXPECT_EQ(shared_place("gpu_packing", pool, 800), (std::pair{1, 1}));
  // Three whole GPUs: 50 - 3 = 47 on machines 1 to 3; four: only the idle one.
  EXPECT_EQ(places("gpu_packing", pool, 3), (Where{{1, 3}}));
  EXPECT_EQ(places("gpu_packing", pool, 4), (Where{{0, 4}}));
}

TEST(Placement, GpuClusteringKeepsKindsOfRequestsTogether)
{
  // Machine 0 idle; 1 holds a task of one GPU; 2 a shared one; 3 a shared one and one of two GPUs.
  NodePool pool = pool_with({0, 1, 0, 0});
  share_gpu(pool, 2, 0, 400);
  share_gpu(pool, 3, 0, 900);
  pool.take({.node = 3, .gpu_mask = 0b0110, .gpu_milli = 1000});
  // A part of a GPU: machine 2 holds only such (75 + 25 x 4400/8000 = 88), machine 3 also others (50 + 25 x 6900/8000 =
  // 71).
  EXPECT_EQ(shared_place("gpu_clustering", pool, 100), (std::pair{2, 0}));
  // One GPU: machine 1 (75 + 15). Two: its kind is on machine 3, which has one GPU left; then the idle machine (25)
  // before 1 and 2 (0).
  EXPECT_EQ(places("gpu_clustering", pool, 1), (Where{{1, 1}}));
  EXPECT_EQ(places("gpu_clustering", pool, 2), (Where{{0, 2}}));
  // When the tasks end their kinds are forgotten: machine 3 is idle again and as good as machine 0, which has the lower
  // index.
  pool.give({.node = 3, .gpu_mask = 0b0110, .gpu_milli = 1000});
  EXPECT_EQ(pool.kinds(3), 1);
  pool.give({.node = 3, .gpu_mask = 0b0001, .gpu_milli = 900});
  EXPECT_EQ(pool.kinds(3), 0);
  EXPECT_EQ(pool.kinds(1), 1);
}

TEST(Placement, PartsOfAGangHaveTheirShareOfItsCpuRoundedUp)
{
  // 3 GPUs with 10 thousandths of a core on machines of 2: 20/3 and 10/3 thousandths, rounded up.
  NodePool pool{ClusterShape::machines(2, 2, 1000, 1000)};
  const auto placement = Registry<PlacementPolicy>::instance().create("first_fit");
  const auto found = placement->place(pool, {.task = {.gpus = 3, .cpu_milli = 10, .memory_mib = 6}, .tasks = 0});
  ASSERT_TRUE(found);
  ASSERT_EQ(found->shares.size(), 2U);
  EXPECT_EQ(found->shares[0].cpu_milli, 7);
  EXPECT_EQ(found->shares[0].memory_mib, 4);
  EXPECT_EQ(found->shares[1].cpu_milli, 4);
  EXPECT_EQ(found->shares[1].memory_mib, 2);
}

TEST(Placement, RackAwareKeepsTheGangInOneRack)
{
  // Racks {0, 1} with 3 free and {2, 3} with 5 free: a gang of 3 fits the fuller rack, one of 4 the other, one of 7
  // both.
  NodePool pool = pool_with({3, 2, 1, 2});
  EXPECT_EQ(places("rack_aware", pool, 3), (Where{{0, 1}, {1, 2}}));
  EXPECT_EQ(places("rack_aware", pool, 4), (Where{{2, 3}, {3, 1}}));
  EXPECT_EQ(places("rack_aware", pool, 7), (Where{{1, 2}, {2, 3}, {3, 2}})); // largest pieces, over both racks
  EXPECT_EQ(places("switch_aware", pool, 4),
            (Where{{0, 1}, {2, 3}})); // racks do not count: 3, then the fullest machine
}

TEST(Placement, NvlinkAwareStaysOnOneIsland)
{
  // Machine 0: GPUs 0 and 2 taken, so each pair of an island of two has one left; machine 1: island {2, 3} is free.
  NodePool pool = pool_with({0, 0}, 2);
  for (const int gpu : {0, 2})
    pool.take({.node = 0, .gpu_mask = 1U << static_cast<unsigned>(gpu), .gpu_milli = 1000});
  for (const int gpu : {0, 1})
    pool.take({.node = 1, .gpu_mask = 1U << static_cast<unsigned>(gpu), .gpu_milli = 1000});
  const auto placement = Registry<PlacementPolicy>::instance().create("nvlink_aware");
  const auto found = placement->place(pool, {.task = {.gpus = 2}, .tasks = 1});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->shares.front().node, 1);
  EXPECT_EQ(found->shares.front().gpu_mask, 0b1100U);
  // One GPU: the fullest islands are those of machine 0 with one left.
  const auto one = placement->place(pool, {.task = {.gpus = 1}, .tasks = 1});
  ASSERT_TRUE(one);
  EXPECT_EQ(one->shares.front().node, 0);
}

TEST(Placement, LeastAllocatedTakesTheLargestFreeShareOfCpuMemoryAndGpus)
{
  // Machine 0 has 4 of 4 GPUs, 64 of 64 cores and 64 of 256 GB left: (100 + 100 + 25) / 3 = 75. Machine 1 has 2 of 4
  // GPUs and all the rest: (50 + 100 + 100) / 3 = 83, the larger share with fewer free GPUs.
  NodePool pool = pool_with({0, 2});
  pool.take(share_at(pool, 0, TaskRequest{.gpus = 0, .memory_mib = 192'000}));
  EXPECT_EQ(places("least_allocated", pool, 1), (Where{{1, 1}}));
  EXPECT_EQ(places("spread", pool, 1), (Where{{0, 1}}));
}

TEST(Placement, KubernetesStrategiesPullOppositeWays)
{
  NodePool pool = pool_with({0, 2, 1, 1});
  Settings least, most;
  for (Settings* settings : {&least, &most}) {
    settings->set("topology_weight", 0.0);
    settings->set("balanced_weight", 0.0);
  }
  most.set("strategy", std::string{"MostAllocated"});
  EXPECT_EQ(places("kubernetes", pool, 1, least), (Where{{0, 1}}));
  EXPECT_EQ(places("kubernetes", pool, 1, most), (Where{{1, 1}}));
}

TEST(Placement, NoPolicyCommitsMoreThanThereIsOrLeavesTraces)
{
  for (const std::string& name : Registry<PlacementPolicy>::instance().names()) {
    for (const int gpus : {1, 2, 3, 5, 8, 10, 11}) {
      NodePool pool = pool_with({1, 3, 2, 0});
      const auto before = pool.free_milli();
      const auto placement = Registry<PlacementPolicy>::instance().create(name);
      Workload workload;
      workload.jobs.push_back({.gpus = gpus});
      placement->begin(pool, workload, Random{1});
      const auto found = placement->place(pool, {.task = {.gpus = gpus}, .tasks = 0});
      EXPECT_EQ(found.has_value(), gpus <= 10) << name << " " << gpus; // ten are free
      EXPECT_EQ(pool.free_milli(), before) << name;
      if (!found)
        continue;
      int held = 0;
      for (const TaskShare& share : found->shares) {
        held += share.gpus();
        EXPECT_NO_THROW(pool.take(share)) << name; // refuses over-commitment
      }
      EXPECT_EQ(held, gpus) << name;
    }
  }
}

TEST(Placement, AQueueRunPreparesThePolicyWithItsWorkloadAndSeed)
{
  // Machine 0 holds a task of half a GPU on one of its two; the typical task (9 of 10) takes two whole GPUs. Another
  // half beside the first leaves machine 1 whole: that is FGD's choice and best fit's. Who takes the workload for empty
  // sees no difference between the machines. The random policy draws from the run's seed: not all of ten seeds may give
  // the same places.
  Workload workload;
  workload.jobs.push_back(
      {.submit = Seconds{0}, .duration = Seconds{100}, .gpus = 1, .tasks = 1, .gpu_milli = 500, .cpu_milli = 8000});
  for (int i = 0; i < 9; ++i)
    workload.jobs.push_back({.submit = Seconds{50}, .duration = Seconds{10}, .gpus = 2, .tasks = 1, .cpu_milli = 1000});
  workload.jobs.insert(workload.jobs.begin() + 1,
                       {.submit = Seconds{1}, .duration = Seconds{100}, .gpus = 1, .tasks = 1, .gpu_milli = 500});
  for (TraceJob& job : workload.jobs)
    job.estimate = job.duration;
  const auto first_nodes = [&](const std::string& name, std::uint64_t seed) {
    SchedulingOptions options;
    options.record_runs = true;
    options.seed = seed;
    const auto placement = Registry<PlacementPolicy>::instance().create(name);
    const auto queue = Registry<QueuePolicy>::instance().create("fifo");
    std::vector<int> nodes(2, -1);
    for (const RunRecord& run :
         simulate_queue(workload, ClusterShape::machines(4, 2, 64'000), *queue, placement.get(), options).runs)
      if (run.job.index < 2)
        nodes[static_cast<std::size_t>(run.job.index)] = run.held.shares.front().node;
    return nodes;
  };
  const std::vector<int> fgd = first_nodes("fgd", 1);
  EXPECT_EQ(fgd[0], fgd[1]);
  std::set<std::vector<int>> drawn;
  for (std::uint64_t seed = 1; seed <= 10; ++seed)
    drawn.insert(first_nodes("random", seed));
  EXPECT_GT(drawn.size(), 1u);
}

} // namespace
} // namespace trainyard
