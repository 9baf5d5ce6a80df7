// SPDX-License-Identifier: Apache-2.0
// Space sharing in Gavel: two jobs on the same GPUs. All shares and times by hand.
#include "sim/cluster/speed/shared_gpu_speed.hpp"
#include "sim/sources/queue/policies/gavel_lp.hpp"
#include "sim/sources/queue/scheduling.hpp"
#include "tests/support/queue_times.hpp"

#include <gtest/gtest.h>

namespace trainyard {
namespace {

TEST(GavelSharing, APairHasAShareOfItsOwn)
{
  // One GPU, two equal jobs: in turns each has half of it, which is the equal share: 1. Beside each other each keeps
  // 3/4 of its speed: 0.75 / 0.5 = 1.5, all the time. 8 units of work each then take 8 / 0.75 s.
  GavelProblem problem{.throughput = {{1}, {1}},
                       .gpus = {1, 1},
                       .weight = {1, 1},
                       .capacity = {1},
                       .elapsed = {0, 0},
                       .left = {8, 8},
                       .pairs = {}};
  EXPECT_NEAR(gavel_max_min(problem).objective, 1, 1e-6);
  problem.pairs = {{.one = 0, .other = 1, .of_one = {0.75}, .of_other = {0.75}}};
  const GavelAllocation fair = gavel_max_min(problem);
  EXPECT_NEAR(fair.objective, 1.5, 1e-6);
  EXPECT_NEAR(fair.pair_share[0][0], 1, 1e-6);
  EXPECT_NEAR(fair.share[0][0] + fair.share[1][0], 0, 1e-6);
  problem.weight = {8, 8};
  EXPECT_NEAR(1 / gavel_makespan(problem).objective, 8 / 0.75, 1e-4);
}

TEST(GavelSharing, AJobIsInOnePlaceAtATime)
{
  // Two GPUs, three equal jobs. In turns each has 2/3 of a GPU, and the equal share is 2/3: 1. Each pair for a third of
  // the time on one GPU, while the third job has the other: 0.8 x 2/3 + 1/3 = 0.8667, over 2/3: 1.3.
  GavelProblem problem{.throughput = {{1}, {1}, {1}}, .gpus = {1, 1, 1}, .weight = {1, 1, 1}, .capacity = {2}};
  for (const auto& [one, other] : {std::pair<std::size_t, std::size_t>{0, 1}, {0, 2}, {1, 2}})
    problem.pairs.push_back({.one = one, .other = other, .of_one = {0.8}, .of_other = {0.8}});
  EXPECT_NEAR(gavel_max_min(problem).objective, 1.3, 1e-6);
}

/// Ends of jobs of one GPU each, on one machine with this many, in rounds of 10 s.
std::vector<double> ends(const std::vector<double>& run_times, int gpus, double left)
{
  Workload workload;
  for (const double time : run_times)
    workload.jobs.push_back({.duration = Seconds{time}, .estimate = Seconds{time}, .gpus = 1});
  workload.speed_beside = {{{0, 0, 1, 0}, left}};
  Settings settings;
  settings.set("round", 10.0);
  settings.set("space_sharing", 1.0);
  PairSpeed speed;
  SchedulingOptions options;
  options.speed = &speed;
  const auto placement = Registry<PlacementPolicy>::instance().create("first_fit", Settings{});
  return tests::end_times(simulate_queue(workload, ClusterShape::machines(1, gpus),
                                         *Registry<QueuePolicy>::instance().create("gavel", settings), placement.get(),
                                         options));
}

TEST(GavelSharing, TwoJobsRunOnOneGpuAsFastAsThePairIs)
{
  // 60 s of work at 3/4 of the speed: 80 s, where turns would take 120 s.
  const std::vector<double> both = ends({60, 60}, 1, 0.75);
  EXPECT_NEAR(both[0], 80, 1e-6);
  EXPECT_NEAR(both[1], 80, 1e-6);
  // The first ends after 40 s; the second has 30 s of work left then, and the GPU for itself.
  const std::vector<double> first = ends({30, 60}, 1, 0.75);
  EXPECT_NEAR(first[0], 40, 1e-6);
  EXPECT_NEAR(first[1], 70, 1e-6);
}

TEST(GavelSharing, NobodySharesWhereNothingIsGained)
{
  // With a GPU each they run alone. Half of the speed beside each other is no more than taking turns.
  EXPECT_EQ(ends({60, 60}, 2, 0.75), (std::vector<double>{60, 60}));
  EXPECT_EQ(ends({50, 50}, 1, 0.5), (std::vector<double>{90, 100}));
}

TEST(GavelSharing, NeedsMachinesAndSpeedsOfPairs)
{
  Workload workload;
  workload.jobs = {{.duration = Seconds{1}, .estimate = Seconds{1}, .gpus = 1}};
  Settings settings;
  settings.set("space_sharing", 1.0);
  const auto policy = Registry<QueuePolicy>::instance().create("gavel", settings);
  const auto placement = Registry<PlacementPolicy>::instance().create("first_fit", Settings{});
  EXPECT_THROW(simulate_queue(workload, ClusterShape::machines(1, 1), *policy, placement.get()), std::invalid_argument);
  workload.speed_beside = {{{0, 0, 1, 0}, 0.75}};
  EXPECT_THROW(simulate_queue(workload, ClusterShape::pool(1), *policy), std::invalid_argument);
}

} // namespace
} // namespace trainyard
