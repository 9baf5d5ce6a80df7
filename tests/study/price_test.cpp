// SPDX-License-Identifier: Apache-2.0
// Prices: a figure without a price is unknown, never 0, and a price that the scenario does not give says where it comes
// from.
#include "models/core/data_folder.hpp"
#include "models/core/figure_text.hpp"
#include "models/scenario/document.hpp"
#include "sim/report/files.hpp"
#include "sim/run/simulate.hpp"
#include "sim/sources/scenario_runner.hpp"
#include "sim/study/point_evaluator.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <fstream>

namespace trainyard {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

/// One GPU of a machine with eight: 36 samples in 100 ms are 360 samples/s.
std::string scenario(const std::string& price, const std::string& gpu = "A100-SXM4-40GB")
{
  return "name: p\ncluster:\n  node_types: {box: {gpu: " + gpu + ", gpus: 8" + price +
         "}}\n  nodes: [{name: n, type: box}]\n" +
         "jobs: [{name: j, model: resnet50, batch_per_gpu: 36, single_gpu_step: 100 ms, training: {mode: "
         "all_reduce}}]\n" +
         "run: {fidelity: fluid}\n";
}

SweepPoint point_of(const std::string& text)
{
  Diagnostics diagnostics;
  const Document document = parse_document(text, "p.yaml", diagnostics);
  diagnostics.throw_if_errors();
  return expand_sweep(document, diagnostics).front();
}

Results run(const std::string& text)
{
  Diagnostics diagnostics;
  const std::vector<CheckedPoint> points = check_points(parse_document(text, "p.yaml", diagnostics), diagnostics);
  diagnostics.throw_if_errors();
  return simulate(points);
}

Prices list()
{
  Prices prices;
  prices.name = "mine";
  prices.per_gpu["A100-SXM4-40GB"] = DollarsPerHour{4.1};
  return prices;
}

const Measure per_million = parse_measure("price_per_million_samples");

TEST(Price, IsUnknownWhereTheMachineHasNone)
{
  const Results results = run(scenario(""));
  EXPECT_FALSE(results.jobs.front().price_per_million_samples);
  EXPECT_TRUE(nlohmann::json::parse(summary_json(results))["jobs"][0]["price_per_million_samples_usd"].is_null());
  // The cell below the heading is empty: as many commas before it as before the heading.
  const std::string csv = jobs_csv(results), row = csv.substr(csv.find('\n') + 1);
  const std::size_t heading = csv.find("price_per_million_samples_usd");
  ASSERT_NE(heading, std::string::npos);
  const auto commas = std::count(csv.begin(), csv.begin() + static_cast<std::ptrdiff_t>(heading), ',');
  std::size_t at = 0;
  for (std::ptrdiff_t cell = 0; cell < commas; ++cell)
    at = row.find(',', at) + 1;
  EXPECT_EQ(row[at], ',') << row;
}

TEST(Price, IsTheMachinesPriceOverTheSamples)
{
  // 36 $/h over 3,600 s and 360 samples/s: 27.78 $ for a million.
  EXPECT_NEAR(run(scenario(", price: 36 $/h")).jobs.front().price_per_million_samples->value(), 36.0 / 3600 / 360 * 1e6,
              1e-6);
  EXPECT_EQ(run(scenario(", price: 0 $/h")).jobs.front().price_per_million_samples, Dollars{}); // free
}

TEST(Price, ComesFromTheListInAStudy)
{
  // 8 GPUs at 4.10 $/h are 32.80 $/h; a million samples at 360 a second take 2,777.8 s: 25.31 $.
  const PointOutcome outcome = PointEvaluator{list()}.evaluate(point_of(scenario("")));
  EXPECT_NEAR(value_of(per_million, outcome).value(), 25.3086, 1e-3);
  EXPECT_NEAR(value_of(parse_measure("cost"), outcome).value(), 32.8, 1e-9);
}

TEST(Price, OfTheScenarioGoesBeforeTheList)
{
  const PointOutcome outcome = PointEvaluator{list()}.evaluate(point_of(scenario(", price: 36 $/h")));
  EXPECT_NEAR(value_of(per_million, outcome).value(), 27.7778, 1e-3);
  EXPECT_EQ(PointEvaluator{list()}.price_note(point_of(scenario(", price: 36 $/h"))), // x 730 h
            "price given: 36.00 $/h (26,280 $/month) for each 'box' (8 x A100-SXM4-40GB), "
            "whatever its network\n");
  EXPECT_EQ(run(scenario(", price: 7300 $/month")).jobs.front().price_per_million_samples,
            run(scenario(", price: 10 $/h")).jobs.front().price_per_million_samples);
}

TEST(Price, ThatNobodyGivesCannotBeAGoal)
{
  const PointOutcome outcome = PointEvaluator{list()}.evaluate(point_of(scenario("", "K80")));
  EXPECT_FALSE(value_of(per_million, outcome));
  EXPECT_EQ(why_not_measured(per_million, outcome), "'price_per_million_samples' cannot be measured: a machine of the "
                                                    "scenario has no price; give every node type one (price: 3 "
                                                    "$/h), or a price list with --prices");
}

TEST(Price, OfTheListIsNamedBesideTheAnswer)
{
  EXPECT_EQ(PointEvaluator{list()}.price_note(point_of(scenario(""))),
            "price assumed: 32.80 $/h (23,944 $/month) for each 'box' (8 x A100-SXM4-40GB), from the price list mine\n"
            "prices of mine (it names no date); fast and slow networks cost the same; not in them: network, storage, "
            "power, housing, staff; give your own with 'price:' or --prices\n");
  EXPECT_EQ(
      PointEvaluator{list()}.price_note(point_of(scenario("", "K80"))),
      "price unknown: 'box' (8 x K80) is not in the price list mine, which has A100-SXM4-40GB; give the machine a "
      "price ('price: 30 $/h', or ':30$/h' behind --cluster h100x8@4), or add it to a copy of the list (simrun "
      "list prices shows the format)\n");
}

// 8 GPUs at 4.10 $/h that draw 400 W each: 8 x (4.10 + 0.4 x 0.25) = 33.60 $/h.
TEST(Price, OfElectricityAndOfWhatIsIncludedComesFromTheList)
{
  Prices prices = list();
  prices.per_kilowatt = DollarsPerHour{0.25};
  prices.includes = {"network", "housing"};
  prices.date = "2026-05";
  EXPECT_EQ(
      PointEvaluator{prices}.price_note(point_of(scenario(""))),
      "price assumed: 33.60 $/h (24,528 $/month) for each 'box' (8 x A100-SXM4-40GB), from the price list mine\n"
      "prices of mine: of 2026-05, ask for today's; fast and slow networks cost the same; electricity as of busy GPUs; "
      "not in them: storage, staff; give your own with 'price:' or --prices\n");
}

TEST(Price, TheFormatThatIsShownCanBeRead)
{
  const std::filesystem::path file = std::filesystem::path{testing::TempDir()} / "prices_as_shown.yaml";
  std::ofstream{file} << price_list_format;
  const Prices read = read_prices(file, load_catalogue(data_folder()));
  EXPECT_EQ(read.per_gpu.at("H100-SXM5"), DollarsPerHour{12.29});
  EXPECT_EQ(read.per_kilowatt, DollarsPerHour{0.15});
  EXPECT_EQ(read.missing(), (std::vector<std::string>{"storage", "staff"}));
}

TEST(Price, OfAQueueIsUnknownToo)
{
  const std::string queue =
      "cluster:\n  node_types: {box: {gpu: A100-SXM4-40GB, gpus: 8}}\n  nodes: [{name: n, type: box}]\n"
      "workload: {jobs: [{duration: 30 min, gpus: 8}]}\n";
  const PointOutcome unknown = PointEvaluator{}.evaluate(point_of(queue));
  EXPECT_FALSE(value_of(parse_measure("total_cost"), unknown));
  EXPECT_NEAR(value_of(parse_measure("total_cost"), PointEvaluator{list()}.evaluate(point_of(queue))).value(), 16.4,
              1e-9); // half an hour
}

} // namespace
} // namespace trainyard
