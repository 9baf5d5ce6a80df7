// SPDX-License-Identifier: Apache-2.0
// Training of all parts meets on links.
#include "tests/together/mixed.hpp"

#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <span>

namespace trainyard {
namespace {

using tests::boxes;
using tests::Mixed;
using tests::spent_s;
using together::LeftOut;
using together::TogetherRun;

// Two racks of two machines with one GPU each; the uplink of a rack carries what one machine can send. A job of the
// queue trains on box-0 and box-2, a service on box-1 and box-3, the same model, so both exchange through the same
// uplinks. By hand: VGG-16 has 138.4 million parameters; a ring over two sends all 553 MB of gradients once, 0.177 s at
// 25 Gbit/s, and with half of the link once more as long. At one picture per GPU all but the start of the exchange is
// exposed. What each does is what two jobs of a queue do there.
TEST(Together, AJobOfTheQueueAndAServiceShareAnUplink)
{
  Mixed mixed{R"(
cluster:
  node_types: {box: {gpu: V100-SXM2-16GB, gpus: 1, cpu_cores: 16}}
  nodes: [{name: box, type: box, count: 4, per_rack: 2}]
  network: {topology: leaf_spine, link: 25GbE, oversubscription: 2, spines: 1}
jobs: [{name: vgg, model: vgg16, batch_per_gpu: 1, workers: 2, steps: 1000, training: {mode: all_reduce, transport: nccl}}]
workload: {jobs: [{name: a, duration: 10 h, gpus: 2, model: vgg}]}
scheduling: {speed: step}
orchestrator: {name: kubernetes, placements_per_second: 0}
services: [{name: batch, kind: training, replicas: 2, coupling: mpi, resources: {gpus: 1}, job: vgg, constraints: [node != box-0, node != box-2]}]
run: {until: 1 h}
)"};
  const TogetherRun run = mixed.run();
  const auto on = [](int first, int second) {
    Allocation held;
    held.gpus = 2;
    held.shares = {{.node = first, .gpu_mask = 1}, {.node = second, .gpu_mask = 1}};
    return held;
  };
  const Workload& workload = *mixed.parts.queue().workload;
  const Allocation left = on(0, 2), right = on(1, 3);
  const PlacedTraceJob both[] = {{JobId{0}, &workload.jobs[0], &left}, {JobId{1}, &workload.jobs[0], &right}};
  StepSpeed& steps = *mixed.parts.queue().step_speed;
  const double alone = steps.step_times(workload, std::span{both}.first(1)).front(),
               shared = steps.step_times(workload, both).front();
  EXPECT_NEAR(shared - alone, 0.177, 0.02);
  EXPECT_LT(alone / shared, 0.65);
  const std::vector<JobSpeed> speeds = steps.speeds(workload, both);
  ASSERT_EQ(run.slow_visits.size(), 1u);
  const SlowVisit& visit = run.slow_visits[0];
  EXPECT_EQ(visit.name, "batch");
  EXPECT_EQ(visit.neighbour, "a");
  EXPECT_DOUBLE_EQ(visit.share, speeds[1].speed / speeds[1].alone);
  EXPECT_NEAR((visit.to - visit.from).value(), 1000 * shared, 1e-3 * 1000 * shared);
  EXPECT_NEAR((run.services->result.services.front().finished).value(), visit.to.value(), 1e-3);
  const std::vector<RunRecord>& runs = run.queue->result.runs; // alone, beside the service, alone
  ASSERT_EQ(runs.size(), 3u);
  EXPECT_EQ(runs[0].speed, runs[0].alone);
  EXPECT_DOUBLE_EQ(runs[1].speed, speeds[0].speed);
  EXPECT_EQ(run.queue->result.name(*run.queue->workload, runs[1].neighbour), "batch");
  EXPECT_EQ(runs[2].speed, runs[2].alone);
  const RunReport report = together::together_report({mixed.point}, {run}, mixed.notes, {});
  EXPECT_THAT(report.text(), ::testing::HasSubstr("batch shares links for"));
  EXPECT_THAT(report.text(), ::testing::HasSubstr("mostly beside a on"));
  // Goals such as p95(waiting) find the queue's figures in the row of the whole; its job has not ended.
  const nlohmann::json figures = nlohmann::json(report.summary)["runs"][0];
  EXPECT_EQ(figures["jobs"], 1);
  EXPECT_TRUE(figures["waiting_s"].contains("p95"));
  EXPECT_TRUE(figures["jct_s"].is_null());
  const TogetherRun without = mixed.run(LeftOut::queue);
  EXPECT_TRUE(without.slow_visits.empty());
  EXPECT_NEAR((seconds(without.services->result.services.front().finished) - visit.from).value(), 1000 * alone,
              1e-3 * 1000 * alone);
}

// Two machines of two GPUs: the queue's job and the retraining have one GPU of each, and share their network ports. The
// training takes 1000 times the step that two such jobs do side by side, whoever starts it.
TEST(Together, RetrainingSharesLinksWithTheQueueWhoeverStartsIt)
{
  for (const char* through : {"planner", "queue"}) {
    SCOPED_TRACE(through);
    Mixed mixed{
        boxes(2, 2) +
        fmt::format(
            R"(jobs: [{{name: vgg, model: vgg16, batch_per_gpu: 1, workers: 2, steps: 1000, training: {{mode: all_reduce, transport: nccl}}}}]
workload: {{jobs: [{{name: a, duration: 10 h, gpus: 2, model: vgg}}]}}
scheduling: {{speed: step, placement: spread}}
task_environment:
  models: [{{name: m, job: vgg, first: 10 s, period: 10 h}}]
  through: {}
run: {{until: 1 h}}
)",
            through)};
    const TogetherRun run = mixed.run();
    const Workload& workload = *mixed.parts.queue().workload;
    Allocation left, right;
    left.gpus = right.gpus = 2;
    left.shares = {{.node = 0, .gpu_mask = 1}, {.node = 1, .gpu_mask = 1}};
    right.shares = {{.node = 0, .gpu_mask = 2}, {.node = 1, .gpu_mask = 2}};
    const PlacedTraceJob both[] = {{JobId{0}, &workload.jobs[0], &left}, {JobId{1}, &workload.jobs[0], &right}};
    const double shared = mixed.parts.queue().step_speed->step_times(workload, both).front();
    EXPECT_NEAR(spent_s(run, 0, Segment::train), 1000 * shared, 1e-6 * 1000 * shared);
    EXPECT_EQ(run.slow_visits.empty(), std::string_view{through} == "queue");
    const auto slowed = std::ranges::find_if(run.queue->result.runs,
                                             [](const RunRecord& one) { return one.job == JobId{0} && one.link >= 0; });
    ASSERT_NE(slowed, run.queue->result.runs.end());
    EXPECT_EQ(run.queue->result.name(*run.queue->workload, slowed->neighbour),
              std::string_view{through} == "queue" ? "m-1" : "m");
  }
}

} // namespace
} // namespace trainyard
