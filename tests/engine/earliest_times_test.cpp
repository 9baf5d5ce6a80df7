// SPDX-License-Identifier: Apache-2.0
#include "sim/step/engine/earliest_times.hpp"

#include "models/core/random.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace trainyard {
namespace {

TEST(EarliestTimes, HasNoneWhereThereAreNoSlots)
{
  EarliestTimes times;
  EXPECT_EQ(times.earliest(), EarliestTimes::never);
}

TEST(EarliestTimes, FindsTheNextOneWhenTheEarliestMovesToLater)
{
  EarliestTimes times;
  for (const double time : {3.0, 1.0, 2.0})
    times.push_back(time);
  EXPECT_EQ(times.earliest(), 1);
  times.set(1, 5);
  EXPECT_EQ(times.earliest(), 2);
  times.remove(2);
  EXPECT_EQ(times.earliest(), 3);
}

TEST(EarliestTimes, TheLastSlotTakesThePlaceOfTheRemovedOne)
{
  EarliestTimes times;
  for (int i = 0; i < 65; ++i) // one more than a block
    times.push_back(100 - i);
  times.remove(0);
  EXPECT_EQ(times.size(), 64U);
  EXPECT_EQ(times.at(0), 36);
  EXPECT_EQ(times.earliest(), 36);
}

TEST(EarliestTimes, AgreesWithLookingThroughAllOfThem)
{
  RandomStream random = Random{7}.stream("times");
  EarliestTimes times;
  std::vector<double> plain;
  for (int i = 0; i < 20'000; ++i) {
    const std::uint64_t what = random.below(10);
    if (plain.empty() || what < 3) {
      plain.push_back(random.uniform());
      times.push_back(plain.back());
    } else {
      const auto slot = static_cast<std::size_t>(random.below(plain.size()));
      if (what < 5) {
        plain[slot] = plain.back();
        plain.pop_back();
        times.remove(slot);
      } else {
        plain[slot] = what == 9 ? EarliestTimes::never : random.uniform();
        times.set(slot, plain[slot]);
      }
    }
    const double earliest = plain.empty() ? EarliestTimes::never : *std::ranges::min_element(plain);
    ASSERT_EQ(times.earliest(), earliest) << "after " << i << " changes";
    std::vector<std::size_t> seen;
    times.visit_until(earliest, [&](std::size_t slot) { seen.push_back(slot); });
    for (const std::size_t slot : seen)
      ASSERT_EQ(plain[slot], earliest);
    ASSERT_EQ(seen.size(), static_cast<std::size_t>(std::ranges::count(plain, earliest)));
  }
}

} // namespace
} // namespace trainyard
