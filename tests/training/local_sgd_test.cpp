// SPDX-License-Identifier: Apache-2.0
// Hand-worked steps of workers that train by themselves and average their parameters every few steps (sync_every).
#include "sim/step/steady_state.hpp"
#include "tests/support/checked_points.hpp"
#include "tests/training/server_fixture.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace trainyard {
namespace {

using namespace test;

/// Four workers on machines of their own behind 1.25 GB/s, which compute t = 0.457 s and sum S = 102.4 MB.
Fixture workers_of_a_ring(int sync_every)
{
  Fixture f = separate(4, 0);
  f.job.training.mode = "all_reduce";
  f.transports["nccl"] = Transport{.name = "nccl"};
  f.job.training.settings = Settings{};
  f.job.training.settings.set("collective", "ring");
  f.job.training.settings.set("spread", "none");
  f.job.training.settings.set("sync_every", sync_every);
  return f;
}

StepEstimate steady(const Fixture& f, const std::string& executor = "fluid")
{
  const TrainingContext context = f.context();
  const auto mode = Registry<TrainingMode>::instance().create(f.job.training.mode, f.job.training.settings);
  const SteppedJob job = stepped_job(*mode, context);
  return steady_state(f.cluster, {&job, 1}, *Registry<Executor>::instance().create(executor),
                      options_of_a_run({&job, 1}, 1))
      .front();
}

// A ring puts 2 x 3/4 S on each link, 122.88 ms, once in five steps; the workers compute meanwhile as if alone.
TEST(LocalSgd, AnAverageIsSharedOutOverItsSteps)
{
  for (const char* executor : {"closed_form", "fluid", "flow", "step"}) {
    const StepEstimate estimate = steady(workers_of_a_ring(5), executor);
    const double expected = 0.457 + 1.5 * S / 1.25e9 / 5;
    EXPECT_NEAR(estimate.step_time.value(), expected, 0.001 * expected) << executor;
    EXPECT_NEAR(estimate.samples_per_second, 4 * 64 / expected, 0.001 * 4 * 64 / expected) << executor;
    EXPECT_EQ(estimate.half_width, Seconds{}) << executor;
  }
}

// The first step ends with an average, as in PyTorch, the four that follow have none; one buffer holds all parameters.
TEST(LocalSgd, OneFlatBufferTravelsInEveryFifthStep)
{
  const Fixture f = workers_of_a_ring(5);
  const auto mode = Registry<TrainingMode>::instance().create("all_reduce", f.job.training.settings);
  const StepProgram program = mode->program(f.context(), 0, 11);
  std::vector<int> steps;
  for (const Operation& operation : program.operations)
    if (const auto* call = call_of(operation.work)) {
      steps.push_back(operation.step);
      EXPECT_DOUBLE_EQ(call->payload.value(), S);
    }
  EXPECT_THAT(steps, testing::ElementsAre(0, 5, 10));
}

// One of the four variables is a table, of whose rows a step touches few: whole parameters are averaged all the same,
// by a transport that could not gather rows.
TEST(LocalSgd, TablesTravelWholeWithTheRest)
{
  Fixture f = workers_of_a_ring(5);
  f.dnn.layers[1].parameters.front().table = {.rows = 1e5, .lookups = 10};
  f.transports["nccl"].supports[{"all_gather", "gpu"}] = "no";
  const auto mode = Registry<TrainingMode>::instance().create("all_reduce", f.job.training.settings);
  Diagnostics diagnostics;
  mode->check(f.context(), diagnostics);
  EXPECT_FALSE(diagnostics.has_errors());
  std::vector<double> payloads;
  for (const Operation& operation : mode->program(f.context(), 0, 5).operations)
    if (const auto* call = call_of(operation.work))
      payloads.push_back(call->operation == "all_reduce" ? call->payload.value() : -1);
  EXPECT_THAT(payloads, testing::ElementsAre(testing::DoubleEq(25.6e6 * 4)));
}

// Between averages nobody waits: a fast worker ends three steps after three of its own, not of the slowest.
TEST(LocalSgd, WorkersDoNotWaitForEachOtherInBetween)
{
  Fixture f = workers_of_a_ring(4);
  for (Seconds& layer : f.workers[3].forward) // 0.457/3 s longer
    layer *= 2;
  const double slowest = 0.457 * 4 / 3;
  const double expected = slowest + 1.5 * S / 1.25e9 / 4;
  EXPECT_NEAR(steady(f).step_time.value(), expected, 0.001 * expected);
  const auto mode = Registry<TrainingMode>::instance().create("all_reduce", f.job.training.settings);
  const StepProgram program = mode->program(f.context(), 1, 3); // without an average
  double fast = 0, slow = 0;
  const StepTrace trace = f.run(program);
  for (std::size_t i = 0; i < program.operations.size(); ++i)
    if (program.operations[i].worker >= 0)
      (program.operations[i].worker == 3 ? slow : fast) = trace.spans[i].end.value();
  EXPECT_NEAR(fast, 3 * 0.457, 1e-9);
  EXPECT_NEAR(slow, 3 * slowest, 1e-9);
}

// The spread of equal GPUs stays theirs in every step of a period, the deviation that chance makes grows as its root:
// with the expected maximum of four normal draws, 1.02938 deviations, which Blom's estimate takes to be 1.049.
TEST(LocalSgd, TheBarrierWaitsOnceForWhatAPeriodSpreads)
{
  Fixture f = workers_of_a_ring(4);
  f.job.training.settings.set("straggler_deviation", 0.02);
  const double by_chance = 0.457 + (1.5 * S / 1.25e9 + 1.02938 * 0.02 * 2) / 4;
  EXPECT_NEAR(steady(f).step_time.value(), by_chance, 0.02 * (by_chance - 0.457 - 1.5 * S / 1.25e9 / 4));
  f.job.training.settings.set("spread", "gpus");
  const double both = by_chance + 1.02938 * 0.457 * 0.08 / 5.4;
  EXPECT_NEAR(steady(f).step_time.value(), both, 0.02 * (both - 0.457 - 1.5 * S / 1.25e9 / 4));
}

// An outer step of Nesterov's momentum passes the parameters six times, an update with momentum five times: 60 ms where
// that takes 50.
TEST(LocalSgd, AnOuterStepTakesItsPassesOnceInAPeriod)
{
  Fixture f = workers_of_a_ring(5);
  for (WorkerTimes& worker : f.workers)
    worker.update = 50_ms;
  f.job.training.settings.set("outer_optimizer", "nesterov");
  const double expected = 0.507 + (1.5 * S / 1.25e9 + 0.060) / 5;
  EXPECT_NEAR(steady(f).step_time.value(), expected, 0.001 * expected);
}

// Two workers send four variables through the server's card, 163.84 ms in all. Each is fetched once both have sent it,
// while the next ones are sent: the last one ends a quarter later.
TEST(LocalSgd, ServersAverageVariableByVariable)
{
  Fixture f = separate(2, 1);
  f.job.training.settings.set("sync_every", 4);
  const double expected = 0.457 + 1.25 * 2 * S / 1.25e9 / 4;
  for (const char* executor : {"fluid", "flow", "step"})
    EXPECT_NEAR(steady(f, executor).step_time.value(), expected, 0.001 * expected) << executor;
  f.job.training.settings.set("one_represents_all", "yes");
  EXPECT_NEAR(steady(f).step_time.value(), expected, 0.001 * expected);
}

// One worker has the server to itself: it sends and fetches four variables in 5/4 of S / B.
TEST(LocalSgd, AWorkerWithoutABarrierExchangesWhenItsTurnComes)
{
  Fixture f = separate(1, 1);
  f.job.training.settings.set("sync_every", 4);
  f.job.training.settings.set("update_rule", "async");
  const double expected = 0.457 + 1.25 * S / 1.25e9 / 4;
  EXPECT_NEAR(steady(f).step_time.value(), expected, 0.001 * expected);
}

// Each of four servers has one of four variables, and their cards hold nobody up: a worker's own card sends all of S,
// then fetches it, once in four steps. Two workers are as fast as one, wherever they are in their steps.
TEST(LocalSgd, WorkersWithoutABarrierAreTimedOverWholePeriods)
{
  Fixture f = separate(2, 4);
  f.job.training.settings.set("sync_every", 4);
  f.job.training.settings.set("update_rule", "async");
  const double expected = 0.457 + 2 * S / 1.25e9 / 4;
  for (const char* executor : {"fluid", "flow"})
    EXPECT_NEAR(steady(f, executor).step_time.value(), expected, 0.002 * expected) << executor;
}

TEST(LocalSgd, RulesThatCountGradientsAreRefused)
{
  Fixture f = separate(2, 1);
  f.job.training.settings.set("sync_every", 4);
  f.job.training.settings.set("update_rule", "bounded");
  Diagnostics diagnostics;
  Registry<TrainingMode>::instance().create("parameter_server")->check(f.context(), diagnostics);
  ASSERT_TRUE(diagnostics.has_errors());
  EXPECT_EQ(diagnostics.sorted().front().message,
            "'sync_every' goes with update_rule: sync (all average together) or async (each with the servers when its "
            "turn comes); write one of them");
}

/// GPU memory that a job of two workers with 25.6 M parameters needs, with these settings of `training`.
double memory_of(const std::string& settings, const std::string& of_job = "")
{
  const std::string text = "trainyard: 1\n"
                           "cluster:\n"
                           "  node_types: {gpu: {gpu: V100-PCIe-16GB, gpus: 1}}\n"
                           "  nodes: [{name: worker, type: gpu, count: 2}]\n"
                           "  network: {bandwidth: 10 Gbit/s}\n"
                           "jobs:\n"
                           "  - name: j\n"
                           "    workers: 2\n"
                           "    batch_per_gpu: 64\n" +
                           of_job +
                           "    model: {layers: [{name: a, parameters: [25600000], flop: 1e9, activations: 1000000}]}\n"
                           "    training: {mode: all_reduce" +
                           settings + "}\n";
  return simulate(tests::checked_points(text, "memory.yaml")).jobs.front().gpu_memory.value();
}

// A flat copy of the parameters, and for an outer step their last average and a momentum: 4 B each of 25.6 M elements.
TEST(LocalSgd, CopiesThatAreAveragedTakeMemory)
{
  const double alone = memory_of("");
  EXPECT_NEAR(memory_of(", sync_every: 5") - alone, S, 1);
  EXPECT_NEAR(memory_of(", sync_every: 5, outer_optimizer: nesterov") - alone, 3 * S, 1);
}

// `batch_per_gpu` is of a micro-step, as in times and throughput: a step of four of them needs no less memory than one.
TEST(Memory, AMicroStepHoldsTheActivationsOfItsBatch)
{
  EXPECT_DOUBLE_EQ(memory_of("", "    accumulation_steps: 4\n"), memory_of(""));
}

} // namespace
} // namespace trainyard
