// SPDX-License-Identifier: Apache-2.0
#include "sim/study/plot_axes.hpp"

#include <fmt/format.h>

namespace trainyard {

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
  const PlotAxis scaled{axis.low / unit.seconds, axis.high / unit.seconds, axis.logarithmic};
  for (const double value : scaled.ticks())
    list.push_back({value * unit.seconds, fmt::format("{:.6g} {}", value, unit.name)});
  return list;
}

} // namespace trainyard
