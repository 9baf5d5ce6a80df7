// SPDX-License-Identifier: Apache-2.0
/// Against printed tables of Student's distribution and values computed by hand.
#include "models/core/statistics.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace trainyard {
namespace {

using ::testing::ElementsAre;

TEST(StudentT, AgreesWithPrintedTables)
{
  // Abramowitz and Stegun, table 26.10
  EXPECT_NEAR(student_t_quantile(0.975, 1), 12.706, 5e-4);
  EXPECT_NEAR(student_t_quantile(0.975, 4), 2.776, 5e-4);
  EXPECT_NEAR(student_t_quantile(0.975, 9), 2.262, 5e-4);
  EXPECT_NEAR(student_t_quantile(0.95, 20), 1.725, 5e-4);
  EXPECT_NEAR(student_t_quantile(0.995, 30), 2.750, 5e-4);
  EXPECT_NEAR(student_t_quantile(0.025, 9), -2.262, 5e-4);
  EXPECT_EQ(student_t_quantile(0.5, 3), 0);
  // one degree of freedom is Cauchy's distribution: P(T <= 1) = 3/4
  EXPECT_NEAR(student_t_probability(1, 1), 0.75, 1e-12);
  EXPECT_NEAR(student_t_probability(0, 7), 0.5, 1e-12);
}

TEST(MeanInterval, HoldsTheMeanOfFiveValues)
{
  // mean 3, sample deviation sqrt(2.5), t(0.975, 4) = 2.776: half width 2.776 * sqrt(2.5 / 5) = 1.963
  const std::vector<double> values = {1, 2, 3, 4, 5};
  const MeanInterval interval = mean_interval(values, 0.95);
  EXPECT_DOUBLE_EQ(interval.mean, 3);
  EXPECT_NEAR(interval.half_width(), 1.963, 1e-3);
  EXPECT_EQ(interval.values, 5);
}

TEST(MeanInterval, EqualValuesAreExactAndOneValueHasNoEnds)
{
  const std::vector<double> equal = {7, 7, 7}, one = {7};
  EXPECT_EQ(mean_interval(equal, 0.95).low, 7);
  EXPECT_EQ(mean_interval(equal, 0.95).high, 7);
  EXPECT_TRUE(std::isinf(mean_interval(one, 0.95).high));
}

TEST(PairedTest, ProbabilityOfLuck)
{
  // differences 1, 2, 3: mean 2, deviation 1, t = 2 * sqrt(3) = 3.4641, two degrees of freedom: p = 1 - t / sqrt(2 +
  // t^2) = 0.07418
  const std::vector<double> differences = {1, 2, 3};
  EXPECT_NEAR(paired_p_value(differences), 0.07418, 1e-5);
  const std::vector<double> none = {0, 0, 0}, sure = {2, 2, 2}, one = {5};
  EXPECT_EQ(paired_p_value(none), 1);
  EXPECT_EQ(paired_p_value(sure), 0);
  EXPECT_EQ(paired_p_value(one), 1);
}

TEST(Holm, CorrectsTheSmallestMost)
{
  // 3 tests: 0.01 * 3, 0.02 * 2, 0.5 * 1, never falling
  EXPECT_THAT(holm_adjusted({0.02, 0.5, 0.01}), ElementsAre(0.04, 0.5, 0.03));
  EXPECT_THAT(holm_adjusted({0.03, 0.03}), ElementsAre(0.06, 0.06));
}

TEST(RankCorrelation, OfMonotoneSeriesIsOne)
{
  const std::vector<double> a = {1, 2, 3, 4}, squares = {1, 4, 9, 16}, down = {4, 3, 2, 1}, same = {5, 5, 5, 5};
  EXPECT_DOUBLE_EQ(rank_correlation(a, squares), 1);
  EXPECT_DOUBLE_EQ(rank_correlation(a, down), -1);
  EXPECT_EQ(rank_correlation(a, same), 0);
}

} // namespace
} // namespace trainyard
