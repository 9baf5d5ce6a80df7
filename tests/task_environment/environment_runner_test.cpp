// SPDX-License-Identifier: Apache-2.0
/// What `simrun` makes of a task environment: files, warnings, exit codes, words.
#include "sim/sources/retraining/environment_report.hpp"
#include "sim/sources/scenario_runner.hpp"
#include "tests/task_environment/environment_support.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <fstream>
#include <limits>
#include <unistd.h>

namespace trainyard {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using tests::Changes;
using tests::EnvironmentCase;
using tests::plain_environment;

RunReport report_of(const EnvironmentCase& one)
{
  return runner_of(one.scenario())->run({CheckedPoint{"", "", one.scenario()}}, {});
}

TEST(EnvironmentRunner, WritesItsFilesAndTheSameRunTwiceToTheByte)
{
  EnvironmentCase one{"nightly_retraining", {{"run.until", "3 d"}}};
  const std::filesystem::path folder =
      std::filesystem::path{::testing::TempDir()} / ("environment-" + std::to_string(::getpid()));
  std::string texts[2];
  for (int i = 0; i < 2; ++i) {
    std::filesystem::create_directories(folder);
    const RunReport report = report_of(one);
    EXPECT_EQ(report.exit_code, 0);
    texts[i] = report.summary.dump();
    std::vector<std::string> names;
    for (const RunFile& file : report.files) {
      names.push_back(file.name);
      file.write(folder / file.name);
      if (file.name.ends_with(".csv") || file.name.ends_with(".log"))
        texts[i] += read_text_file(folder / file.name, 1U << 28U);
      if (file.name.ends_with(".png")) {
        EXPECT_GT(std::filesystem::file_size(folder / file.name), 2000U) << file.name;
      }
    }
    for (const char* name :
         {"requests.csv", "metrics.csv", "events.csv", "events.log", "decisions.csv", "deployments.csv", "stale.csv",
          "trainings.csv", "load.csv", "segments.png", "lanes-4.png"})
      EXPECT_THAT(names, Contains(name));
    std::filesystem::remove_all(folder);
  }
  EXPECT_EQ(texts[0], texts[1]);
  const auto summary = nlohmann::json(report_of(one).summary);
  EXPECT_EQ(summary["kind"], "trainyard task environment");
  EXPECT_EQ(summary["runs"].size(), 5U);
  for (const auto& run : summary["runs"])
    EXPECT_GE(run["need_to_deployed_mean_at_least_s"].get<double>(),
              run["need_to_trained_mean_at_least_s"].get<double>());
}

TEST(EnvironmentRunner, AModelThatCanNeverBeTrainedIsToldAndTheExitCodeIs3)
{
  EnvironmentCase one{plain_environment, {{"task_environment.models.0.gpus", "16"}, {"run.until", "2 d"}}};
  const RunReport report = report_of(one);
  EXPECT_EQ(report.exit_code, 3);
  EXPECT_THAT(
      texts_of(report.warnings, MessageKind::warning),
      Contains("'faces' can never be trained: it needs 16 GPUs, the cluster has 8; add nodes or lower its GPUs"));
  Diagnostics diagnostics;
  runner_of(one.scenario())->check(one.scenario(), load_catalogue(data_folder()), diagnostics);
  ASSERT_EQ(diagnostics.sorted().size(), 1U);
  EXPECT_GT(diagnostics.sorted().front().where.line, 0);
}

TEST(EnvironmentRunner, ExplainNamesWhatIsThere)
{
  EnvironmentCase one{plain_environment};
  const std::filesystem::path folder =
      std::filesystem::path{::testing::TempDir()} / ("explain-" + std::to_string(::getpid()));
  std::filesystem::create_directories(folder);
  const RunReport report = report_of(one);
  for (const RunFile& file : report.files)
    if (file.name.ends_with(".csv"))
      file.write(folder / file.name);
  std::ofstream{folder / "summary.json"} << report.summary;
  EXPECT_THAT(explain_environment(folder, "job", "faces-3").text(), HasSubstr("train 360 min = 360 min"));
  const auto message = [&](const std::string& what, const std::string& name) {
    try {
      explain_environment(folder, what, name);
    } catch (const InputError& error) {
      return error.diagnostics().empty() ? std::string{error.what()} : error.diagnostics().front().message;
    }
    return std::string{};
  };
  EXPECT_THAT(message("job", "face-3"),
              HasSubstr("there is no retraining 'face-3' in this run; did you mean 'faces-3'?"));
  EXPECT_THAT(message("job", "x"), HasSubstr("their names are MODEL-NUMBER; the models: faces; for example faces-1"));
  EXPECT_THAT(message("node", "3"), HasSubstr("has jobs, but no 'node'"));
  std::filesystem::remove_all(folder);
}

TEST(EnvironmentMetrics, OpenTimesCountAsLongAsTheyLasted)
{
  // Kaplan-Meier by hand: 1, 2 (open), 3, 4: S = 3/4 at 1, 3/4 * 1/2 = 3/8 at 3, 0 at 4.
  const CensoredTimes times{{1, 3, 4}, {2}};
  EXPECT_EQ(times.quantile(0.25), 1);
  EXPECT_EQ(times.quantile(0.5), 3);
  EXPECT_EQ(times.quantile(0.95), 4);
  EXPECT_EQ((CensoredTimes{{1}, {2, 3}}).quantile(0.5), std::numeric_limits<double>::infinity());
  EXPECT_DOUBLE_EQ(times.mean_at_least(), 2.5);
}

TEST(EnvironmentMetrics, AgeOfTheDataIsWorkedOutByHand)
{
  // Period 24 h, deployed 6 h after each need: the age runs from 6 h to 30 h, 18 h on average, 0.75 periods; stale 6 of
  // 24 h.
  const EnvironmentMetrics metrics = tests::metrics_of(EnvironmentCase{plain_environment}.run());
  EXPECT_NEAR(metrics.data_age_periods, 0.75, 1e-12);
  EXPECT_NEAR(metrics.stale_share, 0.25, 1e-12);
}

// The first data are those of hour 7, and nothing is retrained. Until then nothing ages; from 7 to 10 h the age goes
// from 0 to 3 periods, 4.5 period-hours in 10 h.
TEST(EnvironmentMetrics, DataDoNotAgeBeforeTheyAreThere)
{
  EnvironmentResult run;
  run.models = {"faces"};
  run.stale_after = {Instant{3600}};
  run.first_data = {Instant{7 * 3600}};
  run.end = Instant{3600};
  EXPECT_EQ(environment_metrics(std::vector{run}).data_age_periods, 0);
  run.end = Instant{10 * 3600};
  EXPECT_NEAR(environment_metrics(std::vector{run}).data_age_periods, 0.45, 1e-12);
}

// Ages of 0.671 and 0.668 periods are both printed as 0.67: neither wins. At 0.69 one does.
TEST(EnvironmentReport, FiguresThatAreEqualAsPrintedAreATie)
{
  const auto set = [](const char* title, double age, double stale) {
    EnvironmentRunSet one;
    one.title = one.label = one.point = title;
    one.metrics.data_age_periods = age;
    one.metrics.stale_share = stale;
    EnvironmentResult run;
    run.models = {"m"};
    run.requests = std::vector<Request>(2);
    one.runs = {run};
    return one;
  };
  const auto advice = [&](std::vector<EnvironmentRunSet> sets) {
    const RunReport report =
        environment_report({}, std::make_shared<const std::vector<EnvironmentRunSet>>(std::move(sets)), true);
    return nlohmann::json(report.summary)["advice"].get<std::string>();
  };
  EXPECT_EQ(advice({set("las", 0.671, 0.173), set("quotas", 0.668, 0.167)}),
            "quotas and las serve equally fresh models: their data are 0.67 periods old on average; the models are "
            "stale 16.7 % of the time with quotas, 17.3 % with las.");
  EXPECT_EQ(advice({set("las", 0.671, 0.167), set("quotas", 0.668, 0.167)}),
            "quotas and las serve equally fresh models: their data are 0.67 periods old on average; the models are "
            "stale 16.7 % of the time.");
  EXPECT_EQ(advice({set("las", 0.69, 0.173), set("quotas", 0.67, 0.167)}),
            "quotas serves the freshest models: their data are 0.67 periods old on average, compared with 0.69 for "
            "las; the models are stale 16.7 % of the time, compared with 17.3 %.");
}

TEST(EnvironmentMetrics, PairedIntervalByHand)
{
  // Differences 1, 2, 3: mean 2, deviation 1, t(2) = 4.303: 4.303 / sqrt(3).
  const std::vector<double> a{2, 4, 6}, b{1, 2, 3};
  const PairedDifference d = paired_difference(a, b);
  EXPECT_DOUBLE_EQ(d.mean, 2);
  EXPECT_NEAR(d.half_width, 4.303 / std::sqrt(3.0), 1e-3);
  // Student's t of 19 degrees is 2.093, of 60: 2.000.
  const auto width = [](int n) {
    std::vector<double> x, zero(static_cast<std::size_t>(n), 0);
    for (int i = 0; i < n; ++i)
      x.push_back(i % 2 == 0 ? 1 : -1);
    double squares = 0, mean = 0;
    for (const double v : x)
      mean += v / n;
    for (const double v : x)
      squares += (v - mean) * (v - mean);
    return paired_difference(x, zero).half_width / std::sqrt(squares / (n - 1) / n);
  };
  EXPECT_NEAR(width(20), 2.093, 0.001);
  EXPECT_NEAR(width(61), 2.000, 0.001);
}

TEST(Checkpoints, AFailedTrainingGoesOnFromTheLastOne)
{
  // Fails after 100 min with a checkpoint every 30 min: 90 of 360 min are kept, 10 min are lost; without checkpoints
  // all 100.
  const Changes fault = {{"task_environment.faults", "[{model: faces, need: 1, after: 100 min}]"},
                         {"run.until", "1 d"}};
  const auto trained = [&](const char* interval) {
    Changes changes = fault;
    if (interval != nullptr)
      changes.emplace_back("task_environment.models.0.checkpoint_interval", interval);
    return EnvironmentCase{plain_environment, changes}.run().requests.front();
  };
  EXPECT_NEAR(tests::seconds_of(trained("30 min").end) / 60, 100 + 270, 1e-6);
  EXPECT_NEAR(trained("30 min").wasted_gpu_seconds, 8 * 600, 1e-6);
  EXPECT_NEAR(trained("30 min").redone_gpu_seconds, 8 * 600, 1e-6);
  EXPECT_NEAR(tests::seconds_of(trained(nullptr).end) / 60, 100 + 360, 1e-6);
  EXPECT_NEAR(trained(nullptr).wasted_gpu_seconds, 8 * 6000, 1e-6);
  EXPECT_NEAR(trained(nullptr).redone_gpu_seconds, 8 * 6000, 1e-6);
}

TEST(Neighbours, TwoTrainingsThatShareALinkSlowEachOther)
{
  // Two jobs of 8 GPUs over four machines of 4, placed one GPU at a time on different machines: both cross the same
  // NICs.
  const char* scenario = R"(
cluster:
  node_types: {gpu: {gpu: V100-SXM2-16GB, gpus: 2, nics: 1}}
  nodes: [{name: gpu, type: gpu, count: 2}]
  network: {link: 10GbE}
jobs: [{name: vgg, model: vgg16, batch_per_gpu: 32, workers: 2, steps: 20000, training: {mode: all_reduce, collective: ring}}]
task_environment:
  models: [{name: a, job: vgg, period: 30 d}, {name: b, job: vgg, period: 30 d, first: 60 d}]
  placement: spread
  upload: {confirm: {by: message}}
  status: {by: message}
  messages: {latency: 0 s}
run: {until: 20 d, fidelity: fluid}
)";
  const auto train = [&](const char* first) {
    const EnvironmentResult result = EnvironmentCase{scenario, {{"task_environment.models.1.first", first}}}.run();
    return tests::seconds_of(result.requests.front().spent[static_cast<std::size_t>(Segment::train)]);
  };
  const double alone = train("19 d"), together = train("0 s");
  EXPECT_GT(together, 1.3 * alone); // exchange is most of the step over 10 Gbit/s, and is shared by two
  EXPECT_LT(together, 2.01 * alone);
}

} // namespace
} // namespace trainyard
