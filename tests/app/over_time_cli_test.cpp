// SPDX-License-Identifier: Apache-2.0
/// What a cluster does over time, by hand: machines that join, jobs that lose theirs, limits, and what is told of them.
#include "tests/support/command_line.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace trainyard {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using tests::Outcome;

/// Machines of 4 V100 (250 W, idle 25 W) at 4 $/h; the rest of the scenario follows.
std::string boxes(int count, const std::string& rest)
{
  return "trainyard: 1\ncluster:\n  node_types: {box: {gpu: V100-PCIe-16GB, gpus: 4, cpu_cores: 32, memory: 128 GB, "
         "price: 4 $/h}}\n  nodes: [{name: n, type: box, count: " +
         std::to_string(count) + "}]\n  network: {link: 10GbE}\n" + rest;
}

std::string jobs(const std::string& list)
{
  return "workload: {jobs: [" + list + "]}\n";
}

struct OverTime : tests::CommandLine {
  /// The columns of the row of out/FILE whose first cells are these.
  std::string cells(const std::string& file, const std::string& job, const std::string& columns) const
  {
    return shell("python3 -c \"import csv, sys; print('|'.join(r[c] for r in csv.DictReader(open('out/" + file +
                 "')) if r.get('job', r.get('policy')) == '" + job + "' for c in '" + columns + "'.split()))\"")
        .out;
  }
  Outcome run(const std::string& text) const
  {
    write("s.yaml", text);
    return shell("rm -rf out; simrun s.yaml --no-plots -o out");
  }
};

// n-1 joins after 30 min: the service of two machines begins then, the queue's job of both an hour later.
TEST_F(OverTime, AMachineThatJoinsLaterIsNobodysBefore)
{
  const std::string joins = "orchestrator: {name: kubernetes, container_start: 0 s, placements_per_second: 0, nodes: "
                            "{n-1: {joins: 30 min}}}\nservices: [{name: t, kind: training, replicas: ";
  const Outcome service = run(boxes(2, joins + "2, resources: {gpus: 4}, work: 30 min}]\n"));
  EXPECT_EQ(service.code, 0);
  EXPECT_THAT(service.out + service.err, AllOf(Not(HasSubstr("have room for 1")), HasSubstr("$6.00 for the machines")));
  const Outcome both = run(boxes(2, joins + "1, resources: {gpus: 4}, work: 1 h}]\n" +
                                        jobs("{name: a, gpus: 4, "
                                             "duration: 10 min}") +
                                        "run: {until: 4 h}\n"));
  EXPECT_EQ(both.code, 0) << both.err;
  EXPECT_EQ(
      shell("grep -c '^.*,a,1800,' out/queue/jobs.csv; cut -d, -f1-9 out/queue/runs.csv | grep ',1800,2400,'").code, 0)
      << shell("cat out/queue/runs.csv").out;
}

// 8 GPUs work for 1,000 s, one of them for the job that counts, 100 s: the cluster draws 8 x 250 W over these.
TEST_F(OverTime, EnergyOfAWindowIsThatOfAllJobs)
{
  run(boxes(2, "workload: {jobs: [{name: bg, gpus: 7, duration: 1000 s}, {name: m, gpus: 1, duration: 100 s, submit: "
               "500 s}], measured: {from: 500 s, until: 501 s}}\n"));
  EXPECT_EQ(cells("metrics.csv", "fifo", "energy_kWh").substr(0, 6), "0.0555");
}

// The only machine goes for good after 50 s.
TEST_F(OverTime, AJobThatLostItsMachineForGoodDidStart)
{
  const Outcome ran = run(boxes(1, jobs("{name: a, gpus: 4, duration: 100 s}") + "faults: ['node:n-0@50s']\n"));
  EXPECT_EQ(ran.code, 3);
  EXPECT_THAT(ran.out, HasSubstr("it lost its GPUs and never runs again: fewer GPUs free than it needs"));
  EXPECT_EQ(cells("jobs.csv", "a", "state"), "unfinished\n");
}

TEST_F(OverTime, LimitsOfPartitionsAreNamed)
{
  const std::string slurm = "scheduling: {policy: slurm}\nslurm: {partitions: [{name: debug, max_time: 1 h, "
                            "max_gpus_per_job: 2, max_jobs_per_user: 1}]}\n";
  EXPECT_THAT(run(boxes(2, jobs("{name: p, gpus: 1, duration: 10 s, estimate: 2 h, queue: debug}, {name: q, gpus: 3, "
                                "duration: 10 s, queue: debug}") +
                               slurm))
                  .out,
              AllOf(HasSubstr("its partition allows only shorter jobs (PartitionTimeLimit)"),
                    HasSubstr("its QOS allows fewer GPUs in one job (QOSMaxGRESPerJob)")));
  EXPECT_THAT(shell("simrun explain job p out").out, Not(HasSubstr("could have started")));
  run(boxes(2, jobs("{name: p, gpus: 1, duration: 10 s, queue: debug, user: u}, {name: q, gpus: 1, duration: 10 s, "
                    "queue: debug, user: u}") +
                   slurm));
  EXPECT_THAT(shell("simrun explain job q out").out, HasSubstr("QOSMaxJobsPerUserLimit"));
}

TEST_F(OverTime, ExplainBlamesNobodyWhoWasNotThere)
{
  run(boxes(2, jobs("{name: a, gpus: 1, duration: 20 s}, {name: b, gpus: 1, duration: 20 s, after: [a]}")));
  EXPECT_THAT(shell("simrun explain job b out").out, Not(HasSubstr("enough free GPUs")));
  // a and b leave one GPU on each machine, c needs two on one. d comes at 30 s.
  run(boxes(2, jobs("{name: a, gpus: 3, tasks: 1, duration: 100 s}, {name: b, gpus: 3, tasks: 1, duration: 100 s}, "
                    "{name: c, gpus: 2, tasks: 1, duration: 50 s}, {name: d, gpus: 1, tasks: 1, duration: 10 s, "
                    "submit: 30 s}") +
                   "scheduling: {policy: {name: fifo, skip: true}}\n"));
  EXPECT_THAT(shell("simrun explain job c out").out, Not(HasSubstr("without it")));
}

// a runs the whole time; b waits for 90 s, c comes after the end.
TEST_F(OverTime, WaitsThatAreOpenAtTheEndAreWrittenDown)
{
  run(boxes(2, jobs("{name: a, gpus: 8, duration: 200 s}, {name: b, gpus: 4, duration: 50 s, submit: 10 s}, {name: c, "
                    "gpus: 4, duration: 50 s, submit: 150 s}") +
                   "run: {until: 100 s}\n"));
  EXPECT_EQ(cells("waits.csv", "b", "from_s to_s reason"), "10|100|fewer GPUs free than it needs\n");
  EXPECT_EQ(cells("waits.csv", "c", "reason"), "\n");
}

// 300 s, 60 s without the machine, 20 s of loading, 500 s: nothing is saved after a failure.
TEST_F(OverTime, NobodySavesAfterAFailure)
{
  run(boxes(1, jobs("{name: a, gpus: 4, duration: 500 s}") +
                   "scheduling: {policy: fifo, checkpoint_when: resume, checkpoint_cost: 5 s, restart_cost: 20 s}\n"
                   "faults: ['node:n-0@300s+60s']\n"));
  EXPECT_EQ(cells("jobs.csv", "a", "end_s"), "880\n");
}

TEST_F(OverTime, AReservationThatEndsIsTheReason)
{
  EXPECT_THAT(run(boxes(2, jobs("{name: c, gpus: 4, duration: 100 s, user: anna, reservation: course}") +
                               "scheduling: {policy: slurm}\nslurm: {reservations: [{name: course, start: 10 s, "
                               "duration: 60 s, nodes: [n-0], users: [anna]}]}\n"))
                  .out,
              HasSubstr("its reservation has ended, and with it the job"));
}

// j1 ends at 100 s, j2 begins on 6 of the 8 GPUs: what j3 lacks are GPUs.
TEST_F(OverTime, WhatKeepsAJobIsSaidAnewWhenOthersStart)
{
  run(boxes(2, jobs("{name: j1, gpus: 5, duration: 100 s}, {name: j2, gpus: 6, duration: 50 s, submit: 1 s}, {name: "
                    "j3, gpus: 4, duration: 100 s, submit: 2 s}") +
                   "scheduling: {policy: conservative_backfill}\n"));
  EXPECT_THAT(cells("waits.csv", "j3", "from_s to_s reason"), HasSubstr("|150|fewer GPUs free than it needs"));
}

TEST_F(OverTime, WhatNobodyReadsIsSaid)
{
  const Outcome limits = run(boxes(2, jobs("{name: a, gpus: 2, duration: 100 s, array_limit: 1, copies: 3}")));
  EXPECT_THAT(limits.out + limits.err, HasSubstr("array_limit, qos and reservation of jobs have no effect"));
  EXPECT_THAT(run(boxes(1, jobs("{name: a, gpus: 1, duration: 1 s}") + "faults: ['process:zzz@10s']\n")).err,
              HasSubstr("there is no job 'zzz'"));
}

// A new model each 1,000 s from 5,000 s on; the one of the start has data of the start, and is stale 1,000 s later.
TEST_F(OverTime, TheModelOfTheStartGetsOld)
{
  run(boxes(1, "task_environment: {models: [{name: m, train_time: 100 s, gpus: 4, period: 1000 s, first: 5000 s}]}\n"
               "run: {until: 4000 s}\n"));
  EXPECT_THAT(shell("cat out/manifest.json out/summary.json 2>/dev/null").out, HasSubstr("0.75"));
}

// Nobody had come by the end; check and run refuse a window in which nobody ever comes with the same words.
TEST_F(OverTime, AWindowInWhichNobodyComes)
{
  const std::string late = "workload: {measured: {}, jobs: [{name: a, submit: 2 h, duration: 1 min}]}\n";
  EXPECT_EQ(run(boxes(1, late + "run: {until: 1 h}\n")).code, 0);
  EXPECT_EQ(shell("grep -c 'energy_kWh\": -' out/summary.json").out, "0\n");
  write("s.yaml", boxes(1, "workload: {measured: {from: 3 h}, jobs: [{name: a, duration: 1 min}]}\n"));
  for (const char* command : {"check", "run --no-files"}) {
    const Outcome found = shell(std::string{"simrun "} + command + " s.yaml");
    EXPECT_EQ(found.code, 2) << command;
    EXPECT_THAT(found.err, HasSubstr("no job is submitted from 180 min to 0")) << command;
  }
}

// Long jobs start at 1 h; pollux plans every minute and has nothing to plan before.
TEST_F(OverTime, ARuleThatChangesLaterWakesPeriodicPolicies)
{
  EXPECT_EQ(run(boxes(1, jobs("{name: a, gpus: 4, duration: 8 h}") +
                             "scheduling: {policy: pollux, site: {long_jobs: {longer_than: 1 h, from: 1 h, until: 2 "
                             "h}}}\n"))
                .code,
            0);
  EXPECT_EQ(cells("jobs.csv", "a", "start_s"), "3600\n");
}

// low runs on the machine's four GPUs; high comes at 10 min and begins when low's container has stopped, 30 s later.
TEST_F(OverTime, APreemptedContainerTakesItsTimeToStop)
{
  const Outcome found = run(boxes(
      1, "orchestrator: {name: kubernetes, container_start: 0 s, container_stop: 30 s, placements_per_second: 0}\n"
         "services:\n  - {name: low, kind: training, replicas: 1, resources: {gpus: 4}, work: 1 h}\n"
         "  - {name: high, kind: training, replicas: 1, resources: {gpus: 4}, work: 1 h, priority: 1, arrival: 10 "
         "min}\n"));
  EXPECT_EQ(found.code, 0) << found.err;
  EXPECT_EQ(shell("grep -c -e ',low-0,low,600,630,stopping' -e ',high-0,high,630,4230,running' out/tasks.csv").out,
            "2\n");
}

// Four are pushed away at once, and their grace periods pass together; a fifth finds nobody left to push.
TEST_F(OverTime, ContainersThatArePushedAwayStopTogether)
{
  const Outcome found = run(boxes(
      1,
      "orchestrator: {name: kubernetes, container_start: 0 s, container_stop: 30 s, placements_per_second: 0}\n"
      "services:\n  - {name: low, kind: training, coupling: independent, replicas: 4, resources: {gpus: 1}, work: 1 "
      "h}\n"
      "  - {name: high, kind: training, coupling: independent, replicas: 5, resources: {gpus: 1}, work: 1 h, priority: "
      "1, arrival: 10 min}\n"));
  EXPECT_EQ(found.code, 0) << found.err;
  EXPECT_EQ(shell("grep -c ',high,630,4230,running' out/tasks.csv; grep -c ',low,600,630,stopping' out/tasks.csv").out,
            "4\n4\n");
}

// A job that grows is there when it has as many workers as it needs.
TEST_F(OverTime, AnElasticServiceRunsWithFewer)
{
  const std::string elastic = "orchestrator: {name: kubernetes, container_start: 0 s}\nservices: [{name: t, kind: "
                              "training, coupling: elastic, replicas: 6, resources: {gpus: 1}, work: 100 h, "
                              "least_workers: ";
  EXPECT_EQ(run(boxes(1, elastic + "4}]\nrun: {until: 4 h}\n")).code, 0);
  EXPECT_EQ(run(boxes(1, elastic + "5}]\nrun: {until: 4 h}\n")).code, 3);
}

// Times of this machine stand beside the answer, in no file.
TEST_F(OverTime, PlanningTimesAreInNoFile)
{
  const Outcome found = run(boxes(1, jobs("{duration: 1 h}") +
                                         "task_environment:\n  models: [{name: a, train_time: 1 h, gpus: 4}, {name: b, "
                                         "train_time: 1 h, gpus: 4}]\n  planner: {name: mixed}\nrun: {until: 1 h}\n"));
  EXPECT_THAT(found.out, HasSubstr("decision time of "));
  EXPECT_NE(shell("grep -r 'decision time' out").code, 0);
}

} // namespace
} // namespace trainyard
