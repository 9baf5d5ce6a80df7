// SPDX-License-Identifier: Apache-2.0
// Workers without a barrier in the long run. S = 102.4 MB in 4 equal variables; transports cost nothing.

#include "models/cost/nccl_choice.hpp"
#include "sim/step/steady_state.hpp"
#include "sim/step/training/server_program.hpp"
#include "sim/step/training/spread.hpp"
#include "tests/training/server_fixture.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <numeric>
#include <set>

namespace trainyard {
namespace {

using namespace test;

Fixture without_barrier(int workers, int servers, double t, const std::function<void(Settings&)>& set = {})
{
  Fixture f{workers + servers};
  for (int w = 0; w < workers; ++w)
    f.add_worker(f.node(w).gpus[0], t);
  for (int s = 0; s < servers; ++s)
    f.placement.servers.push_back(f.node(workers + s).host);
  f.job.training.settings.set("update_rule", "async");
  if (set)
    set(f.job.training.settings);
  return f;
}

std::optional<LongRun> long_run_of(const Fixture& f, const std::string& fidelity = "fluid")
{
  const auto mode = Registry<TrainingMode>::instance().create("parameter_server");
  const auto executor = Registry<Executor>::instance().create(fidelity);
  return long_run(f.cluster, *mode, f.context(), *executor, 1, 0.04);
}

TEST(LongRun, GoesRoundAsAProgramOfAllStepsDoes)
{
  // Every end of a step is that of a program in which each step stands, whatever a step waits for in earlier ones.
  const std::vector<std::function<void(Settings&)>> ways{
      [](Settings&) {}, [](Settings& s) { s.set("pull", "by_layer"); },
      [](Settings& s) { s.set("pull", "after_update"); }, [](Settings& s) { s.set("spread", "gpus"); },
      [](Settings& s) {
        s.set("update_rule", "bounded");
        s.set("staleness", 2);
      }};
  const auto mode = Registry<TrainingMode>::instance().create("parameter_server");
  const auto executor = Registry<Executor>::instance().create("fluid");
  for (std::size_t way = 0; way < ways.size(); ++way) {
    const Fixture f = without_barrier(5, 2, 0.3, ways[way]);
    const TrainingContext context = f.context();
    const std::optional<EndlessSteps> steps = mode->endless(context);
    ASSERT_TRUE(steps) << way;
    const std::unique_ptr<EndlessRun> run = executor->endless(f.cluster, steps->program, steps->back, steps->factor);
    ASSERT_NE(run, nullptr) << way;
    run->go_on(5 * 25);
    const StepProgram all = mode->program(context, 1, 20);
    const StepEnds expected = step_ends(all, f.run(all));
    double until = 1e9; // then the first worker has no more steps, and the others have the servers for themselves
    for (const auto& [worker, ends] : expected)
      until = std::min(until, ends.back());
    int compared = 0;
    for (const auto& [worker, ends] : expected)
      for (std::size_t step = 0; step < ends.size() && ends[step] <= until; ++step, ++compared)
        EXPECT_NEAR(run->done().ends.at(worker)[step], ends[step], 1e-6) << way << " " << worker << " " << step;
    EXPECT_GT(compared, 5 * 15) << way;
  }
}

TEST(Staleness, OfWorkersThatPullAheadIsThatOfTheStepBefore)
{
  // 5 workers compute 0.5 s, messages take no time: between a worker's pull and its update each other updates once,
  // whether it pulls before its forward pass or after its last update. `flow` draws places, `fluid` has a long run.
  Fixture f{6, 1, BytesPerSecond{1e18}};
  for (int w = 0; w < 5; ++w)
    f.add_worker(f.node(w).gpus[0], 0.5);
  f.placement.servers = {f.node(5).host};
  f.job.training.settings.set("update_rule", "async");
  f.job.training.settings.set("spread", "gpus"); // equal ones end at the same instant, where their order decides
  const auto mode = Registry<TrainingMode>::instance().create("parameter_server");
  const auto executor = Registry<Executor>::instance().create("flow");
  for (const char* pull : {"before_forward", "after_update", "by_layer"}) {
    f.job.training.settings.set("pull", pull);
    const TrainingContext context = f.context();
    const SteppedJob job = stepped_job(*mode, context);
    const StepEstimate estimate = steady_state(f.cluster, {&job, 1}, *executor, options_of_a_run({&job, 1}, 1)).front();
    EXPECT_NEAR(estimate.mean_staleness, 4, 0.4) << pull;
    const std::optional<LongRun> run = long_run_of(f);
    ASSERT_TRUE(run) << pull;
    EXPECT_NEAR(run->mean_staleness, 4, 0.2) << pull;
  }
}

TEST(LongRun, OfComputingIsTheMeanOfTheWorkersRates)
{
  // Nothing but 0.5 s of computing: 2 steps/s. With the spread of GPUs a worker takes 0.5 s x (1 + 1.481 % x z).
  Fixture f{6, 1, BytesPerSecond{1e18}};
  for (int w = 0; w < 5; ++w)
    f.add_worker(f.node(w).gpus[0], 0.5);
  f.placement.servers = {f.node(5).host};
  f.job.training.settings.set("update_rule", "async");
  const std::optional<LongRun> equal = long_run_of(f);
  ASSERT_TRUE(equal);
  EXPECT_NEAR(equal->rate, 2, 1e-6);
  EXPECT_NEAR(equal->mean_staleness, 4, 0.1); // all others' updates, once
  for (const std::string pull :
       {"after_update", "by_layer"}) { // the variables of the step before, as soon as that ends
    Fixture ahead = f;
    for (WorkerTimes& times : ahead.workers)
      times.update = Seconds{0.01}; // of their own replica, which nobody else sees
    ahead.job.training.settings.set("pull", pull);
    EXPECT_NEAR(long_run_of(ahead)->mean_staleness, 4, 0.1) << pull;
    const auto mode = Registry<TrainingMode>::instance().create("parameter_server");
    const TrainingContext context = ahead.context();
    const SteppedJob job = stepped_job(*mode, context);
    const StepEstimate estimate =
        steady_state(ahead.cluster, {&job, 1}, *Registry<Executor>::instance().create("closed_form"),
                     options_of_a_run({&job, 1}, 1))
            .front();
    EXPECT_NEAR(estimate.mean_staleness, 4, 0.1) << pull;
  }
  f.job.training.settings.set("spread", "gpus");
  const std::optional<LongRun> unequal = long_run_of(f);
  ASSERT_TRUE(unequal);
  EXPECT_NEAR(unequal->rate, 2, 1e-6); // each has a speed of its own, and together they are as fast as equal ones
  // Blom: quantiles 0.119, 0.3095, 0.5 …: -1.18, -0.497, 0, 0.497, 1.18
  const auto [slowest, fastest] = std::ranges::minmax(unequal->worker_rates);
  EXPECT_NEAR(fastest / slowest, (1 + 0.08 / 5.4 * 1.18) / (1 - 0.08 / 5.4 * 1.18), 2e-4);
}

// Two of four workers count in each update, and what the others send too late meets the next steps, which differ.
TEST(SteadySteps, WithBackupWorkersHaveAnInterval)
{
  Fixture f{6};
  f.dnn.layers.clear();
  for (int v = 0; v < 30; ++v)
    f.dnn.layers.push_back({.name = "layer" + std::to_string(v),
                            .parameters = {{.name = "v" + std::to_string(v), .elements = 1e5 * (1 + v % 7)}}});
  for (int w = 0; w < 4; ++w)
    f.add_worker(f.node(w).gpus[0], w == 3 ? 0.3 : 0.1);
  f.placement.servers = {f.node(4).host, f.node(5).host};
  f.job.training.settings.set("backup_workers", 2);
  f.job.training.settings.set("pull_order", "random"); // with orders that stay the same the steps may repeat
  const auto mode = Registry<TrainingMode>::instance().create("parameter_server");
  const TrainingContext context = f.context();
  const SteppedJob job = stepped_job(*mode, context);
  const auto executor = Registry<Executor>::instance().create("fluid");
  for (const int warm_up : {1, 10}) {
    const StepEstimate estimate =
        steady_state(f.cluster, {&job, 1}, *executor, options_of_a_run({&job, 1}, warm_up)).front();
    EXPECT_GT(estimate.half_width.value(), 0) << warm_up;
    EXPECT_LT(estimate.half_width, 0.1 * estimate.step_time) << warm_up;
    EXPECT_GT(estimate.step_time.value(), 0.1) << warm_up;
  }
}

TEST(LongRun, AtTcpIsNearTheRateByHand)
{
  // A worker computes for t and pulls and pushes S at B, one after the other: t + 2 S / B where it is alone. Of two,
  // one may pull while the other pushes or computes, so each is at least as fast as if all that both transfer shared
  // one line, t + 4 S / B, and never faster than alone. 1 % for acknowledgements, requests and the second link.
  constexpr double t = 0.1, transfer = S / 1.25e9;
  for (const int workers : {1, 2}) {
    Fixture f = without_barrier(workers, 1, t);
    f.no_overlap();
    const std::optional<LongRun> run = long_run_of(f, "tcp");
    ASSERT_TRUE(run) << workers;
    EXPECT_LE(run->rate, 1 / (t + 2 * transfer)) << workers;
    EXPECT_GE(run->rate, 0.99 / (t + (workers == 1 ? 2 : 4) * transfer)) << workers;
  }
}

TEST(LongRun, OfJitterDrawsEachStep)
{
  // 0.5 s of computing with a deviation of 10 % and nothing else: 2 steps/s. 60 steps of 6 workers or more know their
  // mean to 0.1 / sqrt(360) = 0.5 %, three times that is allowed.
  Fixture f{7, 1, BytesPerSecond{1e18}};
  for (int w = 0; w < 6; ++w)
    f.add_worker(f.node(w).gpus[0], 0.5);
  f.placement.servers = {f.node(6).host};
  f.job.training.settings.set("update_rule", "async");
  f.job.jitter = {"normal", 0.1};
  const std::optional<LongRun> run = long_run_of(f);
  ASSERT_TRUE(run);
  EXPECT_NEAR(run->rate, 2, 0.03);
  std::set<double> durations;
  for (const Operation& operation : run->program.operations)
    if (operation.role == Role::forward && operation.worker == 0 && operation.name == "forward layer0")
      durations.insert(std::get<Compute>(operation.work).duration.value());
  EXPECT_EQ(durations.size(), static_cast<std::size_t>(run->program.steps)); // each step another one
}

TEST(LongRun, OfABusyServerIsWhatItMoves)
{
  // One thread moves 0.5 GB/s in both directions together, 2 S for each step: 2.441 steps/s of 4 workers, which compute
  // for 1 % of the time.
  const Fixture f = without_barrier(4, 1, 0.016, [](Settings& s) {
    s.set("server_rate", 0.5e9);
    s.set("directions", "shared");
    s.set("spread", "gpus");
  });
  const std::optional<LongRun> run = long_run_of(f);
  ASSERT_TRUE(run);
  EXPECT_NEAR(run->rate * 4, 0.5e9 / (2 * S), 0.01 * 2.441);
}

TEST(LongRun, OfWorkersBoundToEachOtherIsThePaceOfTheSlowest)
{
  // Three steps ahead of the slowest at most: in the long run all go at its pace, 0.5 s x (1 + 1.481 % x 1.180).
  Fixture f{6, 1, BytesPerSecond{1e18}};
  for (int w = 0; w < 5; ++w)
    f.add_worker(f.node(w).gpus[0], 0.5);
  f.placement.servers = {f.node(5).host};
  f.job.training.settings.set("update_rule", "bounded");
  f.job.training.settings.set("staleness", 3);
  f.job.training.settings.set("spread", "gpus");
  const std::optional<LongRun> run = long_run_of(f);
  ASSERT_TRUE(run);
  EXPECT_NEAR(run->rate, 2 / (1 + 0.08 / 5.4 * 1.18), 2e-4);
}

TEST(LongRun, IsNotKnownWhereAWorkerHasNotEndedAStep)
{
  // Three workers take 0.5 s for a step, and one 2,000 times as long. All four together end less than 8 steps/s of 64
  // samples each.
  Fixture f{5, 1, BytesPerSecond{1e18}};
  for (int w = 0; w < 4; ++w)
    f.add_worker(f.node(w).gpus[0], w == 1 ? 0.5 * 2000 : 0.5);
  f.placement.servers = {f.node(4).host};
  f.job.training.settings.set("update_rule", "async");
  EXPECT_FALSE(long_run_of(f));
  const auto mode = Registry<TrainingMode>::instance().create("parameter_server");
  const TrainingContext context = f.context();
  const SteppedJob job = stepped_job(*mode, context);
  const auto executor = Registry<Executor>::instance().create("fluid");
  const std::vector<StepEstimate> answer =
      steady_state(f.cluster, {&job, 1}, *executor, options_of_a_run({&job, 1}, 1));
  ASSERT_EQ(answer.size(), 1U);
  EXPECT_GT(answer.front().samples_per_second, 0);
  EXPECT_LT(answer.front().samples_per_second, 8 * 64);
}

TEST(LongRun, ShowsWholeStepsThatFitTogether)
{
  for (const char* pull : {"before_forward", "after_update", "by_layer"}) {
    const Fixture f = without_barrier(5, 2, 0.3, [&](Settings& s) {
      s.set("spread", "gpus");
      s.set("pull", pull);
    });
    const std::optional<LongRun> run = long_run_of(f);
    ASSERT_TRUE(run);
    const StepProgram& program = run->program;
    ASSERT_EQ(program.operations.size(), run->trace.spans.size());
    for (std::size_t i = 0; i < program.operations.size(); ++i) {
      const Span& span = run->trace.spans[i];
      EXPECT_GE(span.end, span.begin) << i;
      for (const OperationId before : program.operations[i].after)
        EXPECT_GE(span.begin.value(), run->trace.spans[static_cast<std::size_t>(before.index)].end.value() - 1e-9) << i;
      if (const auto* compute = std::get_if<Compute>(&program.operations[i].work)) {
        EXPECT_NEAR((span.end - span.begin).value(), compute->duration.value(), 1e-9) << i;
      }
    }
    for (const auto& [worker, ends] : step_ends(program, run->trace))
      EXPECT_EQ(ends.size(), static_cast<std::size_t>(program.steps)) << worker;
  }
}

TEST(LongRun, DoesNotCountTheFirstThird)
{
  // Of 30 values the last 20 count, in four parts of five with means 1, 2, 3 and 2: mean 2, deviation 0.8165, standard
  // error 0.40825, Student's t of three degrees of freedom 3.1824, and twice that.
  std::vector<double> values(10, 100.0);
  for (const double mean : {1, 2, 3, 2})
    values.insert(values.end(), 5, mean);
  const SettledMean settled = settled_mean(values, 1);
  EXPECT_EQ(settled.first, 10U);
  EXPECT_DOUBLE_EQ(settled.mean, 2);
  EXPECT_NEAR(settled.half_width, 2 * 3.1824 * 0.40825, 1e-3);
  EXPECT_EQ(settled_mean(values, 15).first, 15U);
  EXPECT_DOUBLE_EQ(settled_mean(std::vector<double>(30, 5.0), 0).half_width, 0.05); // never narrower than 1 %
}

TEST(Spread, IsThatOfAsManyDrawsInTheMeanAndLeavesTheRateOfAllAsItIs)
{
  const Fixture f = without_barrier(7, 1, 0.3);
  std::vector<double> factors = spread_factors(0.1, f.context());
  EXPECT_NEAR(
      std::accumulate(factors.begin(), factors.end(), 0.0, [](double sum, double one) { return sum + 1 / one; }), 7,
      1e-9);
  EXPECT_FALSE(std::ranges::is_sorted(factors)); // who is slow is chance
  std::ranges::sort(factors);
  EXPECT_NEAR(factors.back() / factors[3], 1 + 0.1 * expected_maximum(7), 1e-9);
  EXPECT_NEAR(factors[4] / factors[3], 1 + 0.1 * 0.3529, 1e-4); // Blom: the (5 - 3/8) / 7.25 quantile, 0.6379
}

} // namespace
} // namespace trainyard
