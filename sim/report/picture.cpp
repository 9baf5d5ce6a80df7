// SPDX-License-Identifier: Apache-2.0
#include "sim/report/picture.hpp"

#include "models/core/figure_text.hpp"
#include "models/core/units.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <tuple>

namespace trainyard {
namespace {

constexpr double event_row = 9;
constexpr int event_rows = 4;
constexpr Colour stripes{0.835, 0.369, 0.0};

bool is_light(Colour colour)
{
  return 0.3 * colour.red + 0.59 * colour.green + 0.11 * colour.blue > 0.5;
}

void hatch(Canvas& canvas, double x, double y, double wide, double tall)
{
  canvas.colour(stripes, 0.10);
  canvas.rectangle(x, y, wide, tall);
  canvas.clip(x, y, wide, tall);
  canvas.colour(stripes, 0.55);
  double at = x - tall;
  while (at < x + wide) {
    canvas.line(at, y + tall, at + tall, y, 0.7);
    at += 5;
  }
  canvas.unclip();
}

std::vector<AxisTick> numbers(const PlotAxis& axis, bool whole)
{
  std::vector<AxisTick> ticks;
  for (const double value : axis.ticks())
    if (!whole || value == std::floor(value))
      ticks.push_back({value, fmt::format("{:g}", value)});
  return ticks;
}

/// A panel at its place on the canvas.
class PlacedPanel
{
public:
  PlacedPanel(const Picture& picture, const PicturePanel& panel, double top, bool numbered)
      : panel_{panel}, left_{picture.left}, span_{picture.width - picture.left - picture.right}, top_{top},
        numbered_{numbered}
  {
  }

  double top() const { return top_; }
  double bottom() const { return top_ + panel_.height; }
  double x(double value) const { return left_ + span_ * panel_.x.share(value); }
  double y(double value) const
  {
    return panel_.lanes.empty() ? bottom() - panel_.height * panel_.y.share(value)
                                : top_ + panel_.height * value / static_cast<double>(panel_.lanes.size());
  }

  void draw(Canvas& canvas) const
  {
    canvas.colour(ink);
    canvas.text(panel_.lanes.empty() ? left_ : 12, top_ - (panel_.note.empty() ? 10 : 24),
                canvas.fitted(panel_.title, left_ + span_, 11), 11, Anchor::left, true);
    canvas.colour(quiet_ink);
    canvas.text(panel_.lanes.empty() ? left_ : 12, top_ - 9, panel_.note, 9);
    canvas.text(left_ + span_, bottom() + 27, panel_.x_title, 9, Anchor::right);
    draw_y(canvas);
    draw_x(canvas);
    canvas.clip(left_ - 6, top_ - 6, span_ + 12, panel_.height + 12);
    for (const Mark& mark : panel_.marks)
      if (mark.shape != Mark::Shape::text)
        draw(canvas, mark);
    canvas.unclip();
    for (const Mark& mark : panel_.marks)
      if (mark.shape == Mark::Shape::text)
        draw(canvas, mark);
  }

private:
  void draw_y(Canvas& canvas) const
  {
    for (std::size_t lane = 0; lane < panel_.lanes.size(); ++lane) {
      if (panel_.lanes[lane].empty()) // goes on the one above
        continue;
      canvas.colour(grid_line);
      canvas.line(left_, y(static_cast<double>(lane)), left_ + span_, y(static_cast<double>(lane)), 0.7);
      canvas.colour(ink);
      canvas.text(left_ - 8, y(static_cast<double>(lane) + 0.5) + 3, canvas.fitted(panel_.lanes[lane], left_ - 16, 10),
                  10, Anchor::right);
    }
    if (!panel_.lanes.empty())
      return;
    for (const auto& [value, label] : panel_.y_ticks.empty() ? numbers(panel_.y, panel_.counts) : panel_.y_ticks) {
      canvas.colour(grid_line);
      canvas.line(left_, y(value), left_ + span_, y(value), 0.7);
      canvas.colour(quiet_ink);
      canvas.text(left_ - 6, y(value) + 3, label, 9, Anchor::right);
    }
  }

  void draw_x(Canvas& canvas) const
  {
    double last = -1e9;
    const auto tick = [&](double value, const std::string& label, const std::string& day) {
      canvas.colour(grid_line);
      canvas.line(x(value), top_, x(value), bottom(), 0.7);
      canvas.colour(quiet_ink);
      const double half = canvas.text_width(label, 9) / 2;
      if (!numbered_ || x(value) - half < last + 6)
        return;
      canvas.text(x(value), bottom() + 13, label, 9, Anchor::centre);
      canvas.text(x(value), bottom() + 23, day, 9, Anchor::centre);
      last = x(value) + half;
    };
    if (panel_.kind == PicturePanel::Kind::number)
      for (const auto& [value, label] : panel_.x_ticks.empty() ? numbers(panel_.x, false) : panel_.x_ticks)
        tick(value, label, {});
    else
      for (const TimeTick& time : time_ticks(panel_.x.low, panel_.x.high, 8))
        if (panel_.kind == PicturePanel::Kind::clock)
          tick(time.at_s, time.label, time.day);
        else
          tick(time.at_s, time_text(Seconds{time.at_s}), {});
  }

  void draw(Canvas& canvas, const Mark& mark) const
  {
    using Shape = Mark::Shape;
    const double x0 = std::clamp(x(mark.x0), left_, left_ + span_), y0 = y(mark.y0);
    const double from = std::min(y0, y(mark.y1)), tall = std::abs(y(mark.y1) - y0);
    const double wide = std::max(0.5, std::clamp(x(mark.x1), left_, left_ + span_) - x0);
    canvas.colour(mark.colour, mark.opacity);
    switch (mark.shape) {
    case Shape::box:
      canvas.rectangle(x0, from, wide, tall);
      if (mark.label.empty() || tall <= 9 || wide <= 18)
        return;
      canvas.colour(is_light(mark.colour) ? ink : Colour{1, 1, 1});
      return canvas.text(x0 + wide / 2, from + tall / 2 + 3, canvas.fitted(mark.label, wide - 4, 8), 8, Anchor::centre);
    case Shape::hatched:
      return hatch(canvas, x0, from, wide, tall);
    case Shape::marker:
      return canvas.marker(x0, y0, mark.thickness, mark.form);
    case Shape::cross:
      canvas.line(x0 - 2.5, y0 - 2.5, x0 + 2.5, y0 + 2.5, 1.1);
      return canvas.line(x0 - 2.5, y0 + 2.5, x0 + 2.5, y0 - 2.5, 1.1);
    case Shape::text:
      return canvas.text(x0 + (mark.anchor == Anchor::left ? 5 : -5), y0 + (panel_.lanes.empty() ? -10 : 3), mark.label,
                         9, mark.anchor);
    case Shape::line:
    case Shape::dashed:
      canvas.line(x(mark.x0), y0, x(mark.x1), y(mark.y1), mark.thickness, mark.shape == Shape::dashed);
    }
  }

  const PicturePanel& panel_;
  double left_, span_, top_;
  bool numbered_; // below it
};

/// Entries beside each other, drawn where there is a canvas; the height of their rows.
double legend_rows(Canvas* canvas, const Picture& picture, double y)
{
  constexpr double row = 16, letter = 5.2; // of a text whose width nobody has measured
  double x = picture.left, height = picture.legend.empty() ? 0 : row;
  for (const Mark& entry : picture.legend) {
    const double wide = 30 + letter * static_cast<double>(std::min<std::size_t>(entry.label.size(), 40));
    if (x + wide > picture.width - picture.right && x > picture.left)
      x = picture.left, height += row;
    if (canvas != nullptr) {
      const double at = y + height - row;
      canvas->colour(entry.colour, entry.opacity);
      if (entry.shape == Mark::Shape::box)
        canvas->rectangle(x, at - 8, 12, 9);
      else if (entry.shape == Mark::Shape::hatched)
        hatch(*canvas, x, at - 8, 16, 9);
      else
        canvas->line(x, at - 3, x + 14, at - 3, 2, entry.shape == Mark::Shape::dashed);
      if (entry.form > 0)
        canvas->marker(x + 7, at - 3, 3.2, entry.form - 1);
      canvas->colour(ink);
      canvas->text(x + 20, at, canvas->fitted(entry.label, wide - 22, 9), 9);
    }
    x += wide + 6;
  }
  return height;
}

void draw_events(Canvas& canvas, const Picture& picture, const PlacedPanel& first, double bottom)
{
  constexpr std::size_t most = 200;
  const std::size_t shown = std::min(most, picture.events.size());
  std::vector<std::string> names;
  std::vector<LabelSpan> spans;
  for (std::size_t i = 0; i < shown; ++i) {
    names.push_back(canvas.fitted(picture.events[i].second, 130, 8));
    const double wide = canvas.text_width(names.back(), 8) + 4;
    const double from = std::min(first.x(picture.events[i].first) + 2, picture.width - wide);
    spans.push_back({from, from + wide});
  }
  const std::vector<int> rows = label_rows(spans, event_rows);
  const double top = first.top() - 20;
  std::size_t unnamed = picture.events.size() - shown;
  for (std::size_t i = 0; i < shown; ++i) {
    const double x = first.x(picture.events[i].first), y = top - 4 - event_row * std::max(0, rows[i]);
    canvas.colour(okabe_ito[1]);
    canvas.line(x, rows[i] < 0 ? top : y - 6, x, bottom, 0.9, true);
    if (rows[i] >= 0)
      canvas.text(spans[i].from, y, names[i], 8);
    else
      ++unnamed;
  }
  canvas.colour(quiet_ink);
  if (unnamed > 0)
    canvas.text(picture.width - picture.right, 20,
                fmt::format("dashed: failures; {} more than there is room to name", unnamed), 9, Anchor::right);
}

} // namespace

double PlotAxis::share(double value) const
{
  return logarithmic ? (std::log(std::max(value, low * 1e-3)) - std::log(low)) / (std::log(high) - std::log(low))
                     : (value - low) / (high - low);
}

std::vector<double> PlotAxis::ticks() const
{
  std::vector<double> list;
  if (logarithmic) {
    const double decades = std::log10(high / low);
    double power = std::pow(10, std::floor(std::log10(low)));
    while (power <= high * 1.0001) {
      for (const double factor : {1.0, 2.0, 5.0})
        if ((factor == 1 || decades < 3) && power * factor >= low * 0.9999 && power * factor <= high * 1.0001)
          list.push_back(power * factor);
      power *= 10;
    }
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
  double value = std::ceil(low / step) * step;
  while (value <= high * 1.0001) {
    list.push_back(std::abs(value) < step * 1e-9 ? 0 : value);
    value += step;
  }
  return list;
}

PlotAxis plot_axis(const std::vector<double>& values)
{
  PlotAxis axis;
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

Mark box(double x0, double x1, double y0, double y1, Colour colour, double opacity, std::string label)
{
  return {Mark::Shape::box, x0, x1, y0, y1, colour, opacity, 0, std::move(label)};
}

Mark line(double x0, double x1, double y0, double y1, Colour colour, double thickness, bool dashed)
{
  return {dashed ? Mark::Shape::dashed : Mark::Shape::line, x0, x1, y0, y1, colour, 1, thickness};
}

Mark marker(double x, double y, Colour colour, double radius, double opacity, std::size_t form)
{
  return {Mark::Shape::marker, x, x, y, y, colour, opacity, radius, {}, Anchor::left, form};
}

Mark words(double x, double y, Colour colour, std::string text, Anchor anchor)
{
  return {Mark::Shape::text, x, x, y, y, colour, 1, 0, std::move(text), anchor};
}

Mark series_line(std::size_t series, std::string label)
{
  Mark mark = line(0, 0, 0, 0, okabe_ito[series % okabe_ito.size()], 1.4, series >= okabe_ito.size());
  mark.label = std::move(label);
  return mark;
}

void add_line(std::vector<Mark>& marks, const std::vector<std::pair<double, double>>& points, const Mark& as)
{
  for (std::size_t i = 1; i < points.size(); ++i) {
    Mark& mark = marks.emplace_back(as);
    mark.label.clear();
    std::tie(mark.x0, mark.y0) = points[i - 1];
    std::tie(mark.x1, mark.y1) = points[i];
  }
}

bool draw(const Picture& picture, const std::filesystem::path& path)
{
  if (picture.panels.empty())
    return false;
  double height = (picture.title.empty() ? 0 : 20) + (picture.note.empty() ? 4 : 20) +
                  (picture.events.empty() ? 0 : event_rows * event_row);
  std::vector<PlacedPanel> placed;
  for (const PicturePanel& panel : picture.panels) {
    height += (panel.title.empty() ? 12 : 30) + (panel.note.empty() ? 0 : 14);
    const PicturePanel* const next = &panel == &picture.panels.back() ? nullptr : &panel + 1;
    const bool numbered = next == nullptr || panel.kind == PicturePanel::Kind::number || next->x.low != panel.x.low ||
                          next->x.high != panel.x.high;
    placed.emplace_back(picture, panel, height, numbered);
    height += panel.height + (numbered ? 24 : 2) + (panel.x_title.empty() ? 0 : 10);
  }
  const double below = height;
  height += legend_rows(nullptr, picture, 0) + (picture.footer.empty() ? 8 : 26);
  draw_to_files(path, picture.width, height, [&](Canvas& canvas) {
    canvas.colour(ink);
    canvas.text(12, 20, canvas.fitted(picture.title, picture.width - 30, 12), 12, Anchor::left, true);
    canvas.colour(quiet_ink);
    canvas.text(12, picture.title.empty() ? 18 : 36, picture.note, 9);
    for (const PlacedPanel& panel : placed)
      panel.draw(canvas);
    if (!picture.events.empty())
      draw_events(canvas, picture, placed.front(), placed.back().bottom());
    const double rows = legend_rows(&canvas, picture, below + 12);
    canvas.colour(quiet_ink);
    canvas.text(picture.left, below + rows + 14, picture.footer, 9);
  });
  return true;
}

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
