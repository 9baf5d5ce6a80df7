// SPDX-License-Identifier: Apache-2.0
#include "models/core/instant.hpp"
#include "sim/cluster/gpu_time.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace trainyard {
namespace {

TEST(Instant, SecondsAreRoundedToTheNearestNanosecond)
{
  EXPECT_EQ(Instant{Seconds{0.1}}.count(), 100'000'000);
  EXPECT_EQ(Instant{Seconds{1.4e-9}}.count(), 1);
  EXPECT_EQ(Instant{Seconds{1.6e-9}}.count(), 2);
  EXPECT_EQ(Instant{Seconds{-1.6e-9}}.count(), -2);
  EXPECT_EQ(Instant{std::chrono::microseconds{3}}.count(), 3000);
}

TEST(Instant, GoesToSecondsAndBackUnchanged)
{
  for (const std::int64_t count : {1LL, 300'000'001LL, 86'400'000'000'007LL, 3'000'000'000LL})
    EXPECT_EQ(Instant{seconds(Instant{count})}.count(), count);
  EXPECT_EQ(Instant{3'000'000'000}.value(), 3); // 3e9 * 1e-9 is not
}

TEST(Instant, WhatIsTooLongOrNoNumberIsTheEndOfTime)
{
  EXPECT_EQ(Instant{Seconds{std::numeric_limits<double>::infinity()}}, end_of_time);
  EXPECT_EQ(Instant{Seconds{std::numeric_limits<double>::quiet_NaN()}}, end_of_time);
  EXPECT_EQ(Instant{Seconds{-1e30}}, -end_of_time);
  EXPECT_EQ(1e9 * Instant{Seconds{1e9}}, end_of_time);
  EXPECT_EQ(Instant{std::chrono::microseconds::max()}, end_of_time);
  EXPECT_FALSE(is_finite(end_of_time + Instant{5}));
}

TEST(Instant, SumsNeverWrap)
{
  // Two ends of time still fit into 63 bits, three do not.
  const Instant two = end_of_time + end_of_time;
  for (const Instant sum :
       {two + end_of_time, two + Instant{2}, two - -end_of_time, 3 * end_of_time, -3 * -end_of_time})
    EXPECT_EQ(sum.count(), std::numeric_limits<std::int64_t>::max());
  for (const Instant sum : {-two - end_of_time, -two + -end_of_time, -3 * end_of_time})
    EXPECT_EQ(sum.count(), -std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(two - end_of_time, end_of_time);
  EXPECT_EQ(-1 * end_of_time, -end_of_time);
}

TEST(Instant, SumsAreExactWhereThoseOfDoublesAreNot)
{
  Instant sum;
  for (int i = 0; i < 10; ++i)
    sum += 100_ms;
  EXPECT_EQ(sum, Seconds{1});
  EXPECT_EQ(sum % 300_ms, 100_ms);
  EXPECT_EQ(sum / Instant{300_ms}, 10.0 / 3);
  EXPECT_EQ((sum / 3).count(), 333'333'333);
  EXPECT_EQ((sum * 1.5).count(), 1'500'000'000);
}

TEST(GpuTime, CountsTheLargestClusterForAYearToTheNanosecond)
{
  // 100,000 GPUs for 365 days, and one thousandth of a GPU for a nanosecond more: 3.1536e12 GPU-seconds + 10^-12.
  GpuTime time{100'000'000, Seconds{365 * 86400.0}};
  EXPECT_EQ(time.value(), 3.1536e12);
  const GpuTime before = time;
  time += {1, Instant{1}};
  EXPECT_EQ((time - before).count(), 1);
}

} // namespace
} // namespace trainyard
