// SPDX-License-Identifier: Apache-2.0
#include "models/core/diagnostics.hpp"
#include "sim/study/csv_table.hpp"
#include "sim/study/score_statistics.hpp"

#include <gtest/gtest.h>

namespace trainyard {
namespace {

TEST(CsvTable, ReadsQuotesCommasAndLineBreaksInsideCells)
{
  const CsvTable table = parse_csv("a,b\r\n\"x, \"\"y\"\"\",1\n\"two\nlines\",2\n", "t.csv");
  ASSERT_EQ(table.rows.size(), 2U);
  EXPECT_EQ(table.cell(table.rows[0], "a"), "x, \"y\"");
  EXPECT_EQ(table.cell(table.rows[0], "b"), "1");
  EXPECT_EQ(table.rows[1].line, 3);
  EXPECT_EQ(table.cell(table.rows[1], "a"), "two\nlines");
  EXPECT_EQ(table.cell(table.rows[1], "no such column"), "");
}

TEST(CsvTable, NamesTheLineOfARowOfAnotherWidth)
{
  try {
    parse_csv("a,b\n1,2\n3\n", "t.csv");
    FAIL();
  } catch (const InputError& fault) {
    EXPECT_STREQ(fault.what(), "t.csv:3: error: this row has 1 cells, the header has 2 columns\n");
  }
  EXPECT_THROW(parse_csv("a\n\"open\n", "t.csv"), InputError);
  EXPECT_THROW(parse_csv("", "t.csv"), InputError);
}

TEST(CellMatches, KnowsWildcardsAlternativesAndComparisons)
{
  EXPECT_TRUE(cell_matches("allreduce_wfbp_no_fusion", "allreduce_*"));
  EXPECT_TRUE(cell_matches("10GbE with TCP/IP", "100GbE*|10gbe*"));
  EXPECT_FALSE(cell_matches("100GbE", "10GbE"));
  EXPECT_TRUE(cell_matches("8", "> 1"));
  EXPECT_FALSE(cell_matches("1", "> 1"));
  EXPECT_FALSE(cell_matches("", "> 1"));
  EXPECT_TRUE(cell_matches("", ""));
  EXPECT_TRUE(cell_matches("real", "!= synthetic"));
}

TEST(Summarise, InterpolatesQuantilesBetweenOrderStatistics)
{
  // 1..10: median 5.5, 90 % quantile at position 8.1 of 0..9 = 9.1, mean 5.5.
  const ErrorSummary summary = summarise({10, 9, 8, 7, 6, 5, 4, 3, 2, 1});
  EXPECT_EQ(summary.n, 10);
  EXPECT_DOUBLE_EQ(summary.median, 5.5);
  EXPECT_DOUBLE_EQ(summary.p90, 9.1);
  EXPECT_DOUBLE_EQ(summary.mean, 5.5);
  EXPECT_DOUBLE_EQ(error_pct(0.9, 1.0), 100 * (1 - 0.9));
}

} // namespace
} // namespace trainyard
