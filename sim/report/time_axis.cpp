// SPDX-License-Identifier: Apache-2.0
#include "sim/report/picture.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace trainyard {
namespace {

constexpr double minute = 60, hour = 3600, day = 86400, year = 365 * day;

/// 1, 2 or 5 times a power of ten, at least @p least.
double round_above(double least)
{
  const double power = std::pow(10.0, std::floor(std::log10(least)));
  for (const double factor : {1.0, 2.0, 5.0})
    if (factor * power >= least * (1 - 1e-9))
      return factor * power;
  return 10 * power;
}

double step_of(double span, int most)
{
  if (span / most <= 1)
    return round_above(span / most);
  for (const double step :
       {1.0,         2.0,         5.0,         10.0,     15.0,     30.0,     minute,   2 * minute, 5 * minute,
        10 * minute, 15 * minute, 30 * minute, hour,     2 * hour, 3 * hour, 6 * hour, 12 * hour,  day,
        2 * day,     5 * day,     7 * day,     14 * day, 30 * day, 60 * day, 90 * day, 180 * day,  year})
    if (span / step <= most)
      return step;
  return year * round_above(span / most / year);
}

std::string label_of(double time, double step, double high)
{
  if (step < 1)
    return fmt::format("{:.{}f} s", time, static_cast<int>(std::ceil(-std::log10(step) - 1e-9)));
  const auto whole = static_cast<long long>(std::llround(time));
  if (step >= year)
    return fmt::format("{} y", std::llround(time / year));
  if (step >= day)
    return fmt::format("{} d", whole / 86400);
  if (step >= hour && high <= 2 * day)
    return fmt::format("{} h", whole / 3600);
  if (step >= minute && step < hour && high <= 3 * hour)
    return fmt::format("{} min", whole / 60);
  if (step < minute && high <= 10 * minute)
    return fmt::format("{} s", whole);
  const std::string clock = fmt::format("{:02}:{:02}", whole / 3600 % 24, whole / 60 % 60);
  return step < minute ? clock + fmt::format(":{:02}", whole % 60) : clock;
}

} // namespace

std::vector<int> label_rows(const std::vector<LabelSpan>& labels, int rows)
{
  std::vector<std::vector<LabelSpan>> taken(static_cast<std::size_t>(rows));
  std::vector<int> result;
  result.reserve(labels.size());
  for (const LabelSpan& label : labels) {
    const auto row = std::ranges::find_if(taken, [&](const std::vector<LabelSpan>& others) {
      return std::ranges::none_of(
          others, [&](const LabelSpan& other) { return label.from < other.to && other.from < label.to; });
    });
    result.push_back(row == taken.end() ? -1 : static_cast<int>(row - taken.begin()));
    if (row != taken.end())
      row->push_back(label);
  }
  return result;
}

std::vector<TimeTick> time_ticks(double low_s, double high_s, int most)
{
  std::vector<TimeTick> ticks;
  if (!(high_s > low_s) || most < 1 || !std::isfinite(low_s) || !std::isfinite(high_s))
    return ticks;
  const double step = step_of(high_s - low_s, most);
  long long before = -1;
  for (double number = std::ceil(low_s / step - 1e-9) + 0.0;
       number * step <= high_s * (1 + 1e-12) && ticks.size() < 1000; ++number) {
    TimeTick tick{number * step, label_of(number * step, step, high_s), {}};
    const auto today = static_cast<long long>(std::floor(tick.at_s / day + 1e-9));
    if (tick.label.find(':') != std::string::npos && high_s > day && today != before)
      tick.day = fmt::format("day {}", today + 1);
    before = today;
    ticks.push_back(std::move(tick));
  }
  return ticks;
}

} // namespace trainyard
