// SPDX-License-Identifier: Apache-2.0
// Marks on time axes, from a second to centuries.
#include "sim/report/picture.hpp"

#include <gtest/gtest.h>

#include <set>

namespace trainyard {
namespace {

std::string text(double low, double high)
{
  std::string all;
  for (const TimeTick& tick : time_ticks(low, high, 8))
    all += (all.empty() ? "" : " | ") + tick.label + (tick.day.empty() ? "" : " (" + tick.day + ")");
  return all;
}

TEST(TimeAxis, LabelsAreWholeInTheUnitOfTheirStep)
{
  EXPECT_EQ(text(0, 1.5), "0.0 s | 0.2 s | 0.4 s | 0.6 s | 0.8 s | 1.0 s | 1.2 s | 1.4 s");
  EXPECT_EQ(text(0, 45), "0 s | 10 s | 20 s | 30 s | 40 s");
  EXPECT_EQ(text(0, 3600), "0 min | 10 min | 20 min | 30 min | 40 min | 50 min | 60 min");
  EXPECT_EQ(text(0, 100'000), "0 h | 6 h | 12 h | 18 h | 24 h");
  EXPECT_EQ(text(0, 30 * 86400.0), "0 d | 5 d | 10 d | 15 d | 20 d | 25 d | 30 d");
  EXPECT_EQ(text(0, 110 * 86400.0), "0 d | 14 d | 28 d | 42 d | 56 d | 70 d | 84 d | 98 d");
  EXPECT_EQ(text(0, 10 * 365 * 86400.0), "0 y | 2 y | 4 y | 6 y | 8 y | 10 y");
}

TEST(TimeAxis, LabelsThatTouchStandInRows)
{
  // The second meets the first; the third begins where the first has ended; the fourth meets one in both rows.
  const std::vector<LabelSpan> labels{{0, 10}, {5, 15}, {10, 20}, {6, 9}, {20, 30}};
  EXPECT_EQ(label_rows(labels, 2), (std::vector<int>{0, 1, 0, -1, 0}));
  EXPECT_EQ(label_rows(labels, 3), (std::vector<int>{0, 1, 0, 2, 0}));
}

TEST(TimeAxis, AStretchInTheMiddleSaysItsDay)
{
  // Eight hours from day 57 on: 57.87 d is 20:52:48 of the 58th day.
  EXPECT_EQ(text(57.87 * 86400, 57.87 * 86400 + 8 * 3600),
            "21:00 (day 58) | 22:00 | 23:00 | 00:00 (day 59) | 01:00 | 02:00 | 03:00 | 04:00");
  EXPECT_EQ(text(3 * 86400.0, 3 * 86400.0 + 20), "00:00:00 (day 4) | 00:00:05 | 00:00:10 | 00:00:15 | 00:00:20");
}

TEST(TimeAxis, FewDistinctLabelsWhateverTheSpan)
{
  for (double span = 1e-3; span < 1e11; span *= 1.37)
    for (const double low : {0.0, span / 3, 12345.0, 5e6}) {
      if (low > 1e6 * span)
        continue; // nearer to each other than a time of the day can say
      const auto ticks = time_ticks(low, low + span, 8);
      EXPECT_GE(ticks.size(), 2U) << low << " + " << span;
      EXPECT_LE(ticks.size(), 9U) << low << " + " << span;
      std::set<std::string> labels;
      for (const TimeTick& tick : ticks) {
        if (!tick.day.empty())
          labels.clear(); // times of another day
        EXPECT_TRUE(labels.insert(tick.label).second) << tick.label << " twice in " << low << " + " << span;
        EXPECT_LE(tick.label.size(), 11U) << tick.label;
      }
    }
  EXPECT_TRUE(time_ticks(5, 5, 8).empty());
}

} // namespace
} // namespace trainyard
