// SPDX-License-Identifier: Apache-2.0
// Retraining whose trainings are jobs of the queue.
#include "sim/sources/scenario_runner.hpp"
#include "tests/together/mixed.hpp"

#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdexcept>
#include <tuple>

namespace trainyard {
namespace {

using tests::boxes;
using tests::Mixed;
using tests::spent_s;
using tests::three_machines;
using together::LeftOut;
using together::Stay;
using together::TogetherRun;

/// One scenario on boxes of 4 GPUs whose data, messages and results take no time, so that a training is submitted at
/// the instant of its need and its model is deployed when it ends.
TogetherRun through_queue(int count, const std::string& jobs, const std::string& scheduling, const std::string& models,
                          const std::string& rest, Seconds until, LeftOut without = LeftOut::nothing)
{
  return Mixed{boxes(count) + fmt::format(R"(workload: {{jobs: [{}]}}
scheduling: {}
task_environment:
  models: [{}]
  through: queue
  upload: {{confirm: {{by: message}}}}
  status: {{by: message}}
  messages: {{latency: 0 s}}
{}
run: {{until: {} s}}
)",
                                          jobs, scheduling, models, rest, until.value())}
      .run(without);
}

/// The queue's job of this name.
const JobOutcome& outcome(const TogetherRun& run, const std::string& name)
{
  for (int i = 0; i < run.queue->workload->size(); ++i)
    if (run.queue->workload->name(JobId{i}) == name)
      return run.queue->result.jobs[static_cast<std::size_t>(i)];
  throw std::out_of_range{name};
}

// Job a holds all 4 GPUs until 100 s. The retraining due at 50 s waits 50 s and trains from 100 s to 130 s; job b,
// submitted at 60 s, is behind it and runs from 130 s to 140 s. The queue's own figures count a and b only: they waited
// 0 and 70 s.
TEST(Together, ARetrainingWaitsInTheQueue)
{
  const TogetherRun run = through_queue(
      1, "{name: a, duration: 100 s, gpus: 4}, {name: b, submit: 60 s, duration: 10 s, gpus: 4}", "{policy: fifo}",
      "{name: m, train_time: 30 s, gpus: 4, first: 50 s, period: 1 h, team: research}", "", Seconds{300});
  EXPECT_NEAR(spent_s(run, 0, Segment::queue), 50, 1e-9);
  EXPECT_NEAR(spent_s(run, 0, Segment::train), 30, 1e-9);
  EXPECT_EQ(run.retraining->runs.front().requests[0].ended, RequestEnd::deployed);
  EXPECT_NEAR(outcome(run, "m-1").first_start.value(), 100, 1e-9);
  EXPECT_NEAR(outcome(run, "m-1").end.value(), 130, 1e-9);
  EXPECT_NEAR(outcome(run, "b").first_start.value(), 130, 1e-9);
  EXPECT_EQ(run.own_jobs.jobs, 2);
  EXPECT_EQ(run.own_jobs.waiting_s.mean, 35);
  EXPECT_EQ(run.queue->metrics.jobs, 3);
  const JobId sent = run.queue->result.sent.at(0);
  EXPECT_EQ(run.queue->workload->teams.name(run.queue->workload->job(sent).team), "research");
  EXPECT_THAT(run.queue->result.waits,
              ::testing::Contains(::testing::AllOf(::testing::Field(&WaitRecord::job, sent),
                                                   ::testing::Field(&WaitRecord::reason, WaitReason::gpus),
                                                   ::testing::Field(&WaitRecord::to, Seconds{100}))));
  const std::vector<Stay> stays = stays_of(run, Instant{Seconds{300}});
  ASSERT_EQ(stays.size(), 3u);
  EXPECT_EQ(stays[1].source, "retraining");
  EXPECT_EQ(stays[1].name, "m-1");
}

// Without retraining b starts at its submission: gittins knows that half of the jobs need 40 GPU-seconds, as b, and
// that a, which has had 240, will need 160 more, so it stops a. Without the queue's jobs, which it still knows, the
// retraining starts at once.
TEST(Together, WhatRetrainingCostsTheQueueAndTheQueueRetraining)
{
  const auto run = [](LeftOut without) {
    return through_queue(1, "{name: a, duration: 100 s, gpus: 4}, {name: b, submit: 60 s, duration: 10 s, gpus: 4}",
                         "{policy: gittins}", "{name: m, train_time: 30 s, gpus: 4, first: 50 s, period: 1 h}", "",
                         Seconds{300}, without);
  };
  const TogetherRun without_retraining = run(LeftOut::retraining), without_queue = run(LeftOut::queue);
  EXPECT_EQ(outcome(without_retraining, "b").first_start, Seconds{60});
  EXPECT_EQ(without_retraining.queue->workload->size(), 2);
  EXPECT_FALSE(without_queue.queue);
  EXPECT_NEAR(spent_s(without_queue, 0, Segment::queue), 0, 1e-9);
}

// Team a has 2 of the 4 GPUs, and uses them until 100 s. 2 are free, but a retraining of team a waits for them; one of
// team b starts at once.
TEST(Together, QuotasCountRetraining)
{
  for (const auto& [team, waits] : {std::pair{"a", 50.0}, std::pair{"b", 0.0}}) {
    const TogetherRun run = through_queue(
        1, "{name: x, duration: 100 s, gpus: 2, team: a}, {name: y, submit: 200 s, duration: 1 s, gpus: 1, team: b}",
        "{policies: [{name: drf, quotas: a=2 b=2}]}",
        fmt::format("{{name: m, train_time: 30 s, gpus: 2, first: 50 s, period: 1 h, team: {}}}", team), "",
        Seconds{300});
    EXPECT_NEAR(spent_s(run, 0, Segment::queue), waits, 1e-9) << team;
  }
}

// A team that only retrains is told of, because its name may be a mistake.
TEST(Together, WarnsOfTeamsThatOnlyRetrain)
{
  using Doubt = std::pair<std::string, std::string>;
  const auto doubts_of = [](const std::string& team) {
    const CheckedPoint point = tests::point_of(three_machines + fmt::format(R"(
workload: {{jobs: [{{name: x, duration: 100 s, team: vision}}, {{name: y, duration: 1 s}}]}}
task_environment: {{through: queue, models: [{{name: l, train_time: 1 h}}, {{name: m, train_time: 1 h, team: {}}}]}}
run: {{until: 1 d}}
)",
                                                                            team));
    std::vector<Doubt> doubts;
    for (const Diagnostic& doubt : runner_of(point.scenario)->run({point}, {}).doubts) {
      EXPECT_EQ(doubt.severity, Severity::warning);
      doubts.emplace_back(doubt.where.path, doubt.message);
    }
    Diagnostics checked;
    runner_of(point.scenario)->outline({point}, tests::shipped_catalogue(), checked);
    EXPECT_EQ(checked.sorted().size(), doubts.size()); // simrun check says the same
    return doubts;
  };
  const std::string path = "task_environment.models.1.team";
  EXPECT_EQ(doubts_of("vision"), std::vector<Doubt>{});
  EXPECT_EQ(doubts_of("visoin"),
            (std::vector{Doubt{path, path + ": team 'visoin' has no jobs in the queue, only the retraining of 'm'; did "
                                            "you mean 'vision'?"}}));
  EXPECT_EQ(doubts_of("speech"),
            (std::vector{Doubt{path, path + ": team 'speech' has no jobs in the queue, only the retraining of 'm'; "
                                            "teams with jobs: vision"}}));
}

// fifo runs the job of 10 h first, so that none of the four ends within the hour; srtf stops it for the three of 10
// min.
TEST(Together, CountsOpenJobsForEachPolicy)
{
  const CheckedPoint point = tests::point_of(R"(
cluster:
  node_types: {box: {gpu: V100-SXM2-16GB, gpus: 4, cpu_cores: 16}}
  nodes: [{name: box, type: box, count: 1}]
  network: {link: 25GbE}
workload:
  jobs:
    - {name: long, duration: 10 h, gpus: 4}
    - {name: short, copies: 3, submit: 1 min, duration: 10 min, gpus: 4}
scheduling: {policies: [fifo, srtf]}
services: [{name: web, replicas: 1}]
run: {until: 1 h}
)");
  EXPECT_THAT(
      runner_of(point.scenario)->run({point}, {}).text(),
      ::testing::HasSubstr(
          "had not ended when the run did (run: {until: …}): 4 of 4 jobs under fifo, 1 of 4 jobs "
          "under srtf; mean JCT, slowdown and makespan are over those that had, waiting counts the others so far"));
}

// A newer need at 30 s replaces the retraining of 10 s, one at 50 s that of 30 s. Job a holds all GPUs until 40 s: the
// first is taken back while it waits, the second (runs from 40 s on) while it runs. The third trains from 50 s to 65 s.
TEST(Together, AReplacedRetrainingLeavesTheQueue)
{
  const TogetherRun run = through_queue(1, "{name: a, duration: 40 s, gpus: 4}", "{policy: fifo}",
                                        "{name: m, train_time: 15 s, gpus: 4, first: 10 s, period: 20 s}",
                                        "  duplicates: replace", Seconds{69});
  EXPECT_EQ(outcome(run, "m-1").phase, JobPhase::withdrawn);
  EXPECT_EQ(outcome(run, "m-1").gpu_time, Seconds{0});
  EXPECT_EQ(outcome(run, "m-2").phase, JobPhase::withdrawn);
  EXPECT_NEAR(outcome(run, "m-2").first_start.value(), 40, 1e-9);
  EXPECT_EQ(outcome(run, "m-2").gpu_time, Seconds{4 * 10});
  EXPECT_NEAR(outcome(run, "m-3").first_start.value(), 50, 1e-9);
  EXPECT_NEAR(outcome(run, "m-3").end.value(), 65, 1e-9);
  const std::vector<Request>& requests = run.retraining->runs.front().requests;
  EXPECT_EQ(requests[0].ended, RequestEnd::replaced);
  EXPECT_EQ(requests[1].ended, RequestEnd::replaced);
  EXPECT_EQ(requests[1].wasted_gpu_seconds, 40);
  EXPECT_EQ(requests[2].ended, RequestEnd::deployed);
}

// A training of 100 s starts at 10 s on box-0, which fails at 60 s. It goes on at once on box-1: from the beginning, to
// 160 s; with checkpoints every 20 s of work from 40 s of its work on, to 120 s, whoever states them; the model's count
// before the queue's.
TEST(Together, AFailedMachineSendsARetrainingBackToTheQueue)
{
  for (const auto& [model, queue, ends] :
       {std::tuple{"", "", 160.0}, std::tuple{", checkpoint_interval: 20 s", "", 120.0},
        std::tuple{"", ", checkpoint_interval: 20 s", 120.0},
        std::tuple{", checkpoint_interval: 20 s", ", checkpoint_interval: 50 s", 120.0}}) {
    const TogetherRun run =
        through_queue(2, "{name: a, duration: 1 s}", fmt::format("{{policy: fifo{}}}", queue),
                      fmt::format("{{name: m, train_time: 100 s, gpus: 4, first: 10 s, period: 1 h{}}}", model),
                      "faults: [\"node:box-0@60s+1h\"]", Seconds{300});
    EXPECT_NEAR(outcome(run, "m-1").end.value(), ends, 1e-9);
    EXPECT_EQ(outcome(run, "m-1").failures, 1);
    // 50 s of work on 4 GPUs are undone, or the 10 s since the checkpoint at 40 s
    EXPECT_NEAR(run.retraining->metrics.redone_gpu_hours * 3600, ends == 160 ? 4 * 50 : 4 * 10, 1e-6);
    EXPECT_NEAR(spent_s(run, 0, Segment::train), ends - 10, 1e-9);
    const std::vector<TrainingStay>& stays = run.retraining->runs.front().stays;
    ASSERT_EQ(stays.size(), 2u);
    EXPECT_EQ(stays[0].to, Seconds{60});
    EXPECT_EQ(stays[1].nodes, "box-1");
  }
}

// A checkpoint of 2 s every 8 s of work, as the model itself says: at 8, 16 and 24 s of 30 s of work. It trains from 10
// to 46 s.
TEST(Together, ARetrainingInTheQueuePaysForItsOwnCheckpoints)
{
  const TogetherRun run = through_queue(
      1, "{name: a, duration: 1 s}", "{policy: fifo, checkpoint_cost: 2 s}",
      "{name: m, train_time: 30 s, gpus: 4, first: 10 s, period: 1 h, checkpoint_interval: 8 s}", "", Seconds{300});
  EXPECT_NEAR(outcome(run, "m-1").end.value(), 46, 1e-9);
}

// The training (100 s from 10 s on) is stopped at 50 s for a job of higher priority that runs 50 s, and goes on from
// where it was: 40 s + 60 s of training, 50 s of waiting, end at 160 s.
TEST(Together, TheQueuesPolicyMayPreemptARetraining)
{
  const TogetherRun run =
      through_queue(1, "{name: z, duration: 1 s}, {name: a, submit: 50 s, duration: 50 s, gpus: 4, priority: 5}",
                    "{policy: priority}",
                    "{name: m, train_time: 100 s, gpus: 4, first: 10 s, period: 1 h, priority: 1}", "", Seconds{300});
  EXPECT_EQ(outcome(run, "m-1").preemptions, 1);
  EXPECT_NEAR(outcome(run, "m-1").end.value(), 160, 1e-9);
  EXPECT_NEAR(spent_s(run, 0, Segment::train), 100, 1e-9);
  EXPECT_NEAR(spent_s(run, 0, Segment::queue), 50, 1e-9);
}

// Two parts of 1 GB arrive over 1 Gbit/s at 8 s and 16 s. The training of 10 s starts with the first, has done its half
// at 13 s, waits 3 s for the second and ends at 21 s. It holds its GPU meanwhile.
TEST(Together, ARetrainingInTheQueueWaitsForItsData)
{
  const TogetherRun run =
      through_queue(1, "{name: a, duration: 1 s}", "{policy: fifo}",
                    "{name: m, train_time: 10 s, period: 1 h, data: 2 GB, parts: 2}", "", Seconds{300});
  EXPECT_NEAR(outcome(run, "m-1").first_start.value(), 8, 1e-9);
  EXPECT_NEAR(outcome(run, "m-1").end.value(), 21, 1e-6);
  EXPECT_NEAR(spent_s(run, 0, Segment::train), 13, 1e-6);
  EXPECT_NEAR(seconds(run.retraining->runs.front().requests[0].input_wait).value(), 3, 1e-6);
}

// The result of 30 GB is saved at 1 GB/s: the training keeps its GPUs for 30 s after its work, as with the planner, and
// job b gets them then.
TEST(Together, ARetrainingKeepsItsGpusWhileItsModelIsSaved)
{
  const TogetherRun run =
      through_queue(1, "{name: z, duration: 1 s}, {name: b, submit: 11 s, duration: 10 s, gpus: 4}", "{policy: fifo}",
                    "{name: m, train_time: 20 s, gpus: 4, first: 10 s, period: 1 h, result: 30 GB}", "", Seconds{500});
  EXPECT_NEAR(outcome(run, "m-1").end.value(), 60, 1e-9);
  EXPECT_NEAR(outcome(run, "b").first_start.value(), 60, 1e-9);
  EXPECT_NEAR(spent_s(run, 0, Segment::save), 30, 1e-9);
}

// An attempt that fails by itself after 10 s of training is found out and sent again as a job of its own, from its
// checkpoint at 8 s: 20 s - 8 s = 12 s more.
TEST(Together, AFailedAttemptIsSentToTheQueueAgain)
{
  const TogetherRun run = through_queue(1, "{name: a, duration: 1 s}", "{policy: fifo}",
                                        "{name: m, train_time: 20 s, period: 1 h, checkpoint_interval: 8 s}",
                                        "  faults: [{model: m, after: 10 s}]", Seconds{300});
  EXPECT_EQ(outcome(run, "m-1").phase, JobPhase::withdrawn);
  EXPECT_EQ(outcome(run, "m-1").gpu_time, Seconds{10});
  EXPECT_NEAR(outcome(run, "m-1/2").gpu_time.value(), 12, 1e-9);
  EXPECT_EQ(run.retraining->runs.front().requests[0].ended, RequestEnd::deployed);
}

// Job a is stopped for the training that is due at 100 s, and saves until 150 s: the training begins then. At 180 s it
// is done, and job a has 400 s left: it ends at 580 s. Nobody holds a GPU twice.
TEST(Together, ARetrainingBeginsWhenTheJobThatWasStoppedForItHasSaved)
{
  const TogetherRun run =
      through_queue(1, "{name: a, duration: 500 s, gpus: 4}", "{policy: priority, checkpoint_cost: 50 s}",
                    "{name: m, train_time: 30 s, gpus: 4, first: 100 s, period: 1 h, priority: 1}", "", Seconds{1000});
  EXPECT_NEAR(spent_s(run, 0, Segment::queue), 50, 1e-9);
  EXPECT_NEAR(spent_s(run, 0, Segment::train), 30, 1e-9);
  EXPECT_NEAR(run.retraining->metrics.gpu_hours * 3600, 120, 1e-9);
  EXPECT_NEAR(run.own_jobs.gpu_hours * 3600, 4 * 550, 1e-9);
  const std::vector<Stay> stays = stays_of(run, Instant{Seconds{1000}});
  ASSERT_EQ(stays.size(), 4u);
  EXPECT_EQ(stays[1].to, Seconds{150}); // a saves
  EXPECT_EQ(stays[2].name, "m-1");
  EXPECT_EQ(stays[2].from, Seconds{150});
}

// A training that is stopped holds its GPUs until it has saved: its stay ends at 150 s, where job b begins.
TEST(Together, ARetrainingThatIsStoppedHoldsItsGpusUntilItHasSaved)
{
  const TogetherRun run = through_queue(
      1, "{name: b, duration: 30 s, gpus: 4, submit: 100 s, priority: 1}", "{policy: priority, checkpoint_cost: 50 s}",
      "{name: m, train_time: 500 s, gpus: 4, first: 0 s, period: 1 h}", "", Seconds{1000});
  EXPECT_NEAR(run.retraining->metrics.gpu_hours * 3600, 4 * 550, 1e-9);
  const std::vector<Stay> stays = stays_of(run, Instant{Seconds{1000}});
  ASSERT_EQ(stays.size(), 3u);
  EXPECT_EQ(stays[0].to, Seconds{150});
  EXPECT_EQ(stays[1].name, "b");
  EXPECT_EQ(stays[1].from, Seconds{150});
}

// Job a is stopped for job b, which takes one of its four GPUs; on the others it saves until 150 s. The service that
// wants one more replica from 120 s on gets it at 150 s.
TEST(Together, NobodyElseGetsGpusOnWhichAJobSaves)
{
  Mixed mixed{boxes(1) + R"(
workload: {jobs: [{name: a, duration: 500 s, gpus: 3}, {name: b, submit: 100 s, duration: 900 s, gpus: 1, priority: 1},
                  {name: c, submit: 100 s, duration: 900 s, gpus: 1, priority: 1}]}
scheduling: {policy: priority, checkpoint_cost: 50 s}
orchestrator: kubernetes
services:
  - {name: batch, kind: training, replicas: 2, resources: {gpus: 1}, work: 1 h}
run: {until: 400 s}
)"};
  const TogetherRun run = mixed.run();
  std::vector<Instant> placed;
  for (const Stay& stay : stays_of(run, mixed.until()))
    if (stay.source == "services")
      placed.push_back(stay.from);
  ASSERT_EQ(placed.size(), 2u);
  EXPECT_GE(placed[1], Seconds{150});
  EXPECT_LT(placed[1], Seconds{160});
}

} // namespace
} // namespace trainyard
