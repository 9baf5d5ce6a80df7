// SPDX-License-Identifier: Apache-2.0
#include "sim/study/plot_axes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace trainyard {

double PlotAxis::at(double value) const
{
  const double share = logarithmic
                           ? (std::log(std::max(value, low * 1e-3)) - std::log(low)) / (std::log(high) - std::log(low))
                           : (value - low) / (high - low);
  return from + (to - from) * share;
}

std::vector<double> PlotAxis::ticks() const
{
  std::vector<double> list;
  if (logarithmic) {
    const double decades = std::log10(high / low);
    for (double power = std::pow(10, std::floor(std::log10(low))); power <= high * 1.0001; power *= 10)
      for (const double factor : {1.0, 2.0, 5.0})
        if ((factor == 1 || decades < 3) && power * factor >= low * 0.9999 && power * factor <= high * 1.0001)
          list.push_back(power * factor);
    return list;
  }
  const double raw = (high - low) / 5;
  const double power = std::pow(10, std::floor(std::log10(raw)));
  double step = 10 * power;
  for (const double factor : {1.0, 2.0, 2.5, 5.0})
    if (factor * power >= raw) {
      step = factor * power;
      break;
    }
  for (double value = std::ceil(low / step) * step; value <= high * 1.0001; value += step)
    list.push_back(std::abs(value) < step * 1e-9 ? 0 : value);
  return list;
}

PlotAxis plot_axis(const std::vector<double>& values, double from, double to)
{
  PlotAxis axis{0, 1, from, to, false};
  std::vector<double> finite;
  for (const double value : values)
    if (std::isfinite(value))
      finite.push_back(value);
  if (finite.empty())
    return axis;
  const auto [smallest, largest] = std::ranges::minmax(finite);
  if (smallest > 0 && largest / smallest > 30) {
    axis.logarithmic = true;
    axis.low = smallest / 1.25;
    axis.high = largest * 1.25;
    return axis;
  }
  const double room = largest > smallest ? 0.06 * (largest - smallest) : std::max(std::abs(largest) * 0.1, 1e-12);
  axis.low = smallest >= 0 ? std::max(0.0, smallest - room) : smallest - room;
  axis.high = largest + room;
  if (smallest >= 0 && smallest < 0.25 * largest)
    axis.low = 0;
  return axis;
}

std::vector<AxisTick> axis_ticks(const PlotAxis& axis, const Measure& measure)
{
  std::vector<AxisTick> list;
  if (kind_of(measure).unit != "s") {
    for (const double value : axis.ticks())
      list.push_back({value, measure_text(measure, value)});
    return list;
  }
  struct Unit {
    double seconds;
    const char* name;
  };
  const Unit unit = axis.high < 1e-3      ? Unit{1e-6, "us"}
                    : axis.high < 1       ? Unit{1e-3, "ms"}
                    : axis.high <= 300    ? Unit{1, "s"}
                    : axis.high <= 7200   ? Unit{60, "min"}
                    : axis.high <= 432000 ? Unit{3600, "h"}
                                          : Unit{86400, "d"};
  const PlotAxis scaled{axis.low / unit.seconds, axis.high / unit.seconds, axis.from, axis.to, axis.logarithmic};
  for (const double value : scaled.ticks())
    list.push_back({value * unit.seconds, fmt::format("{:.6g} {}", value, unit.name)});
  return list;
}

void draw_axes(Canvas& canvas, const PlotAxis& x, const PlotAxis& y, const std::vector<AxisTick>& x_ticks,
               const std::vector<AxisTick>& y_ticks)
{
  double last = -1e9;
  for (const auto& [value, text] : x_ticks) {
    canvas.colour(grid_line);
    canvas.line(x.at(value), y.from, x.at(value), y.to, 0.7);
    canvas.colour(quiet_ink);
    const double half = canvas.text_width(text, 9) / 2;
    if (x.at(value) - half > last + 6) {
      canvas.text(x.at(value), std::max(y.from, y.to) + 14, text, 9, Anchor::centre);
      last = x.at(value) + half;
    }
  }
  for (const auto& [value, text] : y_ticks) {
    canvas.colour(grid_line);
    canvas.line(x.from, y.at(value), x.to, y.at(value), 0.7);
    canvas.colour(quiet_ink);
    canvas.text(x.from - 6, y.at(value) + 3, text, 9, Anchor::right);
  }
}

} // namespace trainyard
