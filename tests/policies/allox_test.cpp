// SPDX-License-Identifier: Apache-2.0
// AlloX' matching, worked out by hand.
#include "sim/sources/queue/scheduling.hpp"

#include <gtest/gtest.h>

namespace trainyard {
namespace {

/// Jobs of one GPU that all come at 0: run times on the fast and on the slow type, of which there is one GPU each.
SchedulingResult run(const std::vector<std::pair<double, double>>& times, const std::string& policy = "allox")
{
  Workload workload;
  workload.gpu_types = {"fast", "slow"};
  for (const auto& [fast, slow] : times) {
    const int model = workload.models.index_of("m" + std::to_string(workload.size()));
    workload.jobs.push_back({.duration = Seconds{fast}, .estimate = Seconds{fast}, .gpus = 1, .model = model});
    workload.type_speed[{model, 0}] = 1;
    workload.type_speed[{model, 1}] = fast / slow;
  }
  ClusterShape shape;
  shape.gpu_types = workload.gpu_types;
  shape.counts = {1, 1};
  return simulate_queue(workload, shape, *Registry<QueuePolicy>::instance().create(policy, {}));
}

TEST(AlloX, GivesTheSlowGpuToWhomItHurtsLeast)
{
  // First, on the slow GPU, takes 15 s instead of 10 s; the second 100 s. 15 + 10 is the least; first come, first
  // served on the fast GPU would be 10 + 100.
  const SchedulingResult result = run({{10, 15}, {10, 100}});
  EXPECT_EQ(result.jobs[0].end, Seconds{15});
  EXPECT_EQ(result.jobs[1].end, Seconds{10});
  EXPECT_EQ(run({{10, 15}, {10, 100}}, "fifo").jobs[1].end, Seconds{100});
}

TEST(AlloX, LetsAJobWaitForTheFastGpu)
{
  // Both in the line of the fast GPU: 10 + 20. One on the slow GPU: 10 + 100.
  const SchedulingResult result = run({{10, 100}, {10, 100}});
  EXPECT_EQ(result.jobs[0].end, Seconds{10});
  EXPECT_EQ(result.jobs[1].end, Seconds{20});
}

TEST(AlloX, TheShortestStandsFirstInALine)
{
  // At 0 s two GPUs are free, so the first two jobs are matched: both to the fast one, 2 s before 9 s. At 2 s both GPUs
  // are free again, for the jobs of 9 s and 5 s: the shorter is first.
  const SchedulingResult result = run({{9, 9000}, {2, 2000}, {5, 5000}});
  EXPECT_EQ(result.jobs[1].end, Seconds{2});
  EXPECT_EQ(result.jobs[2].end, Seconds{7});
  EXPECT_EQ(result.jobs[0].end, Seconds{16});
}

} // namespace
} // namespace trainyard
