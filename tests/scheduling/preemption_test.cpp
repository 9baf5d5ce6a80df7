// SPDX-License-Identifier: Apache-2.0
// What stopping a job costs and whom, who is told of it, and policies that do nothing else.
#include "models/core/csv.hpp"
#include "models/core/input_file.hpp"
#include "sim/sources/queue/scheduling.hpp"
#include "tests/support/queue_policies.hpp"
#include "tests/support/queue_scenario.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace trainyard {
namespace {

using ::testing::HasSubstr;
using tests::job;
using tests::queue_faults;
using tests::queue_head;
using tests::run_queue;

SchedulingResult on_four_gpus(const std::string& policy, const Workload& workload, const SchedulingOptions& options)
{
  return simulate_queue(workload, ClusterShape::pool(4), *Registry<QueuePolicy>::instance().create(policy), nullptr,
                        options);
}

TEST(GraceTime, AStoppedJobKeepsItsGpusWhileItSaves)
{
  // Job 0 works 0-10 s, is stopped for job 1 and saves until 13 s. Job 1 works 13-23 s. Job 0 loads until 27 s, and has
  // 90 s left: it ends at 117 s. It held its GPUs 13 + 94 s, 7 of them without work; job 1 waited 3 s.
  const Workload workload{.jobs = {job(0, 100, 4), job(10, 10, 4, 1)}};
  const SchedulingOptions options{
      .checkpoint_cost = Seconds{3}, .restart_cost = Seconds{4}, .record_waits = true, .record_runs = true};
  const SchedulingResult result = on_four_gpus("priority", workload, options);
  EXPECT_EQ(result.jobs[0].end, Seconds{117});
  EXPECT_EQ(result.jobs[0].held_time, Seconds{107});
  EXPECT_EQ(result.jobs[0].lost_time, Seconds{28});
  EXPECT_EQ(result.jobs[0].gpu_time, Seconds{428});
  EXPECT_EQ(result.jobs[1].first_start, Seconds{13});
  EXPECT_EQ(result.jobs[1].end, Seconds{23});
  EXPECT_EQ(result.jobs[1].gpu_time, Seconds{40});
  EXPECT_EQ(result.jobs[1].lost_time, Seconds{0});
  ASSERT_EQ(result.waits.size(), 2U); // of job 1 for the saving, of job 0 for job 1
  EXPECT_EQ(result.waits[0].reason, WaitReason::saving);
  EXPECT_EQ(result.waits[0].blocker, JobId{0});
  EXPECT_EQ(result.waits[0].to, Seconds{13});
  EXPECT_EQ(result.waits[1].from, Seconds{13}); // while it saves it has its GPUs
  EXPECT_EQ(result.waits[1].to, Seconds{23});
  ASSERT_EQ(result.events.size(), 2U);
  EXPECT_EQ(result.events[0].what, JobEvent::What::preempted);
  EXPECT_EQ(result.events[0].by, JobId{1});
  EXPECT_EQ(result.events[1].what, JobEvent::What::resumed);
  EXPECT_EQ(result.events[1].at, Seconds{23});
}

TEST(GraceTime, WhoIsStoppedWhileItStartsStartsAnew)
{
  // Job 0 is stopped 10 s into its start of 30 s, for job 1, which starts until 40 s and ends at 50 s. Job 0 has
  // nothing to load: it starts until 80 s and ends at 180 s. Stopped at 35 s, it has worked 5 s: job 1 ends at 35 + 40
  // s, and job 0 loads until 80 s and has 95 s left.
  SchedulingOptions options{.start_cost = Seconds{30}, .restart_cost = Seconds{5}};
  const Workload early{.jobs = {job(0, 100, 4), job(10, 10, 4, 1)}};
  EXPECT_EQ(on_four_gpus("priority", early, options).jobs[0].end, Seconds{180});
  EXPECT_EQ(on_four_gpus("priority", early, options).jobs[0].lost_time, Seconds{160}); // 4 x (10 + 30 s)
  const Workload late{.jobs = {job(0, 100, 4), job(35, 10, 4, 1)}};
  EXPECT_EQ(on_four_gpus("priority", late, options).jobs[0].end, Seconds{175});
}

TEST(GraceTime, AStartThatWasPaidIsNotPaidAgainWhereARestartIsCutOff)
{
  // Job 0 is stopped at 30 s, when its start is paid. Job 1 starts until 60 s and ends at 70 s; job 2 stops job 0 at 71
  // s, 1 s into its loading of 3 s, and ends at 111 s. Job 0 loads until 114 s and has all of its work to do.
  const SchedulingOptions options{.start_cost = Seconds{30}, .restart_cost = Seconds{3}};
  const Workload workload{.jobs = {job(0, 100, 4), job(30, 10, 4, 1), job(71, 10, 4, 1)}};
  EXPECT_EQ(on_four_gpus("priority", workload, options).jobs[0].end, Seconds{214});
}

TEST(GraceTime, TheOtherWayPassesGpusOnAtOnceAndIsPaidAtTheResume)
{
  // Job 1 works 10-20 s. Job 0 then saves and loads for 7 s, and ends at 20 + 7 + 90 s.
  const Workload workload{.jobs = {job(0, 100, 4), job(10, 10, 4, 1)}};
  const SchedulingResult result = on_four_gpus(
      "priority", workload, {.checkpoint_cost = Seconds{3}, .restart_cost = Seconds{4}, .save_before_release = false});
  EXPECT_EQ(result.jobs[0].end, Seconds{117});
  EXPECT_EQ(result.jobs[0].held_time, Seconds{107});
  EXPECT_EQ(result.jobs[1].first_start, Seconds{10});
  EXPECT_EQ(result.jobs[1].end, Seconds{20});
}

TEST(GraceTime, OnlyWhoGetsTheGpusOfTheStoppedJobWaitsForThem)
{
  // Machines: job 0 has machine 0 (4 GPUs), job 1 machine 1. At 10 s job 2 stops job 1 (the latest of the least
  // important), and at 11 s, while job 1 saves until 30 s, job 0 ends. Job 3 arrives then and gets machine 0 at once.
  Workload workload{.jobs = {job(0, 11, 4), job(1, 100, 4), job(10, 5, 4, 1), job(11, 5, 4, 1)}};
  const auto places = Registry<PlacementPolicy>::instance().create("first_fit");
  const SchedulingResult result =
      simulate_queue(workload, ClusterShape::machines(2, 4), *Registry<QueuePolicy>::instance().create("priority"),
                     places.get(), {.checkpoint_cost = Seconds{20}});
  EXPECT_EQ(result.jobs[2].first_start, Seconds{30});
  EXPECT_EQ(result.jobs[3].first_start, Seconds{11});
  EXPECT_EQ(result.jobs[1].preemptions, 1);
}

/// Machine 0 is down from @p down to @p up.
class OneOutage final : public ClusterEvents
{
public:
  OneOutage(double down, double up) : times_{Instant{Seconds{up}}, Instant{Seconds{down}}} {}
  std::optional<Instant> next() const override { return times_.empty() ? std::nullopt : std::optional{times_.back()}; }
  void fire(ClusterControl& control) override
  {
    times_.pop_back();
    control.set_node(0, times_.empty());
  }

private:
  std::vector<Instant> times_; // the last one comes next
};

SchedulingResult with_outage(const Workload& workload, int machines, OneOutage outage)
{
  const auto places = Registry<PlacementPolicy>::instance().create("first_fit");
  return simulate_queue(workload, ClusterShape::machines(machines, 4),
                        *Registry<QueuePolicy>::instance().create("priority"), places.get(),
                        {.checkpoint_cost = Seconds{60}, .events = &outage, .record_waits = true, .record_runs = true});
}

TEST(GraceTime, AMachineThatFailsTakesTheSaveWithIt)
{
  // Job 0 works 0-360 s, is stopped for job 1 and saves; at 370 s its machine fails, until 730 s. Nothing of it is
  // kept: it holds its GPUs 370 s, and again for all of its 1800 s from 790 s on, when job 1 has run (730-790 s). Job
  // 1, which had not begun, has not failed.
  const SchedulingResult result = with_outage({.jobs = {job(0, 1800, 4), job(360, 60, 4, 1)}}, 1, OneOutage{370, 730});
  EXPECT_EQ(result.jobs[0].end, Seconds{790 + 1800});
  EXPECT_EQ(result.jobs[0].held_time, Seconds{370 + 1800});
  EXPECT_EQ(result.jobs[0].gpu_time, Seconds{4 * (370 + 1800)});
  EXPECT_EQ(result.jobs[0].lost_time, Seconds{4 * 370});
  EXPECT_EQ(result.jobs[0].failures, 1);
  EXPECT_EQ(result.jobs[1].first_start, Seconds{730});
  EXPECT_EQ(result.jobs[1].end, Seconds{790});
  EXPECT_EQ(result.jobs[1].gpu_time, Seconds{240});
  EXPECT_EQ(result.jobs[1].failures, 0);
  ASSERT_EQ(result.runs.size(), 4U); // work, save, job 1, work
  EXPECT_EQ(result.runs[1].from, Seconds{360});
  EXPECT_EQ(result.runs[1].to, Seconds{370});
}

TEST(GraceTime, AMachineThatFailsAfterTheSaveTakesNothing)
{
  // As above, but the save is over at 420 s, and the machine fails at 430 s, when job 1 has run 10 s: 790-850 s is job
  // 1, then job 0 has 1440 s left.
  const SchedulingResult result = with_outage({.jobs = {job(0, 1800, 4), job(360, 60, 4, 1)}}, 1, OneOutage{430, 790});
  EXPECT_EQ(result.jobs[0].end, Seconds{850 + 1440});
  EXPECT_EQ(result.jobs[0].failures, 0);
  EXPECT_EQ(result.jobs[1].end, Seconds{850});
  EXPECT_EQ(result.jobs[1].failures, 1);
}

TEST(GraceTime, WhoWaitedOnAnotherMachineOfALostSaveBeginsAtOnce)
{
  // Job 0 has both machines. Stopped at 360 s for jobs 1 and 2, it saves until machine 0 fails at 370 s. Job 2, on
  // machine 1, begins then and ends at 430 s; job 1, of machine 0, follows there until 490 s. Job 0 needs both
  // machines: 730-2530 s.
  const SchedulingResult result =
      with_outage({.jobs = {job(0, 1800, 8), job(360, 60, 4, 1), job(360, 60, 4, 1)}}, 2, OneOutage{370, 730});
  EXPECT_EQ(result.jobs[2].first_start, Seconds{370});
  EXPECT_EQ(result.jobs[2].end, Seconds{430});
  EXPECT_EQ(result.jobs[2].lost_time, Seconds{0});
  EXPECT_EQ(result.jobs[1].first_start, Seconds{430});
  EXPECT_EQ(result.jobs[1].end, Seconds{490});
  EXPECT_EQ(result.jobs[0].end, Seconds{2530});
  EXPECT_EQ(result.jobs[0].gpu_time, Seconds{8 * (370 + 1800)});
}

TEST(GraceTime, WhatIsSavedLaterThanTheRunEndsIsNotHeld)
{
  // Cut off at 370 s: job 0 has saved 10 s, job 1 has not begun.
  const Workload workload{.jobs = {job(0, 1800, 4), job(360, 60, 4, 1)}};
  const SchedulingResult result =
      on_four_gpus("priority", workload, {.checkpoint_cost = Seconds{60}, .until = Seconds{370}, .record_runs = true});
  EXPECT_EQ(result.jobs[0].gpu_time, Seconds{4 * 370});
  EXPECT_EQ(result.jobs[0].lost_time, Seconds{40});
  EXPECT_EQ(result.jobs[1].gpu_time, Seconds{0});
  EXPECT_EQ(result.jobs[1].lost_time, Seconds{0});
  EXPECT_EQ(result.jobs[1].first_start, Instant{-1});
  EXPECT_EQ(result.runs.back().to, Seconds{370});
}

TEST(NoProgress, ASliceThatSavingAndLoadingUseUpIsRefused)
{
  const std::string jobs = "workload: {jobs: [{name: a, duration: 1 h, gpus: 8}, {name: b, duration: 1 h, gpus: 8}]}\n";
  EXPECT_THAT(
      queue_faults(queue_head + jobs +
                   "scheduling: {policy: time_slicing, checkpoint_cost: 30 s, restart_cost: 30 s}\n"),
      HasSubstr(
          "a slice of 60 s leaves no time to work: saving and loading (checkpoint_cost + restart_cost) take 60 s"));
  EXPECT_EQ(queue_faults(queue_head + jobs +
                         "scheduling: {policy: {name: time_slicing, slice: 10 min}, checkpoint_cost: 30 s, "
                         "restart_cost: 30 s}\n"),
            "");
}

/// Stops whoever runs and starts the other one, all the time.
class Restless final : public QueuePolicy
{
public:
  void decide(const ClusterView& cluster, Decisions& decisions) override
  {
    const std::vector<JobId> running{cluster.running().begin(), cluster.running().end()};
    const std::vector<JobId> waiting{cluster.waiting().begin(), cluster.waiting().end()};
    if (!waiting.empty())
      for (const JobId id : running)
        decisions.preempt(id);
    for (const JobId id : waiting)
      decisions.start(id);
    decisions.wake_at(cluster.now() + Seconds{5});
  }
};

TEST(NoProgress, ARunThatOnlyStopsAndStartsJobsEndsWithASentence)
{
  const Workload workload{.jobs = {job(0, 100, 4), job(0, 100, 4)}};
  Restless policy;
  try {
    simulate_queue(workload, ClusterShape::pool(4), policy, nullptr,
                   {.checkpoint_cost = Seconds{3}, .restart_cost = Seconds{3}, .save_before_release = false});
    FAIL() << "it never ends";
  } catch (const std::invalid_argument& fault) {
    EXPECT_THAT(fault.what(), HasSubstr("no progress: 20001 times in a row a job was stopped"));
  }
}

TEST(QueueEvents, SayWhoWasStoppedForWhomAndExplainRepeatsIt)
{
  const RunReport report =
      run_queue(queue_head + "workload:\n  jobs:\n    - {name: long, duration: 1 h, gpus: 8}\n"
                             "    - {name: urgent, submit: 10 min, duration: 5 min, gpus: 8, priority: 1}\n"
                             "    - {name: late, submit: 20 min, duration: 3 min, gpus: 8}\n"
                             "scheduling: {policy: priority, restart_cost: 1 min}\n"
                             "faults: [node:n-0@30min+7min]\n");
  const tests::QueueFolder folder{report};
  const CsvTable events = parse_csv(read_text_file(folder.path() / "events.csv", 1U << 20U), "events.csv");
  std::vector<std::string> rows;
  for (const CsvTable::Row& row : events.rows)
    rows.push_back(events.cell(row, "time_s") + " " + events.cell(row, "event") + " " + events.cell(row, "job") + " " +
                   events.cell(row, "cause"));
  EXPECT_THAT(rows, ::testing::Contains("600 preempted long job urgent"));
  EXPECT_THAT(rows, ::testing::Contains("900 resumed long "));
  EXPECT_THAT(rows, ::testing::Contains("1800 interrupted long n-0"));
  EXPECT_THAT(rows, ::testing::Contains("1800 requeued long n-0"));
  const std::string text = folder.explain("long");
  EXPECT_THAT(text, HasSubstr("at 00:10:00 it was stopped for job urgent"));
  EXPECT_THAT(text, HasSubstr("at 00:30:00 a failure stopped it: n-0"));
  EXPECT_THAT(text, HasSubstr("down meanwhile: n-0 (from 00:30:00 to 00:37:00)"));
}

TEST(QueueEvents, MetricsKeepAllDigits)
{
  // Three jobs of 1 s one after the other: mean waiting (0 + 1 + 2) / 3 = 1; mean JCT 2. Of jobs of 1/3 s it is not
  // round: JCT 1/3, 2/3, 1, mean 2/3, of durations in whole nanoseconds.
  const RunReport report =
      run_queue(queue_head + "workload:\n  jobs: [{name: a, duration: 0.333333333333 s, gpus: 8}, {name: b, "
                             "duration: 0.333333333333 s, gpus: 8}, {name: c, duration: 0.333333333333 s, gpus: "
                             "8}]\n");
  const tests::QueueFolder folder{report};
  const CsvTable metrics = parse_csv(read_text_file(folder.path() / "metrics.csv", 1U << 20U), "metrics.csv");
  EXPECT_NEAR(std::stod(metrics.cell(metrics.rows.front(), "jct_mean_s")), 2 * 0.333333333, 1e-11);
}

} // namespace
} // namespace trainyard
