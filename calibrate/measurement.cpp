// SPDX-License-Identifier: Apache-2.0
#include "calibrate/measurement.hpp"

#include <array>
#include <cstdio>

namespace trainyard::calibrate {

std::vector<SampledPoint> MeasuredCurve::sampled() const
{
  std::vector<SampledPoint> result;
  for (const auto& [size, rounds] : points) {
    SampledPoint point{size, {}};
    for (const Samples& round : rounds)
      if (!round.seconds.empty())
        point.seconds.push_back(round.seconds);
    if (!point.seconds.empty())
      result.push_back(std::move(point));
  }
  return result;
}

std::string MeasuredCurve::state() const
{
  for (const auto& [size, rounds] : points)
    for (const Samples& round : rounds)
      if (!round.state.empty())
        return round.state;
  return {};
}

int MeasuredCurve::count() const
{
  std::size_t total = 0;
  for (const auto& [size, rounds] : points)
    for (const Samples& round : rounds)
      total += round.seconds.size();
  return static_cast<int>(total);
}

void add_constant(Profile& profile, std::string name, std::string unit, Bounded value, const MeasuredCurve& from,
                  std::string note)
{
  if (!(value.value >= 0) || from.count() == 0)
    return;
  value.low = std::max(0.0, value.low);
  CalibratedConstant constant;
  constant.name = std::move(name);
  constant.unit = std::move(unit);
  constant.value = value;
  constant.state = from.state();
  constant.note = std::move(note);
  constant.samples = from.count();
  profile.constants.push_back(std::move(constant));
}

Bounded inverse(Bounded bounded)
{
  return {1 / bounded.value, 1 / bounded.high, 1 / bounded.low};
}

Bounded scaled(Bounded bounded, double factor)
{
  return {bounded.value * factor, bounded.low * factor, bounded.high * factor};
}

PiecewiseFit fit_of(const MeasuredCurves& curves, const std::string& name, int most_pieces)
{
  const auto found = curves.find(name);
  return found == curves.end() ? PiecewiseFit{} : fit_piecewise(found->second.sampled(), most_pieces);
}

Bounded rate_at_largest(const MeasuredCurve& curve)
{
  const std::vector<SampledPoint> points = curve.sampled();
  if (points.empty())
    return {};
  const Bounded time = bounded_median(points.back().seconds);
  return time.low > 0 ? scaled(inverse(time), points.back().size) : Bounded{};
}

std::vector<double> geometric(double from, double to, double factor)
{
  std::vector<double> sizes;
  for (double size = from; size <= to * 1.0000001; size *= factor)
    sizes.push_back(size);
  return sizes;
}

std::string to_string(double value, int digits)
{
  std::array<char, 48> text{};
  std::snprintf(text.data(), text.size(), "%.*g", digits, value);
  return text.data();
}

} // namespace trainyard::calibrate
