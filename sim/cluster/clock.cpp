// SPDX-License-Identifier: Apache-2.0
#include "sim/cluster/clock.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace trainyard {

std::string exact_text(Wide value, int digits)
{
  const bool negative = value < 0;
  if (negative)
    value = -value;
  std::string text;
  for (int i = 0; value > 0 || i <= digits; ++i) {
    if (i == digits && digits > 0)
      text += '.';
    text += static_cast<char>('0' + static_cast<int>(value % 10));
    value /= 10;
  }
  if (negative)
    text += '-';
  std::ranges::reverse(text);
  return text;
}

std::string clock_text(Instant time)
{
  const std::int64_t whole = (time.count() + 500'000'000) / 1'000'000'000;
  const std::string clock = fmt::format("{:02}:{:02}:{:02}", whole / 3600 % 24, whole / 60 % 60, whole % 60);
  return whole >= 86400 ? fmt::format("day {} {}", whole / 86400 + 1, clock) : clock;
}

} // namespace trainyard
