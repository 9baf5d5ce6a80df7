// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "sim/report/canvas.hpp"
#include "sim/study/measures.hpp"

#include <string>
#include <vector>

namespace trainyard {

/// An axis of a plot: values from low to high between two places on the canvas; logarithmic where they span more than a
/// factor of 30.
struct PlotAxis {
  double low = 0;
  double high = 1;
  double from = 0; // place of low
  double to = 1;   // place of high
  bool logarithmic = false;

  double at(double value) const;
  /// Round values for grid lines, five or so.
  std::vector<double> ticks() const;
};

/// An axis with all values and a small margin.
PlotAxis plot_axis(const std::vector<double>& values, double from, double to);

struct AxisTick {
  double value = 0;
  std::string label;
};

/// Ticks of an axis with figures of a measure. Times have one unit on the whole axis, and are round in it: 0 min, 10
/// min, 20 min.
std::vector<AxisTick> axis_ticks(const PlotAxis& axis, const Measure& measure);

/// Grid lines and numbers of both.
void draw_axes(Canvas& canvas, const PlotAxis& x, const PlotAxis& y, const std::vector<AxisTick>& x_ticks,
               const std::vector<AxisTick>& y_ticks);

} // namespace trainyard
