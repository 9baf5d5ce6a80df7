// SPDX-License-Identifier: Apache-2.0
#include "sim/study/score.hpp"
#include "sim/study/score_mapping.hpp"

#include <gtest/gtest.h>

namespace trainyard {
namespace {

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
