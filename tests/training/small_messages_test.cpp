// SPDX-License-Identifier: Apache-2.0
// Small variables of workers without a barrier that share the messages of others, against every variable as a message
// of its own.
#include "sim/step/engine/executor.hpp"
#include "sim/step/steady_state.hpp"
#include "sim/step/training/server_program.hpp"
#include "tests/training/server_fixture.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <variant>
#include <vector>

namespace trainyard {
namespace {

using namespace test;

EndlessSteps endless(const Fixture& f, bool joins)
{
  const TrainingContext context = f.context();
  ServerExchange exchange = server_exchange(context);
  exchange.join_small_messages = joins;
  return *endless_with_servers(context, exchange);
}

Fixture asynchronous(int workers, int servers, double t, std::span<const double> elements)
{
  Fixture f{workers + servers};
  f.dnn.layers.clear();
  for (const double each : elements) {
    const std::string number = std::to_string(f.dnn.layers.size());
    f.dnn.layers.push_back({.name = "layer" + number, .parameters = {{.name = "v" + number, .elements = each}}});
  }
  for (int w = 0; w < workers; ++w)
    f.add_worker(f.node(w).gpus[0], t);
  for (int s = 0; s < servers; ++s)
    f.placement.servers.push_back(f.node(workers + s).host);
  f.job.training.settings.set("update_rule", "async");
  f.job.training.settings.set("spread", "gpus");
  return f;
}

std::size_t count(const StepProgram& program, Role role)
{
  return static_cast<std::size_t>(std::ranges::count_if(program.operations, [&](const Operation& operation) {
    return operation.role == role && std::holds_alternative<Transfer>(operation.work);
  }));
}

/// Steps/s of a worker, mean of all, in 12 steps from each of three random places.
double rate_from_places(const Fixture& f, bool joins)
{
  const TrainingContext context = f.context();
  ServerExchange exchange = server_exchange(context);
  exchange.join_small_messages = joins;
  const auto executor = Registry<Executor>::instance().create("fluid");
  double sum = 0;
  for (int place = 1; place <= 3; ++place) {
    const StepProgram program = server_program(context, exchange, place, 12);
    const std::vector<ProgramRun> runs{{&program, Seconds{}}};
    const StepEnds all = step_ends(program, executor->run(f.cluster, runs).front());
    double from = 0, until = 1e9, done = 0;
    for (const auto& [worker, ends] : all) {
      from = std::max(from, ends.front());
      until = std::min(until, ends.back());
    }
    for (const auto& [worker, ends] : all)
      done += steps_done(ends, 0, until) - steps_done(ends, 0, from);
    sum += done / (until - from) / static_cast<double>(all.size());
  }
  return sum / 3;
}

/// Steps/s of a worker, mean of all, after a third of @p steps of each.
double rate(const Fixture& f, bool joins, std::size_t steps)
{
  const EndlessSteps endless_steps = endless(f, joins);
  const auto executor = Registry<Executor>::instance().create("fluid");
  const std::unique_ptr<EndlessRun> run =
      executor->endless(f.cluster, endless_steps.program, endless_steps.back, endless_steps.factor);
  run->go_on(steps * f.placement.workers.size());
  double until = 1e9;
  for (const auto& [worker, ends] : run->done().ends)
    until = std::min(until, ends.back());
  double done = 0;
  for (const auto& [worker, ends] : run->done().ends)
    done += steps_done(ends, 0, until) - steps_done(ends, 0, until / 3);
  return done / (until * 2 / 3) / static_cast<double>(f.placement.workers.size());
}

TEST(SmallMessages, GoWithThoseOfLargeVariables)
{
  // One server and, in the order of the layers, 40 MB, 400 B, 400 B, 40 MB, 400 B: 80.0012 MB, of which a message may
  // carry 80 kB for others. Pulled in this order: 40 MB with the two behind it, 40 MB with the last. Pushed from the
  // last layer on: 400 B with the 40 MB that come next, the two with the other 40 MB.
  Fixture f = asynchronous(1, 1, 0.1, std::vector<double>{1e7, 100, 100, 1e7, 100});
  f.job.training.settings.set("pull_order", "layer");
  const StepProgram joined = endless(f, true).program, alone = endless(f, false).program;
  const auto steps = static_cast<std::size_t>(joined.steps);
  EXPECT_EQ(count(alone, Role::pull), 5 * steps);
  EXPECT_EQ(count(alone, Role::push), 5 * steps);
  EXPECT_EQ(count(joined, Role::pull), 2 * steps);
  EXPECT_EQ(count(joined, Role::push), 2 * steps);
  std::vector<double> sent; // of the first step
  for (const Operation& operation : joined.operations)
    if (const auto* transfer = std::get_if<Transfer>(&operation.work); transfer != nullptr && operation.step == 0)
      sent.push_back(transfer->bytes.value());
  EXPECT_EQ(sent, (std::vector<double>{40'000'800, 40'000'400, 40'000'400, 40'000'800}));
}

TEST(SmallMessages, ThatNoLargeOneFollowsAreOneMessage)
{
  // The first layer's gradients come last: no message of their server is left that could take them.
  Fixture f = asynchronous(1, 1, 0.1, std::vector<double>{100, 100, 1e7});
  f.job.training.settings.set("pull_order", "layer");
  const StepProgram joined = endless(f, true).program;
  std::vector<double> pushed;
  for (const Operation& operation : joined.operations)
    if (const auto* transfer = std::get_if<Transfer>(&operation.work);
        transfer != nullptr && operation.step == 0 && operation.role == Role::push)
      pushed.push_back(transfer->bytes.value());
  EXPECT_EQ(pushed, (std::vector<double>{4e7, 800}));
}

TEST(SmallMessages, GoWithLargeOnesInAnyProgramOfSeveralWorkers)
{
  // As GoWithThoseOfLargeVariables, of a program of some steps. One worker alone is shown message by message.
  for (const int workers : {1, 2}) {
    Fixture f = asynchronous(workers, 1, 0.1, std::vector<double>{1e7, 100, 100, 1e7, 100});
    f.job.training.settings.set("pull_order", "layer");
    const TrainingContext context = f.context();
    const StepProgram program = server_program(context, server_exchange(context), 1, 3);
    const auto ends = std::ranges::count_if(
        program.operations, [](const Operation& operation) { return std::holds_alternative<StepEnd>(operation.work); });
    const std::size_t of_a_step = workers == 1 ? 5 : 2;
    EXPECT_EQ(count(program, Role::pull), of_a_step * static_cast<std::size_t>(ends)) << workers;
    EXPECT_EQ(count(program, Role::push), of_a_step * static_cast<std::size_t>(ends)) << workers;
  }
}

TEST(SmallMessages, ChangeNoRateThatOneWorkerHas)
{
  // A worker that meets nobody: no variable comes more than a thousandth of a step later.
  RandomStream random = Random{19}.stream("one worker");
  for (int test = 0; test < 200; ++test) {
    std::vector<double> elements;
    const std::size_t layers = 4 + random.below(16);
    for (std::size_t layer = 0; layer < layers; ++layer)
      elements.push_back(std::floor(std::pow(10, 2 + 5 * random.uniform())));
    const int servers = 1 + static_cast<int>(random.below(4));
    Fixture f = asynchronous(1, servers, std::pow(10, -2 + 2 * random.uniform()), elements);
    f.job.training.settings.set("pull_order", random.below(2) == 0 ? "layer" : "arbitrary");
    f.job.training.settings.set("push", random.below(2) == 0 ? "during_backward" : "after_backward");
    EXPECT_NEAR(rate(f, true, 6) / rate(f, false, 6), 1, 0.001) << test;
  }
}

/// Of 200 random cases with several workers.
void expect_rates_change_as_by_computing(double most, const std::function<double(const Fixture&, bool joins)>& rate)
{
  // Workers that meet at servers may come apart after any change, as small as it may be, and then the rates of two runs
  // differ by what 60 steps know. So joining is held against computing that is 0.1 % longer, and 0.1 % shorter: where
  // both change a rate by no more than themselves, joining changes it by no more than @p most, and over all cases by as
  // much as they do: two deviations of 60 cases that come apart are each known to 1 / sqrt(120) = 9 %, their ratio to
  // 13 %, twice that is 1.25.
  RandomStream random = Random{19}.stream("many workers");
  constexpr int cases = 200;
  int steady = 0;
  double by_joining = 0, by_computing = 0; // squares
  for (int test = 0; test < cases; ++test) {
    std::vector<double> elements;
    for (std::size_t layer = 0; layer < 4 + random.below(12); ++layer)
      elements.push_back(std::floor(std::pow(10, 2 + 5 * random.uniform())));
    const int servers = 1 + static_cast<int>(random.below(4)), workers = 2 + static_cast<int>(random.below(5));
    const double t = std::pow(10, -2 + 2 * random.uniform());
    const char* order = random.below(2) == 0 ? "layer" : "arbitrary";
    const auto rate_of = [&](double computing, bool joins) {
      Fixture f = asynchronous(workers, servers, computing, elements);
      f.job.training.settings.set("pull_order", order);
      return rate(f, joins);
    };
    const double alone = rate_of(t, false);
    const double joining = rate_of(t, true) / alone - 1;
    const double longer = rate_of(1.001 * t, false) / alone - 1, shorter = rate_of(0.999 * t, false) / alone - 1;
    by_joining += joining * joining;
    by_computing += (longer * longer + shorter * shorter) / 2;
    if (std::max(std::abs(longer), std::abs(shorter)) > 0.0011)
      continue;
    ++steady;
    EXPECT_NEAR(joining, 0, most) << test;
  }
  EXPECT_GT(steady, cases / 2);
  EXPECT_LE(std::sqrt(by_joining / cases), 1.25 * std::sqrt(by_computing / cases));
}

TEST(SmallMessages, ChangeRatesOfManyWorkersAsAnythingAsSmallDoes)
{
  // Where a server is the bottleneck, what joining saves of its latencies shows: up to 0.28 % with these orders.
  expect_rates_change_as_by_computing(0.003, [](const Fixture& f, bool joins) { return rate(f, joins, 60); });
}

TEST(SmallMessages, ChangeRatesFromRandomPlacesAsAnythingAsSmallDoes)
{
  expect_rates_change_as_by_computing(0.003, rate_from_places); // few steps
}

} // namespace
} // namespace trainyard
