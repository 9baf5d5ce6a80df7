// SPDX-License-Identifier: Apache-2.0
// A queue, services and retraining on the same machines: alone under the kernel each is what it is without it, together
// nobody holds a GPU twice and nothing is lost.
#include "models/core/data_folder.hpp"
#include "models/job/generator.hpp"
#include "sim/cluster/kernel.hpp"
#include "sim/run/simulate.hpp"
#include "sim/sources/retraining/retraining_source.hpp"
#include "sim/sources/services/prepare.hpp"
#include "sim/sources/services/services_source.hpp"
#include "sim/sources/together/together.hpp"
#include "sim/study/point_evaluator.hpp"
#include "tests/support/places.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>
#include <numeric>

namespace trainyard {
namespace {

using together::LeftOut;
using together::Stay;
using together::TogetherPoint;
using together::TogetherRun;

const Catalogue& catalogue()
{
  static const Catalogue read = load_catalogue(data_folder());
  return read;
}

/// A scenario text, read and checked; faults are thrown.
CheckedPoint point_of(const std::string& text)
{
  static const Parts parts = registered_parts();
  Diagnostics diagnostics;
  const Document document = parse_document(text, "test.yaml", diagnostics);
  diagnostics.throw_if_errors();
  const CheckedPoint point = check_point(SweepPoint{{}, document}, catalogue(), parts, diagnostics);
  diagnostics.throw_if_errors();
  return point;
}

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

constexpr const char* machines = R"(
cluster:
  node_types:
    box: {gpu: V100-SXM2-16GB, gpus: 4, cpu_cores: 16, memory: 64 GB}
  nodes: [{name: box, type: box, count: 3, per_rack: 2}]
  network: {link: 25GbE}
)";

/// Three parts, small enough for many seeds.
std::string small_scenario(RandomStream& draw)
{
  const auto whole = [&](int from, int to) { return from + static_cast<int>(draw.uniform() * (to - from + 1)); };
  const auto chance = [&](double share) { return draw.uniform() < share; };
  std::string text = machines;
  const char* policies[] = {"fifo", "srtf", "las", "easy_backfill", "fair_share", "priority"};
  const char* placements[] = {"first_fit", "pack", "spread", "best_fit"};
  const bool queue = chance(0.85);
  const bool services = chance(0.8) || !queue;
  const bool retraining = chance(0.7) || !(queue && services);
  if (queue) {
    text += "workload:\n  jobs:\n";
    const int jobs = whole(1, 12);
    for (int i = 0; i < jobs; ++i)
      text += fmt::format("    - {{name: j{}, submit: {} s, duration: {} s, gpus: {}, priority: {}}}\n", i,
                          whole(0, 2000), whole(10, 3000), whole(1, 6), whole(0, 3));
    text += fmt::format(
        "scheduling: {{policy: {}, placement: {}, start_cost: {} s, restart_cost: {} s, checkpoint_interval: 5 min}}\n",
        policies[whole(0, 5)], placements[whole(0, 3)], whole(0, 20), whole(0, 30));
  }
  if (services) {
    text += "orchestrator: kubernetes\nservices:\n";
    text += fmt::format("  - {{name: serve, kind: serving, replicas: {}, resources: {{gpus: 1}}, serving: {{capacity: "
                        "10, rate: [{{from: 0 s, "
                        "rate: {}}}, {{from: {} s, rate: {}}}], scales: true, scale_delay: 30 s}}}}\n",
                        whole(1, 3), whole(1, 20), whole(100, 1500), whole(1, 60));
    if (chance(0.5))
      text += fmt::format(
          "  - {{name: batch, kind: training, coupling: {}, replicas: {}, resources: {{gpus: {}}}, work: {} s}}\n",
          chance(0.5) ? "mpi" : "independent", whole(1, 4), whole(1, 2), whole(100, 2000));
  }
  if (retraining)
    text += fmt::format(
        "task_environment:\n  models:\n    - {{name: a, train_time: {} s, gpus: {}, period: {} s, data: 1 GB}}\n"
        "    - {{name: b, train_time: {} s, gpus: {}, period: {} s, first: {} s, data: 100 MB, parts: 3}}\n",
        whole(60, 900), whole(1, 4), whole(600, 2400), whole(60, 900), whole(1, 8), whole(600, 2400), whole(0, 900));
  if (chance(0.7)) {
    const char* hit[] = {"node:box-0", "node:box-2", "rack:0", "rack:1", "gpu:box-1/2"};
    text += fmt::format("faults:\n  list: [\"{}@{}s+{}s\"]\n", hit[whole(0, 4)], whole(100, 2500), whole(30, 1500));
    if (chance(0.3))
      text += "  mtbf: {node: 2 h, mttr: 5 min}\n";
  }
  return text + fmt::format("run: {{until: 1 h, seed: {}}}\n", whole(1, 1000));
}

/// The most thousandths of one GPU that are held at once. Parts hand over within a microsecond: services count in whole
/// ones.
int most_held(const std::vector<Stay>& stays)
{
  std::map<std::pair<std::string, int>, std::vector<std::pair<double, int>>> changes;
  for (const Stay& stay : stays)
    for (int gpu = 0; gpu < 32; ++gpu)
      if ((stay.gpu_mask >> gpu & 1u) != 0 && stay.to - stay.from > Seconds{2e-6}) {
        changes[{stay.node, gpu}].emplace_back(stay.from.value() + 1e-6, stay.gpu_milli);
        changes[{stay.node, gpu}].emplace_back(stay.to.value() - 1e-6, -stay.gpu_milli);
      }
  int most = 0;
  for (auto& [gpu, list] : changes) {
    std::ranges::sort(list);
    int held = 0;
    for (const auto& [time, milli] : list)
      most = std::max(most, held += milli);
  }
  return most;
}

TEST(Together, TheCheckSeesAGpuThatIsHeldTwice)
{
  const Stay first{Seconds{0}, Seconds{10}, "queue", "a", "box-0", 1, 1000, 0b10},
      next{Seconds{10}, Seconds{20}, "services", "b", "box-0", 1, 1000, 0b10};
  EXPECT_EQ(most_held({first, next}), 1000);
  EXPECT_EQ(most_held({first, {Seconds{9}, Seconds{20}, "services", "b", "box-0", 1, 1000, 0b10}}), 2000);
  EXPECT_EQ(most_held({first, {Seconds{9}, Seconds{20}, "services", "b", "box-0", 1, 1000, 0b01}}), 1000);
}

std::string timeline(const TogetherRun& run, Instant until)
{
  std::string text;
  for (const Stay& stay : stays_of(run, until))
    text += fmt::format("{} {} {} {} {} {}\n", stay.source, stay.name, stay.node, stay.gpu_mask, stay.from.value(),
                        stay.to.value());
  return text;
}

/// So many random scenarios of queue, services, retraining and failures keep the books.
void check_random_scenarios(int rounds)
{
  RandomStream draw = Random{20}.stream("together");
  int with_all = 0, interrupted = 0;
  for (int round = 0; round < rounds; ++round) {
    const std::string text = small_scenario(draw);
    SCOPED_TRACE(text);
    const CheckedPoint point = point_of(text);
    std::string notes;
    TogetherPoint prepared{point, catalogue(), notes};
    const NamedPart& policy = prepared.queue().scheduling.policies.front();
    const NamedPart& placement = prepared.queue().scheduling.placements.front();
    const Instant until = instant(point.scenario.run.until);
    const TogetherRun run = prepared.run(policy, placement, LeftOut::nothing);
    with_all += run.queue && run.services && run.retraining ? 1 : 0;
    const std::vector<Stay> stays = stays_of(run, until);
    ASSERT_LE(most_held(stays), 1000);
    // On a machine that is down for the queue nothing of the queue or of retraining runs.
    if (run.queue) {
      for (const QueueFailure& failure : run.queue->failures)
        for (const int node : failure.nodes)
          for (const Stay& stay : stays)
            if (stay.source != "services" && stay.node == run.nodes[static_cast<std::size_t>(node)]) {
              const double down = failure.at.value(),
                           up = failure.repaired ? failure.repaired->value() : seconds(until).value();
              ASSERT_FALSE(stay.from.value() < up - 1e-6 && stay.to.value() > down + 1e-6)
                  << stay.source << " " << stay.name << " on " << stay.node << " from " << stay.from.value() << " to "
                  << stay.to.value();
            }
    }
    if (run.queue) {
      // A job's stays are the GPU time that its outcome counts, and a finished job has done all its work.
      std::vector<double> held(run.queue->result.jobs.size(), 0), worked(held);
      for (const RunRecord& record : run.queue->result.runs) {
        held[static_cast<std::size_t>(record.job.index)] += (record.to - record.from).value() * record.held.gpus;
        worked[static_cast<std::size_t>(record.job.index)] += (record.to - record.from).value();
      }
      for (std::size_t i = 0; i < held.size(); ++i) {
        const JobOutcome& outcome = run.queue->result.jobs[i];
        ASSERT_NEAR(held[i], outcome.gpu_time.value(), 1e-6) << i;
        ASSERT_NEAR(worked[i], outcome.held_time.value(), 1e-6) << i;
        interrupted += outcome.failures + outcome.preemptions > 0 ? 1 : 0;
        if (outcome.phase == JobPhase::finished) {
          ASSERT_GE(worked[i], run.queue->workload->job(JobId{static_cast<int>(i)}).duration.value() - 1e-6) << i;
        }
      }
    }
    if (run.retraining) {
      for (const Request& request : run.retraining->runs.front().requests) { // to the nanosecond
        ASSERT_EQ(std::accumulate(request.spent.begin(), request.spent.end(), Instant{}), request.end - request.need)
            << request.id;
      }
    }
    if (run.services) { // the services' own accounts are exact, or finish() throws; what others hold is part of them
      const OrchestrationResult& result = run.services->result;
      Wide others = 0;
      for (const Stay& stay : stays)
        if (stay.source != "services")
          others += static_cast<Wide>(std::llround((stay.to - stay.from).value() * 1e6)) * stay.gpus * stay.gpu_milli;
      ASSERT_NEAR(gpu_seconds(result.elsewhere.gpu), gpu_seconds(others), 1e-3);
    }
    if (round % 10 == 0) { // equal seeds, equal bytes
      ASSERT_EQ(timeline(run, until), timeline(prepared.run(policy, placement, LeftOut::nothing), until));
    }
  }
  EXPECT_GT(with_all, rounds / 4);
  EXPECT_GT(interrupted, rounds / 4);
}

TEST(Together, NobodyHoldsAGpuTwiceAndNothingIsLost)
{
  check_random_scenarios(200);
}

TEST(Together, NeitherInTwoThousandScenariosAtLength) // not under the sanitizers: minutes
{
  check_random_scenarios(2000);
}

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
      const Instant until = instant(Seconds{1e6});
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
  const CheckedPoint point = point_of(std::string{machines} + R"(
orchestrator: kubernetes
services:
  - {name: serve, kind: serving, replicas: 2, resources: {gpus: 1}, serving: {capacity: 10, rate: [{from: 0 s, rate: 15}, {from: 10 min, rate: 70}],
     scales: true, scale_delay: 30 s}}
  - {name: train, kind: training, coupling: elastic, replicas: 8, resources: {gpus: 1}, work: 30 min, checkpoint: {interval: 5 min, save: 5 s, load: 10 s}}
faults: ["node:box-1@15min+10min", "gpu:box-0/1@20min+5min"]
run: {until: 1 h}
)");
  const auto input = orchestration_input(point.scenario, catalogue(), 1);
  auto alone = input;
  alone.faults =
      FaultSchedule{}; // a broken GPU takes its machine from all who share it, so failures are compared without it
  auto shared = alone;
  const OrchestrationResult expected = orchestrate(alone);
  NodePool pool{shared.cluster};
  ServicesSource source{shared, pool};
  Kernel kernel;
  kernel.add(source);
  const Instant until = instant(point.scenario.run.until);
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
  const CheckedPoint point = point_of(std::string{machines} + R"(
task_environment:
  models:
    - {name: a, train_time: 40 min, gpus: 4, period: 1 h, data: 20 GB, variation: 0.3}
    - {name: b, train_time: 90 min, gpus: 8, period: 2 h, first: 10 min, data: 40 GB, parts: 8, variation: 0.3}
  planner: genetic
run: {until: 3 d, seed: 5}
)");
  const auto& section = *point.scenario.section<TaskEnvironmentSection>("task_environment");
  TrainingRates rates{point.scenario, catalogue(), section};
  const Instant until = instant(point.scenario.run.until);
  const EnvironmentInput input{section, rates, point.scenario.run.seed, until};
  const auto policy = Registry<DuplicatePolicy>::instance().create("replace", {});
  const auto first = Registry<JobPlanner>::instance().create("genetic", {}),
             second = Registry<JobPlanner>::instance().create("genetic", {});
  const EnvironmentResult expected = simulate_environment(input, *policy, *first);
  NodePool pool{rates.shape()};
  RetrainingSource source{input, *policy, *second, pool};
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

// One machine with 4 GPUs. Job a holds all of them for 100 s from 0 s; the service (1 GPU, placed at 0 s, before the
// queue acts) leaves 3 free until it ends, so a waits. The service has 200 s of work and starts in 5.1 s (Kubernetes'
// default here: container start 5 s).
TEST(Together, AJobWaitsForAServiceAndStartsWhenItEnds)
{
  const CheckedPoint point = point_of(R"(
cluster:
  node_types: {box: {gpu: V100-SXM2-16GB, gpus: 4, cpu_cores: 16}}
  nodes: [{name: box, type: box, count: 1}]
  network: {link: 25GbE}
workload: {jobs: [{name: a, duration: 100 s, gpus: 4}]}
services: [{name: batch, kind: training, replicas: 1, resources: {gpus: 1}, work: 200 s}]
run: {until: 1 h}
)");
  std::string notes;
  TogetherPoint prepared{point, catalogue(), notes};
  const NamedPart& policy = prepared.queue().scheduling.policies.front();
  const NamedPart& placement = prepared.queue().scheduling.placements.front();
  const TogetherRun run = prepared.run(policy, placement, LeftOut::nothing);
  const Micros ended = run.services->result.services.front().finished;
  ASSERT_GE(to_seconds(ended).value(), 200);
  EXPECT_EQ(run.queue->result.jobs[0].first_start, to_seconds(ended));
  EXPECT_EQ(run.queue->result.jobs[0].end, to_seconds(ended) + Seconds{100});
  EXPECT_THAT(run.queue->result.waits, ::testing::Contains(::testing::Field(&WaitRecord::reason, WaitReason::gpus)));
  const TogetherRun without = prepared.run(policy, placement, LeftOut::services);
  EXPECT_EQ(without.queue->result.jobs[0].first_start, Seconds{0});
}

// The other way round: the queue's job has the GPUs until 600 s; the service, which arrives at 60 s, is placed at that
// very instant.
TEST(Together, AServiceWaitsForAJob)
{
  const CheckedPoint point = point_of(R"(
cluster:
  node_types: {box: {gpu: V100-SXM2-16GB, gpus: 4, cpu_cores: 16}}
  nodes: [{name: box, type: box, count: 1}]
  network: {link: 25GbE}
workload: {jobs: [{name: a, duration: 600 s, gpus: 4}]}
services: [{name: web, replicas: 1, arrival: 60 s, resources: {gpus: 1}}]
run: {until: 1 h}
)");
  std::string notes;
  TogetherPoint prepared{point, catalogue(), notes};
  const TogetherRun run = prepared.run(prepared.queue().scheduling.policies.front(),
                                       prepared.queue().scheduling.placements.front(), LeftOut::nothing);
  ASSERT_EQ(run.services->result.instances.size(), 1u);
  EXPECT_EQ(run.services->result.instances[0].placed, to_micros(Seconds{600}));
}

// A machine fails for all parts at once: the job on it starts again on the other one, the training too, and the service
// is moved after Kubernetes has noticed (40 s) and given up the machine (300 s).
TEST(Together, AFailedMachineHitsAllParts)
{
  const CheckedPoint point = point_of(R"(
cluster:
  node_types: {box: {gpu: V100-SXM2-16GB, gpus: 4, cpu_cores: 16}}
  nodes: [{name: box, type: box, count: 2}]
  network: {link: 25GbE}
workload: {jobs: [{name: a, duration: 1000 s, gpus: 2}]}
scheduling: {policy: fifo, placement: first_fit}
orchestrator: {name: kubernetes, placements_per_second: 0}
services: [{name: web, replicas: 1, resources: {gpus: 1}}]
task_environment:
  models: [{name: m, train_time: 1000 s, gpus: 1, period: 10 h, data: 1 kB}]
faults: ["node:box-0@500s+2000s"]
run: {until: 1 h}
)");
  std::string notes;
  TogetherPoint prepared{point, catalogue(), notes};
  const auto run_without = [&](LeftOut part) {
    return prepared.run(prepared.queue().scheduling.policies.front(), prepared.queue().scheduling.placements.front(),
                        part);
  };
  const TogetherRun run = run_without(LeftOut::nothing);
  EXPECT_EQ(run.queue->result.jobs[0].failures, 1);
  EXPECT_EQ(run.queue->result.jobs[0].end, Seconds{1500}); // no checkpoints: all of it again from 500 s on
  ASSERT_EQ(run.services->result.instances.size(), 2u);
  EXPECT_EQ(run.services->result.instances[1].node, 1);
  EXPECT_EQ(run.services->result.instances[1].placed, to_micros(Seconds{840}));
  const EnvironmentResult& retraining = run.retraining->runs.front();
  ASSERT_EQ(retraining.stays.size(), 2u);
  EXPECT_EQ(retraining.stays[0].to, instant(Seconds{500}));
  EXPECT_EQ(retraining.stays[1].nodes, "box-1");
  // The moved service runs until the end of the run, 1 h.
  const std::vector<Stay> stays = stays_of(run, instant(Seconds{3600}));
  const auto moved =
      std::ranges::find_if(stays, [](const Stay& stay) { return stay.source == "services" && stay.node == "box-1"; });
  ASSERT_NE(moved, stays.end());
  EXPECT_NEAR(moved->from.value(), 840, 1e-6);
  EXPECT_NEAR(moved->to.value(), 3600, 1e-6);
  // Without failures all stay where they are. A run without the queue leaves its jobs there for the next run.
  const TogetherRun healthy = run_without(LeftOut::failures);
  EXPECT_EQ(healthy.queue->result.jobs[0].end, Seconds{1000});
  EXPECT_EQ(healthy.services->result.instances.size(), 1u);
  EXPECT_FALSE(run_without(LeftOut::queue).queue);
  const TogetherRun again = run_without(LeftOut::nothing);
  ASSERT_TRUE(again.queue);
  EXPECT_EQ(again.queue->result.jobs[0].end, Seconds{1500});
}

// A broken GPU drains its machine for all. Without any delay the service goes at that very instant to the other
// machine, not back to the GPU that has just broken; the job starts again there too.
TEST(Together, NothingIsPlacedOnABrokenGpu)
{
  const CheckedPoint point = point_of(R"(
cluster:
  node_types: {box: {gpu: V100-SXM2-16GB, gpus: 4, cpu_cores: 16}}
  nodes: [{name: box, type: box, count: 2}]
  network: {link: 25GbE}
workload: {jobs: [{name: a, duration: 1 h, gpus: 2}]}
orchestrator: {name: swarm, restart_delay: 0 s, process_detection: 0 s}
services: [{name: web, replicas: 1, resources: {gpus: 1}}]
faults: ["gpu:box-0/0@10min+2h"]
run: {until: 6 h}
)");
  std::string notes;
  TogetherPoint prepared{point, catalogue(), notes};
  const TogetherRun run = prepared.run(prepared.queue().scheduling.policies.front(),
                                       prepared.queue().scheduling.placements.front(), LeftOut::nothing);
  const std::vector<InstanceRecord>& instances = run.services->result.instances;
  ASSERT_EQ(instances.size(), 2u);
  EXPECT_EQ(instances[0].node, 0);
  EXPECT_EQ(instances[0].gpu_mask, 1u);
  EXPECT_EQ(instances[1].node, 1);
  EXPECT_EQ(instances[1].placed, to_micros(Seconds{600}));
  EXPECT_EQ(run.queue->result.jobs[0].end, Seconds{600 + 3600});
}

// Studies name the figures of the whole by the policy; those of runs without a part have names of their own, so that
// none takes the place of another.
TEST(Together, StudiesSeeTheWholeAndTheRunsWithoutAPart)
{
  const CheckedPoint point = point_of(R"(
cluster:
  node_types: {box: {gpu: V100-SXM2-16GB, gpus: 4, cpu_cores: 16}}
  nodes: [{name: box, type: box, count: 1}]
  network: {link: 25GbE}
workload: {jobs: [{name: a, duration: 100 s, gpus: 4}]}
services: [{name: batch, kind: training, replicas: 1, resources: {gpus: 1}, work: 200 s}]
run: {until: 1 h}
)");
  const ScenarioRunner* runner = runner_of(point.scenario);
  ASSERT_NE(runner, nullptr);
  EXPECT_EQ(runner->kind(), "trainyard cluster");
  std::map<std::string, double> waiting;
  for (const Measured& measured : measured_of_summary(runner->run({point}, {}, false).summary))
    if (const auto found = measured.numbers.find("mean_waiting_s"); found != measured.numbers.end())
      waiting[measured.item] = found->second;
  EXPECT_GE(waiting.at("fifo"), 200);
  EXPECT_EQ(waiting.at("fifo without services"), 0);
}

TEST(Together, RefusesWhatItCannotRun)
{
  const std::string queue = "workload: {jobs: [{name: a, duration: 60 s}]}\n",
                    services = "services: [{name: web, replicas: 1}]\n";
  EXPECT_THAT(faults_in(machines + queue + services), ::testing::HasSubstr("run: {until: 1 d}"));
  EXPECT_THAT(faults_in(machines + queue + services + "scheduling: {cluster: pool}\nrun: {until: 1 d}\n"),
              ::testing::HasSubstr("needs machines"));
  EXPECT_THAT(
      faults_in(machines + queue +
                "task_environment: {cluster: false, models: [{name: m, train_time: 1 h, period: 1 d, data: 1 kB}]}\n"
                "run: {until: 1 d}\n"),
      ::testing::HasSubstr("nothing is shared"));
  EXPECT_THAT(
      faults_in(
          machines + queue +
          "task_environment: {planner: [fifo, list], models: [{name: m, train_time: 1 h, period: 1 d, data: 1 kB}]}\n"
          "run: {until: 1 d}\n"),
      ::testing::HasSubstr("one planner"));
}

} // namespace
} // namespace trainyard
