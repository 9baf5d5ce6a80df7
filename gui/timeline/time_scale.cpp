// SPDX-License-Identifier: Apache-2.0
#include "gui/timeline/time_scale.hpp"

#include "gui/core/rate_text.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace trainyard::gui {

void TimeScale::zoom(double factor, double x, double low, double high)
{
  const double at = seconds(x);
  const double least = std::max((high - low) * 1e-9, 1e-12);
  const double length = std::clamp((end - begin) * factor, least, high - low);
  begin = at - length * (x / width);
  end = begin + length;
  pan(0, low, high);
}

void TimeScale::pan(double pixels, double low, double high)
{
  const double length = end - begin;
  begin = std::clamp(begin + pixels / pixels_per_second(), low, std::max(low, high - length));
  end = begin + length;
}

double tick_distance(const TimeScale& scale, double pixels)
{
  const double least = pixels / scale.pixels_per_second();
  for (const double clock :
       {60., 120., 300., 600., 1800., 3600., 7200., 14400., 21600., 43200., 86400., 172800., 432000., 864000.})
    if (least > 30 && clock >= least) // minutes, hours and days as clocks have them
      return clock;
  const double unit = least > 30 ? 86400 : 1; // whole days
  const double power = unit * std::pow(10.0, std::floor(std::log10(least / unit)));
  for (const double factor : {1.0, 2.0, 5.0})
    if (factor * power >= least * (1 - 1e-9))
      return factor * power;
  return 10 * power;
}

QString time_text(double seconds, double distance)
{
  struct Unit {
    double size;
    const char* name;
  };
  static constexpr Unit units[]{{86400, "d"}, {3600, "h"},  {60, "min"}, {1, "s"},
                                {1e-3, "ms"}, {1e-6, "µs"}, {1e-9, "ns"}};
  const double decide = std::max(std::fabs(seconds), distance);
  for (const Unit& unit : units)
    if (decide >= unit.size * (unit.size > 1 ? 2 : 1) || &unit == std::end(units) - 1) {
      const int digits = std::clamp(static_cast<int>(std::ceil(-std::log10(distance / unit.size) - 1e-9)), 0, 9);
      return in_units(
          QStringLiteral("%1 %2").arg(seconds / unit.size, 0, 'f', digits).arg(QString::fromUtf8(unit.name)));
    }
  return {};
}

} // namespace trainyard::gui
