// SPDX-License-Identifier: Apache-2.0
// Kueue's quotas of CPU, memory and pods beside those of GPUs. All times by hand, from its source:
// pkg/scheduler/flavorassigner/flavorassigner.go (commit 0037224: findFlavorForPodSets, fitsResourceQuota),
// pkg/scheduler/preemption/preemption.go (47689ed), pkg/cache/resource_node.go (034454c) and pkg/cache/fair_sharing.go
// (0236a85).
#include "models/core/csv.hpp"
#include "models/core/diagnostics.hpp"
#include "sim/sources/queue/queue_setup.hpp"
#include "sim/sources/queue/scheduling.hpp"
#include "tests/support/queue_scenario.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

namespace trainyard {
namespace {

using ::testing::HasSubstr;
using Times = std::vector<double>;

constexpr double gib = 1024.0 * 1024 * 1024;

/// A job of one task unless @p tasks says otherwise; CPU cores and GiB are those of a task.
struct Wanted {
  double submit = 0;
  double duration = 10;
  int gpus = 0;
  int cores = 0;
  int gib = 0;
  float priority = 0;
  int tasks = 1;
};

/// A pool of GPUs, whose CPU and memory are not counted: only quotas hold jobs back.
struct Lab {
  Workload workload;
  KueueRules rules{.flavors = {{.name = "f"}}, .cohorts = {}, .cluster_queues = {}};
  ClusterShape shape = ClusterShape::pool(8);
  Settings settings;

  KueueClusterQueue& queue(const std::string& team, const std::string& cohort, std::vector<KueueQuota> quotas)
  {
    rules.cluster_queues.push_back({.name = team, .cohort = cohort, .quotas = std::move(quotas)});
    return rules.cluster_queues.back();
  }
  Lab& add(const std::string& team, const Wanted& job)
  {
    workload.jobs.push_back({.submit = Seconds{job.submit},
                             .duration = Seconds{job.duration},
                             .estimate = Seconds{job.duration},
                             .gpus = job.gpus,
                             .tasks = job.tasks,
                             .cpu_milli = job.cores * 1000,
                             .memory_mib = job.gib * 1024,
                             .priority = job.priority});
    workload.jobs.back().team = workload.teams.index_of(team);
    return *this;
  }
  SchedulingResult run()
  {
    workload.gpu_types = shape.gpu_types;
    bind_quotas(workload, shape, std::make_shared<const KueueRules>(rules));
    const auto placement =
        shape.counted() ? nullptr : Registry<PlacementPolicy>::instance().create("first_fit", Settings{});
    SchedulingOptions options;
    options.record_runs = true;
    return simulate_queue(workload, shape, *Registry<QueuePolicy>::instance().create("kueue", settings),
                          placement.get(), options);
  }
  /// -1: never.
  Times starts()
  {
    Times times;
    for (const JobOutcome& outcome : run().jobs)
      times.push_back(outcome.first_start < Instant{0} ? -1 : outcome.first_start.value());
    return times;
  }
  Times ends()
  {
    Times times;
    for (const JobOutcome& outcome : run().jobs)
      times.push_back(outcome.end.value());
    return times;
  }
};

/// 8 GPUs and so many cores of the flavor.
KueueQuota gpus_and_cores(double cores, double gpus = 8, const std::string& flavor = "f")
{
  KueueQuota quota{.flavor = flavor, .nominal = gpus};
  quota.cpu.nominal = cores;
  return quota;
}

/// GPU type of the first stay of a job.
int type_of(const SchedulingResult& result, int job)
{
  for (const RunRecord& stay : result.runs)
    if (stay.job.index == job)
      return stay.held.gpu_type;
  return -1;
}

TEST(KueueResources, CpuBindsWhileGpusAreFree)
{
  // 16 cores. 0 has 12; 1 needs 8 and waits for its end, with 4 GPUs free; 2 has the other 4.
  Lab lab;
  lab.queue("a", "", {gpus_and_cores(16)});
  lab.add("a", {.gpus = 2, .cores = 12}).add("a", {.gpus = 2, .cores = 8}).add("a", {.gpus = 2, .cores = 4});
  EXPECT_EQ(lab.starts(), (Times{0, 10, 0}));
}

TEST(KueueResources, AllTasksOfAJobCount)
{
  // 4 tasks of 4 cores are all 16; a job whose GPUs may be split freely (no tasks) has its 4 cores once.
  Lab lab;
  lab.queue("a", "", {gpus_and_cores(16)});
  lab.add("a", {.gpus = 4, .cores = 4, .tasks = 4}).add("a", {.gpus = 1, .cores = 1});
  EXPECT_EQ(lab.starts(), (Times{0, 10}));
  lab.workload.jobs[0].tasks = 0;
  EXPECT_EQ(lab.starts(), (Times{0, 0}));
}

TEST(KueueResources, JobsWithoutGpusNeedQuotaOfTheirCpu)
{
  Lab lab;
  lab.queue("a", "", {gpus_and_cores(16)});
  lab.add("a", {.cores = 10}).add("a", {.cores = 10});
  EXPECT_EQ(lab.starts(), (Times{0, 10}));
}

TEST(KueueResources, MemoryIsBorrowedUpToItsLimit)
{
  // a has 64 GiB and may borrow 32 of b's 64: 64 + 32 at once, the next 16 wait for the end of the first.
  Lab lab;
  KueueQuota mine{.flavor = "f", .nominal = 4}, theirs = mine;
  mine.memory = {.nominal = 64 * gib, .borrowing_limit = 32 * gib};
  theirs.memory.nominal = 64 * gib;
  lab.queue("a", "all", {mine});
  lab.queue("b", "all", {theirs});
  lab.add("a", {.gpus = 1, .gib = 64}).add("a", {.gpus = 1, .gib = 32}).add("a", {.gpus = 1, .gib = 16});
  EXPECT_EQ(lab.starts(), (Times{0, 0, 10}));
  // Where b lends 16 GiB, a has 64 + 16: the 32 wait, the 16 do not.
  lab.rules.cluster_queues[0].quotas[0].memory.borrowing_limit = std::numeric_limits<double>::infinity();
  lab.rules.cluster_queues[1].quotas[0].memory.lending_limit = 16 * gib;
  EXPECT_EQ(lab.starts(), (Times{0, 10, 0}));
}

TEST(KueueResources, TasksCountAsPods)
{
  // 4 pods: 3, and then 1 of the next two jobs.
  Lab lab;
  KueueQuota quota{.flavor = "f", .nominal = 8};
  quota.pods.nominal = 4;
  lab.queue("a", "", {quota});
  lab.add("a", {.gpus = 3, .tasks = 3}).add("a", {.gpus = 2, .tasks = 2}).add("a", {.gpus = 2});
  EXPECT_EQ(lab.starts(), (Times{0, 10, 0}));
}

TEST(KueueResources, AFlavorIsOfAllResourcesOfItsGroup)
{
  // f has 4 GPUs and 8 cores, s 4 and 64. 1 finds 2 GPUs of f, but none of its cores, so it has both from s.
  Lab lab;
  lab.shape.gpu_types = {"fast", "slow"};
  lab.shape.counts = {4, 4};
  lab.rules.flavors = {{.name = "f", .gpu = "fast", .nodes = {}}, {.name = "s", .gpu = "slow", .nodes = {}}};
  lab.queue("a", "", {gpus_and_cores(8, 4, "f"), gpus_and_cores(64, 4, "s")});
  lab.add("a", {.gpus = 2, .cores = 8}).add("a", {.gpus = 2, .cores = 8});
  const SchedulingResult result = lab.run();
  EXPECT_EQ(result.jobs[1].first_start, Instant{0});
  EXPECT_EQ(type_of(result, 0), 0);
  EXPECT_EQ(type_of(result, 1), 1);
}

TEST(KueueResources, EveryResourceGroupHasAFlavorOfItsOwn)
{
  // GPUs are of f or s, cores of `all`, 12 of them. 1 would have s, but needs 8 cores of the 4 that are left.
  Lab lab;
  lab.shape.gpu_types = {"fast", "slow"};
  lab.shape.counts = {4, 4};
  lab.rules.flavors = {
      {.name = "f", .gpu = "fast", .nodes = {}}, {.name = "s", .gpu = "slow", .nodes = {}}, {.name = "all"}};
  lab.queue("a", "", {{.flavor = "f", .nominal = 4}, {.flavor = "s", .nominal = 4}, gpus_and_cores(12, -1, "all")});
  lab.add("a", {.gpus = 4, .cores = 8}).add("a", {.gpus = 4, .cores = 8}).add("a", {.gpus = 4, .cores = 4});
  const SchedulingResult result = lab.run();
  EXPECT_EQ(result.jobs[1].first_start, Seconds{10});
  EXPECT_EQ(result.jobs[2].first_start, Instant{0});
  EXPECT_EQ(type_of(result, 0), 0);
  EXPECT_EQ(type_of(result, 2), 1);
}

TEST(KueueResources, MachinesAreThoseOfAllFlavorsOfAJob)
{
  // GPUs are of the machines 1 and 2, cores of 0 and 1: the job runs on 1. The second, without GPUs, is on 0.
  Lab lab;
  lab.shape = ClusterShape::machines(3, 4, 64'000, 1'000'000);
  lab.rules.flavors = {{.name = "gpus", .gpu = "", .nodes = {"node-1", "node-2"}},
                       {.name = "cores", .gpu = "", .nodes = {"node-0", "node-1"}}};
  lab.queue("a", "", {{.flavor = "gpus", .nominal = 8}, gpus_and_cores(64, -1, "cores")});
  lab.add("a", {.gpus = 1, .cores = 8}).add("a", {.cores = 8});
  const SchedulingResult result = lab.run();
  ASSERT_EQ(result.runs.size(), 2u);
  for (const RunRecord& stay : result.runs)
    EXPECT_EQ(stay.held.shares.front().node, stay.job.index == 0 ? 1 : 0);
}

TEST(KueueResources, JobsAreStoppedForCpu)
{
  // 1 is more important and finds 6 GPUs, but none of its 8 cores. It stops 0 at 5 and runs to 15; 0 has 15 s left. 2
  // holds GPUs alone, which are not scarce, and runs on.
  Lab lab;
  lab.queue("a", "", {gpus_and_cores(16)}).within_cluster_queue = KueuePreemption::lower_priority;
  lab.add("a", {.duration = 20, .gpus = 2, .cores = 16})
      .add("a", {.submit = 1, .duration = 30, .gpus = 2})
      .add("a", {.submit = 5, .gpus = 2, .cores = 8, .priority = 1});
  EXPECT_EQ(lab.ends(), (Times{30, 31, 15}));
  lab.rules.cluster_queues[0].within_cluster_queue = KueuePreemption::never;
  EXPECT_EQ(lab.ends(), (Times{20, 31, 30}));
}

TEST(KueueResources, JobsAreStoppedUntilAllResourcesSuffice)
{
  // 8 GPUs and 16 cores; 0 has 6 GPUs and 4 cores, 1 12 cores alone. 2 needs 4 GPUs and 8 cores: without 0 it has 4
  // cores, without 1 it has 2 GPUs. Both stop at 5, with 15 s left at 15.
  Lab lab;
  lab.queue("a", "", {gpus_and_cores(16)}).within_cluster_queue = KueuePreemption::lower_priority;
  lab.add("a", {.duration = 20, .gpus = 6, .cores = 4})
      .add("a", {.duration = 20, .cores = 12})
      .add("a", {.submit = 5, .gpus = 4, .cores = 8, .priority = 1});
  EXPECT_EQ(lab.ends(), (Times{30, 30, 15}));
}

TEST(KueueResources, CpuIsReclaimedFromWhoBorrowsIt)
{
  // a borrows 8 of b's 16 cores for its last job, but no GPUs. At 5 b needs its 16 cores: 1, admitted last, stops with
  // 16 s left and goes on at 15, when b has ended.
  Lab lab;
  lab.queue("a", "all", {gpus_and_cores(16, 4)});
  lab.queue("b", "all", {gpus_and_cores(16, 4)}).reclaim_within_cohort = KueuePreemption::any;
  lab.add("a", {.duration = 20, .gpus = 2, .cores = 16})
      .add("a", {.submit = 1, .duration = 20, .gpus = 2, .cores = 8})
      .add("b", {.submit = 5, .gpus = 2, .cores = 16});
  EXPECT_EQ(lab.ends(), (Times{20, 31, 15}));
}

TEST(KueueResources, AResourceWithoutQuotaMakesAJobInadmissible)
{
  // "resource memory unavailable in ClusterQueue", unless quotaCheckStrategy is IgnoreUndeclared.
  Lab lab;
  lab.queue("a", "", {gpus_and_cores(16)});
  lab.add("a", {.gpus = 1, .cores = 1, .gib = 1}).add("a", {.gpus = 1, .cores = 1});
  EXPECT_EQ(lab.starts(), (Times{-1, 0}));
  lab.rules.undeclared = KueueUndeclared::ignore;
  EXPECT_EQ(lab.starts(), (Times{0, 0}));
  // A queue of GPUs alone does not limit the rest, unless it is said.
  lab.rules.cluster_queues[0].quotas = {{.flavor = "f", .nominal = 8}};
  lab.rules.undeclared = KueueUndeclared::by_queue;
  EXPECT_EQ(lab.starts(), (Times{0, 0}));
  lab.rules.undeclared = KueueUndeclared::block;
  EXPECT_EQ(lab.starts(), (Times{-1, -1}));
}

TEST(KueueResources, FairSharesAreThoseOfTheDominantResource)
{
  // All is c's until 10. Then a would borrow 2 of 8 GPUs and 48 of 64 cores, b 4 of 8 and 32 of 64: shares 0.75 and
  // 0.5. Cores are there for one of them: b, although a borrows fewer GPUs and came first.
  Lab lab;
  lab.queue("a", "all", {gpus_and_cores(0, 0)});
  lab.queue("b", "all", {gpus_and_cores(0, 0)});
  lab.queue("c", "all", {gpus_and_cores(64)});
  lab.add("c", {.gpus = 8, .cores = 64}).add("a", {.submit = 1, .gpus = 2, .cores = 48});
  lab.add("b", {.submit = 2, .gpus = 4, .cores = 32});
  EXPECT_EQ(lab.starts(), (Times{0, 10, 20}));
  lab.settings.set("fair_sharing", 1);
  EXPECT_EQ(lab.starts(), (Times{0, 20, 10}));
}

TEST(KueueResources, AreReadFromAScenario)
{
  // Two machines of 4 GPUs, 32 cores and 256 GB. red has 24 cores and 64 GiB: its second job waits for cores, its third
  // for memory. blue has its cores and memory of another flavor than its GPUs.
  const std::string text =
      tests::queue_head +
      "kueue:\n  flavors: [{name: v100}, {name: first, nodes: [n-0]}]\n  cluster_queues:\n"
      "    - {name: red, cohort: all, quotas: [{flavor: v100, nominal_quota: 4, cpu: 24, memory: {nominal_quota: 64 "
      "GiB, borrowing_limit: 8 GiB}}]}\n"
      "    - name: blue\n      quotas:\n        - {flavor: v100, nominal_quota: 4}\n"
      "        - {flavor: first, cpu: {nominal_quota: 8}, memory: 16 GiB}\n"
      "workload:\n  jobs:\n"
      "    - {name: r, duration: 1 h, gpus: 1, tasks: 1, cpu_milli: 16000, memory_mib: 40960, team: red}\n"
      "    - {name: cores, duration: 1 h, gpus: 1, tasks: 1, cpu_milli: 16000, memory_mib: 1024, team: red}\n"
      "    - {name: bytes, duration: 1 h, gpus: 1, tasks: 1, cpu_milli: 1000, memory_mib: 40960, team: red}\n"
      "    - {name: b, duration: 1 h, gpus: 1, tasks: 1, cpu_milli: 8000, memory_mib: 16384, team: blue}\n"
      "scheduling: {policy: kueue}\n";
  ASSERT_EQ(tests::queue_faults(text), "");
  const tests::QueueFolder folder{tests::run_queue(text)};
  const CsvTable jobs = read_csv(folder.path() / "jobs.csv");
  std::map<std::string, std::string> starts;
  for (const CsvTable::Row& row : jobs.rows)
    starts[jobs.cell(row, "job")] = jobs.cell(row, "start_s");
  EXPECT_EQ(starts, (std::map<std::string, std::string>{{"r", "0"}, {"cores", "3600"}, {"bytes", "3600"}, {"b", "0"}}));
}

TEST(KueueResources, ThatContradictEachOtherAreRefused)
{
  const auto faults = [](const std::string& quotas) {
    return tests::queue_faults(tests::queue_head + "kueue:\n  flavors: [{name: f}, {name: s}]\n" +
                               "  cluster_queues: [{name: a, quotas: [" + quotas + "]}]\n" +
                               "workload: {jobs: [{duration: 1 h, gpus: 1, team: a}]}\nscheduling: {policy: kueue}\n");
  };
  EXPECT_EQ(faults("{flavor: f, nominal_quota: 4, cpu: 8}, {flavor: s, nominal_quota: 0, cpu: 64}"), "");
  EXPECT_EQ(faults("{flavor: f, nominal_quota: 4}, {flavor: s, cpu: 64, pods: 100}"), "");
  EXPECT_THAT(faults("{flavor: f, nominal_quota: 4, cpu: 8}, {flavor: s, cpu: 64}"),
              HasSubstr("the flavors 'f' and 's' both have a quota of cpu, but only one of them has one of "
                        "nominal_quota (GPUs)"));
  EXPECT_THAT(faults("{flavor: f}"), HasSubstr("give nominal_quota (GPUs), cpu, memory or pods"));
  EXPECT_THAT(faults("{flavor: f, cpu: {nominal_quota: 8, borrowing_limit: 4}}"),
              HasSubstr("'borrowing_limit' has no effect without a cohort"));
  EXPECT_THAT(faults("{flavor: f, cpu: 8, lending_limit: 4}"), HasSubstr("'lending_limit' is of GPUs"));
}

} // namespace
} // namespace trainyard
