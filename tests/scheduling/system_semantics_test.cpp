// SPDX-License-Identifier: Apache-2.0
// Rules of real systems, computed by hand: killing at the estimate, locality that is given up after a while,
// Kubernetes' scores.
#include "sim/sources/queue/scheduling.hpp"
#include "tests/support/queue_policies.hpp"
#include "tests/support/queue_times.hpp"

#include <gtest/gtest.h>

namespace trainyard {
namespace {

using tests::end_times;
using tests::job;
using tests::Times;

Settings one_setting(const std::string& name, double value)
{
  Settings settings;
  settings.set(name, value);
  return settings;
}

TEST(KillAtEstimate, AJobEndsWhenTheTimeItsUserAskedForIsUsedUp)
{
  // 0 asks for 30 s and needs 50: killed at 30. 1 asks for 40 and needs 10: 30-40.
  Workload workload;
  workload.jobs = {job(0, 50, 4), job(0, 10, 4)};
  workload.jobs[0].estimate = Seconds{30};
  workload.jobs[1].estimate = Seconds{40};
  SchedulingOptions options;
  options.kill_at_estimate = true;
  for (const std::string& policy : tests::own_queue_policies()) {
    const SchedulingResult result = simulate_queue(workload, ClusterShape::pool(4),
                                                   *Registry<QueuePolicy>::instance().create(policy), nullptr, options);
    EXPECT_EQ(result.finished, 2) << policy;
    EXPECT_TRUE(result.jobs[0].killed) << policy;
    EXPECT_FALSE(result.jobs[1].killed) << policy;
    EXPECT_NEAR(result.jobs[0].gpu_time.value(), 120, 1e-6) << policy;
    EXPECT_NEAR(result.jobs[1].gpu_time.value(), 40, 1e-6) << policy;
  }
  EXPECT_EQ(end_times(simulate_queue(workload, ClusterShape::pool(4), *Registry<QueuePolicy>::instance().create("fifo"),
                                     nullptr, options)),
            (Times{30, 40}));
  EXPECT_EQ(
      end_times(simulate_queue(workload, ClusterShape::pool(4), *Registry<QueuePolicy>::instance().create("fifo"))),
      (Times{50, 60}));
}

TEST(KillAtEstimate, CountsTheTimeOnGpusOverAllStays)
{
  // 0 (asks for 30, needs 100) runs 0-10, is stopped by the more important 1 until 15, and has 20 s left of its time:
  // killed at 35.
  Workload workload;
  workload.jobs = {job(0, 100, 4), job(10, 5, 4)};
  workload.jobs[0].estimate = Seconds{30};
  workload.jobs[1].priority = 1;
  SchedulingOptions options;
  options.kill_at_estimate = true;
  const SchedulingResult result = simulate_queue(
      workload, ClusterShape::pool(4), *Registry<QueuePolicy>::instance().create("priority"), nullptr, options);
  EXPECT_EQ(end_times(result), (Times{35, 15}));
  EXPECT_TRUE(result.jobs[0].killed);
}

TEST(LocalityRelaxation, AGangWaitsForFewMachinesThenForOneRackThenTakesAnything)
{
  // Two racks of two machines of 4 GPUs. Three GPUs of each machine are taken until 1000 s, so 4 GPUs are free on four
  // machines of two racks. Job 4 (4 GPUs) fits now, but neither on one machine nor in one rack: with 100 s it waits
  // twice that long, to 201 s.
  Workload workload;
  for (int i = 0; i < 4; ++i) {
    workload.jobs.push_back(job(0, 1000, 3));
    workload.jobs.back().tasks = 1;
  }
  workload.jobs.push_back(job(1, 10, 4));
  workload.jobs.push_back(job(2, 10, 2)); // two GPUs: one rack will do after 100 s, at 102 s
  workload.jobs.push_back(job(3, 10, 1)); // passes both
  SchedulingOptions options;
  options.record_waits = true;
  const auto places = Registry<PlacementPolicy>::instance().create("rack_aware");
  const SchedulingResult result =
      simulate_queue(workload, ClusterShape::machines(4, 4, 0, 0, 2),
                     *Registry<QueuePolicy>::instance().create("locality_relaxation", one_setting("relax_after", 100)),
                     places.get(), options);
  EXPECT_EQ(result.jobs[6].first_start, Seconds{3});
  EXPECT_EQ(result.jobs[5].first_start, Seconds{102});
  EXPECT_EQ(result.jobs[4].first_start, Seconds{201});
  for (const WaitRecord& wait : result.waits)
    if (wait.job == JobId{4} && wait.from >= Seconds{13} && wait.to <= Seconds{102}) {
      EXPECT_EQ(wait.reason, WaitReason::locality) << wait.from.value();
    }
}

TEST(LocalityRelaxation, AGangLargerThanARackWaitsForNothingThatCannotBe)
{
  Workload workload;
  workload.jobs = {job(0, 10, 12)};
  const auto places = Registry<PlacementPolicy>::instance().create("rack_aware");
  const SchedulingResult result =
      simulate_queue(workload, ClusterShape::machines(4, 4, 0, 0, 2),
                     *Registry<QueuePolicy>::instance().create("locality_relaxation"), places.get());
  EXPECT_EQ(result.jobs[0].first_start, Seconds{0});
}

TEST(Reasons, AQuotaIsTheReasonUntilItIsNot)
{
  // Team a has a quota of 2 and uses it until 100 s; its second job waits for the quota all that time, whatever else
  // comes and goes.
  Workload workload;
  workload.teams.index_of("a");
  workload.teams.index_of("b");
  workload.jobs = {job(0, 100, 2), job(1, 10, 2), job(5, 20, 1), job(10, 20, 1), job(15, 20, 1)};
  for (std::size_t i = 0; i < workload.jobs.size(); ++i)
    workload.jobs[i].team = i < 2 ? 1 : 2;
  Settings settings;
  settings.set("quotas", std::string{"a=2 b=2"});
  SchedulingOptions options;
  options.record_waits = true;
  const SchedulingResult result = simulate_queue(
      workload, ClusterShape::pool(4), *Registry<QueuePolicy>::instance().create("drf", settings), nullptr, options);
  int records = 0;
  for (const WaitRecord& wait : result.waits)
    if (wait.job == JobId{1}) {
      ++records;
      EXPECT_EQ(wait.reason, WaitReason::quota);
      EXPECT_EQ(wait.from, Seconds{1});
      EXPECT_EQ(wait.to, Seconds{100});
    }
  EXPECT_EQ(records, 1);
}

/// A machine with so much CPU, memory and GPUs in use, and an empty one behind it, and where kube-scheduler puts a pod.
int chosen(const Settings& settings, const std::vector<TaskShare>& used, const TaskRequest& pod)
{
  NodePool pool{ClusterShape::machines(2, 8, 32'000, 64'000)};
  for (const TaskShare& share : used)
    pool.take(share);
  const auto policy = Registry<PlacementPolicy>::instance().create("kubernetes", settings);
  return policy->place(pool, {.task = pod, .tasks = 1})->shares.front().node;
}

Settings only(const std::string& kept, double weight = 1)
{
  Settings settings;
  for (const char* name :
       {"fit_weight", "balanced_weight", "image_weight", "topology_weight", "affinity_weight", "taint_weight"})
    settings.set(name, name == kept ? weight : 0.0);
  return settings;
}

TEST(KubernetesScores, BalancedAllocationIsOneMinusTheDeviationOfTheUsedShares)
{
  // The pod takes 8 of 32 cores and nothing else (0.25, 0): deviation 0.125 on an empty machine. Machine 0 holds 16 GB
  // of memory (0.25): with the pod both shares are 0.25, deviation 0: 100 against 87. GPUs do not count: the pod asks
  // for none.
  const TaskShare memory{.node = 0, .gpu_mask = 0, .cpu_milli = 0, .memory_mib = 16'000};
  EXPECT_EQ(chosen(only("balanced_weight"), {memory}, {.gpus = 0, .cpu_milli = 8000}), 0);
  const TaskShare elsewhere{.node = 1, .gpu_mask = 0, .cpu_milli = 0, .memory_mib = 16'000};
  EXPECT_EQ(chosen(only("balanced_weight"), {elsewhere}, {.gpus = 0, .cpu_milli = 8000}), 1);
}

TEST(KubernetesScores, FreeGpusCountOnlyForPodsThatAskForSome)
{
  // Machine 0 has 6 of its GPUs taken, and machine 1 a quarter of its cores. LeastAllocated: a pod of CPU alone sees
  // (75 + 100) / 2 = 87 on machine 0 against (50 + 100) / 2 = 75, whatever the GPUs; a pod with a GPU sees (75 + 100 +
  // 12) / 3 = 62 against (50 + 100 + 87) / 3 = 79.
  const std::vector<TaskShare> used = {{.node = 0, .gpu_mask = 0x3F, .cpu_milli = 0, .memory_mib = 0},
                                       {.node = 1, .gpu_mask = 0, .cpu_milli = 8000, .memory_mib = 0}};
  EXPECT_EQ(chosen(only("fit_weight"), used, {.gpus = 0, .cpu_milli = 8000}), 0);
  EXPECT_EQ(chosen(only("fit_weight"), used, {.gpus = 1, .cpu_milli = 8000}), 1);
}

TEST(KubernetesScores, RequestedToCapacityRatioLeavesOutWhatScoresNothing)
{
  // Shape 0:0 100:100. Machine 0: CPU 50 %, memory 0 %: the memory's score of 0 does not count, 50. Machine 1: CPU 40
  // %, memory 40 %: 40. With zeros counted it would be 25 against 40.
  Settings settings = only("fit_weight");
  settings.set("strategy", std::string{"RequestedToCapacityRatio"});
  const std::vector<TaskShare> used = {{.node = 0, .gpu_mask = 0, .cpu_milli = 15'000, .memory_mib = 0},
                                       {.node = 1, .gpu_mask = 0, .cpu_milli = 11'800, .memory_mib = 25'600}};
  EXPECT_EQ(chosen(settings, used, {.gpus = 0, .cpu_milli = 1000}), 0);
}

TEST(KubernetesScores, MostAllocatedPacksPodsOfJobs)
{
  // A pod with a GPU and nothing else is on machine 1. No default spreading holds for pods of jobs, and balanced
  // allocation looks at CPU and memory only, which are equal: the second pod joins the first.
  Settings most;
  most.set("strategy", std::string{"MostAllocated"});
  const std::vector<TaskShare> used = {{.node = 1, .gpu_mask = 1, .cpu_milli = 0, .memory_mib = 0}};
  EXPECT_EQ(chosen(most, used, {.gpus = 1}), 1);
  EXPECT_EQ(chosen({}, used, {.gpus = 1}), 0); // LeastAllocated spreads by itself
}

} // namespace
} // namespace trainyard
