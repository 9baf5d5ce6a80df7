// SPDX-License-Identifier: Apache-2.0
// How far answers may be off: the file of errors, what follows from it, and what is said of an answer.
#include "models/core/diagnostics.hpp"
#include "models/results/model_error.hpp"
#include "sim/results/results.hpp"
#include "sim/run/simulate.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>

namespace trainyard {
namespace {

const std::string heading = "kind,size_from,low_95,low_80,middle,high_80,high_95,shared,own,units,scores_of\n";
const std::string all = ",0,0.5,0.8,1,1.6,3,0.1,0.09,111,abc1234 of 2026-01-01\n";

ModelErrors read(const std::string& rows)
{
  const std::filesystem::path file = std::filesystem::path{testing::TempDir()} / "error_model.csv";
  std::ofstream{file} << heading << rows;
  return ModelErrors::read(file);
}

std::string fault_of(const std::string& rows)
{
  try {
    read(rows);
  } catch (const InputError& fault) {
    const std::string text = fault.what();
    return text.substr(text.find("error_model.csv") + std::string{"error_model.csv"}.size());
  }
  return "none";
}

TEST(ModelErrors, AreThoseOfTheFinestKindAndOfItsSize)
{
  const ModelErrors errors = read(all + "collective,0,0.2,0.5,1.1,2,7,0.3,0.09,12,\n"
                                        "collective,100000000,0.3,0.7,1,1.5,5,0.3,0.09,9,\n");
  EXPECT_EQ(errors.of({"collective all_reduce tcp", 1e6}).high_80, 2);
  EXPECT_EQ(errors.of({"collective all_reduce tcp", 1e8}).high_80, 1.5);
  EXPECT_EQ(errors.of({"servers measured tcp", 0.5}).high_80, 1.6); // of all kinds
  EXPECT_EQ(errors.of({}).units, 0);                                // exact
}

TEST(ModelErrors, OfAFileThatIsDamagedAreToldWithTheLine)
{
  const std::string out = "; results/make_error_model.py writes this file\n";
  EXPECT_EQ(fault_of(all + "servers,0,0.5,0.8,1,zwei,3,0.1,0.09,5,\n"),
            ":3: 'high_80' is 'zwei', and no number from 0 on" + out);
  EXPECT_EQ(fault_of(all + "servers,0,0.9,0.8,1,1.5,3,0.1,0.09,5,\n"),
            ":3: the ends of the intervals are not in order" + out);
  EXPECT_EQ(fault_of(all + all), ":3: kind '' has this size twice" + out);
  EXPECT_EQ(fault_of(all + "servers,5,0.5,0.8,1,1.5,3,0.1,0.09,5,\n"),
            ":1: kind 'servers' has no row for size_from 0" + out);
  EXPECT_EQ(fault_of("servers,0,0.5,0.8,1,1.5,3,0.1,0.09,5,\n"), ":1: there is no row for all kinds together" + out);
}

TEST(ModelErrors, AndChanceAddAsSquares)
{
  // In logarithms from the middle, 1: 0.3 up and 0.4 down at 95 %, chance 0.4: 0.5 up, 0.5657 down. At 80 % chance is
  // 1.2816 / 1.96 of that, 0.2615.
  const ModelError error{
      .low_95 = std::exp(-0.4), .low_80 = std::exp(-0.2), .high_80 = std::exp(0.1), .high_95 = std::exp(0.3)};
  const ModelError both = error.beside_chance(std::expm1(0.4));
  EXPECT_NEAR(std::log(both.high_95), 0.5, 1e-9);
  EXPECT_NEAR(std::log(both.low_95), -0.4 * std::sqrt(2), 1e-9);
  EXPECT_NEAR(std::log(both.low_80), -std::hypot(0.2, 0.26155), 1e-4);
  EXPECT_EQ(error.beside_chance(0).high_80, error.high_80);
}

TEST(Decisions, AreAsSureAsTheErrorsOfDifferencesAllow)
{
  // Laplace: 1 - exp(-d / scale) / 2. Equal answers: a coin. d = scale ln 5: 1 - 1/10.
  EXPECT_DOUBLE_EQ(surely_longer(1, 0.1), 0.5);
  EXPECT_NEAR(surely_longer(std::pow(5, 0.1), 0.1), 0.9, 1e-12);
  // Of different systems: hypot(0.3, hypot(0.4, 0.4) / sqrt(2)) = hypot(0.3, 0.4).
  EXPECT_NEAR(scale_between({.shared = 0.4, .own = 0.3}, {.shared = 0.4, .own = 0.2}), 0.5, 1e-12);
}

TEST(ExpectedOf, ManyTheFastestIsShrunkTowardsThoseThatAreAlmostAsFast)
{
  // Two steps, 1 and exp(0.1) s, errors of 0.1: weights 1 and exp(-1/2). (1 + 1.10517 x 0.60653) / 1.60653 = 1.03970.
  // The other is longer with 1 - exp(-1) / 2 = 0.82: not decided. A third, ten times as long, counts for nothing.
  const std::vector<double> steps{std::exp(0.1), 1, 10};
  const Expected expected = expected_of(steps, 1, 0.1);
  EXPECT_NEAR(expected.step, 1.03970, 1e-5);
  EXPECT_EQ(expected.others, 1U);
  // One alone has nobody to be luckier than.
  EXPECT_EQ(expected_of({steps.data() + 1, 1}, 1, 0.1).step, 1);
}

TEST(ModelErrors, AMeasuredRowNeverMakesThemWider)
{
  for (const char* kind : {"all_reduce measured rdma", "all_reduce measured machine", "divided dense staged",
                           "servers measured tcp", "collective all_reduce rdma"}) {
    const ModelError with = model_errors().of({std::string{"row "} + kind, 0}), without = model_errors().of({kind, 0});
    EXPECT_LE(with.high_80 / with.low_80, without.high_80 / without.low_80) << kind;
    EXPECT_LE(with.high_95 / with.low_95, without.high_95 / without.low_95) << kind;
  }
  EXPECT_EQ(model_errors().of({"row divided dense staged", 0}).kind, "row divided dense staged");
}

// Measured 10 % above what the fit predicts: around that, 5 % either way in 8 of 10 cases.
TEST(ModelErrors, AStepThatWasMeasuredIsThatStep)
{
  const ModelError error = model_errors().of({"measured", 1.1});
  EXPECT_NEAR(error.high_80, 1.1 * std::exp(0.05), 1e-9);
  EXPECT_DOUBLE_EQ(error.low_80, 1); // the prediction is inside
  EXPECT_DOUBLE_EQ(error.middle, 1.1);
  EXPECT_NEAR(error.own * std::log(5.0), 0.05, 1e-9); // a Laplace distribution has 80 % inside ln(5) of its scale
}

TEST(Columns, OfAJobHaveTheEndsOfItsIntervals)
{
  JobRow row;
  row.step_s = {2, 2, 2};
  row.samples_per_second = {100, 100, 100};
  row.error_kind = "all_reduce measured machine";
  const auto figure = [&](const std::string& name) {
    for (const ResultColumn<JobRow>& column : job_columns())
      if (column.name == name)
        return std::get<double>(value_of(column, row));
    return std::nan("");
  };
  const ModelError& error = model_errors().of({row.error_kind, 0});
  EXPECT_EQ(error.kind, row.error_kind); // results/error_model.csv has a row for it
  EXPECT_DOUBLE_EQ(figure("step_low_80_s"), 2 * error.low_80);
  EXPECT_DOUBLE_EQ(figure("step_high_95_s"), 2 * error.high_95);
  EXPECT_DOUBLE_EQ(figure("samples_per_second_low_80"), 100 / error.high_80); // the longer the step, the lower
  row.price_per_million_samples = Dollars{10}; // machines cost so much an hour: the longer the step, the dearer
  EXPECT_DOUBLE_EQ(figure("price_per_million_samples_usd_high_80"), 10 * error.high_80);
  row.error_kind.clear();
  const auto& columns = job_columns();
  const auto end = std::ranges::find(columns, "step_low_80_s", &ResultColumn<JobRow>::name);
  EXPECT_TRUE(std::holds_alternative<std::monostate>(value_of(*end, row))); // exact: as given
}

TEST(AnswerKind, IsWhatTheJobTrainsHowAndOverWhat)
{
  const std::string text = R"(
trainyard: 1
cluster:
  node_types: {gpu: {gpu: A100-SXM4-80GB, gpus: 8, nics: 8}}
  nodes: [{name: worker, type: gpu, count: 6}]
  network: {topology: star, link: IB-HDR}
jobs:
  - {name: large, model: llama2_7b, precision: bf16, training: {parallel: {tp: 8, dp: 2, global_batch: 32, sequence_parallel: true}}}
  - {name: ring, model: resnet50, workers: 16, arrival: 1 s, training: {mode: all_reduce}}
  - {name: inside, model: resnet50, workers: 8, single_gpu_step: 90 ms, training: {mode: all_reduce}}
  - {name: given, model: resnet50, workers: 1, single_gpu_step: 90 ms, training: {mode: all_reduce}}
)";
  Diagnostics diagnostics;
  const std::vector<CheckedPoint> points = check_points(parse_document(text, "", diagnostics), diagnostics);
  ASSERT_FALSE(diagnostics.has_errors());
  std::map<std::string, std::string> kinds;
  for (const JobRow& row : simulate(points).jobs)
    kinds[row.job] = row.error_kind;
  EXPECT_EQ(kinds["large"], "divided dense staged"); // its dimensions are those of the catalogue
  EXPECT_EQ(kinds["ring"], "all_reduce names rdma");
  EXPECT_EQ(kinds["inside"], "all_reduce measured machine");
  EXPECT_EQ(kinds["given"], ""); // its step is as given: exact
}

} // namespace
} // namespace trainyard
