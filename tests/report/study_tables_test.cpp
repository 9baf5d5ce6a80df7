// SPDX-License-Identifier: Apache-2.0
/// Tables of comparisons, sensitivities, plans, sweeps and scores: each figure stands below its heading, worked out by
/// hand.
#include "sim/report/files.hpp"
#include "sim/report/table.hpp"
#include "sim/study/compare.hpp"
#include "sim/study/sensitivity.hpp"
#include "tests/report/table_support.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace trainyard {
namespace {

using tests::csv_table;
using tests::Outcome;
using tests::ReadTable;
using tests::tables_of;
using tests::text_table;
using tests::two_jobs_queue;

struct StudyTables : tests::Tables {
};

Comparison two_candidates()
{
  Comparison comparison;
  comparison.candidates = {"old", "new"};
  comparison.measures = {parse_measure("step_time"), parse_measure("utilisation")};
  comparison.random = true;
  comparison.replicas = 4;
  const auto value = [](double mean) {
    return ComparedValue{.values = {mean, mean}, .value = {mean, mean - 0.01, mean + 0.02, 2}};
  };
  ComparedValue slower = value(3);
  slower.difference = {1, 0.5, 2, 4};
  slower.p_value = 0.01;
  slower.significant = true;
  ComparedValue fuller = value(0.75);
  fuller.difference = {0.25, 0.125, 0.375, 4};
  fuller.p_value = 0.2;
  comparison.groups = {{.name = "",
                        .values = {{value(2), value(0.5)}, {slower, fuller}},
                        .verdicts = {{}, {}},
                        .notes = {"the NIC", "the GPU"}}};
  comparison.inputs = {{"new", {{"cluster.nodes.0.count", "4", "8"}}}};
  return comparison;
}

TEST_F(StudyTables, OfAComparison)
{
  const Comparison comparison = two_candidates();
  const std::string text = compare_told(comparison).text();
  const ReadTable table = text_table(text, "step_time");
  EXPECT_EQ(table.cells(0, {"step_time", "utilisation", "bottleneck"}), "2.00 s|50.0 %|the NIC");
  EXPECT_EQ(table.cells(1, {"step_time", "utilisation", "bottleneck"}), "3.00 s|75.0 %|the GPU");
  const ReadTable intervals = text_table(text, "measure");
  EXPECT_EQ(intervals.cells(0, {"measure", "difference", "low", "high", "p"}),
            "step_time|+1.00 s|+0.50 s|+2.00 s|0.0100");
  EXPECT_EQ(text_table(text, "path").cells(0, {"path", "old", "new"}), "cluster.nodes.0.count|4|8");

  const ReadTable written = csv_table(compare_csv(comparison));
  const std::vector<std::string> columns = {
      "group",      "candidate",      "measure",         "unit", "mean",        "low",        "high",   "replicas",
      "difference", "difference_low", "difference_high", "p",    "significant", "bottleneck", "message"};
  EXPECT_EQ(written.cells(0, columns), "|old|step_time|s|2|1.99|2.02|2||||||the NIC|");
  EXPECT_EQ(written.cells(2, columns), "|new|step_time|s|3|2.99|3.02|2|1|0.5|2|0.01|yes|the GPU|");

  std::filesystem::create_directories(folder / "c");
  write("c/manifest.json", compare_json(comparison));
  const std::vector<ReadTable> report = tables_of(report_of(folder / "c"));
  EXPECT_EQ(report.at(0).rows.at(1),
            (std::vector<std::string>{"new", "3.00 s", "+50 %*", "75.0 %", "+50 %", "the GPU"}));
  EXPECT_EQ(report.at(1).rows.at(0),
            (std::vector<std::string>{"step_time", "new", "+1.00 s", "+0.50 s", "+2.00 s", "0.0100", "differs"}));
  EXPECT_EQ(report.at(2).cells(0, {"path", "old", "new"}), "cluster.nodes.0.count|4|8");
}

TEST_F(StudyTables, OfACandidateThatCannotRun)
{
  Comparison comparison = two_candidates();
  comparison.groups[0].verdicts[1] = {.ruling = Ruling::cannot_run, .why = "out of memory"};
  comparison.groups[0].values[1].clear();
  EXPECT_EQ(csv_table(compare_csv(comparison)).cells(2, {"candidate", "measure", "mean", "bottleneck", "message"}),
            "new||||out of memory");
  comparison.groups[0].values[1].resize(2); // measured nothing
  EXPECT_EQ(
      csv_table(compare_csv(comparison)).cells(3, {"candidate", "measure", "unit", "mean", "bottleneck", "message"}),
      "new|utilisation||||out of memory");
}

TEST_F(StudyTables, OfASensitivity)
{
  Sensitivity result;
  UncertainInput input;
  input.name = "batch";
  input.value = 32;
  input.low = 16;
  input.high = 64;
  input.from = "given";
  result.inputs = {input};
  result.measures = {parse_measure("step_time")};
  result.base = {2};
  result.effects = {{{.input = 0, .at_low = 1, .at_high = 4, .rank = 0.5}}};
  result.together = {{0.5, 5}};
  result.samples = 40;
  EXPECT_EQ(text_table(sensitivity_told(result).text(), "rank corr.")
                .cells(0, {"input", "low", "high", "at low", "at high", "rank corr.", "range from"}),
            "batch|16|64|1.00 s|4.00 s|+0.50|given");
  EXPECT_EQ(csv_table(sensitivity_csv(result))
                .cells(0, {"measure", "input", "value", "low", "high", "answer", "answer_at_low", "answer_at_high",
                           "rank_correlation", "range_from"}),
            "step_time|batch|32|16|64|2|1|4|0.5000|given");
  std::filesystem::create_directories(folder / "s");
  write("s/manifest.json", sensitivity_json(result, "s"));
  EXPECT_EQ(tables_of(report_of(folder / "s")).at(0).rows.at(0),
            (std::vector<std::string>{"batch", "16", "64", "1.00 s", "-50 %", "4.00 s", "+100 %", "+0.50", "given"}));
}

TEST_F(StudyTables, OfAnInputThatCannotRunAtOneEnd)
{
  Sensitivity result;
  UncertainInput input;
  input.name = "batch";
  input.value = 32;
  input.low = 16;
  input.high = 4711;
  input.from = "given";
  result.inputs = {input};
  result.measures = {parse_measure("step_time")};
  result.base = {2};
  result.effects = {{{.input = 0, .at_low = 1, .at_high = 2, .runs_at_high = false}}};
  std::filesystem::create_directories(folder / "s");
  write("s/manifest.json", sensitivity_json(result, "s"));
  const ReportDocument report = report_of(folder / "s");
  EXPECT_EQ(tables_of(report).at(0).cells(0, {"at low", "at high"}), "1.00 s|cannot run");
  EXPECT_THAT(
      report_html(report),
      ::testing::HasSubstr("the most important input is batch: at 16 the answer is 1.00 s, and at 4711 it cannot run"));
  // The picture has a bar with its label for the end that runs only.
  ASSERT_TRUE(plot_sensitivity(result, folder / "tornado"));
  const std::string picture = tests::read_bytes(folder / "tornado.svg");
  EXPECT_THAT(picture, ::testing::HasSubstr(">16<"));
  EXPECT_THAT(picture, ::testing::Not(::testing::HasSubstr(">4711<")));
}

/// One machine for 6 $/h: the longest wait is 90 s. Two for 12 $/h: nobody waits, and the second job alone decides the
/// 100 s to the end.
TEST_F(StudyTables, OfAPlan)
{
  write("q.yaml", two_jobs_queue);
  const Outcome run = shell("simrun plan q.yaml -g 'p95(queueing_delay) < 1 min' -g 'makespan < 2 min' -k nodes=1..2 "
                            "--policies fifo -o plan");
  ASSERT_EQ(run.code, 0) << run.err;
  const ReadTable around = text_table(run.out, "         design");
  EXPECT_EQ(around.cells(0, {"design", "cost", "p95(queueing_delay)", "makespan"}),
            "nodes=2 policy=fifo|12.00 $/h|0|100 s");
  const ReadTable front = text_table(run.out, "goals");
  EXPECT_EQ(front.cells(0, {"cost", "p95(queueing_delay)", "nodes", "policy", "goals", "from"}),
            "6.00 $/h|90.0 s|1|fifo|missed|simulation");
  const ReadTable designs = csv("plan/designs.csv");
  EXPECT_EQ(designs.cells(0, {"cluster.nodes.0.count", "scheduling.policy", "cost", "p95(queueing_delay) screened",
                              "p95(queueing_delay)", "p95(queueing_delay) low", "p95(queueing_delay) high", "makespan",
                              "makespan low", "makespan high", "makespan replicas", "verdict", "message"}),
            "1|fifo|6|90|90|90|90|150|150|150|1|missed|");
  const std::vector<ReadTable> report = tables_of(report_of(folder / "plan"));
  EXPECT_EQ(report.at(0).cells(0, {"design", "cost", "p95(queueing_delay)", "makespan"}),
            "nodes=2 policy=fifo|12.00 $/h|0|100 s");
  EXPECT_EQ(report.at(0).rows.at(0).back(), "met");
  EXPECT_EQ(report.at(1).cells(0, {"cost", "p95(queueing_delay)", "nodes", "policy", "goals"}),
            "6.00 $/h|90.0 s|1|fifo|missed");
}

TEST_F(StudyTables, OfASweep)
{
  write("q.yaml", two_jobs_queue);
  const Outcome run = shell("simrun sweep q.yaml --set scheduling.policies=[fifo] --grid nodes=1,2 -o sweep.sqlite");
  ASSERT_EQ(run.code, 0) << run.err;
  // mean of 100 and 50 s without waiting; 250 GPU-s of 4 x 100; and the queue above on one machine
  EXPECT_EQ(text_table(run.out, "jct").cells(0, {"point", "count", "jct", "utilisation", "cost"}),
            "1|2|75.0 s|62.5 %|12.00 $/h");
  EXPECT_EQ(text_table(run.out, "jct").cells(1, {"point", "count", "jct", "utilisation", "cost"}),
            "0|1|120 s|83.3 %|6.00 $/h");
  const std::vector<ReadTable> report = tables_of(report_of(folder / "sweep.sqlite"));
  const std::vector<std::string>& figures = report.at(0).headings;
  EXPECT_EQ(figures, (std::vector<std::string>{"figure", "lowest", "highest"}));
  EXPECT_EQ(report.at(0).cells(0, {"figure", "lowest", "highest"}), "jct_s_mean|75|120");
  EXPECT_EQ(report.at(1).cells(1, {"cluster.nodes.0.count", "of", "jct_s_mean", "makespan_s"}), "2|queue|75|100");
}

TEST_F(StudyTables, ScenariosOfAScoreGiveItsPredictions)
{
  const std::string data = (tests::source_folder() / "tests/data/score_small").string();
  const Outcome run =
      shell("simrun score " + data + ".csv --map " + data + ".map.yaml -o rows.csv --transfer --scenarios of_rows");
  ASSERT_THAT(run.code, ::testing::AnyOf(0, 4)) << run.err;
  const ReadTable rows = csv("rows.csv");
  EXPECT_EQ(rows.cell(1, "names_only_error_pct"), rows.cell(1, "error_pct")); // nothing is fitted
  EXPECT_EQ(rows.cell(2, "names_only_error_pct"), "");                        // nothing was measured
  ASSERT_EQ(shell("simrun of_rows/line_3.yaml").code, 0);
  const double step = std::stod(csv("results/runs/line_3/jobs.csv").cell(0, "step_s"));
  EXPECT_NEAR(64 * 8 / step, std::stod(rows.cell(1, "predicted")), 1e-4 * 2000); // images/s of 8 GPUs with 64 each
  EXPECT_TRUE(std::filesystem::exists(folder / "of_rows" / "line_3.yaml"));
  EXPECT_FALSE(std::filesystem::exists(folder / "of_rows" / "line_6.yaml")); // no unit covers it
}

TEST_F(StudyTables, OfAScore)
{
  const std::string data = (tests::source_folder() / "tests/data/score_small").string();
  const Outcome run = shell("simrun score " + data + ".csv --map " + data + ".map.yaml -o rows.csv --units units.csv");
  ASSERT_THAT(run.code, ::testing::AnyOf(0, 4)) << run.err;
  const ReadTable rows = csv("rows.csv"), units = csv("units.csv"), printed = text_table(run.out, "Trainyard", 1);
  EXPECT_EQ(rows.cells(1, {"source", "nodes", "strategy", "value", "total_gpus", "fidelity", "unit", "use"}),
            "own example:2|2|ring_allreduce|2000|8|closed_form|all-reduce|scored");
  // the error of the step time is that of measured over predicted rate
  const double predicted = std::stod(rows.cell(1, "predicted"));
  EXPECT_NEAR(std::stod(rows.cell(1, "error_pct")), 100 * (2000 / predicted - 1), 0.01);
  const double first = std::abs(std::stod(rows.cell(1, "error_pct"))),
               second = std::abs(std::stod(rows.cell(5, "error_pct")));
  EXPECT_EQ(units.cells(0, {"table", "unit", "rows"}), "small|all-reduce|2");
  EXPECT_NEAR(std::stod(units.cell(0, "mean_pct")), (first + second) / 2, 0.06);
  EXPECT_GT(std::stod(units.cell(0, "p90_pct")), std::stod(units.cell(0, "median_pct")));
  EXPECT_EQ(units.cells(0, {"one_rate_median_pct", "one_rate_mean_pct"}),
            "|"); // the table has no row that fixes one rate
  EXPECT_EQ(printed.cell(0, "Trainyard"),
            units.cell(0, "median_pct") + " / " + units.cell(0, "p90_pct") + " / " + units.cell(0, "mean_pct"));
  EXPECT_EQ(printed.cells(0, {"unit", "rows", "one rate"}), "all-reduce|2|-");
  EXPECT_THAT(printed.cell(0, "linear"), ::testing::StartsWith(units.cell(0, "linear_median_pct") + " / "));
}

} // namespace
} // namespace trainyard
