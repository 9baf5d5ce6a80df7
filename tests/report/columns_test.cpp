// SPDX-License-Identifier: Apache-2.0
// A figure is declared once: heading, value, JSON both ways and measure come from the declaration.
#include "models/core/csv.hpp"
#include "models/results/csv.hpp"
#include "models/results/json.hpp"
#include "sim/report/files.hpp"
#include "sim/results/results.hpp"
#include "sim/sources/queue/queue_metrics.hpp"
#include "sim/study/measures.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <set>

namespace trainyard {
namespace {

std::vector<std::string> split(const std::string& line)
{
  CsvReader reader{line};
  EXPECT_TRUE(reader.next());
  return {reader.cells().begin(), reader.cells().end()};
}

/// A row in which every member that a column shows has a value of its own.
template <class Row>
Row distinct(const std::vector<ResultColumn<Row>>& columns)
{
  Row row{};
  int next = 100;
  for (const ResultColumn<Row>& column : columns)
    std::visit(
        [&](const auto& field) {
          using Field = std::decay_t<decltype(field)>;
          if constexpr (std::is_pointer_v<Field>)
            return;
          else if constexpr (std::is_same_v<Field, std::string Row::*>)
            row.*field = fmt::format("word{}", ++next);
          else if constexpr (std::is_same_v<Field, Message Row::*>)
            row.*field = plain(MessageKind::part, fmt::format("word{}", ++next));
          else if constexpr (std::is_same_v<Field, Estimate Row::*>)
            row.*field = {++next + 0.5, ++next + 0.5, ++next + 0.5};
          else if constexpr (std::is_same_v<Field, Distribution Row::*>)
            row.*field = {++next + 0.5, ++next + 0.5, ++next + 0.5, ++next + 0.5, ++next + 0.5, 1};
          else if constexpr (std::is_same_v<Field, Seconds Row::*>)
            row.*field = Seconds{++next + 0.25};
          else if constexpr (std::is_same_v<Field, Bytes Row::*>)
            row.*field = Bytes{++next + 0.25};
          else if constexpr (std::is_same_v<Field, std::optional<Dollars> Row::*>)
            row.*field = Dollars{++next + 0.25};
          else
            row.*field = ++next;
        },
        column.field);
  if constexpr (std::is_same_v<Row, JobRow>)
    row.failures = {.useful = 0.5,
                    .failures = ++next,
                    .saving = Seconds{++next + 0.25},
                    .redone = Seconds{++next + 0.25},
                    .restarting = Seconds{++next + 0.25},
                    .waiting = Seconds{++next + 0.25},
                    .slower = Seconds{++next + 0.25},
                    .checkpoint = Seconds{++next + 0.25},
                    .interval = Seconds{++next + 0.25},
                    .best_interval = Seconds{++next + 0.25}};
  return row;
}

std::string plain(double value)
{
  return fmt::format("{}", value);
}

template <class Row>
void check_columns(const std::vector<ResultColumn<Row>>& columns)
{
  Row row = distinct(columns);
  const std::vector<std::string> heads = split(csv_heading(columns)), cells = split(csv_row<Row>(columns, row, plain));
  ASSERT_EQ(heads.size(), cells.size());
  EXPECT_EQ(std::set<std::string>(heads.begin(), heads.end()).size(), heads.size()) << "two columns of one name";
  for (const ResultColumn<Row>& column : columns) {
    EXPECT_FALSE(column.meaning.empty()) << column.name;
    if ((column.places & in_csv) == 0)
      continue;
    for (const auto& [name, value] : values_of(column, row)) { // each value under its own heading
      const auto at = static_cast<std::size_t>(std::ranges::find(heads, name) - heads.begin());
      ASSERT_LT(at, heads.size()) << name;
      EXPECT_EQ(cells[at],
                std::holds_alternative<double>(value) ? plain(std::get<double>(value)) : std::get<std::string>(value))
          << name;
    }
  }
  // JSON and back: everything that is a member. What failures cost, and figures that a queue has only where a job has
  // ended, are only written.
  if constexpr (std::is_same_v<Row, JobRow>)
    row.failures.reset();
  if constexpr (std::is_same_v<Row, QueueMetrics>) {
    row.makespan_s = row.finish_time_fairness = 0;
    row.jain = 1;
  }
  Row read{};
  const nlohmann::ordered_json json = row_json(columns, row);
  read_row(columns, json, read);
  EXPECT_EQ(row_json(columns, read).dump(), json.dump());
  EXPECT_EQ(csv_row<Row>(columns, read, plain), csv_row<Row>(columns, row, plain));
}

TEST(Columns, OfTrainingJobsStandUnderTheirHeadingsAndComeBack)
{
  check_columns(job_columns());
}

TEST(Columns, OfQueuesStandUnderTheirHeadingsAndComeBack)
{
  check_columns(queue_columns());
}

// By hand: the two figures that follow from others, and the names of parts.
TEST(Columns, DerivedFiguresAndNames)
{
  JobRow row;
  row.arrival = Seconds{10};
  row.start = Seconds{25};
  row.finish = Seconds{100};
  const std::vector<std::string> heads = split(csv_heading(job_columns())),
                                 cells = split(csv_row<JobRow>(job_columns(), row, plain));
  const auto cell = [&](const char* name) {
    return cells.at(static_cast<std::size_t>(std::ranges::find(heads, name) - heads.begin()));
  };
  EXPECT_EQ(cell("queueing_delay_s"), "15");
  EXPECT_EQ(cell("jct_s"), "90");
  EXPECT_EQ(part_name("step_s", "low"), "step_low_s");
  EXPECT_EQ(part_name("samples_per_second", "high"), "samples_per_second_high");
}

// What a contributor does: one line, and the column is in every place.
TEST(Columns, ANewColumnIsOneLine)
{
  std::vector<ResultColumn<JobRow>> columns = job_columns();
  columns.push_back(
      {"energy_per_sample_J", [](const JobRow& row) { return 300.0 * row.workers; }, "J", "energy of a sample"});
  JobRow row;
  row.workers = 2;
  EXPECT_THAT(csv_heading(columns), ::testing::EndsWith(",energy_per_sample_J"));
  EXPECT_THAT(csv_row<JobRow>(columns, row, plain), ::testing::EndsWith(",600"));
  EXPECT_EQ(row_json(columns, row)["energy_per_sample_J"], 600.0);
  EXPECT_EQ(figures_of(columns, row).at("energy_per_sample_J"), 600);
}

// Whole numbers are written in full, times and other figures with digits of their own, and what is absent not at all.
TEST(Columns, NumbersHaveTheDigitsOfTheirKind)
{
  struct Row {
    double time, figure;
    long whole;
    std::optional<double> absent;
  };
  const std::vector<ResultColumn<Row>> columns = {
      {"time_s", &Row::time, "s", "a time"},
      {"figure", &Row::figure, "", "a figure"},
      {"whole", &Row::whole, "", "a number of things"},
      {"absent_s", +[](const Row& row) { return row.absent; }, "s", "a time that has not come"}};
  const auto digits = [](int count) { return [count](double value) { return fmt::format("{:.{}g}", value, count); }; };
  const Row row{1234.5678, 1234.5678, 12345678, {}};
  EXPECT_EQ(csv_row<Row>(columns, row, digits(3), false, digits(6)), "1234.57,1.23e+03,12345678,");
  EXPECT_EQ(csv_row<Row>(columns, row, digits(3)), "1.23e+03,1.23e+03,12345678,");
  EXPECT_TRUE(row_json(columns, row)["absent_s"].is_null());
}

TEST(Columns, EveryMeasureNamesAColumnThatStudiesKeep)
{
  const std::map<std::string, double> training = figures_of(job_columns(), distinct(job_columns()));
  for (const MeasureKind& kind : measure_kinds())
    if (kind.of == "training") {
      EXPECT_TRUE(training.contains(kind.column)) << kind.name;
    }
}

// A part of the whole leaves blank what only the whole has.
TEST(Columns, OfAGroupLeaveTheClustersFiguresBlank)
{
  const QueueMetrics metrics = distinct(queue_columns());
  const std::vector<std::string> heads = split(csv_heading(queue_columns())),
                                 cells = split(csv_row<QueueMetrics>(queue_columns(), metrics, plain, true));
  for (std::size_t i = 0; i < heads.size(); ++i)
    EXPECT_EQ(cells.at(i).empty(), heads[i] == "jain" || heads[i] == "fragmentation") << heads[i];
}

} // namespace
} // namespace trainyard
