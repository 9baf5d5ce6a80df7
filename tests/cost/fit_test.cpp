// SPDX-License-Identifier: Apache-2.0
#include "models/core/statistics.hpp"
#include "models/cost/fit.hpp"

#include "models/core/random.hpp"

#include <cmath>
#include <gtest/gtest.h>

namespace trainyard {
namespace {

std::vector<double> sizes(double from, double to)
{
  std::vector<double> result;
  for (double size = from; size <= to; size *= 2)
    result.push_back(size);
  return result;
}

/// time(size) with multiplicative noise, in rounds that differ by a factor of their own.
template <class Time>
std::vector<SampledPoint> sampled(const std::vector<double>& at, const Time& time, double noise, double between_rounds)
{
  RandomStream random = Random{7}.stream("noise");
  std::vector<double> factors;
  for (int round = 0; round < 3; ++round)
    factors.push_back(1 + between_rounds * random.normal(0, 1));
  std::vector<SampledPoint> points;
  for (const double size : at) {
    SampledPoint point{size, {}};
    for (const double factor : factors) {
      std::vector<double> samples;
      for (int i = 0; i < 9; ++i)
        samples.push_back(time(size) * factor * (1 + noise * random.normal(0, 1)));
      point.seconds.push_back(samples);
    }
    points.push_back(point);
  }
  return points;
}

TEST(PiecewiseFit, FindsLatencyAndBandwidthOfOneLineExactly)
{
  const auto time = [](double size) { return 25e-6 + size / 1.25e8; };
  const PiecewiseFit fit = fit_piecewise(sampled(sizes(64, 1 << 26), time, 0, 0));
  ASSERT_EQ(fit.pieces.size(), 1u);
  EXPECT_NEAR(fit.start_up.value, 25e-6, 1e-12);
  EXPECT_NEAR(fit.rate.value, 1.25e8, 1);
  EXPECT_NEAR(fit.start_up.low, fit.start_up.high, 1e-12);
}

TEST(PiecewiseFit, CutsWhereTheProtocolChanges)
{
  // Eager below 64 KiB: 5 us, 1 GB/s; rendezvous above: 50 us, 10 GB/s.
  const auto time = [](double size) { return size < 65536 ? 5e-6 + size / 1e9 : 50e-6 + size / 1e10; };
  const PiecewiseFit fit = fit_piecewise(sampled(sizes(64, 1 << 28), time, 0.01, 0));
  ASSERT_EQ(fit.pieces.size(), 2u);
  EXPECT_EQ(fit.pieces[1].from, 65536);
  EXPECT_NEAR(fit.start_up.value, 5e-6, 0.1e-6);
  EXPECT_NEAR(fit.rate.value, 1e10, 0.02e10);
  EXPECT_NEAR(time_at(fit, 4096) / time(4096), 1, 0.02);
}

TEST(PiecewiseFit, IntervalHoldsTheTruthAndGrowsWithDriftBetweenRounds)
{
  const auto time = [](double size) { return 30e-6 + size / 5e8; };
  const PiecewiseFit quiet = fit_piecewise(sampled(sizes(1024, 1 << 24), time, 0.01, 0.001));
  const PiecewiseFit drifting = fit_piecewise(sampled(sizes(1024, 1 << 24), time, 0.01, 0.05));
  EXPECT_LE(quiet.rate.low, 5e8 * 1.005);
  EXPECT_GE(quiet.rate.high, 5e8 * 0.995);
  const auto width = [](const Bounded& bounded) { return (bounded.high - bounded.low) / bounded.value; };
  EXPECT_LT(width(quiet.rate), 0.03);
  EXPECT_GT(width(drifting.rate), 2 * width(quiet.rate));
}

TEST(PiecewiseFit, ABufferThatTakesTheFirstBytesAtOnceDoesNotBendTheRate)
{
  // A token bucket: 64 KiB pass at once, the rest at 25 MB/s.
  const auto time = [](double size) { return 50e-6 + std::max(0.0, size - 65536) / 25e6; };
  const PiecewiseFit fit = fit_piecewise(sampled(sizes(256, 1 << 24), time, 0, 0));
  EXPECT_NEAR(fit.rate.value, 25e6, 0.002 * 25e6);
  EXPECT_NEAR(fit.start_up.value, 50e-6, 1e-6);
}

TEST(PiecewiseFit, OneSizeGivesARateAndNoPointsGiveNothing)
{
  const PiecewiseFit one = fit_piecewise(std::vector{SampledPoint{1000, {{0.5}}}});
  EXPECT_EQ(one.start_up.value, 0);
  EXPECT_DOUBLE_EQ(one.rate.value, 2000);
  EXPECT_TRUE(fit_piecewise(std::vector<SampledPoint>{}).pieces.empty());
  EXPECT_TRUE(fit_piecewise(std::vector{SampledPoint{1000, {{}}}}).pieces.empty());
}

TEST(BoundedMedian, IsNeverNarrowerThanStudentsIntervalOfTheRounds)
{
  // Samples within a round agree, rounds do not. Logarithms 0, 0.09531, -0.10536: standard deviation 0.10038, over
  // sqrt(3) and times 4.303 (two degrees of freedom) 0.2494: a factor of 1.283 to both sides.
  const std::vector<std::vector<double>> rounds{{1, 1, 1}, {1.1, 1.1, 1.1}, {0.9, 0.9, 0.9}};
  const Bounded result = bounded_median(rounds);
  EXPECT_EQ(result.value, 1);
  EXPECT_NEAR(result.low, 1 / 1.2832, 1e-4);
  EXPECT_NEAR(result.high, 1.2832, 1e-4);
}

TEST(BoundedMedian, OfTwoRoundsHoldsBoth)
{
  const std::vector<std::vector<double>> rounds{{1, 1, 1}, {1.1, 1.1, 1.1}};
  const Bounded result = bounded_median(rounds);
  EXPECT_EQ(result.low, 1);
  EXPECT_EQ(result.high, 1.1);
}

TEST(BoundedMedian, OfRoundsThatAgreeStaysNarrow)
{
  const std::vector<std::vector<double>> rounds{{1, 1.001, 0.999}, {1, 1.001, 0.999}, {1, 1.001, 0.999}};
  const Bounded result = bounded_median(rounds);
  EXPECT_LE(result.high - result.low, 0.003);
}

TEST(Quantile, InterpolatesBetweenSamples)
{
  EXPECT_DOUBLE_EQ(quantile({4, 1, 3, 2}, 0.5), 2.5);
  EXPECT_DOUBLE_EQ(quantile({4, 1, 3, 2}, 0.25), 1.75);
  EXPECT_EQ(quantile({}, 0.5), 0);
}

} // namespace
} // namespace trainyard
