// SPDX-License-Identifier: Apache-2.0
// A queue, services and retraining on the same machines: who waits for whom, what a failure costs each, what a run
// without a part shows, and what is refused.
#include "sim/study/point_evaluator.hpp"
#include "tests/together/mixed.hpp"

#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>

namespace trainyard {
namespace {

using tests::boxes;
using tests::Mixed;
using tests::three_machines;
using together::LeftOut;
using together::Stay;
using together::TogetherRun;

std::string faults_in(const std::string& text)
{
  Diagnostics diagnostics;
  const Document document = parse_document(text, "test.yaml", diagnostics);
  check_points(document, diagnostics);
  std::string all;
  for (const Diagnostic& fault : diagnostics.sorted())
    all += fault.message + "\n";
  return all;
}

// One machine with 4 GPUs. Job a holds all of them for 100 s from 0 s; the service (1 GPU, placed at 0 s, before the
// queue acts) leaves 3 free until it ends, so a waits. The service has 200 s of work and starts in 5.1 s (Kubernetes'
// default here: container start 5 s).
TEST(Together, AJobWaitsForAServiceAndStartsWhenItEnds)
{
  Mixed mixed{boxes(1) + R"(
workload: {jobs: [{name: a, duration: 100 s, gpus: 4}]}
services: [{name: batch, kind: training, replicas: 1, resources: {gpus: 1}, work: 200 s}]
run: {until: 1 h}
)"};
  const TogetherRun run = mixed.run();
  const Instant ended = run.services->result.services.front().finished;
  ASSERT_GE(ended.value(), 200);
  EXPECT_EQ(run.queue->result.jobs[0].first_start, seconds(ended));
  EXPECT_EQ(run.queue->result.jobs[0].end, seconds(ended) + Seconds{100});
  EXPECT_THAT(run.queue->result.waits, ::testing::Contains(::testing::Field(&WaitRecord::reason, WaitReason::gpus)));
  const TogetherRun without = mixed.run(LeftOut::services);
  EXPECT_EQ(without.queue->result.jobs[0].first_start, Seconds{0});
}

// The other way round: the queue's job has the GPUs until 600 s; the service, which arrives at 60 s, is placed at that
// very instant.
TEST(Together, AServiceWaitsForAJob)
{
  Mixed mixed{boxes(1) + R"(
workload: {jobs: [{name: a, duration: 600 s, gpus: 4}]}
services: [{name: web, replicas: 1, arrival: 60 s, resources: {gpus: 1}}]
run: {until: 1 h}
)"};
  const TogetherRun run = mixed.run();
  ASSERT_EQ(run.services->result.instances.size(), 1u);
  EXPECT_EQ(run.services->result.instances[0].placed, Seconds{600});
}

// The training would fail by itself after 700 s, but its machine fails at 500 s: the other failure was one of that
// attempt. The next one takes its 1000 s.
TEST(Together, ATrainingWhoseMachineFailsDoesNotFailAgainByItself)
{
  Mixed mixed{boxes(2) + R"(
workload: {jobs: [{name: a, duration: 1000 s, gpus: 2}]}
task_environment:
  models: [{name: m, train_time: 1000 s, gpus: 1, period: 10 h, data: 1 kB}]
  faults: [{model: m, after: 700 s}]
faults: ["node:box-0@500s+2000s"]
run: {until: 1 h}
)"};
  const TogetherRun run = mixed.run();
  const EnvironmentResult& retraining = run.retraining->runs.front();
  ASSERT_EQ(retraining.stays.size(), 2u);
  EXPECT_EQ(retraining.stays[0].to, Seconds{500});
  EXPECT_NEAR((retraining.stays[1].to - retraining.stays[1].from).value(), 1000, 1);
}

// A machine fails for all parts at once: the job on it starts again on the other one, the training too, and the service
// is moved after Kubernetes has noticed (40 s) and given up the machine (300 s).
TEST(Together, AFailedMachineHitsAllParts)
{
  Mixed mixed{boxes(2) + R"(
workload: {jobs: [{name: a, duration: 1000 s, gpus: 2}]}
scheduling: {policy: fifo, placement: first_fit}
orchestrator: {name: kubernetes, placements_per_second: 0}
services: [{name: web, replicas: 1, resources: {gpus: 1}}]
task_environment:
  models: [{name: m, train_time: 1000 s, gpus: 1, period: 10 h, data: 1 kB}]
faults: ["node:box-0@500s+2000s"]
run: {until: 1 h}
)"};
  const TogetherRun run = mixed.run();
  EXPECT_EQ(run.queue->result.jobs[0].failures, 1);
  EXPECT_EQ(run.queue->result.jobs[0].end, Seconds{1500}); // no checkpoints: all of it again from 500 s on
  ASSERT_EQ(run.services->result.instances.size(), 2u);
  EXPECT_EQ(run.services->result.instances[1].node, 1);
  EXPECT_EQ(run.services->result.instances[1].placed, Seconds{840});
  const EnvironmentResult& retraining = run.retraining->runs.front();
  ASSERT_EQ(retraining.stays.size(), 2u);
  EXPECT_EQ(retraining.stays[0].to, Seconds{500});
  EXPECT_EQ(retraining.stays[1].nodes, "box-1");
  // The moved service runs until the end of the run, 1 h.
  const std::vector<Stay> stays = stays_of(run, Instant{Seconds{3600}});
  const auto moved =
      std::ranges::find_if(stays, [](const Stay& stay) { return stay.source == "services" && stay.node == "box-1"; });
  ASSERT_NE(moved, stays.end());
  EXPECT_NEAR(moved->from.value(), 840, 1e-6);
  EXPECT_NEAR(moved->to.value(), 3600, 1e-6);
  // Without failures all stay where they are. A run without the queue leaves its jobs there for the next run.
  const TogetherRun healthy = mixed.run(LeftOut::failures);
  EXPECT_EQ(healthy.queue->result.jobs[0].end, Seconds{1000});
  EXPECT_EQ(healthy.services->result.instances.size(), 1u);
  EXPECT_FALSE(mixed.run(LeftOut::queue).queue);
  const TogetherRun again = mixed.run();
  ASSERT_TRUE(again.queue);
  EXPECT_EQ(again.queue->result.jobs[0].end, Seconds{1500});
}

// A broken GPU drains its machine for all. Without any delay the service goes at that very instant to the other
// machine, not back to the GPU that has just broken; the job starts again there too.
TEST(Together, NothingIsPlacedOnABrokenGpu)
{
  Mixed mixed{boxes(2) + R"(
workload: {jobs: [{name: a, duration: 1 h, gpus: 2}]}
orchestrator: {name: swarm, restart_delay: 0 s, process_detection: 0 s}
services: [{name: web, replicas: 1, resources: {gpus: 1}}]
faults: ["gpu:box-0/0@10min+2h"]
run: {until: 6 h}
)"};
  const TogetherRun run = mixed.run();
  const std::vector<InstanceRecord>& instances = run.services->result.instances;
  ASSERT_EQ(instances.size(), 2u);
  EXPECT_EQ(instances[0].node, 0);
  EXPECT_EQ(instances[0].gpu_mask, 1u);
  EXPECT_EQ(instances[1].node, 1);
  EXPECT_EQ(instances[1].placed, Seconds{600});
  EXPECT_EQ(run.queue->result.jobs[0].end, Seconds{600 + 3600});
}

// Studies name the figures of the whole by the policy; those of runs without a part have names of their own, so that
// none takes the place of another.
TEST(Together, StudiesSeeTheWholeAndTheRunsWithoutAPart)
{
  Mixed mixed{boxes(1) + R"(
workload: {jobs: [{name: a, duration: 100 s, gpus: 4}]}
services: [{name: batch, kind: training, replicas: 1, resources: {gpus: 1}, work: 200 s}]
run: {until: 1 h}
)"};
  const ScenarioRunner* runner = runner_of(mixed.point.scenario);
  ASSERT_NE(runner, nullptr);
  EXPECT_EQ(runner->kind(), "trainyard cluster");
  std::map<std::string, double> waiting;
  for (const Measured& measured : measured_of_summary(runner->run({mixed.point}, {}).summary))
    if (const auto found = measured.numbers.find("mean_waiting_s"); found != measured.numbers.end())
      waiting[measured.item] = found->second;
  EXPECT_GE(waiting.at("fifo"), 200);
  EXPECT_EQ(waiting.at("fifo without services"), 0);
}

TEST(Together, RefusesWhatItCannotRun)
{
  const std::string queue = "workload: {jobs: [{name: a, duration: 60 s}]}\n",
                    services = "services: [{name: web, replicas: 1}]\n";
  EXPECT_THAT(faults_in(three_machines + queue + services), ::testing::HasSubstr("run: {until: 1 d}"));
  EXPECT_THAT(faults_in(three_machines + queue + services + "scheduling: {cluster: pool}\nrun: {until: 1 d}\n"),
              ::testing::HasSubstr("needs machines"));
  EXPECT_THAT(
      faults_in(three_machines + queue +
                "task_environment: {cluster: false, models: [{name: m, train_time: 1 h, period: 1 d, data: 1 kB}]}\n"
                "run: {until: 1 d}\n"),
      ::testing::HasSubstr("nothing is shared"));
  EXPECT_THAT(
      faults_in(
          three_machines + queue +
          "task_environment: {planner: [fifo, list], models: [{name: m, train_time: 1 h, period: 1 d, data: 1 kB}]}\n"
          "run: {until: 1 d}\n"),
      ::testing::HasSubstr("one planner"));
  const auto through = [&](const std::string& more, const std::string& model = "", const std::string& top = "") {
    return faults_in(three_machines + queue +
                     fmt::format("task_environment: {{through: queue{}, models: [{{name: m, {}, period: 1 d}}]}}\n"
                                 "run: {{until: 1 d}}\n{}",
                                 more, model.empty() ? "train_time: 1 h" : model, top));
  };
  EXPECT_EQ(through(", planner: priority"), "");
  EXPECT_THAT(through(", planner: list"), ::testing::HasSubstr("the policy of the queue decides"));
  EXPECT_THAT(through(", placement: pack"), ::testing::HasSubstr("the queue chooses the machines"));
  EXPECT_THAT(through(", cluster: false"), ::testing::HasSubstr("machine of its own"));
  EXPECT_THAT(through("", "", "scheduling: {kill_at_estimate: true}\n"), ::testing::HasSubstr("requests none"));
  EXPECT_THAT(
      through("", "job: r",
              "jobs: [{name: r, model: resnet50, batch_per_gpu: 8, workers: 1, training: {mode: all_reduce}}]\n"),
      ::testing::HasSubstr("speed: step"));
  EXPECT_THAT(faults_in(three_machines + services +
                        "task_environment: {through: queue, models: [{name: m, train_time: 1 h, period: 1 d}]}\n"
                        "run: {until: 1 d}\n"),
              ::testing::HasSubstr("needs a queue"));
  EXPECT_THAT(faults_in(three_machines + queue +
                        "task_environment: {models: [{name: m, train_time: 1 h, period: 1 d, team: a}]}\n"
                        "run: {until: 1 d}\n"),
              ::testing::HasSubstr("write through: queue"));
}

} // namespace
} // namespace trainyard
