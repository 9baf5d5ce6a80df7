// SPDX-License-Identifier: Apache-2.0
/// Jobs whose tasks are not equal: a launcher, a master, workers. Machines and times are worked out by hand.
#include "models/core/csv.hpp"
#include "sim/sources/queue/scheduling.hpp"
#include "tests/support/queue_policies.hpp"
#include "tests/support/queue_scenario.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>

namespace trainyard {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using tests::queue_faults;
using tests::queue_head;
using tests::queue_outline;
using Cells = std::map<std::string, std::string>;

/// A column of a file of results, by job.
Cells cells(const tests::QueueFolder& folder, const std::string& file, const std::string& column)
{
  const CsvTable table = read_csv(folder.path() / file);
  Cells found;
  for (const CsvTable::Row& row : table.rows)
    found[table.cell(row, "job")] = table.cell(row, column);
  return found;
}

Cells starts(const std::string& scenario)
{
  return cells(tests::QueueFolder{tests::run_queue(scenario)}, "jobs.csv", "start_s");
}

/// Three machines of 8 GPUs, one of the flavor multi and two of single; the quotas of the cluster queue ml.
std::string kueue(const std::string& multi, const std::string& single, const std::string& jobs)
{
  return "trainyard: 1\nname: q\nquestion: when?\ncluster:\n"
         "  node_types: {node: {gpu: H100-SXM5, gpus: 8, cpu_cores: 32, memory: 256 GB}}\n"
         "  nodes: [{name: multi, type: node, count: 1}, {name: single, type: node, count: 2}]\n"
         "  network: {topology: star, link: 25GbE}\nworkload:\n  jobs:\n" +
         jobs +
         "kueue:\n  flavors: [{name: multi, nodes: [multi]}, {name: single, nodes: [single]}]\n  cluster_queues:\n"
         "    - {name: ml, quotas: [{flavor: multi, nominal_quota: " +
         multi + "}, {flavor: single, nominal_quota: " + single + "}]}\nscheduling: {policy: kueue}\n";
}

const std::string training = "    - {name: training, duration: 5 h, team: ml, tasks: [{role: master, gpus: 8}, "
                             "{role: worker, count: 2, gpus: 8}]}\n";

TEST(KueuePodSets, EachGetsAFlavorOfItsOwn)
{
  // The master takes the 8 GPUs of multi. The workers, 16 beside it, fit the quota of single alone.
  const tests::QueueFolder folder{tests::run_queue(kueue("8", "16", training))};
  EXPECT_EQ(cells(folder, "jobs.csv", "start_s").at("training"), "0");
  EXPECT_EQ(cells(folder, "jobs.csv", "end_s").at("training"), "18000");
  EXPECT_EQ(cells(folder, "runs.csv", "nodes").at("training"), "multi-0:8 single-0:8 single-1:8");
}

TEST(KueuePodSets, EqualTasksAreOneAndGetOneFlavor)
{
  const std::string equal = "    - {name: training, duration: 5 h, team: ml, gpus: 24, tasks: 3}\n";
  EXPECT_EQ(starts(kueue("8", "16", equal)).at("training"), "");
  EXPECT_EQ(starts(kueue("8", "24", equal)).at("training"), ""); // machines of single have 16
  EXPECT_THAT(queue_outline(kueue("8", "16", equal)),
              HasSubstr("training: it needs quota for 24 GPUs of one flavor, cluster queue ml can have 8 of multi, 16 "
                        "of single"));
}

TEST(KueuePodSets, WithoutQuotaForAllNothingIsAdmitted)
{
  // 8 of multi are the master's, and the workers need 16 of one flavor.
  const std::string scenario = kueue("8", "8", training);
  const tests::QueueFolder folder{tests::run_queue(scenario)};
  EXPECT_EQ(cells(folder, "jobs.csv", "start_s").at("training"), "");
  EXPECT_EQ(cells(folder, "jobs.csv", "reason").at("training"), "it needs more quota than its team can ever have");
  EXPECT_THAT(folder.explain("training"), HasSubstr("never started: it needs more quota than its team can ever have"));
  EXPECT_THAT(queue_outline(scenario), HasSubstr("training: its worker needs quota for 16 GPUs of one flavor, cluster "
                                                 "queue ml can have 0 of multi, 8 of single"));
}

TEST(KueuePodSets, QuotasAreChargedByFlavorAndGivenBack)
{
  // first has 8 of multi and 8 of single. small finds none of multi left and 8 of single. second finds neither until
  // first ends at 1 h.
  const std::string two = ", duration: 1 h, team: ml, tasks: [{role: master, gpus: 8}, {role: worker, count: 2, gpus: "
                          "4}]}\n";
  const std::string scenario =
      kueue("8", "16",
            "    - {name: first" + two + "    - {name: small, duration: 3 h, team: ml, gpus: 8, tasks: 1}\n" +
                "    - {name: second, submit: 1 s" + two);
  const tests::QueueFolder folder{tests::run_queue(scenario)};
  EXPECT_EQ(cells(folder, "jobs.csv", "start_s"), (Cells{{"first", "0"}, {"small", "0"}, {"second", "3600"}}));
  EXPECT_EQ(cells(folder, "runs.csv", "nodes").at("small"), "single-1:8");
  EXPECT_THAT(folder.explain("second"), HasSubstr("its team has no quota left for it: flavor multi"));
}

TEST(KueuePodSets, WithoutRulesEveryPodSetCountsTheMachinesThatAdmitIt)
{
  // The master goes to n-0 only, the worker to n-1 only; a second such job waits.
  const std::string job = ", duration: 1 h, tasks: [{role: master, gpus: 4, node_selector: "
                          "[kubernetes.io/hostname=n-0]}, {role: worker, gpus: 4, node_selector: "
                          "[kubernetes.io/hostname=n-1]}]}";
  EXPECT_EQ(starts(queue_head + "workload: {jobs: [{name: a" + job + ", {name: b" + job +
                   "]}\nscheduling: {policy: kueue}\n"),
            (Cells{{"a", "0"}, {"b", "3600"}}));
}

TEST(UnlikeTasks, AMasterIsNotSplit)
{
  // Two machines of 4 GPUs.
  const std::string scenario = queue_head + "workload: {jobs: [{name: j, duration: 1 h, tasks: [{role: master, gpus: "
                                            "8}, {role: worker, gpus: 0}]}]}\n";
  EXPECT_THAT(queue_outline(scenario), HasSubstr("j: its master: 8 GPUs a machine, machines have 4"));
  EXPECT_EQ(starts(scenario).at("j"), "");
}

TEST(UnlikeTasks, TasksThatFitOnlyOneByOneNeverStart)
{
  // 3 + 3 + 2 GPUs are 8, but no machine of 4 holds two of them.
  const std::string scenario = queue_head + "workload: {jobs: [{name: j, duration: 1 h, tasks: [{role: worker, count: "
                                            "2, gpus: 3}, {role: server, gpus: 2}]}]}\n";
  EXPECT_THAT(queue_outline(scenario), HasSubstr("j: each of its tasks fits the empty machines, but not all together"));
}

TEST(UnlikeTasks, TheLargestArePlacedFirst)
{
  // Placement spread puts the two small tasks on a machine each, where the large one finds no machine of 4 GPUs left.
  const std::string scenario = queue_head + "workload: {jobs: [{name: j, duration: 1 h, tasks: [{role: small, count: "
                                            "2, gpus: 2}, {role: large, gpus: 4}]}]}\n"
                                            "scheduling: {placements: [spread]}\n";
  const tests::QueueFolder folder{tests::run_queue(scenario)};
  EXPECT_EQ(cells(folder, "jobs.csv", "start_s").at("j"), "0");
  EXPECT_EQ(cells(folder, "runs.csv", "nodes").at("j"), "n-1:2 n-1:2 n-0:4");
}

TEST(UnlikeTasks, WhatFewMachinesHoldIsPlacedBeforeWhatIsLarger)
{
  // The small task may only go to n-0, the large one to any machine: it leaves n-0 to the small one.
  const std::string scenario = queue_head +
                               "workload: {jobs: [{name: j, duration: 1 h, tasks: [{role: large, gpus: 4}, "
                               "{role: small, gpus: 1, node_selector: [kubernetes.io/hostname=n-0]}]}]}\n";
  const tests::QueueFolder folder{tests::run_queue(scenario)};
  EXPECT_EQ(cells(folder, "runs.csv", "nodes").at("j"), "n-1:4 n-0:1");
}

TEST(UnlikeTasks, ALauncherTakesCpuAlone)
{
  // The launcher holds all 32 cores of a machine until 1 h; the GPUs beside it are of no use to a job that needs a
  // core.
  const std::string scenario =
      queue_head + "workload: {jobs: [{name: mpi, duration: 1 h, tasks: [{role: launcher, cpus: 32}, {role: worker, "
                   "gpus: 4, cpus: 32}]}, {name: next, submit: 1 s, duration: 1 h, gpus: 1, tasks: 1, cpus: 1}, "
                   "{name: bare, submit: 1 s, duration: 1 h, gpus: 4, tasks: 1}]}\nscheduling: {policy: priority}\n";
  const tests::QueueFolder folder{tests::run_queue(scenario)};
  EXPECT_EQ(cells(folder, "jobs.csv", "start_s"), (Cells{{"mpi", "0"}, {"next", "3600"}, {"bare", "1"}}));
}

TEST(UnlikeTasks, AGangWaitsForAllAndTwoShareTheMachines)
{
  // 8 GPUs, 4 of them for each job: two run at once, the third starts when they end.
  const std::string job = ", duration: 1 h, tasks: [{role: master, gpus: 2}, {role: worker, count: 2, gpus: 1}]}";
  for (const std::string policy : {"fifo", "volcano", "kueue", "easy_backfill"})
    EXPECT_EQ(starts(queue_head + "workload: {jobs: [{name: a" + job + ", {name: b" + job + ", {name: c" + job +
                     "]}\nscheduling: {policy: " + policy + "}\n"),
              (Cells{{"a", "0"}, {"b", "0"}, {"c", "3600"}}))
        << policy;
}

TEST(UnlikeTasks, StartUnderEveryPolicyThatDoesNotRefuseThem)
{
  Workload workload;
  workload.jobs.push_back(tests::job(0, 100, 0));
  workload.set_tasks(workload.jobs[0], {{.role = "master", .gpus = 4}, {.role = "worker", .count = 2, .gpus = 2}});
  const ClusterShape shape = ClusterShape::machines(2, 4);
  for (const std::string& name : tests::own_queue_policies()) {
    const auto policy = Registry<QueuePolicy>::instance().create(name, Settings{});
    const auto placement = Registry<PlacementPolicy>::instance().create("best_fit", Settings{});
    if (policy->unlike_tasks())
      EXPECT_EQ(simulate_queue(workload, shape, *policy, placement.get()).jobs[0].first_start, Instant{0}) << name;
    else
      EXPECT_THROW(simulate_queue(workload, shape, *policy, placement.get()), std::invalid_argument) << name;
  }
}

TEST(UnlikeTasks, AListOfOneIsTheNumber)
{
  const auto run = [](const std::string& tasks) {
    return starts(queue_head + "workload: {jobs: [{name: a, duration: 1 h, cpus: 9, " + tasks +
                  "}, {name: b, duration: 1 h, cpus: 9, " + tasks + "}]}\n");
  };
  EXPECT_EQ(run("tasks: [{count: 4, gpus: 1}]"), run("gpus: 4, tasks: 4"));
  EXPECT_EQ(run("tasks: [{count: 4, gpus: 1}]").at("b"), "3600"); // a machine has the cores for 3 tasks
}

TEST(UnlikeTasks, ConflictsInAScenarioAreErrors)
{
  const auto fault = [](const std::string& job, const std::string& more = "") {
    return queue_faults(queue_head + "workload: {jobs: [{name: j, duration: 1 h, " + job + "}]}\n" + more);
  };
  const std::string two = "tasks: [{gpus: 4}, {gpus: 2}]";
  EXPECT_EQ(fault(two), "");
  EXPECT_EQ(fault(two + ", gpus: 6"), "");
  EXPECT_THAT(fault(two + ", gpus: 8"),
              HasSubstr("the tasks have 6 GPUs together, not 8; remove 'gpus' or mend one of them"));
  EXPECT_THAT(fault("tasks: [{gpus: 4, count: 0}, {gpus: 2}]"), HasSubstr("count"));
  EXPECT_THAT(fault("tasks: []"), HasSubstr("the list of tasks is empty"));
  EXPECT_THAT(fault(two + ", max_gpus: 8"), HasSubstr("'max_gpus' is for equal tasks; write their number (tasks: 3)"));
  EXPECT_THAT(fault(two, "scheduling: {policy: gavel}\n"), HasSubstr("this policy starts jobs of equal tasks only"));
  EXPECT_THAT(fault("tasks: [{gpus: 4}, {gpu: 2}]"), HasSubstr("'gpu'"));
}

TEST(UnlikeTasks, GpusOfDifferentTypesAreRefusedWhereOneIsMeant)
{
  const std::string scenario =
      "trainyard: 1\nname: q\nquestion: when?\ncluster:\n"
      "  node_types: {a: {gpu: A100-SXM4-40GB, gpus: 4}, v: {gpu: V100-SXM2-16GB, gpus: 4}}\n"
      "  nodes: [{name: v, type: v, count: 1}, {name: a, type: a, count: 1}]\n"
      "  network: {topology: star, link: 25GbE}\nworkload: {jobs: [{name: j, duration: 1 h, tasks: [{role: master, "
      "gpus: 4, gpu_type: A100-SXM4-40GB}, {role: worker, gpus: 4, gpu_type: V100-SXM2-16GB}]}]}\n";
  EXPECT_EQ(starts(scenario).at("j"), "0");
  EXPECT_THAT(queue_faults(scenario + "scheduling: {policy: las}\n"),
              HasSubstr("its tasks ask for different types of GPU, but this policy gives a job GPUs of one type"));
}

} // namespace
} // namespace trainyard
