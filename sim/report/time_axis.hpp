// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

namespace trainyard {

/// A mark on a time axis.
struct TimeTick {
  double at_s = 0;
  std::string label; // "20 min", "06:00", "14 d", "3 y"
  std::string day;   // "day 58" below a time of the day, at the first mark and where the day changes; else empty
};

/// Marks at round times from @p low_s to @p high_s, at most @p most: seconds, minutes, hours, whole days or whole
/// years, whatever the span. Times are since the first submission; "day 1" is the first 24 hours. Empty where high is
/// not above low.
std::vector<TimeTick> time_ticks(double low_s, double high_s, int most);

/// A label along an axis: from where to where it goes.
struct LabelSpan {
  double from = 0;
  double to = 0;
};

/// The row, from 0 on, in which each label touches none of those before it; -1 where none of @p rows rows has room.
std::vector<int> label_rows(const std::vector<LabelSpan>& labels, int rows);

} // namespace trainyard
