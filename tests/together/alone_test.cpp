// SPDX-License-Identifier: Apache-2.0
// Alone under the kernel each part is what it is without it.
#include "models/core/random.hpp"
#include "sim/cluster/kernel.hpp"
#include "sim/sources/retraining/environment_run.hpp"
#include "sim/sources/services/engine.hpp"
#include "sim/sources/services/prepare.hpp"
#include "tests/together/mixed.hpp"

#include <gtest/gtest.h>

namespace trainyard {
namespace {

using tests::point_of;
using tests::shipped_catalogue;
using tests::three_machines;

TEST(Together, AQueueAloneUnderTheKernelIsTheQueue)
{
  for (const char* name : {"fifo", "sjf", "srtf", "las", "easy_backfill", "conservative_backfill", "fair_share", "drf"})
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
      SCOPED_TRACE(fmt::format("{} {}", name, seed));
      RandomStream draw = Random{seed}.stream("queue alone");
      Workload workload;
      double submit = 0;
      for (int i = 0; i < 60; ++i) {
        TraceJob job;
        job.submit = Seconds{submit};
        submit += draw.exponential(30);
        job.duration = job.estimate = Seconds{draw.exponential(400)};
        job.gpus = 1 + static_cast<int>(draw.uniform() * 6);
        job.user = workload.users.index_of(fmt::format("u{}", i % 4));
        job.team = workload.teams.index_of(fmt::format("t{}", i % 3));
        workload.jobs.push_back(job);
      }
      const ClusterShape shape = ClusterShape::machines(4, 4);
      SchedulingOptions options;
      options.restart_cost = Seconds{7};
      const auto policy = Registry<QueuePolicy>::instance().create(name, {}),
                 again = Registry<QueuePolicy>::instance().create(name, {});
      const auto place = Registry<PlacementPolicy>::instance().create("pack", {}),
                 placed = Registry<PlacementPolicy>::instance().create("pack", {});
      const SchedulingResult expected = simulate_queue(workload, shape, *policy, place.get(), options);
      NodePool pool{shape};
      QueueSource source{workload, shape, *again, *placed, options, pool};
      Kernel kernel;
      kernel.add(source);
      const Instant until = Seconds{1e6};
      kernel.run(until);
      const SchedulingResult found = source.finish(until);
      ASSERT_EQ(found.finished, expected.finished);
      for (std::size_t i = 0; i < expected.jobs.size(); ++i) {
        ASSERT_EQ(found.jobs[i].first_start, expected.jobs[i].first_start) << i;
        ASSERT_EQ(found.jobs[i].end, expected.jobs[i].end) << i;
        ASSERT_EQ(found.jobs[i].preemptions, expected.jobs[i].preemptions) << i;
      }
      ASSERT_EQ(found.decisions, expected.decisions);
    }
}

TEST(Together, ServicesAloneUnderTheKernelAreTheServices)
{
  const CheckedPoint point = point_of(three_machines + R"(
orchestrator: kubernetes
services:
  - {name: serve, kind: serving, replicas: 2, resources: {gpus: 1}, serving: {capacity: 10, rate: [{from: 0 s, rate: 15}, {from: 10 min, rate: 70}],
     scales: true, scale_delay: 30 s}}
  - {name: train, kind: training, coupling: elastic, replicas: 8, resources: {gpus: 1}, work: 30 min, checkpoint: {interval: 5 min, save: 5 s, load: 10 s}}
faults: ["node:box-1@15min+10min", "gpu:box-0/1@20min+5min"]
run: {until: 1 h}
)");
  const auto input = orchestration_input(point.scenario, shipped_catalogue(), 1);
  auto alone = input;
  alone.faults =
      FaultSchedule{}; // a broken GPU takes its machine from all who share it, so failures are compared without it
  auto shared = alone;
  const OrchestrationResult expected = orchestrate(alone);
  NodePool pool{shared.cluster};
  orchestration::Engine source{shared, &pool};
  Kernel kernel;
  kernel.add(source);
  const Instant until = point.scenario.run.until;
  kernel.run(until);
  const OrchestrationResult found = source.finish(until);
  ASSERT_EQ(found.instances.size(), expected.instances.size());
  for (std::size_t i = 0; i < expected.instances.size(); ++i) {
    EXPECT_EQ(found.instances[i].node, expected.instances[i].node) << i;
    EXPECT_EQ(found.instances[i].placed, expected.instances[i].placed) << i;
    EXPECT_EQ(found.instances[i].ended, expected.instances[i].ended) << i;
  }
  EXPECT_TRUE(found.idle == expected.idle);
  EXPECT_TRUE(found.capacity == expected.capacity);
  EXPECT_TRUE(found.elsewhere == AmountTime{});
}

TEST(Together, RetrainingAloneUnderTheKernelIsTheRetraining)
{
  const CheckedPoint point = point_of(three_machines + R"(
task_environment:
  models:
    - {name: a, train_time: 40 min, gpus: 4, period: 1 h, data: 20 GB, variation: 0.3}
    - {name: b, train_time: 90 min, gpus: 8, period: 2 h, first: 10 min, data: 40 GB, parts: 8, variation: 0.3}
  planner: genetic
run: {until: 3 d, seed: 5}
)");
  const auto& section = *point.scenario.section<TaskEnvironmentSection>("task_environment");
  TrainingRates rates{point.scenario, shipped_catalogue(), section};
  const Instant until = point.scenario.run.until;
  const EnvironmentInput input{section, rates, point.scenario.run.seed, until};
  const auto policy = Registry<DuplicatePolicy>::instance().create("replace", {});
  const auto first = Registry<JobPlanner>::instance().create("genetic", {}),
             second = Registry<JobPlanner>::instance().create("genetic", {});
  const EnvironmentResult expected = simulate_environment(input, *policy, *first);
  NodePool pool{rates.shape()};
  task_environment::EnvironmentRun source{input, *policy, *second, &pool};
  Kernel kernel;
  kernel.add(source);
  kernel.run(until - Instant{1}); // alone it ends before `until`
  const EnvironmentResult found = source.finish(until);
  ASSERT_EQ(found.requests.size(), expected.requests.size());
  ASSERT_GT(found.requests.size(), 50u);
  for (std::size_t i = 0; i < expected.requests.size(); ++i) {
    EXPECT_EQ(found.requests[i].end, expected.requests[i].end) << i;
    EXPECT_EQ(found.requests[i].spent, expected.requests[i].spent) << i;
  }
}

} // namespace
} // namespace trainyard
