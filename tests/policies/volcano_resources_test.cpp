// SPDX-License-Identifier: Apache-2.0
// Volcano's queues share CPU and memory beside GPUs. All times by hand, from volcano-sh/volcano:
// pkg/scheduler/plugins/proportion/proportion.go (commit 8a56f48), pkg/scheduler/plugins/overcommit/overcommit.go
// (14190b2) and pkg/scheduler/actions/reclaim/reclaim.go (5a81a27).
#include "sim/sources/queue/scheduling.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace trainyard {
namespace {

using Times = std::vector<double>;

/// A job of one task.
struct Wanted {
  double submit = 0;
  double duration = 10;
  int gpus = 0;
  int cores = 0;
  int gib = 0;
};

/// One machine; without cores a pool of GPUs, whose CPU and memory nobody knows.
struct Machine {
  int gpus = 8;
  int cores = 64;
  Workload workload;
  Settings settings;

  Machine& add(const std::string& team, const Wanted& job)
  {
    workload.jobs.push_back({.submit = Seconds{job.submit},
                             .duration = Seconds{job.duration},
                             .estimate = Seconds{job.duration},
                             .gpus = job.gpus,
                             .tasks = 1,
                             .cpu_milli = job.cores * 1000,
                             .memory_mib = job.gib * 1024});
    workload.jobs.back().team = workload.teams.index_of(team);
    return *this;
  }
  template <class Value>
  Machine& set(const std::string& name, Value value)
  {
    settings.set(name, value);
    return *this;
  }
  SchedulingResult run() const
  {
    const auto policy = Registry<QueuePolicy>::instance().create("volcano", settings);
    if (cores == 0)
      return simulate_queue(workload, ClusterShape::pool(gpus), *policy);
    const auto placement = Registry<PlacementPolicy>::instance().create("first_fit", Settings{});
    return simulate_queue(workload, ClusterShape::machines(1, gpus, cores * 1000, 1024 * 1024), *policy,
                          placement.get());
  }
  /// -1: never.
  Times starts() const
  {
    Times times;
    for (const JobOutcome& outcome : run().jobs)
      times.push_back(outcome.first_start < Instant{0} ? -1 : outcome.first_start.value());
    return times;
  }
  Times ends() const
  {
    Times times;
    for (const JobOutcome& outcome : run().jobs)
      times.push_back(outcome.end.value());
    return times;
  }
  std::string fault() const
  {
    try {
      run();
    } catch (const SettingFault& one) {
      return one.key() + ": " + one.what();
    }
    return "";
  }
};

TEST(VolcanoResources, AQueueDeservesSoMuchOfEach)
{
  // 8 GPUs and 64 cores, equal weights. a asks for 4 GPUs and 64 cores, b for 8 GPUs and 16 cores. First round: 4 GPUs
  // each, 32 cores for a, 16 for b; the 16 cores left over go to a, 48. So 3 jobs of a start (48 cores, 3 GPUs) and 2
  // of b (4 GPUs); by GPUs alone all 4 of a would.
  Machine machine;
  machine.set("weights", "a=1 b=1").set("overcommit", 2.0);
  for (int i = 0; i < 4; ++i)
    machine.add("a", {.gpus = 1, .cores = 16});
  for (int i = 0; i < 4; ++i)
    machine.add("b", {.gpus = 2, .cores = 4});
  EXPECT_EQ(machine.starts(), (Times{0, 0, 0, 10, 0, 0, 10, 10}));
}

TEST(VolcanoResources, TheQueueWithTheSmallestDominantShareGoesFirst)
{
  // 9 GPUs: c has 4 and 3, a and b 1 each; a has 32 cores too, b 4. From 1 on a and b deserve 3 GPUs, and all the cores
  // that they ask for, 36 and 8. At 10 c's 3 GPUs are free, enough for one job of 2. a has 1 / 3 of its GPUs and 32 /
  // 36 of its cores, b 1 / 3 and 4 / 8: b goes first. Without cores both have 1 / 3, and a is the first queue.
  Machine machine{.gpus = 9, .cores = 64, .workload = {}, .settings = {}};
  machine.set("weights", "a=1 b=1 c=1").set("overcommit", 3.0);
  machine.add("a", {.duration = 100, .gpus = 1, .cores = 32}).add("b", {.duration = 100, .gpus = 1, .cores = 4});
  machine.add("c", {.duration = 100, .gpus = 4, .cores = 4}).add("c", {.gpus = 3, .cores = 4});
  machine.add("a", {.submit = 1, .gpus = 2, .cores = 4}).add("b", {.submit = 1, .gpus = 2, .cores = 4});
  EXPECT_EQ(machine.starts(), (Times{0, 0, 0, 0, 20, 10}));
  for (TraceJob& job : machine.workload.jobs)
    job.cpu_milli = 0;
  EXPECT_EQ(machine.starts(), (Times{0, 0, 0, 0, 10, 20}));
}

TEST(VolcanoResources, CapabilitiesAreOfEach)
{
  // On a machine, and in a pool that does not know how much CPU and memory there is.
  for (const int cores : {64, 0}) {
    Machine cpu{.gpus = 8, .cores = cores, .workload = {}, .settings = {}};
    cpu.set("weights", "a=1").set("cpu_capabilities", "a=16");
    cpu.add("a", {.gpus = 1, .cores = 8})
        .add("a", {.cores = 8})
        .add("a", {.gpus = 1, .cores = 8})
        .add("b", {.cores = 8});
    EXPECT_EQ(cpu.starts(), (Times{0, 0, 10, 0}));
    Machine memory{.gpus = 8, .cores = cores, .workload = {}, .settings = {}};
    memory.set("weights", "a=1").set("memory_capabilities", "a=64GiB");
    memory.add("a", {.gpus = 1, .gib = 48}).add("a", {.gpus = 1, .gib = 32}).add("a", {.gpus = 1, .gib = 16});
    EXPECT_EQ(memory.starts(), (Times{0, 10, 0}));
  }
}

TEST(VolcanoResources, GuaranteesAreKept)
{
  // 32 of the 64 cores are b's, used or not: a's jobs of 16 run two at a time.
  Machine machine;
  machine.set("weights", "a=1 b=1").set("cpu_guarantees", "b=32");
  for (int i = 0; i < 4; ++i)
    machine.add("a", {.gpus = 1, .cores = 16});
  machine.add("b", {.submit = 100, .gpus = 1, .cores = 16});
  EXPECT_EQ(machine.starts(), (Times{0, 0, 10, 10, 100}));
}

TEST(VolcanoResources, AGuaranteeOfOneTakesNothingFromWhatOthersHaveByWeight)
{
  // 8 GPUs. First round: a and c 8 x 100 / 201 = 3.98 each, b its guarantee of 4; so none are left. b still lacks cores
  // and gets them in further rounds, in which the GPUs stay as they are: 3 jobs of a, 3 of c, and b's.
  Machine machine;
  machine.set("weights", "a=100 b=1 c=100").set("guarantees", "b=4").set("overcommit", 3.0);
  machine.add("b", {.gpus = 1, .cores = 64});
  for (int i = 0; i < 4; ++i)
    machine.add("a", {.gpus = 1}).add("c", {.gpus = 1});
  EXPECT_EQ(machine.starts(), (Times{0, 0, 0, 0, 0, 0, 0, 10, 10}));
}

TEST(VolcanoResources, JobsAreLetInByTheCpuThatTheClusterCanBear)
{
  // 64 cores, two jobs of 40. With 1.2 only 76.8 may be asked for: b is let in when a has ended. With 2 both are let
  // in, both deserve 32, and neither ever starts. GPUs and memory would do for both.
  Machine machine;
  machine.set("weights", "a=1 b=1").add("a", {.gpus = 1, .cores = 40}).add("b", {.gpus = 1, .cores = 40});
  EXPECT_EQ(machine.starts(), (Times{0, 10}));
  machine.set("overcommit", 2.0);
  EXPECT_EQ(machine.starts(), (Times{-1, -1}));
}

TEST(VolcanoResources, CpuIsReclaimed)
{
  // a has all 64 cores, but 2 of the 8 GPUs. From 5 on both deserve 32 cores, so b stops a's job that came last: 15 of
  // its 20 s are left at 15.
  Machine machine;
  machine.set("weights", "a=1 b=1").set("overcommit", 2.0);
  machine.add("a", {.duration = 20, .gpus = 1, .cores = 32}).add("a", {.duration = 20, .gpus = 1, .cores = 32});
  machine.add("b", {.submit = 5, .gpus = 1, .cores = 32});
  EXPECT_EQ(machine.ends(), (Times{20, 20, 30}));
  machine.set("reclaim", 1.0);
  EXPECT_EQ(machine.ends(), (Times{20, 30, 15}));
}

TEST(VolcanoResources, SettingsAreRefusedThatCannotBeMeant)
{
  const auto fault = [](const std::string& name, const std::string& text) {
    Machine machine;
    machine.set("weights", "a=1").set(name, text).add("a", {.gpus = 1});
    return machine.fault();
  };
  EXPECT_EQ(fault("cpu_capabilities", "a=16x"), "cpu_capabilities: 'a=16x' is not team=cores");
  EXPECT_EQ(fault("memory_capabilities", "a=64"),
            "memory_capabilities: 'a=64' is not team=memory with its unit (512GiB)");
  EXPECT_EQ(fault("cpu_guarantees", "a=65"),
            "cpu_guarantees: the guarantees add up to more than the CPU cores of the cluster");
  EXPECT_EQ(fault("memory_guarantees", "a=2TiB"),
            "memory_guarantees: the guarantees add up to more than the memory of the cluster");
}

// Plugin capacity: pkg/scheduler/plugins/capacity/capacity.go (0069b39).

TEST(VolcanoCapacity, AQueueMayBorrowUpToItsCapability)
{
  // 8 GPUs; a deserves 2, b 6. a's first job has all that a deserves, b's first a third; b's second needs 6 of 4 that
  // are free, so a's others run there. By weights of 1 and 3, a would have 2 GPUs and b's second job wait for 6.
  Machine machine;
  machine.set("weights", "a=1 b=3").set("overcommit", 2.0);
  for (int i = 0; i < 3; ++i)
    machine.add("a", {.gpus = 2});
  machine.add("b", {.duration = 100, .gpus = 2}).add("b", {.gpus = 6});
  Machine proportion = machine;
  machine.set("deserved", "a=2 b=6");
  EXPECT_EQ(machine.starts(), (Times{0, 0, 0, 0, 10}));
  EXPECT_EQ(proportion.starts(), (Times{0, 10, 20, 0, 30}));
  machine.set("capabilities", "a=4");
  EXPECT_EQ(machine.starts(), (Times{0, 0, 10, 0, 20}));
}

TEST(VolcanoCapacity, WhatAQueueDeservesIsReclaimed)
{
  // a runs on all 8 GPUs and deserves 4. At 10 b's first job takes 4 from a's last; with its second b would have more
  // than it deserves, so it waits for the first, and goes before a's, which has all that it deserves.
  Machine machine;
  machine.set("weights", "a=1 b=1").set("overcommit", 3.0).set("deserved", "a=4 b=4").set("reclaim", true);
  machine.add("a", {.duration = 100, .gpus = 4}).add("a", {.duration = 100, .gpus = 4});
  machine.add("b", {.submit = 10, .gpus = 4}).add("b", {.submit = 10, .gpus = 4});
  EXPECT_EQ(machine.starts(), (Times{0, 0, 10, 20}));
  const SchedulingResult result = machine.run();
  EXPECT_EQ(result.jobs[0].preemptions, 0);
  EXPECT_EQ(result.jobs[1].preemptions, 1);
}

TEST(VolcanoCapacity, AGuaranteeCountsAsDeservedAndIsNotReclaimed)
{
  // b deserves 1 GPU and keeps 4: a has no more than the other 4, though nobody else is there, and b's jobs stay when
  // a, which deserves 8, asks for more.
  Machine machine;
  machine.set("weights", "a=1 b=1").set("deserved", "a=8 b=1").set("guarantees", "b=4").set("reclaim", true);
  for (int i = 0; i < 3; ++i)
    machine.add("a", {.gpus = 2});
  machine.add("b", {.submit = 1, .gpus = 4});
  EXPECT_EQ(machine.starts(), (Times{0, 0, 10, 1}));
}

TEST(VolcanoCapacity, AQueueThatDeservesNothingGoesLast)
{
  // The default queue, which c's jobs are in, deserves nothing: at 10 both of a's jobs go before c's, which came first.
  Machine machine;
  machine.set("weights", "a=1").set("deserved", "a=8").set("overcommit", 3.0);
  machine.add("c", {.gpus = 8}).add("c", {.submit = 1, .gpus = 4});
  machine.add("a", {.submit = 2, .gpus = 4}).add("a", {.submit = 3, .gpus = 4});
  EXPECT_EQ(machine.starts(), (Times{0, 20, 10, 10}));
  // With reclaim a does not wait for c's first job, as it deserves all. That goes on at 13, when both of a's have
  // ended, with the 8 s that it has left; c's second is let in then, as the queue may ask for no more than 8 GPUs.
  machine.set("reclaim", true);
  EXPECT_EQ(machine.starts(), (Times{0, 21, 2, 3}));
}

TEST(VolcanoCapacity, CountsEachResource)
{
  // a deserves 32 cores and holds 48 with its three jobs; b wants 16 cores, which it deserves: a's last job is stopped.
  // A job of b without GPUs takes nothing from one of c that holds only GPUs.
  Machine machine;
  machine.set("weights", "a=1 b=1 c=1").set("cpu_deserved", "a=32 b=32").set("reclaim", true).set("overcommit", 3.0);
  for (int i = 0; i < 3; ++i)
    machine.add("a", {.duration = 100, .gpus = 1, .cores = 16});
  machine.add("c", {.duration = 100, .gpus = 1}).add("b", {.submit = 5, .cores = 32});
  EXPECT_EQ(machine.starts(), (Times{0, 0, 0, 0, 5}));
  const SchedulingResult result = machine.run();
  EXPECT_EQ(result.jobs[2].preemptions, 1);
  EXPECT_EQ(result.jobs[1].preemptions, 0);
  EXPECT_EQ(result.jobs[3].preemptions, 0);
}

} // namespace
} // namespace trainyard
