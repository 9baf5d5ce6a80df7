// SPDX-License-Identifier: Apache-2.0
// Goodput and the policies that plan with it (Pollux, Optimus, Sia), worked out by hand from the formulas of the
// papers.
#include "models/job/batch_goodput.hpp"
#include "sim/cluster/speed/shared_gpu_speed.hpp"
#include "sim/sources/queue/policies/size_rounds.hpp"
#include "tests/support/places.hpp"
#include "tests/support/queue_scenario.hpp"
#include "tests/support/queue_times.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <sstream>
#include <string>

namespace trainyard {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using tests::queue_faults;

auto near(double value)
{
  return ::testing::DoubleNear(value, 1e-6);
}

constexpr double without_end = 1e12; // a noise scale at which every sample counts in full

GoodputSpec spec(int initial, int most, std::vector<NoisePhase> noise)
{
  return {.name = "m",
          .steps = {},
          .steps_on = {},
          .initial_batch = initial,
          .most_batch = most,
          .most_per_gpu = 0,
          .noise_scale = std::move(noise)};
}

/// Steps without exchange on 1 to 4 GPUs of a machine, by batch per GPU.
std::map<int, StepProfile> steps(const std::map<int, double>& seconds)
{
  std::map<int, StepProfile> profiles;
  for (const auto& [batch, time] : seconds)
    for (const char* shape : {"1", "2", "3", "4"})
      profiles[batch].points[shape] = {Seconds{time}, Seconds{0}};
  return profiles;
}

TEST(StatisticalEfficiency, IsOneAtTheInitialBatchAndFallsWithTheBatch)
{
  EXPECT_DOUBLE_EQ(statistical_efficiency(50, 10, 10), 1);
  EXPECT_DOUBLE_EQ(statistical_efficiency(50, 10, 50), 0.6); // (50 + 10) / (50 + 50)
  EXPECT_DOUBLE_EQ(statistical_efficiency(0, 10, 40), 0.25); // without noise, four times the batch is no better
}

TEST(ModelGoodput, TakesTheBatchWhereGoodputTurns)
{
  // On a GPU a step takes 1 s + 0.02 s per sample. With phi = 50 the best batch is sqrt(1 x 50 / 0.02) = 50: a step of
  // 2 s, efficiency 60 / 100, goodput 25 x 0.6 = 15.
  const ModelGoodput model{spec(10, 1000, {{0, 50}}), steps({{10, 1.2}, {100, 3.0}})};
  const auto one = model.best("1", 0);
  ASSERT_TRUE(one);
  EXPECT_NEAR(one->batch, 50, 1e-9);
  EXPECT_NEAR(one->step.value(), 2, 1e-9);
  EXPECT_NEAR(one->goodput(), 15, 1e-9);
  // Two GPUs: 0.01 s per sample of the whole batch, so sqrt(50 / 0.01).
  EXPECT_NEAR(model.best("2", 0)->batch, std::sqrt(5000.0), 1e-9);
}

TEST(ModelGoodput, StaysWithinTheMeasuredAndTheAllowedBatches)
{
  const std::map<int, StepProfile> measured = steps({{10, 1.2}, {100, 3.0}});
  // phi = 800 would want sqrt(800 / 0.02) = 200; 100 are measured: 100 / 3 x (810 / 900) = 30.
  EXPECT_NEAR(ModelGoodput(spec(10, 1000, {{0, 800}}), measured).best("1", 0)->goodput(), 30, 1e-9);
  // phi = 0: the smallest, 10 / 1.2; on two GPUs the smallest is 20: (20 / 1.2) x (10 / 20), no better.
  const ModelGoodput exact{spec(10, 1000, {{0, 0}}), measured};
  EXPECT_NEAR(exact.best("1", 0)->goodput(), 10 / 1.2, 1e-9);
  EXPECT_NEAR(exact.best("2", 0)->goodput(), 10 / 1.2, 1e-9);
  // A fixed batch of 40: 40 on one GPU, 20 on each of two, 10 on each of four.
  const ModelGoodput fixed{spec(40, 0, {{0, 800}}), measured};
  EXPECT_NEAR(fixed.best("1", 0)->goodput(), 40 / 1.8, 1e-9);
  EXPECT_NEAR(fixed.best("2", 0)->goodput(), 40 / 1.4, 1e-9);
  EXPECT_NEAR(fixed.best("4", 0)->goodput(), 40 / 1.2, 1e-9);
  EXPECT_FALSE(ModelGoodput(spec(30, 0, {{0, 800}}), measured).best("4", 0)); // 40 is the smallest on four
  EXPECT_FALSE(fixed.best("5", 0));                                           // never measured
}

/// Steps of 0.2 s + 0.02 s per sample of a GPU, and 1 s of exchange that nothing hides; up to 100 samples fit a GPU.
ModelGoodput with_exchange(int initial, int most, double noise, int accumulation)
{
  std::map<int, StepProfile> profiles;
  for (const auto& [batch, computing] : std::map<int, double>{{10, 0.4}, {100, 2.2}})
    for (const char* shape : {"1", "2"})
      profiles[batch].points[shape] = {Seconds{computing + 1}, Seconds{1}};
  GoodputSpec model = spec(initial, most, {{0, noise}});
  model.accumulation = accumulation;
  return {model, std::move(profiles)};
}

TEST(ModelGoodput, AccumulatesGradientsOfBatchesThatDoNotFit)
{
  // Two GPUs hold 200 samples: 200 / 3.2. With one step of computing only before it 400: 400 / (3.2 + 2.2), with two
  // 600: 600 / (3.2 + 4.4). adaptdl's goodput.py: step + computing x accumulation steps.
  EXPECT_NEAR(with_exchange(10, 1000, without_end, 0).best("2", 0)->goodput(), 62.5, 1e-6);
  const auto once = with_exchange(10, 1000, without_end, 1).best("2", 0);
  EXPECT_NEAR(once->batch, 400, 1e-9);
  EXPECT_NEAR(once->step.value(), 5.4, 1e-9);
  EXPECT_EQ(once->accumulation, 1);
  EXPECT_NEAR(with_exchange(10, 1000, without_end, 2).best("2", 0)->goodput(), 600 / 7.6, 1e-6);
  // At most 300: 75 on each GPU, twice: 2.7 s and 1.7 s.
  EXPECT_NEAR(with_exchange(10, 300, without_end, 2).best("2", 0)->goodput(), 300 / 4.4, 1e-6);
}

TEST(ModelGoodput, AccumulatesNoMoreThanTheNoiseIsWorth)
{
  // With one accumulated step a batch of m takes 1.4 s + 0.01 m, best at sqrt(1000 x 140) = 374.2 for phi = 1000: 374.2
  // / 5.142 / 1374.2 = 0.05296, more than 200 / 3.2 / 1200 = 0.05208 (without the common factor phi + 10). With phi =
  // 700: sqrt(700 x 140) = 313.0, 313.0 / 4.530 / 1013.0 = 0.06821, less than 200 / 3.2 / 900 = 0.06944.
  const auto noisy = with_exchange(10, 1000, 1000, 1).best("2", 0);
  EXPECT_NEAR(noisy->batch, std::sqrt(140000.0), 1e-6);
  EXPECT_EQ(noisy->accumulation, 1);
  const auto calm = with_exchange(10, 1000, 700, 1).best("2", 0);
  EXPECT_NEAR(calm->batch, 200, 1e-9);
  EXPECT_EQ(calm->accumulation, 0);
}

TEST(ModelGoodput, AccumulatesTheInitialBatchWhereItDoesNotFit)
{
  // 300 on two GPUs: 75 each, twice.
  EXPECT_FALSE(with_exchange(300, 0, 1000, 0).best("2", 0));
  const auto split = with_exchange(300, 0, 1000, 1).best("2", 0);
  ASSERT_TRUE(split);
  EXPECT_NEAR(split->goodput(), 300 / 4.4, 1e-9);
}

TEST(ModelGoodput, ChoosesAsAdaptDLDoes)
{
  // 200 random models, tests/data/traces/adaptdl_goodput.py. AdaptDL tries whole samples, rounded up, at 50 batches in
  // geometric steps of up to 16^(1/49), 6 %. Goodput rises no faster than the batch: ours is no worse than this
  // rounding, and better by one such step at most.
  std::ifstream stream{tests::source_folder() / "tests/data/traces/adaptdl_goodput.csv"};
  std::string line;
  std::getline(stream, line);
  int cases = 0;
  for (; std::getline(stream, line); ++cases) {
    std::ranges::replace(line, ',', ' ');
    std::istringstream cells{line};
    int gpus = 0, initial = 0, most = 0, least_of_gpu = 0, most_of_gpu = 0, accumulation = 0;
    double alpha = 0, beta = 0, exchange = 0, noise = 0, goodput = 0, batch = 0;
    cells >> gpus >> alpha >> beta >> exchange >> noise >> initial >> most >> least_of_gpu >> most_of_gpu >> goodput >>
        batch >> accumulation;
    ASSERT_TRUE(cells) << line;
    const std::string shape = std::to_string(gpus);
    std::map<int, StepProfile> profiles;
    for (const int of_gpu : {least_of_gpu, most_of_gpu})
      profiles[of_gpu].points[shape] = {Seconds{alpha + beta * of_gpu + exchange}, Seconds{exchange}};
    GoodputSpec model = spec(initial, most, {{0, noise}});
    model.accumulation = 1000;
    const auto best = ModelGoodput{model, std::move(profiles)}.best(shape, 0);
    ASSERT_TRUE(best) << line;
    const double sample = gpus * (accumulation + 1) / batch; // what one sample more on each GPU is of the batch
    EXPECT_GE(best->goodput(), goodput * (1 - sample)) << line;
    EXPECT_LE(best->goodput(), goodput * 1.06) << line;
    if (best->accumulation == accumulation) {
      EXPECT_NEAR(best->batch / batch, 1, 0.06 + sample) << line;
    }
  }
  EXPECT_EQ(cases, 200);
}

TEST(ModelGoodput, NeedsTwoPartsOfALargerBatchOnOneGpu)
{
  // 100 samples at once would take 3.2 s, but the noise is estimated from several parts: 50 and 50, 2.2 s and 1.2 s.
  EXPECT_NEAR(with_exchange(10, 100, without_end, 0).best("1", 0)->goodput(), 100 / 3.2, 1e-6);
  EXPECT_NEAR(with_exchange(10, 100, without_end, 1).best("1", 0)->goodput(), 100 / 3.4, 1e-6);
  // The initial batch is one part.
  EXPECT_NEAR(with_exchange(100, 0, without_end, 1).best("1", 0)->goodput(), 100 / 3.2, 1e-6);
}

TEST(Cheapest, IsExactWhereGreedyIsNot)
{
  // 4 GPUs. Per GPU the first job saves most with 3 (3 x 1.1), and then nobody gets the fourth; 2 + 2 save 2 + 2.
  const std::vector<std::vector<SizeOption>> options = {{{{}, 0}, {{2, 0, 1}, -2}, {{3, 0, 1}, -3.3}},
                                                        {{{}, 0}, {{2, 0, 1}, -2}}};
  const auto sizes = [&](double most_steps) {
    std::vector<int> gpus;
    for (const SizeChoice& choice : cheapest(options, {4}, most_steps))
      gpus.push_back(choice.gpus);
    return gpus;
  };
  EXPECT_EQ(sizes(1e8), (std::vector<int>{2, 2}));
  EXPECT_EQ(sizes(0), (std::vector<int>{3, 0})); // greedily
}

TEST(RestartFactor, CountsAgeAndRestarts)
{
  SizedJob job{.id = JobId{0}, .choices = {}, .held = {2, 0, 1}, .left = 0, .age = 300, .restarts = 2};
  EXPECT_DOUBLE_EQ(restart_factor(job, {4, 0, 1}, 30), 240.0 / 330); // (300 - 2 x 30) / (300 + 30)
  EXPECT_DOUBLE_EQ(restart_factor(job, {2, 0, 9}, 30), 1);           // it stays
  job.held = {};
  EXPECT_DOUBLE_EQ(restart_factor(job, {4, 0, 1}, 30), 1); // it starts
}

/// Jobs of one GPU that can have up to four, at 0 s on machines of 4 GPUs: of the model `linear` (four GPUs do four
/// times the work) or `flat` (more GPUs only make the batch larger, which is worth nothing).
struct Bench {
  Workload workload;
  ClusterShape shape = ClusterShape::machines(1, 4);
  std::shared_ptr<GoodputTables> tables = std::make_shared<GoodputTables>(std::vector<int>{4});

  Bench()
  {
    add_model("linear", {{0, without_end}});
    add_model("flat", {{0, 0}});
    workload.goodput = tables;
    workload.gpu_types = shape.gpu_types;
  }
  void add_model(const std::string& name, std::vector<NoisePhase> noise)
  {
    tables->add(workload.models.index_of(name), 0,
                std::make_shared<const ModelGoodput>(spec(10, 40, std::move(noise)), steps({{10, 1.0}})));
  }
  void add(const std::string& model, double duration, int gpus = 1, int most = 4)
  {
    workload.jobs.push_back({.duration = Seconds{duration},
                             .estimate = Seconds{duration},
                             .gpus = gpus,
                             .min_gpus = gpus,
                             .max_gpus = most,
                             .model = workload.models.index_of(model)});
  }
  std::vector<double> ends(const std::string& policy) const
  {
    GoodputSpeed speed;
    SchedulingOptions options;
    options.speed = &speed;
    const auto placement = Registry<PlacementPolicy>::instance().create("best_fit");
    return tests::end_times(
        simulate_queue(workload, shape, *Registry<QueuePolicy>::instance().create(policy), placement.get(), options));
  }
};

/// When jobs of these models and run times end, s.
tests::Times ends_of(const std::string& policy, const std::vector<std::pair<std::string, double>>& jobs)
{
  Bench bench;
  for (const auto& [model, duration] : jobs)
    bench.add(model, duration);
  return bench.ends(policy);
}

TEST(GoodputSpeed, ChangesWhereTheNoiseScaleDoes)
{
  // Four GPUs, a batch of 40. Until half of the work a sample is worth 10 / 40, then 1: 50 s at the speed that the run
  // time means, and 50 / 4 s.
  Bench bench;
  bench.add_model("late", {{0, 0}, {0.5, without_end}});
  bench.add("late", 100, 4);
  EXPECT_NEAR(bench.ends("fifo").front(), 62.5, 1e-6);
}

TEST(GoodputSpeed, JobsThatMeetOnANodeShareItsPortWhileItLasts)
{
  // Two jobs of 2 GPUs on two nodes of 2 GPUs, one GPU each: both cross the same ports. Alone "11" takes 1.5 s against
  // 1 s packed. Of its 0.9 s of computing half hides the exchange, so that takes 0.6 + 0.45 = 1.05 s; through half of
  // the port 2.1 s, of which 1.65 s are exposed: 2.55 s.
  StepProfile profile;
  profile.points = {
      {"1", {Seconds{0.9}, Seconds{0}}}, {"2", {Seconds{1}, Seconds{0.1}}}, {"11", {Seconds{1.5}, Seconds{0.6}}}};
  Workload workload;
  const int model = workload.models.index_of("net");
  const auto tables = std::make_shared<GoodputTables>(std::vector<int>{2});
  tables->add(model, 0,
              std::make_shared<const ModelGoodput>(spec(20, 20, {{0, 0}}), std::map<int, StepProfile>{{10, profile}}));
  workload.goodput = tables;
  workload.jobs = {{.duration = Seconds{300}, .gpus = 2, .model = model},
                   {.duration = Seconds{100}, .gpus = 2, .model = model}};
  GoodputSpeed speed;
  Allocation first{.gpus = 2, .gpu_type = 0, .shares = {{.node = 0, .gpu_mask = 1}, {.node = 1, .gpu_mask = 1}}};
  Allocation second{.gpus = 2, .gpu_type = 0, .shares = {{.node = 0, .gpu_mask = 2}, {.node = 1, .gpu_mask = 2}}};
  const PlacedTraceJob jobs[] = {{JobId{0}, &workload.jobs[0], &first}, {JobId{1}, &workload.jobs[1], &second}};
  const auto together = speed.speeds(workload, jobs);
  EXPECT_NEAR(together[0].alone, 1 / 1.5, 1e-12);
  EXPECT_NEAR(together[0].speed, 1 / 2.55, 1e-12);
  EXPECT_EQ(together[0].neighbour, JobId{1});
  EXPECT_EQ(speed.link_name(together[0].link), "network port of node 0");
  const auto alone = speed.speeds(workload, std::span{jobs}.first(1));
  EXPECT_EQ(alone[0].speed, alone[0].alone);
}

TEST(Pollux, GivesGpusToWhomALargerBatchHelps)
{
  // Fair shares are 2 GPUs: the linear job has the speed-up g / 2 on g GPUs, the flat one always 1. So the flat job has
  // 1 GPU for its 300 s, the linear one 3 for 100 s. No restart pays afterwards.
  EXPECT_THAT(ends_of("pollux", {{"linear", 300}, {"flat", 300}}), ElementsAre(near(100), near(300)));
}

TEST(Pollux, SharesEvenlyAmongEqualJobs)
{
  // 1 / s1 + 1 / s2 is smallest with 2 GPUs each: 300 / 2. All end before the third plan could give them more: at 60 s
  // and 120 s they have what is best.
  EXPECT_THAT(ends_of("pollux", {{"linear", 300}, {"linear", 300}}), ElementsAre(near(150), near(150)));
}

TEST(Optimus, GivesGpusToWhomTheyShortenMost)
{
  // One GPU each; then the first job's 1200 s fall by 600 with a second GPU and by 200 with a third, the other's 300 s
  // by 150 with a second: 3 and 1. The second ends at 300 s, the first at 1200 / 3 s, both before the plan of 600 s.
  EXPECT_THAT(ends_of("optimus", {{"linear", 1200}, {"linear", 300}}), ElementsAre(near(400), near(300)));
}

TEST(Sia, GrowsTwofoldARound)
{
  // 60 s on 1 GPU. At 60 s two GPUs count 2 x 60 / 90 > 1, at 120 s four count 4 x (120 - 30) / 150 > 2. Work: 60 + 120
  // + 120 in 30 s.
  EXPECT_THAT(ends_of("sia", {{"linear", 300}}), ElementsAre(near(150)));
}

TEST(Sia, GivesTheFastTypeToWhomItHelps)
{
  // Two GPUs of each type; gangs of two. `gains` is four times as fast on the second type, `even` as fast as on the
  // first: 4^-0.5 + 1 is less than 1 + 1.
  Bench bench;
  bench.shape.gpu_types = {"slow", "fast"};
  bench.shape.nodes = {{.name = "a", .gpus = 2, .gpu_type = 0}, {.name = "b", .gpus = 2, .gpu_type = 1}};
  bench.workload.gpu_types = bench.shape.gpu_types;
  bench.workload.reference_type = 0;
  bench.tables = std::make_shared<GoodputTables>(std::vector<int>{2, 2});
  bench.workload.goodput = bench.tables;
  for (const auto& [name, fast] : {std::pair{"even", 1.0}, std::pair{"gains", 0.25}}) {
    const int model = bench.workload.models.index_of(name);
    for (const int type : {0, 1}) {
      bench.tables->add(model, type,
                        std::make_shared<const ModelGoodput>(spec(10, 40, {{0, without_end}}),
                                                             steps({{10, type == 0 ? 1.0 : fast}})));
      bench.workload.gang_speed[{model, 2, type}] = bench.workload.type_speed[{model, type}] =
          bench.tables->reference(model, 2, type);
    }
    bench.add(name, 100, 2, 2);
  }
  const std::vector<double> ends = bench.ends("sia");
  EXPECT_NEAR(ends[0], 100, 1e-6);
  EXPECT_NEAR(ends[1], 25, 1e-6);
}

/// A scenario whose jobs are of the measured model cifar10 (tests/data/traces/perf_t4).
std::string scenario(const std::string& model, const std::string& sizes, const std::string& more = "")
{
  const std::string table = (tests::source_folder() / "tests/data/traces/perf_t4/cifar10.csv").string();
  return tests::queue_head + "workload:\n  goodput: {cifar10: {" +
         (model.starts_with("steps") ? "" : "steps: " + table + ", ") + model +
         "}}\n  jobs:\n    - {name: a, model: cifar10, duration: 1 h, gpus: 1, " + sizes + "}\n" + more;
}

TEST(GoodputScenario, RunsUnderEveryPolicyThatPlansWithIt)
{
  const RunReport report = tests::run_queue(
      scenario("batch: {initial: 128, most: 4096}, noise_scale: [{value: 1000}, {from: 50 %, value: 8000}]",
               "max_gpus: 8", "scheduling: {policies: [pollux, optimus, sia, fifo]}\n"));
  EXPECT_EQ(report.exit_code, 0);
  for (const char* policy : {"pollux", "optimus", "sia"})
    EXPECT_THAT(report.text(), HasSubstr(policy));
  EXPECT_THAT(report.text(), ::testing::Not(HasSubstr("over optimum"))); // it holds for jobs of fixed size
}

TEST(GoodputScenario, SaysWhatIsWrong)
{
  const std::string good = "batch: {initial: 128, most: 4096}, noise_scale: {value: 1000}";
  EXPECT_EQ(queue_faults(scenario(good, "max_gpus: 8")), "");
  EXPECT_THAT(queue_faults(scenario("steps: nothing.csv, " + good, "max_gpus: 8")),
              HasSubstr("there is no table of steps 'nothing.csv'"));
  EXPECT_THAT(queue_faults(scenario("batch: {initial: 128, most: 64}, noise_scale: {value: 1000}", "max_gpus: 8")),
              HasSubstr("'most' is below 'initial'"));
  EXPECT_THAT(queue_faults(scenario("batch: {initial: 128}, noise_scale: [{from: 50 %, value: 8}]", "max_gpus: 8")),
              HasSubstr("the phases must begin at 0 and be in order of 'from'"));
  EXPECT_THAT(queue_faults(scenario("batch: {initial: 128}, noise_scale: {value: 8}", "max_gpus: 8")),
              HasSubstr("no batch from 128 to 128 fits on 5 GPUs"));
  EXPECT_THAT(queue_faults(scenario(good, "max_gpus: 8", "scheduling: {cluster: pool}\n")),
              HasSubstr("goodput depends on the machines that a job gets"));
}

} // namespace
} // namespace trainyard
