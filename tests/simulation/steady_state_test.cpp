// SPDX-License-Identifier: Apache-2.0
// Steady states of programs whose times are set here, so that the rates can be computed by hand; nothing goes over a
// network but in the last test.
#include "sim/step/steady_state.hpp"

#include "models/core/data_folder.hpp"
#include "models/core/random.hpp"
#include "models/hardware/catalogue.hpp"
#include "models/scenario/document.hpp"
#include "sim/run/simulate.hpp"
#include "sim/step/prepared.hpp"
#include "sim/step/training/update_rule.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <utility>

namespace trainyard {
namespace {

/// A mode whose workers compute for given times; each its own step marks, or one mark for all at the slowest.
class Scripted final : public TrainingMode
{
public:
  using Times = std::function<double(int worker, int step)>;
  Scripted(int workers, bool together, int staleness, Times times)
      : workers_{workers}, together_{together}, staleness_{staleness}, times_{std::move(times)}
  {
  }

  void check(const TrainingContext&, Diagnostics&) const override {}

  StepProgram program(const TrainingContext&, int first_step, int steps) const override
  {
    StepProgram program;
    program.steps = steps;
    program.workers = workers_;
    program.samples_per_step = 10.0 * workers_;
    std::vector<LaneId> lanes;
    for (int worker = 0; worker < workers_; ++worker)
      lanes.push_back(program.add(Lane{.name = "gpu"}));
    std::vector<std::vector<OperationId>> ended(static_cast<std::size_t>(steps));
    for (int step = 0; step < steps; ++step) {
      for (int worker = 0; worker < workers_; ++worker) {
        Operation operation{.work = Compute{.duration = Seconds{times_(worker, first_step + step)}},
                            .lanes = {lanes[static_cast<std::size_t>(worker)]},
                            .step = step,
                            .worker = worker};
        const int waits_for = together_ ? step - 1 : staleness_ >= 0 ? step - staleness_ - 1 : -1;
        if (waits_for >= 0)
          operation.after = ended[static_cast<std::size_t>(waits_for)];
        OperationId end = program.add(std::move(operation));
        if (!together_)
          end = program.add(
              Operation{.work = StepEnd{first_step + step, worker}, .after = {end}, .step = step, .worker = worker});
        ended[static_cast<std::size_t>(step)].push_back(end);
      }
      if (together_)
        program.add(Operation{
            .work = StepEnd{first_step + step, -1}, .after = ended[static_cast<std::size_t>(step)], .step = step});
    }
    return program;
  }

private:
  int workers_;
  bool together_;
  int staleness_;
  Times times_;
};

/// What every context needs and no scripted mode looks at.
struct Stage {
  Cluster cluster;
  JobSpec job;
  Placement placement;
  Dnn dnn;
  std::map<std::string, Transport> transports;
  Random random{1};
  TrainingContext context{cluster, job, placement, dnn, {}, transports, 4, random};

  StepEstimate estimate(const TrainingMode& mode, bool is_random, SteadyStateOptions options = {},
                        int settling_steps = 0) const
  {
    const std::vector<SteppedJob> jobs{{&mode, &context, is_random, settling_steps}};
    return steady_state(cluster, jobs, *Registry<Executor>::instance().create("fluid"), options).front();
  }
};

TEST(SteadyState, OfABarrierIsTheSlowestWorkersStepAndNeedsThreeSteps)
{
  // Workers of 1 s and 3 s with a barrier: 3 s per step, 20 samples each, exact after one warm-up step.
  const Scripted mode{2, true, -1, [](int worker, int) { return worker == 0 ? 1.0 : 3.0; }};
  const StepEstimate estimate = Stage{}.estimate(mode, false);
  EXPECT_DOUBLE_EQ(estimate.step_time.value(), 3);
  EXPECT_DOUBLE_EQ(estimate.samples_per_second, 20.0 / 3);
  EXPECT_EQ(estimate.half_width.value(), 0);
  EXPECT_EQ(estimate.steps_simulated, 3);
}

TEST(SteadyState, OfWorkersWithoutABarrierIsTheMeanOfTheirRates)
{
  // 1 step/s and 1/3 step/s: together 2/3 global steps/s of 20 samples.
  const Scripted mode{2, false, -1, [](int worker, int) { return worker == 0 ? 1.0 : 3.0; }};
  const StepEstimate estimate = Stage{}.estimate(mode, false);
  EXPECT_NEAR(estimate.samples_per_second, 20.0 * (1 + 1.0 / 3) / 2, 0.02 * 13.3);
  ASSERT_EQ(estimate.worker_rates.size(), 2U);
  EXPECT_NEAR(estimate.worker_rates[0], 1, 0.02);
  EXPECT_NEAR(estimate.worker_rates[1], 1.0 / 3, 0.01);
}

TEST(SteadyState, OfBoundedStalenessIsThePaceOfTheStraggler)
{
  // The fast worker is s steps ahead soon and then waits: both do 1/2 step/s in the long run, however fast the first
  // steps were.
  for (const int staleness : {1, 3, 8}) {
    const Scripted mode{4, false, staleness, [](int worker, int) { return worker == 3 ? 2.0 : 1.0; }};
    // It is s + 1 steps ahead after 2 (s + 1) of its own.
    const StepEstimate estimate = Stage{}.estimate(mode, false, {}, 2 * (staleness + 1));
    EXPECT_NEAR(estimate.step_time.value(), 2, 0.02) << staleness;
  }
}

TEST(UpdateRules, BoundedSettlesAfterTheFastWorkersHaveUsedUpTheirLead)
{
  // s = 3, 1 s against 2 s: 4 steps ahead after 4 x 2 / (2 - 1) = 8 steps; twice that for messages. Equal workers: at
  // once.
  Settings settings;
  settings.set("staleness", 3.0);
  const auto rule = Registry<UpdateRule>::instance().create("bounded", settings);
  const std::vector<Seconds> unequal{1_s, 1_s, Seconds{2}};
  const std::vector<Seconds> equal{1_s, 1_s};
  EXPECT_EQ(rule->settling_steps(unequal), 16);
  EXPECT_EQ(rule->settling_steps(equal), 0);
  EXPECT_EQ(Registry<UpdateRule>::instance().create("async")->settling_steps(unequal), 0);
}

TEST(SteadyState, OfJitterIsSimulatedUntilItsMeanIsKnownToOnePercent)
{
  // Uniform on 0.5…1.5 s: mean 1 s, deviation 0.289 s. 95 % of +-1 % take about (1.96 x 0.289 / 0.01)^2 = 3,200 steps.
  const Random random{7};
  const Scripted mode{1, true, -1,
                      [&](int, int step) { return 0.5 + random.stream("step/" + std::to_string(step)).uniform(); }};
  SteadyStateOptions options;
  options.most_steps = 100'000;
  const StepEstimate estimate = Stage{}.estimate(mode, true, options);
  EXPECT_TRUE(estimate.converged);
  EXPECT_GT(estimate.steps_simulated, 500);
  EXPECT_LE(estimate.half_width / estimate.step_time, 0.01);
  EXPECT_NEAR(estimate.step_time.value(), 1, 0.03);
}

TEST(SteadyState, GivesTheIntervalAtTheConfidenceThatIsAskedAndStopsAsAt95Percent)
{
  // Ten means of the steps give Student's t with 9 degrees of freedom: 2.2622 at 95 %, 1.8331 at 90 %, 0.7027 at 50 %.
  // When to stop does not depend on the confidence: were it decided at 50 %, (0.7027 / 2.2622)^2 = a tenth of the steps
  // would do, and steps double from round to round.
  const Random random{7};
  const Scripted mode{1, true, -1,
                      [&](int, int step) { return 0.5 + random.stream("step/" + std::to_string(step)).uniform(); }};
  SteadyStateOptions options;
  options.most_steps = 100'000;
  const StepEstimate usual = Stage{}.estimate(mode, true, options);
  ASSERT_TRUE(usual.converged);
  for (const auto& [confidence, quantile] : {std::pair{0.90, 1.8331}, {0.50, 0.7027}}) {
    options.confidence = confidence;
    const StepEstimate narrow = Stage{}.estimate(mode, true, options);
    EXPECT_EQ(narrow.steps_simulated, usual.steps_simulated) << confidence;
    EXPECT_EQ(narrow.step_time.value(), usual.step_time.value()) << confidence;
    EXPECT_NEAR(narrow.half_width / usual.half_width, quantile / 2.2622, 1e-4) << confidence;
  }
}

TEST(SteadyState, OfThreePlacesAtLeastIsTheIntervalOfLargeProgramsWithoutABarrier)
{
  // 5,000 workers, 12 steps of two operations: 120,000, of which two simulations are affordable. The steps of the three
  // places take 1, 1.1 and 1.2 s. Rates 1, 0.9091 and 0.8333: mean 0.9141; their logarithms 0, -0.09531 and -0.18232
  // have a standard deviation of 0.09119; times sqrt(1 + 1/3) and Student's t of two degrees of freedom, 4.3027:
  // 0.45308.
  const Scripted mode{5'000, false, -1, [](int, int step) { return 0.9 + 0.1 * (step / 1'000'000); }};
  const Stage stage;
  SteppedJob job{&mode, &stage.context};
  job.wanders = true;
  const StepEstimate estimate = steady_state(stage.cluster, {&job, 1}, *Registry<Executor>::instance().create("fluid"),
                                             options_of_a_run({&job, 1}, 1))
                                    .front();
  EXPECT_NEAR(estimate.step_time.value(), 1 / 0.914141, 1e-5);
  EXPECT_NEAR(estimate.half_width / estimate.step_time, 0.45308, 1e-4);
}

// Two patterns: rates of 1 and 4. Logarithms 0, 0 and 1.38629: standard deviation 0.80038, times sqrt(4/3) and 4.3027:
// 3.9766. Of the rates themselves, mean 2 and deviation 1.7321, it was 430 % of the mean: a rate below zero.
TEST(SteadyState, AnIntervalOfTwoPatternsIsOneOfRatios)
{
  StepEstimate estimate;
  estimate.samples_per_second = 1;
  estimate.step_time = Seconds{1};
  take_mean(estimate, {1, 4, 1}, 0.95);
  EXPECT_NEAR(estimate.samples_per_second, 2, 1e-12);
  EXPECT_NEAR(estimate.half_width / estimate.step_time, 3.9766, 1e-3);
  take_mean(estimate, {2, 2, 2}, 0.95);
  EXPECT_EQ(estimate.half_width.value(), 0);
}

TEST(SteadyState, SaysThatItHasNotConvergedWhereTheStepsDoNotSuffice)
{
  const Random random{7};
  const Scripted mode{1, true, -1,
                      [&](int, int step) { return 0.5 + random.stream("step/" + std::to_string(step)).uniform(); }};
  SteadyStateOptions options;
  options.most_steps = 48;
  const StepEstimate estimate = Stage{}.estimate(mode, true, options);
  EXPECT_FALSE(estimate.converged);
  EXPECT_EQ(estimate.steps_simulated, 48);
  EXPECT_GT(estimate.half_width / estimate.step_time, 0.01);
}

TEST(SteadyState, CarriesForwardExactlyWhatAllStepsWouldTake)
{
  // The slowest of three workers takes 0.3 s per step, and 0.8 s for the first one. Three steps are simulated: they end
  // at 0.8 + 2 x 0.3 = 1.4 s, and the step is 0.3 s, not their mean. Carried forward to 200 steps: 1.4 + 197 x 0.3 =
  // 60.5 s. All of them one by one: 0.8 + 199 x 0.3 = 60.5 s.
  const Scripted mode{3, true, -1, [](int worker, int step) { return step == 0 ? 0.8 : 0.1 * (worker + 1); }};
  const Stage stage;
  const StepEstimate estimate = stage.estimate(mode, false);
  EXPECT_EQ(estimate.steps_simulated, 3);
  EXPECT_NEAR(estimate.step_time.value(), 0.3, 1e-12);
  const double carried = estimate.trace.end.value() + (200 - estimate.steps_simulated) * estimate.step_time.value();
  EXPECT_NEAR(carried, 60.5, 1e-9);
  const StepProgram all = mode.program(stage.context, 0, 200);
  const std::vector<ProgramRun> runs{{&all, Seconds{}}};
  const StepTrace trace = Registry<Executor>::instance().create("fluid")->run(stage.cluster, runs).front();
  EXPECT_NEAR(trace.end.value(), carried, 1e-9);
}

TEST(SteadyState, OfFreeWorkersShowsTheProgramThatItsTraceIsOf)
{
  // Every draw gives the workers other places; the shown one is put together again after later draws have changed the
  // program.
  const std::string text =
      "trainyard: 1\nname: t\ncluster:\n  node_types: {w: {gpu: V100-SXM2-16GB, gpus: 1}, s: {}}\n"
      "  nodes: [{name: w, type: w, count: 6}, {name: s, type: s, count: 2}]\n  network: {topology: star, link: "
      "10GbE}\n"
      "jobs:\n  - {name: j, model: alexnet, batch_per_gpu: 32, workers: 6,\n"
      "     training: {mode: parameter_server, servers: 2, update_rule: async}}\nrun: {fidelity: fluid}\n";
  Diagnostics diagnostics;
  const CheckedPoint point = check_points(parse_document(text, "t.yaml", diagnostics), diagnostics).front();
  const Catalogue catalogue = load_catalogue(data_folder());
  const auto prepared = prepare(point.scenario, catalogue, diagnostics);
  FreeSlots slots = all_free(prepared->cluster);
  Placement where = place_packed(prepared->cluster, prepared->jobs.front().spec, slots, diagnostics);
  const auto placed = place(*prepared, prepared->jobs.front(), std::move(where), catalogue, diagnostics);
  diagnostics.throw_if_errors();
  const SteppedJob job = stepped_job(*prepared->jobs.front().mode, *placed->context);
  ASSERT_TRUE(job.wanders);
  const StepEstimate estimate =
      steady_state(prepared->cluster, {&job, 1}, *Registry<Executor>::instance().create("fluid"),
                   options_of_a_run({&job, 1}, 1))
          .front();
  EXPECT_GT(estimate.half_width.value(), 0);
  EXPECT_NEAR(estimate.samples_per_second * estimate.step_time.value(), 6 * 32, 1e-6);
  ASSERT_EQ(estimate.program.operations.size(), estimate.trace.spans.size());
  int delays = 0;
  for (std::size_t i = 0; i < estimate.trace.spans.size(); ++i)
    if (const auto* host = std::get_if<HostWork>(&estimate.program.operations[i].work)) {
      const Span& span = estimate.trace.spans[i];
      EXPECT_NEAR((span.end - span.begin).value(), host->duration.value(), 1e-9);
      delays += estimate.program.operations[i].name == "start" ? 1 : 0;
    }
  EXPECT_EQ(delays, 6);
}

} // namespace
} // namespace trainyard
