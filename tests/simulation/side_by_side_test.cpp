// SPDX-License-Identifier: Apache-2.0
#include "sim/run/simulate.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

namespace trainyard {
namespace {

Results numbered(std::size_t i)
{
  Results part;
  part.jobs.push_back({.point = std::to_string(i)});
  return part;
}

TEST(SideBySide, GivesTheAnswersInOrderHoweverManyThreadsThereAre)
{
  for (const std::size_t threads : {1U, 2U, 7U, 100U}) {
    const std::vector<Results> parts = side_by_side(50, threads, numbered, {});
    ASSERT_EQ(parts.size(), 50U);
    for (std::size_t i = 0; i < parts.size(); ++i)
      EXPECT_EQ(parts[i].jobs.front().point, std::to_string(i)) << threads;
  }
  EXPECT_TRUE(side_by_side(0, 4, numbered, {}).empty());
}

TEST(SideBySide, ReportsTheFaultOfTheFirstPointWhoeverFailsFirst)
{
  const auto work = [](std::size_t i) {
    if (i % 2 == 1)
      throw std::runtime_error{"point " + std::to_string(i)};
    return numbered(i);
  };
  for (int run = 0; run < 20; ++run)
    try {
      side_by_side(9, 3, work, {});
      FAIL();
    } catch (const std::runtime_error& fault) {
      EXPECT_STREQ(fault.what(), "point 1");
    }
}

TEST(SideBySide, TellsEveryAnswerOnceAsItEnds)
{
  for (const std::size_t threads : {1U, 3U}) {
    std::vector<int> told(20, 0);
    side_by_side(20, threads, numbered, {}, [&](std::size_t i, const Results& part) {
      EXPECT_EQ(part.jobs.front().point, std::to_string(i));
      ++told[i];
    });
    EXPECT_EQ(told, std::vector<int>(20, 1)) << threads;
  }
}

TEST(SideBySide, StopsWhenProgressThrows)
{
  const auto interrupted = [](std::size_t) { throw std::runtime_error{"interrupted"}; };
  EXPECT_THROW(side_by_side(4, 2, numbered, interrupted), std::runtime_error);
  EXPECT_THROW(side_by_side(4, 1, numbered, interrupted), std::runtime_error);
}

} // namespace
} // namespace trainyard
