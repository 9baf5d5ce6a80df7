// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "sim/report/canvas.hpp"

#include <cstddef>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace trainyard {

/// An axis of a plot, from low to high.
struct PlotAxis {
  double low = 0, high = 1;
  bool logarithmic = false;

  /// Where a value stands: 0 at low, 1 at high.
  double share(double value) const;
  /// Round values for grid lines, five or so.
  std::vector<double> ticks() const;
};
/// An axis with all values and a small margin; logarithmic where they span more than a factor of 30.
PlotAxis plot_axis(const std::vector<double>& values);

struct AxisTick {
  double value = 0;
  std::string label;
};

/// Something that is seen in a panel, in the units of its axes. What is outside of them is cut off, but for texts.
struct Mark {
  enum class Shape { box, hatched, line, dashed, marker, cross, text };
  Shape shape = Shape::box;
  double x0 = 0, x1 = 0; // a marker, a cross and a text stand at x0 and y0
  double y0 = 0, y1 = 0;
  Colour colour = ink;
  double opacity = 1;
  double thickness = 1.4; // of a line; the radius of a marker
  std::string label = {}; // in a box where it has room; the words of a text
  Anchor anchor = Anchor::left;
  std::size_t form = 0; // of a marker (Canvas::marker); in a legend 1 more, where a line has one
};

/// A box between two x and two y; its label shows where it has room, and in legends.
Mark box(double x0, double x1, double y0, double y1, Colour colour, double opacity = 1, std::string label = {});
Mark line(double x0, double x1, double y0, double y1, Colour colour, double thickness, bool dashed = false);
Mark marker(double x, double y, Colour colour, double radius = 2.6, double opacity = 1, std::size_t form = 0);
Mark words(double x, double y, Colour colour, std::string text, Anchor anchor = Anchor::left);
/// The look of a line: the n-th series, with its name for the legend.
Mark series_line(std::size_t series, std::string label = {});
/// The line through points, as marks.
void add_line(std::vector<Mark>& marks, const std::vector<std::pair<double, double>>& points, const Mark& as);

/// Marks over two axes. Over lanes y goes downwards, and each has a height of 1 and a name.
struct PicturePanel {
  enum class Kind { clock, elapsed, number };
  std::string title = {}, note = {};
  Kind kind = Kind::clock; // of what x counts
  PlotAxis x = {}, y = {};
  double height = 170; // points
  bool counts = true;  // y has whole numbers only
  std::vector<std::string> lanes = {};
  std::vector<Mark> marks = {};
  std::vector<AxisTick> x_ticks = {}, y_ticks = {}; // none: those of the axis
  std::string x_title = {};
};

/// A picture as data: panels below each other. Consecutive panels over the same times share the numbers below them.
struct Picture {
  std::string title = {}, note = {};
  double width = 760, left = 64, right = 20;
  std::vector<PicturePanel> panels = {};
  std::vector<Mark> legend = {}; // shape, colour and label of each entry
  std::string footer = {};
  /// What happened when: lines through all panels, with as many names as there is room for.
  std::vector<std::pair<double, std::string>> events = {};
};

/// Draws <path>.png and <path>.svg; false, and nothing, where there are no panels.
bool draw(const Picture& picture, const std::filesystem::path& path);

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
