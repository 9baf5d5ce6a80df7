// SPDX-License-Identifier: Apache-2.0
// Queue scenarios from text to results: listed jobs, planners against the optimum, shared GPUs, marked machines,
// machines from files, faults.
#include "models/core/csv.hpp"
#include "models/core/data_folder.hpp"
#include "sim/cluster/resources.hpp"
#include "sim/run/simulate.hpp"
#include "tests/support/queue_scenario.hpp"
#include "tests/support/read_bytes.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <fstream>

namespace trainyard {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using tests::queue_faults;
using tests::queue_head;
using tests::QueueFolder;
using tests::read_bytes;
using tests::run_queue;
using Json = nlohmann::json;

std::string column_of(const std::string& csv, const std::string& job, const std::string& column)
{
  const CsvTable table = parse_csv(csv, "jobs.csv");
  for (const CsvTable::Row& row : table.rows)
    if (table.cell(row, "job") == job)
      return table.cell(row, column);
  return "no such job";
}

TEST(ListedJobs, RunWithDependenciesSizesAndOwners)
{
  // 8 GPUs. b waits for a (10 min); c needs all 8 and is behind b in FIFO order, so it starts when b ends at 30 min.
  const RunReport report =
      run_queue(queue_head + "workload:\n  jobs:\n"
                             "    - {name: a, duration: 10 min, gpus: 4, team: red, user: ann, queue: short}\n"
                             "    - {name: b, duration: 20 min, gpus: 4, after: [a], team: blue, deadline: 1 h}\n"
                             "    - {name: c, submit: 10 min, duration: 5 min, gpus: 8}\n");
  EXPECT_EQ(report.exit_code, 0);
  const QueueFolder folder{report};
  const std::string jobs = read_bytes(folder.path() / "jobs.csv");
  EXPECT_EQ(column_of(jobs, "b", "start_s"), "600");
  EXPECT_EQ(column_of(jobs, "c", "start_s"), "1800");
  EXPECT_EQ(column_of(jobs, "a", "queue"), "short");
  EXPECT_THAT(read_bytes(folder.path() / "groups.csv"), HasSubstr(",queue,short,1,1,0,"));
}

/// When jobs end on two machines of one GPU each, two halves (100 s, submitted first) and others.
std::string ends_beside_halves(const std::string& placement, const std::string& deadline, const std::string& others)
{
  const std::string half = ", duration: 100 s, gpus: 1, gpu_share: 0.5, deadline: " + deadline + "}\n";
  const QueueFolder folder{run_queue(
      "trainyard: 1\nname: q\nquestion: who waits?\ncluster:\n"
      "  node_types: {n: {gpu: V100-SXM2-16GB, gpus: 1}}\n  nodes: [{name: n, type: n, count: 2}]\n"
      "  network: {topology: star, link: 25GbE}\nworkload:\n  jobs:\n    - {name: h1" +
      half + "    - {name: h2" + half + others + "scheduling: {policy: deadline, placement: " + placement + "}\n")};
  const std::string jobs = read_bytes(folder.path() / "jobs.csv");
  std::string all;
  for (const char* job : {"h1", "h2", "w", "x"})
    all += column_of(jobs, job, "end_s") + " ";
  return all;
}

// Spread, h1 and h2 hold a half of each GPU. w needs a whole one: h2, the last in order, is stopped and goes on beside
// h1. First fit puts both halves on one GPU at once. So w runs from 1 to 51 s, x on both until 81, then h1 and h2 the
// last 49 s.
TEST(DeadlineAdmission, HalvesOfTwoGpusAreNoGpu)
{
  const std::string others = "    - {name: w, submit: 1 s, duration: 50 s, gpus: 1, deadline: 120 s}\n"
                             "    - {name: x, submit: 2 s, duration: 30 s, gpus: 2, deadline: 135 s}\n";
  EXPECT_EQ(ends_beside_halves("spread", "200 s", others), "130 130 51 81 ");
  EXPECT_EQ(ends_beside_halves("first_fit", "200 s", others), "130 130 51 81 ");
}

// Where the halves come first in order, nobody is stopped for w: it would end at 150 s, a second too late, and is not
// admitted. x is, and has both GPUs before w.
TEST(DeadlineAdmission, HalvesThatComeFirstAreNotStoppedForAWholeGpu)
{
  const std::string others = "    - {name: w, submit: 1 s, duration: 50 s, gpus: 1, deadline: 149 s}\n"
                             "    - {name: x, submit: 2 s, duration: 30 s, gpus: 2, deadline: 160 s}\n";
  EXPECT_EQ(ends_beside_halves("spread", "140 s", others), "100 100 180 130 ");
}

// While `one` holds half of a-0, 8 GPUs are four of a-0 and four of b-0: as fast as on two machines of four, for each
// GPU has a network card of its own. Where their links differ, the job says what it could ask for.
TEST(ListedJobs, DividedAcrossMachinesOfUnlikeSizes)
{
  const auto scenario = [](const std::string& big, const std::string& nodes, const std::string& first) {
    return "trainyard: 1\nname: q\ncluster:\n  node_types: {a: {gpu: " + big +
           ", gpus: 8}, b: {gpu: A100-SXM4-80GB, gpus: 4}}\n  nodes: [" + nodes +
           "]\n  network: {topology: star, link: 100GbE}\njobs:\n  - {name: g, model: gpt2_small, "
           "training: {parallel: {tp: 2, dp: 2, global_batch: 32}}}\nworkload:\n  jobs:\n" +
           first + "    - {name: two, gpus: 8, model: g, steps: 100}\nscheduling: {policies: [fifo], speed: step}\n";
  };
  const auto end = [&](const std::string& text) {
    const QueueFolder folder{run_queue(text)};
    return std::stod(column_of(read_bytes(folder.path() / "jobs.csv"), "two", "end_s"));
  };
  const std::string one = "    - {name: one, gpus: 4, model: g, steps: 1000}\n", a = "{name: a, type: a, count: 1}",
                    b = "{name: b, type: b, count: ";
  const double alike = end(scenario("A100-SXM4-80GB", b + "2}", ""));
  EXPECT_NEAR(end(scenario("A100-SXM4-80GB", a + ", " + b + "1}", one)), alike, 0.01 * alike);
  try {
    run_queue(scenario("A100-SXM4-80GB, intra: pcie_tree", a + ", " + b + "1}", one));
    FAIL() << "two kinds of links";
  } catch (const std::exception& fault) {
    EXPECT_THAT(std::string{fault.what()},
                AllOf(HasSubstr("of links at GPUs and network cards and a-0 with"),
                      HasSubstr("let it ask for a gpu_type, or for labels (node_selector)")));
  }
}

// Times of listed jobs and of failures have the same zero: the machine fails 200 s after j0 has begun, which loses
// them, and is back after 100 s. Makespan counts from the first submission: 800 s. Two of four GPUs each work 500 s for
// each job, and lose 200 and 100 s.
TEST(ListedJobs, AreSubmittedWhenTheySay)
{
  std::string head = queue_head;
  head.replace(head.find("count: 2"), 8, "count: 1");
  const RunReport report =
      run_queue(head + "workload:\n  jobs:\n    - {name: j1, submit: 1100 s, duration: 500 s, gpus: "
                       "2}\n    - {name: j0, submit: 1000 s, duration: 500 s, gpus: 2}\n"
                       "faults: [{fail: node:n-0, at: 1200 s, lasts: 100 s}]\n");
  const QueueFolder folder{report};
  const std::string jobs = read_bytes(folder.path() / "jobs.csv");
  EXPECT_EQ(column_of(jobs, "j0", "submit_s"), "1000");
  for (const char* job : {"j0", "j1"}) {
    EXPECT_EQ(column_of(jobs, job, "failures"), "1") << job;
    EXPECT_EQ(column_of(jobs, job, "end_s"), "1800") << job;
  }
  const Json policy = Json(report.summary)["policies"].front();
  EXPECT_DOUBLE_EQ(policy["makespan_s"], 800);
  EXPECT_NEAR(policy["utilisation"], (200 + 100 + 2 * 500) * 2 / (800.0 * 4), 1e-9);
}

// b stops a after 60 s of work, which are saved; a goes on at 160 s. The failure at 200 s loses the 40 s since, and a
// begins again at 250 s with 240 s to do. With checkpoints of every 50 s of work, those 100 s are there, and 200 s
// left.
TEST(ListedJobs, WhatAPreemptionSavedNoFailureLoses)
{
  std::string head = queue_head;
  head.replace(head.find("count: 2"), 8, "count: 1");
  for (const auto& [interval, end] : {std::pair{"", "490"}, std::pair{", checkpoint_interval: 50 s", "450"}}) {
    const RunReport report = run_queue(head +
                                       "workload:\n  jobs:\n    - {name: a, duration: 300 s, gpus: 4}\n    - "
                                       "{name: b, submit: 60 s, duration: 100 s, gpus: 4, priority: 1}\n"
                                       "faults: [{fail: node:n-0, at: 200 s, lasts: 50 s}]\n"
                                       "scheduling: {policy: priority" +
                                       interval + "}\n");
    const QueueFolder folder{report};
    EXPECT_EQ(column_of(read_bytes(folder.path() / "jobs.csv"), "a", "end_s"), end) << interval;
  }
}

// At 60 s low, with 55 s done, saves until 80 s; mid has its GPUs and waits. High takes them at 70 s, from 80 s on: 5 s
// of start, 40 s of work. So mid begins at 125 s for the first time, and low at 180 s again, with 7 s of loading.
TEST(ListedJobs, StoppedBeforeTheyBeginHaveNotStarted)
{
  std::string head = queue_head;
  head.replace(head.find("count: 2"), 8, "count: 1");
  const RunReport report = run_queue(
      head +
      "workload:\n  jobs:\n    - {name: low, duration: 300 s, gpus: 4}\n    - {name: mid, submit: 60 s, "
      "duration: 50 s, gpus: 4, priority: 1}\n    - {name: high, submit: 70 s, duration: 40 s, gpus: 4, priority: "
      "2}\nscheduling: {policy: priority, checkpoint_cost: 20 s, start_cost: 5 s, restart_cost: 7 s}\n");
  const QueueFolder folder{report};
  const std::string jobs = read_bytes(folder.path() / "jobs.csv");
  EXPECT_EQ(column_of(jobs, "high", "end_s"), "125");
  EXPECT_EQ(column_of(jobs, "mid", "start_s"), "125");
  EXPECT_EQ(column_of(jobs, "mid", "end_s"), "180");
  EXPECT_EQ(column_of(jobs, "low", "end_s"), "432");
}

// Under `elastic` c comes at 600 s, when a and b have all GPUs. It gets one and at once more, and begins on them when
// those of a and b have been saved: 10 s later.
TEST(ListedJobs, ThatGetOtherGpusBeforeTheyBeginHaveStarted)
{
  const std::string file = (data_folder() / "scenarios/goodput.yaml").string();
  std::string text = read_bytes(file);
  const std::string policies = "[{name: fifo, skip: true}, elastic, optimus, pollux, sia]";
  text.replace(text.find(policies), policies.size(), "[elastic]");
  const QueueFolder folder{run_queue(text, file)};
  EXPECT_EQ(column_of(read_bytes(folder.path() / "jobs.csv"), "c", "start_s"), "610");
}

// c and b are ready at 10 s: b was submitted first.
TEST(ListedJobs, ReadyAtOneInstantComeInOrderOfSubmission)
{
  std::string head = queue_head;
  head.replace(head.find("count: 2"), 8, "count: 1");
  const RunReport report = run_queue(head + "workload:\n  jobs:\n    - {name: c, submit: 2 s, duration: 5 s, gpus: 4, "
                                            "after: [a]}\n    - {name: b, submit: 1 s, duration: 5 s, gpus: 4, after: "
                                            "[a]}\n    - {name: a, duration: 10 s, gpus: 4}\n");
  const QueueFolder folder{report};
  const std::string jobs = read_bytes(folder.path() / "jobs.csv");
  EXPECT_EQ(column_of(jobs, "b", "start_s"), "10");
  EXPECT_EQ(column_of(jobs, "c", "start_s"), "15");
}

// A job on both machines leaves none for servers of its own; who tells it says "error:" once, before the place.
TEST(ListedJobs, WhyAJobCannotRunIsToldInOneSentence)
{
  const std::string fault =
      queue_faults(queue_head + "jobs: [{name: m, model: resnet50, training: {mode: parameter_server, servers: 2, "
                                "server_placement: dedicated}}]\n"
                                "workload: {jobs: [{name: a, model: m, steps: 5, gpus: 8}]}\n"
                                "scheduling: {speed: step}\n");
  EXPECT_THAT(fault,
              HasSubstr("job a cannot run: job 'm': server_placement: dedicated needs a machine without workers"));
  EXPECT_EQ(fault.find("error:"), std::string::npos);
}

TEST(ListedJobs, ThatThePolicyWithdrawsDidNotRun)
{
  // At 10 s the job of QOS high takes all 8 GPUs; that of QOS low is cancelled.
  const RunReport report =
      run_queue(queue_head + "workload: {jobs: [{name: a, gpus: 8, duration: 100 s, qos: low}, {name: b, submit: 10 s, "
                             "gpus: 8, duration: 20 s, "
                             "qos: high}]}\nscheduling: {policy: {name: slurm, preempt: qos, preempt_mode: cancel}}\n"
                             "slurm: {qos: [{name: low}, {name: high, priority: 10, preempts: [low]}]}\n");
  EXPECT_EQ(report.exit_code, 3);
  EXPECT_THAT(report.text(), AllOf(HasSubstr("1 of the jobs can never run here or did not run: job a, line "),
                                   HasSubstr("(8 GPUs): the policy has withdrawn it. jobs.csv lists them")));
}

TEST(GeneratedJobs, TimesBeyondTheClockAreToldWithTheirCause)
{
  const auto fault = [](const std::string& keys) { return queue_faults(queue_head + "workload: {" + keys + "}\n"); };
  // Of 100 run times around 70 weeks one is e^10 times as long: 30,000 years.
  EXPECT_THAT(fault("generate: {jobs: 100, median_duration: 70 w, duration_sigma: 10}"),
              AllOf(HasSubstr("workload.generate.duration_sigma: the run time of job "),
                    HasSubstr(": times beyond 73 years are not simulated; lower it, or 'median_duration'")));
  EXPECT_THAT(fault("generate: {jobs: 100, mean_interarrival: 100 w, duration_sigma: 0}"),
              HasSubstr("workload.generate.mean_interarrival: the submission of job "));
  EXPECT_THAT(fault("generate: {jobs: 100, median_duration: 1 w, duration_sigma: 0}, estimate_badness: 1e6"),
              HasSubstr("workload.estimate_badness: the estimate of job "));
}

TEST(ListedJobs, FaultsHavePlaces)
{
  const std::string jobs = "workload: {jobs: [{name: a, duration: 1 h";
  EXPECT_THAT(queue_faults(queue_head + jobs + ", after: [trian]}, {name: train, duration: 1 h}]}\n"),
              HasSubstr("did you mean 'train'"));
  EXPECT_THAT(queue_faults(queue_head + jobs + ", after: [b]}, {name: b, duration: 1 h, after: [a]}]}\n"),
              HasSubstr("a -> b -> a"));
  EXPECT_THAT(queue_faults(queue_head + jobs + ", gpus: 4, min_gpus: 6}]}\n"), HasSubstr("does not hold"));
  EXPECT_THAT(queue_faults(queue_head + jobs + ", gpus: 2, gpu_share: 0.5}]}\n"), HasSubstr("needs gpus: 1"));
  EXPECT_THAT(queue_faults(queue_head + jobs + ", gpus: 3, tasks: 2}]}\n"), HasSubstr("cannot be divided evenly"));
  EXPECT_THAT(queue_faults(queue_head + jobs + ", after: {b: 1}}]}\n"), HasSubstr("the name of a job, or a list"));
  EXPECT_THAT(queue_faults(queue_head + jobs + ", cpus: 4, cpu_milli: 500}]}\n"), HasSubstr("either 'cpus' or"));
  // Kept in MiB, at most 1e9 of them: 1e9 x 1,048,576 B = 1048.576 TB. More may not become a small or negative number.
  EXPECT_THAT(queue_faults(queue_head + jobs + ", memory: 1e9 TB}]}\n"), HasSubstr("it must be at most 1048.58 TB"));
  EXPECT_THAT(queue_faults(queue_head + jobs + "}, {name: a, duration: 1 h}]}\n"),
              HasSubstr("two jobs have the name 'a'"));
  EXPECT_THAT(queue_faults(queue_head + "workload: {jobs: []}\n"), HasSubstr("is empty"));
  EXPECT_THAT(queue_faults(queue_head + "workload: {jobs: [{name: a}]}\n"), HasSubstr("duration"));
}

TEST(QueueReports, ShowHowFarTheyAreFromTheShortestMakespan)
{
  // Four GPUs in a pool: x (3 GPUs, 2 h) and y (2 GPUs, 1 h), z (2 GPUs, 1 h). Optimum 3 h: y beside z, then x (or the
  // other way round). FIFO in the order y, x, z: y 0-1, x 1-3, z behind x 3-4: 4 h, a third over the optimum; z has
  // room beside y, where it may overtake x, and all end after 3 h.
  std::string head = queue_head;
  head.replace(head.find("count: 2"), 8, "count: 1");
  const RunReport report =
      run_queue(head + "workload:\n  jobs:\n    - {name: y, duration: 1 h, gpus: 2}\n"
                       "    - {name: x, duration: 2 h, gpus: 3}\n    - {name: z, duration: 1 h, gpus: 2}\n"
                       "scheduling: {policies: [fifo, sjf], cluster: pool}\n");
  const Json summary = Json(report.summary);
  for (const Json& policy : summary["policies"]) {
    EXPECT_DOUBLE_EQ(policy["optimal_makespan_s"], 3 * 3600.0);
    if (policy["policy"] == "fifo") {
      EXPECT_NEAR(policy["makespan_gap"], 1.0 / 3, 1e-9);
    }
    if (policy["policy"] == "sjf") {
      EXPECT_NEAR(policy["makespan_gap"], 0, 1e-9);
    }
  }
  EXPECT_THAT(report.text(), HasSubstr("over optimum"));
  EXPECT_THAT(report.text(), HasSubstr("+33.3 %"));
}

TEST(SharedGpus, WhoAsksForMoreThanAWholeGpuSlowsTheOthersDown)
{
  // One GPU of the first machine gets both by best fit. By memory each would use the whole GPU's time: 1 h of work
  // takes 2 h. By milli-GPU each keeps to its half: 1 h.
  const std::string jobs =
      "workload: {jobs: [{name: a, duration: 1 h, gpu_share: 0.5}, {name: b, duration: 1 h, gpu_share: 0.5}]}\n";
  const auto makespan = [&](const std::string& by, const std::string& more = "") {
    const auto report =
        run_queue(queue_head + jobs + "scheduling: {placement: best_fit, gpu_sharing: {by: " + by + more + "}}\n");
    return Json(report.summary)["policies"][0]["makespan_s"].get<double>();
  };
  EXPECT_NEAR(makespan("memory"), 7200, 1e-6);
  EXPECT_NEAR(makespan("milli"), 3600, 1e-6);
  EXPECT_NEAR(makespan("milli", ", switch_loss: 0.1"), 3600 / 0.9, 1e-6);
}

TEST(SharedGpus, TheReportNamesTheNeighbourAndTheGpu)
{
  const QueueFolder folder{run_queue(queue_head + "workload: {jobs: [{name: a, duration: 1 h, gpu_share: 0.5}, "
                                                  "{name: b, duration: 1 h, gpu_share: 0.5}]}\n"
                                                  "scheduling: {placement: best_fit, gpu_sharing: {by: memory}}\n")};
  EXPECT_THAT(folder.explain("a"), HasSubstr("because it shared GPU 0 of machine 0 with job b"));
}

// Red's jobs may last a minute, so the hour never starts, whatever is repaired. Each of two machines fails every 20 h:
// some 8,800 failures in ten years. What is submitted after eleven years is waited for, and the run goes on as long
// again.
TEST(QueueFailures, GoOnForTenYearsWhereNothingStartsAnyMore)
{
  const auto failures = [](const std::string& other) {
    const RunReport report =
        run_queue(queue_head + "workload: {jobs: [{name: never, duration: 1 h, gpus: 8, team: red}" + other +
                  "]}\nscheduling: {policy: slurm}\nslurm: {associations: [{account: red, max_time: 1 min}]}\n"
                  "faults: {random: [{kind: node, mtbf: 20 h, mttr: 1 s}]}\n");
    const QueueFolder folder{report};
    const std::string jobs = read_bytes(folder.path() / "jobs.csv");
    EXPECT_EQ(column_of(jobs, "never", "state"), "never started");
    if (!other.empty()) {
      EXPECT_EQ(column_of(jobs, "late", "state"), "finished");
    }
    return static_cast<double>(std::ranges::count(read_bytes(folder.path() / "failures.csv"), '\n'));
  };
  EXPECT_NEAR(failures(""), 8766, 400);
  EXPECT_NEAR(failures(", {name: late, submit: 96360 h, duration: 10 s, gpus: 1}"), 2.1 * 8766, 800);
}

TEST(SharedGpus, WhoFindsTooLittleMemoryDies)
{
  // 16 GB on a V100: the first takes 10 GiB; the second needs 8 and dies after 30 s, twice, on the only GPU that best
  // fit gives it.
  std::string head = queue_head;
  head.replace(head.find("gpus: 4"), 7, "gpus: 1");
  head.replace(head.find("count: 2"), 8, "count: 1");
  const std::string jobs = "workload: {jobs: [{name: a, duration: 1 h, gpu_share: 0.5, gpu_memory: 10 GiB}, "
                           "{name: b, submit: 1 min, duration: 1 h, gpu_share: 0.4, gpu_memory: 8 GiB}]}\n";
  const RunReport report = run_queue(head + jobs + "scheduling: {gpu_sharing: {by: memory, out_of_memory_tries: 2}}\n");
  EXPECT_EQ(report.exit_code, 3);
  EXPECT_THAT(report.text(), HasSubstr("ran out of GPU memory"));
  const Json policy = Json(report.summary)["policies"][0];
  EXPECT_EQ(policy["out_of_memory"], 2);
  EXPECT_EQ(policy["finished"], 1);
  // a is slowed by b for the 60 s that b lives beside it: both ask for the whole GPU, so a does 30 s of work in them.
  EXPECT_NEAR(policy["makespan_s"], 3600 + 30, 1e-6);
  // Held to its share of 0.4 x 16 GB = 6.4 GB, b dies even alone.
  EXPECT_EQ(run_queue(head + "workload: {jobs: [{name: b, duration: 1 h, gpu_share: 0.4, gpu_memory: 8 GiB}]}\n"
                             "scheduling: {gpu_sharing: {by: memory, isolated_memory: true}}\n")
                .exit_code,
            3);
}

TEST(MarkedNodes, TaintsSelectorsAndPreferencesDecideWhere)
{
  const auto places = [&](const std::string& jobs) {
    const QueueFolder folder{run_queue(queue_head + "workload: {jobs: [" + jobs +
                                       "]}\nscheduling:\n  placement: kubernetes\n  nodes:\n"
                                       "    - {nodes: n-0, labels: [disk=nvme], taints: [\"team=a:NoSchedule\"]}\n"
                                       "    - {nodes: n-1, labels: [zone=b]}\n")};
    return column_of(read_bytes(folder.path() / "runs.csv"), "j", "nodes");
  };
  EXPECT_EQ(places("{name: j, duration: 1 h}"), "n-1:1"); // n-0 is tainted
  EXPECT_EQ(places("{name: j, duration: 1 h, tolerations: [team=a], node_selector: [disk=nvme]}"), "n-0:1");
  EXPECT_EQ(places("{name: j, duration: 1 h, tolerations: [\"*\"], prefers: {zone=b: 100}}"), "n-1:1");
  EXPECT_EQ(places("{name: j, duration: 1 h, tolerations: [\"*\"], prefers: {disk=nvme: 100}}"), "n-0:1");
  const RunReport never =
      run_queue(queue_head + "workload: {jobs: [{name: j, duration: 1 h, node_selector: [disk=tape]}]}\n");
  EXPECT_EQ(never.exit_code, 3);
  EXPECT_THAT(never.text(), HasSubstr("no machine has the labels that it asks for"));
  EXPECT_THAT(
      queue_faults(queue_head +
                   "workload: {jobs: [{name: j, duration: 1 h}]}\nscheduling: {nodes: [{nodes: m, labels: [a=b]}]}\n"),
      HasSubstr("no machine or node group 'm'"));
  EXPECT_THAT(
      queue_faults(queue_head +
                   "workload: {jobs: [{name: j, duration: 1 h}]}\nscheduling: {nodes: [{nodes: n, taints: [a=b]}]}\n"),
      HasSubstr("key=value:NoSchedule"));
}

TEST(MachinesFromAFile, StandForTheCluster)
{
  const std::string traces = (data_folder() / "scenarios/traces").string();
  const std::string head = "trainyard: 1\nname: q\nquestion: who waits?\nworkload:\n  jobs: [{name: j, duration: 1 h, "
                           "gpus: 8, gpu_type: G2}]\n";
  const RunReport openb = run_queue(head + "  machines: " + traces + "/mixed_nodes.csv\n");
  EXPECT_EQ(openb.exit_code, 0);
  EXPECT_THAT(openb.text(), HasSubstr("1 job on 88 GPUs")); // 4 x (2 + 8 + 8 + 4)
  const RunReport tiresias = run_queue("trainyard: 1\nname: q\nquestion: who waits?\nworkload:\n  jobs: [{name: j, "
                                       "duration: 1 h, gpus: 8}]\n  machines: " +
                                       traces + "/racks.csv\n");
  EXPECT_THAT(tiresias.text(), HasSubstr("1 job on 64 GPUs")); // 4 switches x 4 machines x 4 GPUs
  EXPECT_THAT(queue_faults(head + "  machines: none.csv\n"), HasSubstr("no file of machines 'none.csv'"));
  EXPECT_THAT(queue_faults(head + "  machines: " + traces + "/three_teams.csv\n"),
              HasSubstr("lists jobs, not machines"));
}

TEST(Explain, NamesTheConstraintTheBlockerAndWhenItCouldHaveStarted)
{
  // 8 GPUs: first takes 6 until 1 h; big (4) heads the queue with 2 free; small (2) would fit from the beginning but is
  // behind big in FIFO.
  const std::string jobs =
      "workload: {jobs: [{name: first, duration: 1 h, gpus: 6}, {name: big, submit: 1 min, duration: 1 h, gpus: 4}, "
      "{name: small, submit: 2 min, duration: 2 h, gpus: 2}]}\n";
  const QueueFolder fifo{run_queue(queue_head + jobs)};
  EXPECT_THAT(fifo.explain("small"),
              HasSubstr("a job before it in the queue is blocked: job big, which needs 4 GPUs (2 free)"));
  EXPECT_THAT(fifo.explain("small"), HasSubstr("it could have started at 00:02:00, 58.0 min earlier"));
  EXPECT_THAT(fifo.explain("big"), HasSubstr("fewer GPUs free than it needs (4 needed, 2 free)"));
  EXPECT_THAT(fifo.explain("big"), HasSubstr("it could not have started earlier"));
  // EASY: big is promised 01:00:00. small (2 GPUs, 2 h) uses the 4 that are left over then: it starts at once.
  const QueueFolder easy{run_queue(queue_head + jobs + "scheduling: {policy: easy_backfill}\n")};
  EXPECT_THAT(easy.explain("small"), HasSubstr("started at once"));
  EXPECT_THAT(easy.explain("big"), HasSubstr("planned to start at 01:00:00"));
  // Each job that would delay it has this reason.
  const std::string greedy =
      "workload: {jobs: [{name: first, duration: 1 h, gpus: 6}, {name: big, submit: 1 min, duration: 1 h, gpus: 8}, "
      "{name: small, submit: 2 min, duration: 2 h, gpus: 2}]}\n";
  const QueueFolder held{run_queue(queue_head + greedy + "scheduling: {policy: easy_backfill}\n")};
  EXPECT_THAT(held.explain("small"),
              HasSubstr(to_text(WaitReason::reservation) + ": job big, which needs 8 GPUs (2 free)"));
}

// 8 GPUs on two machines; a (8 GPUs) is the head again when a machine breaks at 1 h. No end of a running job gives it 8
// GPUs, so nothing can delay it, and b (2 GPUs, 1 h) uses the machine that is left: it ends at 2 h. The makespan of
// those that ran says nothing beside the best one of all.
TEST(EasyBackfill, MachinesThatAreDownHoldNobodyElseUp)
{
  const std::string jobs = "workload: {jobs: [{name: a, duration: 2 h, gpus: 8}, {name: b, submit: 1 min, "
                           "duration: 1 h, gpus: 2}]}\nscheduling: {policy: easy_backfill}\n";
  const RunReport broken = run_queue(queue_head + jobs + "faults: ['node:n-1@1h']\n");
  EXPECT_EQ(column_of(read_bytes(QueueFolder{broken}.path() / "jobs.csv"), "b", "end_s"), "7200");
  EXPECT_EQ(broken.exit_code, 3);
  EXPECT_THAT(broken.text(), Not(HasSubstr("over optimum")));
  // Back after 30 min: a waits for b, and has both machines from 2 h to 4 h.
  const RunReport back = run_queue(queue_head + jobs + "faults: ['node:n-1@1h+30min']\n");
  EXPECT_EQ(column_of(read_bytes(QueueFolder{back}.path() / "jobs.csv"), "a", "end_s"), "14400");
  EXPECT_THAT(back.text(), HasSubstr("over optimum"));
}

TEST(Explain, SaysWhoPassedAJobAndWhenItWouldHaveHadRoomWithoutThem)
{
  // 8 GPUs: first has 6 until 1 h, big wants 8 from 1 min on; two small ones of 2 h come after it and pass it, so that
  // it starts after the second of them, at 2 h 3 min. Without them all 8 would have been free at 1 h.
  const std::string jobs =
      "workload: {jobs: [{name: first, duration: 1 h, gpus: 6}, {name: big, submit: 1 min, duration: 1 h, gpus: 8}, "
      "{name: small, submit: 2 min, duration: 2 h, gpus: 1}, {name: tiny, submit: 3 min, duration: 2 h, gpus: 1}]}\n";
  const QueueFolder passed{run_queue(queue_head + jobs + "scheduling: {policy: {name: fifo, skip: true}}\n")};
  EXPECT_THAT(passed.explain("big"), HasSubstr("2 jobs that were submitted after it were on GPUs while it waited; "
                                               "without them 8 GPUs would have been free at "
                                               "01:00:00, 63.0 min earlier"));
  EXPECT_THAT(passed.explain("small"), Not(HasSubstr("submitted after it")));
  const QueueFolder strict{run_queue(queue_head + jobs)};
  EXPECT_THAT(strict.explain("big"), Not(HasSubstr("submitted after it")));
}

TEST(Explain, AJobThatIsTooLargeForItsMachinesIsToldWhatTheseHave)
{
  // Two machines of 4 GPUs, one with the label that the job asks for: of the 8 GPUs it may have 4.
  const RunReport report =
      run_queue("trainyard: 1\nname: q\nquestion: who waits?\ncluster:\n"
                "  node_types: {n: {gpu: V100-SXM2-16GB, gpus: 4, cpu_cores: 32, memory: 256 GB}}\n"
                "  nodes: [{name: a, type: n, count: 1}, {name: b, type: n, count: 1}]\n  network: {topology: star, "
                "link: 25GbE}\n"
                "workload: {jobs: [{name: j, duration: 1 h, gpus: 6, node_selector: [pool=1]}]}\n"
                "scheduling: {placement: kubernetes, nodes: [{nodes: a, labels: [pool=1]}]}\n");
  EXPECT_THAT(report.summary.dump(), HasSubstr("6 GPUs, the machines that it may go to have 4"));
}

TEST(BadInput, OfAQueueIsToldWithTheWayOut)
{
  const std::string one = "workload: {jobs: [{name: j, duration: 1 h, team: red}]}\n";
  EXPECT_THAT(queue_faults(queue_head + one + "scheduling: {policy: {name: drf, quotas: red=99}}\n"),
              HasSubstr("the cluster has 8"));
  EXPECT_THAT(queue_faults(queue_head + one + "scheduling: {policy: {name: drf, quotas: rad=1}}\n"),
              HasSubstr("did you mean 'red'"));
  EXPECT_THAT(queue_faults(queue_head + one + "scheduling: {policy: {name: easy_backfill, depth: -1}}\n"),
              HasSubstr("depth"));
  EXPECT_THAT(queue_faults(queue_head + one + "scheduling: {policy: {name: las, limits: \"7 3\"}}\n"),
              HasSubstr("las"));
  EXPECT_THAT(queue_faults(queue_head + one + "scheduling: {placement: {name: kubernetes, shape: \"9:x\"}}\n"),
              HasSubstr("shape"));
  EXPECT_THAT(queue_faults(queue_head + one + "scheduling: {gpu_sharing: {switch_loss: 2}}\n"),
              HasSubstr("switch_loss"));
  EXPECT_THAT(queue_faults(queue_head + one + "scheduling: {cluster: pool, gpu_sharing: {by: milli}}\n"),
              HasSubstr("needs machines"));
  const RunReport larger = run_queue(
      queue_head + "workload: {jobs: [{name: j, duration: 1 h, gpus: 9}, {name: k, duration: 1 h, after: [j]}]}\n");
  EXPECT_EQ(larger.exit_code, 3);
  EXPECT_THAT(larger.text(), HasSubstr("2 of the jobs can never run here"));
  EXPECT_THAT(larger.text(), HasSubstr("job j, line 8 (9 GPUs): 9 GPUs, the cluster has"));
  EXPECT_EQ(run_queue(queue_head + "workload: {jobs: [{name: j, duration: 1 h, gpu_type: TPU}]}\n").exit_code, 3);
}

TEST(BadInput, TracesWithBrokenRowsRunWithAReport)
{
  const auto file =
      std::filesystem::temp_directory_path() / ("trainyard-broken-" + std::to_string(::getpid()) + ".csv");
  std::ofstream{file} << "submit_s,duration_s,gpus\n0,60,1\n120,60,1\nbroken\n60,60,2\n180,-5,1\n240,60,64\n";
  const RunReport report = run_queue(queue_head + "workload: {trace: {file: " + file.string() + "}}\n");
  EXPECT_EQ(report.exit_code, 3); // the job on 64 GPUs
  EXPECT_THAT(report.text(), HasSubstr("row whose number of cells differs from the header: left out (line 4)"));
  EXPECT_THAT(report.text(), HasSubstr("row out of order of submission: sorted (line 5)"));
  EXPECT_THAT(report.text(), HasSubstr("(line 6)")); // the negative duration
  EXPECT_THAT(report.text(), HasSubstr("job 3, line 7 (64 GPUs)"));
  std::ofstream{file} << "submit_s,duration_s,gpus\n";
  EXPECT_THAT(queue_faults(queue_head + "workload: {trace: {file: " + file.string() + "}}\n"),
              HasSubstr("no job that can be read"));
  std::filesystem::remove(file);
}

/// A trace of our own that goes with the test.
class TraceFile
{
public:
  explicit TraceFile(const std::string& text, const char* ending = ".csv")
      : file_{std::filesystem::temp_directory_path() / ("trainyard-trace-" + std::to_string(::getpid()) + ending)}
  {
    std::ofstream{file_} << text;
  }
  ~TraceFile() { std::filesystem::remove(file_); }
  TraceFile(const TraceFile&) = delete;
  TraceFile& operator=(const TraceFile&) = delete;
  std::string workload(const std::string& more = "") const
  {
    return "workload: {trace: {file: " + file_.string() + "}" + more + "}\n";
  }

private:
  std::filesystem::path file_;
};

TEST(BadInput, ACycleInATraceIsNamed)
{
  const TraceFile trace{
      "submit_s,duration_s,gpus,name,after\n0,60,1,prepare,report\n0,60,1,train,prepare\n0,60,1,report,train\n"};
  EXPECT_THAT(queue_faults(queue_head + trace.workload()),
              HasSubstr("jobs wait for each other in a cycle: prepare -> report -> train -> prepare"));
}

TEST(BadInput, AModelThatNobodyDescribesIsNamedWithItsLine)
{
  const std::string training =
      "jobs: [{name: vgg, model: vgg16, batch_per_gpu: 32, training: {mode: all_reduce, transport: nccl}}]\n";
  const TraceFile trace{"submit_s,duration_s,gpus,model\n0,60,1,vgg\n5,60,1,vg\n"};
  const std::string step = "scheduling: {speed: step}\n";
  const std::string faults = queue_faults(queue_head + training + trace.workload() + step);
  EXPECT_THAT(faults, HasSubstr("line 3"));
  EXPECT_THAT(faults, HasSubstr("has no job 'vg'; did you mean 'vgg'?"));
  EXPECT_THAT(queue_faults(queue_head + training + "workload: {jobs: [{name: j, duration: 1 h, model: wgg}]}\n" + step),
              HasSubstr("has no job 'wgg'"));
  // A share of models that names one the scenario has not.
  const TraceFile nameless{"submit_s,duration_s,gpus\n0,60,1\n", ".b.csv"};
  EXPECT_THAT(queue_faults(queue_head + training + nameless.workload(", models: {resnet: 1}") + step),
              HasSubstr("has no job 'resnet'"));
}

TEST(Check, ReadsTheTraceAndSaysWhatItHolds)
{
  // 4 jobs that can be read over 2 days; 2 x 1 h x 4 + 24 h x 1 + 1 h x 64 = 96 GPU-hours of 8 GPUs x 48 h = 384.
  const TraceFile trace{"submit_s,duration_s,gpus\n0,3600,4\n3600,3600,4\nbroken\n7200,86400,1\n172800,3600,64\n"};
  const std::string text =
      tests::queue_outline(queue_head + trace.workload() + "scheduling: {policies: [fifo, srtf]}\n");
  EXPECT_THAT(text, HasSubstr("4 jobs submitted over 2.0 d, 1 to 64 GPUs each; they request 96.0 GPU-hours, 25 % of "
                              "the capacity of 8 GPUs"));
  EXPECT_THAT(text, HasSubstr("1 of them can never run, so a run ends with exit code 3"));
  EXPECT_THAT(text, HasSubstr("5 rows, 4 jobs"));
  EXPECT_THAT(text, HasSubstr("left out (line 4)"));
  EXPECT_THAT(text, HasSubstr("job that requests more than the cluster's 8 GPUs: kept: it can never run (line 6)"));
  EXPECT_THROW(
      tests::queue_outline(queue_head + trace.workload() + "scheduling: {policy: {name: drf, quotas: red=99}}\n"),
      InputError);
  const TraceFile one{"submit_s,duration_s,gpus\n0,60,2\n", ".c.csv"};
  EXPECT_THAT(
      tests::queue_outline(queue_head + one.workload()),
      HasSubstr(
          "1 job submitted at once, 2 GPUs each; they request 0.03 GPU-hours; the machines can hold each of them"));
}

// A run that is cut off can only do what arrives before: job a, 2 h x 4 GPUs = 8 GPU-hours of 8 GPUs x 12 h = 96; b
// comes at 20 h with 40. A queue alone goes on to its end: 48 GPU-hours of 8 GPUs x 20 h = 160.
TEST(Check, ComparesWhatArrivesUntilTheEndOfTheRun)
{
  const std::string jobs = "workload: {jobs: [{name: a, duration: 2 h, gpus: 4}, "
                           "{name: b, submit: 20 h, duration: 10 h, gpus: 4}]}\n";
  EXPECT_THAT(tests::queue_outline(queue_head + jobs + "services: [{name: web, replicas: 1}]\nrun: {until: 12 h}\n"),
              HasSubstr("they request 48.0 GPU-hours; until 12.0 h (run.until) 1 of them arrives with 8.00 GPU-hours, "
                        "8 % of the 96.0 GPU-hours that 8 GPUs have until then; the machines can hold each of them"));
  EXPECT_THAT(tests::queue_outline(queue_head + jobs),
              HasSubstr("they request 48.0 GPU-hours, 30 % of the capacity of 8 GPUs in that time"));
}

/// The path of the value that the first fault of a scenario is about, and its message.
std::pair<std::string, std::string> place_and_message(const std::string& text)
{
  try {
    tests::queue_outline(text);
  } catch (const InputError& error) {
    const Diagnostic& fault = error.diagnostics().at(0);
    return {fault.where.line > 0 ? std::to_string(fault.where.line) : fault.where.path, fault.message};
  }
  return {};
}

TEST(BadInput, AFaultOfAPolicyIsAtItsSetting)
{
  const std::string jobs = "workload: {jobs: [{name: a, duration: 2 h, team: vision}]}\n";
  using Fault = std::pair<std::string, std::string>;
  EXPECT_EQ(place_and_message(queue_head + jobs + "scheduling: {policies: [fifo, {name: drf, quotas: visoin=4}]}\n"),
            (Fault{"scheduling.policies.1.quotas", "scheduling.policies.1.quotas: no job belongs to team 'visoin'; "
                                                   "did you mean 'vision'?"}));
  EXPECT_EQ(place_and_message(queue_head + jobs + "scheduling: {policy: {name: drf, quotas: vision=4x}}\n"),
            (Fault{"scheduling.policy.quotas", "scheduling.policy.quotas: 'vision=4x' is not team=GPUs"}));
  EXPECT_EQ(
      place_and_message(queue_head + jobs + "scheduling: {policy: {name: drf, quotas: vision=4, cohorts: vision+b}}\n"),
      (Fault{"scheduling.policy.cohorts", "scheduling.policy.cohorts: no job belongs to team 'b'"}));
  // line 10 of the file: queue_head has seven lines
  const std::string step = "scheduling: {speed: step}\n"
                           "jobs: [{name: vgg, model: vgg16, batch_per_gpu: 8, training: {mode: all_reduce}}]\n";
  EXPECT_EQ(place_and_message(queue_head + "workload:\n  jobs: [{name: a, duration: 2 h}]\n  models: {vg: 1}\n" + step),
            (Fault{"10", "workload.models.vg: the scenario has no job 'vg'; did you mean 'vgg'? Its jobs: vgg; with "
                         "speed: step one of them must say how this model trains"}));
}

TEST(Advice, SaysForWhomAndWhy)
{
  // A long job on all GPUs, then eight short ones: under FIFO they wait for it; under SRTF it waits for them.
  const RunReport report =
      run_queue(queue_head + "workload: {jobs: [{name: long, duration: 10 h, gpus: 8}, "
                             "{name: short, copies: 8, submit: 10 min, duration: 10 min, gpus: 1}]}\n"
                             "scheduling: {policies: [fifo, srtf]}\n");
  EXPECT_THAT(report.text(), HasSubstr("lowest mean completion time: srtf"));
  EXPECT_THAT(report.text(), HasSubstr("srtf preempts running jobs 1 time"));
  EXPECT_THAT(report.text(), HasSubstr("fewer GPUs free than it needs"));
  EXPECT_THAT(report.text(), HasSubstr("by GPUs of the job, best and worst mean slowdown: 1: srtf"));
  EXPECT_THAT(report.text(), Not(HasSubstr("waits least")));
}

} // namespace
} // namespace trainyard
