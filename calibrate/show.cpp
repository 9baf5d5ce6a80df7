// SPDX-License-Identifier: Apache-2.0
#include "calibrate/show.hpp"

#include "calibrate/measurement.hpp"
#include "models/core/quantity_text.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace trainyard::calibrate {
namespace {

std::string padded(std::string text, std::size_t width)
{
  // Counts characters, not bytes, so that "µs" and "±" stay in their column.
  const auto length = static_cast<std::size_t>(
      std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
  if (length < width)
    text.append(width - length, ' ');
  return text;
}

std::string percent(double share)
{
  return to_string(std::round(share * 1000) / 10, 4) + " %";
}

std::string bars(const Bounded& value)
{
  if (value.value <= 0)
    return "";
  return "-" + percent(1 - value.low / value.value) + " +" + percent(value.high / value.value - 1);
}

double rate(const CurvePoint& point, double seconds)
{
  return seconds > 0 ? point.size / seconds : 0;
}

std::string short_number(double value)
{
  for (const auto& [factor, letter] : {std::pair{1e15, "P"}, {1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1e3, "k"}})
    if (value >= factor * 0.9999)
      return to_string(value / factor, 3) + " " + letter;
  return to_string(value, 3) + " ";
}

std::string escaped(const std::string& text)
{
  std::string out;
  for (const char c : text)
    out += c == '<' ? "&lt;" : c == '>' ? "&gt;" : c == '&' ? "&amp;" : std::string{c};
  return out;
}

} // namespace

std::string with_unit(double value, const std::string& unit)
{
  if (unit == "s")
    return to_text(value, QuantityKind::duration, 4);
  if (unit == "B/s")
    return to_text(value, QuantityKind::bandwidth, 4);
  if (unit == "flop/s")
    return to_text(value, QuantityKind::flops_rate, 4);
  if (unit == "1")
    return percent(value);
  if (unit == "s/B")
    return to_text(value * 1e9, QuantityKind::duration, 4) + " per GB";
  return to_string(value, 4) + " " + unit;
}

std::string show_text(const Profile& profile, const std::string& now)
{
  std::string out = profile.name + "  (" + (profile.provenance == Provenance::data_sheet ? "data sheet" : "measured") +
                    " " + profile.created.substr(0, 10) + ", " + profile.program + ")\n";
  for (const auto& [key, value] : profile.machine)
    out += "  " + padded(key, 24) + value + "\n";
  for (const Message& doubt : doubts(profile, now))
    out += "  doubt: " + doubt.text + "\n";
  out += "\n" + padded("constant", 40) + padded("value", 20) + padded("95 % bars", 20) + "samples\n";
  for (const CalibratedConstant& constant : profile.constants)
    out += padded(constant.name, 40) + padded(with_unit(constant.value.value, constant.unit), 20) +
           padded(bars(constant.value), 20) + std::to_string(constant.samples) +
           (constant.state.empty() ? "" : "  " + constant.state) + (constant.note.empty() ? "" : "  " + constant.note) +
           "\n";
  if (!profile.curves.empty())
    out += "\n" + padded("curve", 32) + padded("from", 12) + padded("to", 12) + padded("start-up", 14) + "rate\n";
  for (const CalibratedCurve& curve : profile.curves)
    for (std::size_t i = 0; i < curve.fit.pieces.size(); ++i) {
      const FitPiece& piece = curve.fit.pieces[i];
      out +=
          padded(i == 0 ? curve.name : "", 32) + padded(short_number(piece.from) + curve.size_unit, 12) +
          padded(short_number(piece.to) + curve.size_unit, 12) +
          padded(to_text(piece.start_up, QuantityKind::duration, 3), 14) +
          (piece.rate > 1e17 ? "independent of size" : short_number(piece.rate) + curve.size_unit + "/s") +
          (curve.roof ? "  (" + percent(piece.rate / *curve.roof) + " of the peak, " + curve.roof_source + ")" : "") +
          "\n";
    }
  for (const MissingPart& part : profile.missing)
    out += (&part == &profile.missing.front() ? "\nnot measured: " : "              ") + part.measurement + ": " +
           part.why + "\n";
  return out;
}

Drawing draw_curve(const CalibratedCurve& curve)
{
  Drawing drawing;
  const double left = 84, right = 616, top = 44, bottom = 360;
  double x0 = std::numeric_limits<double>::infinity(), x1 = 0, y0 = x0, y1 = 0;
  for (const CurvePoint& point : curve.points) {
    x0 = std::min(x0, point.size);
    x1 = std::max(x1, point.size);
    y0 = std::min(y0, rate(point, point.third_quartile));
    y1 = std::max(y1, rate(point, point.first_quartile));
  }
  if (curve.roof)
    y1 = std::max(y1, *curve.roof);
  if (!(x1 > 0) || !(y0 > 0))
    return drawing;
  x0 /= 1.5, x1 *= 1.5, y0 /= 1.5, y1 *= 1.5;
  const auto x = [&](double size) { return left + (right - left) * std::log(size / x0) / std::log(x1 / x0); };
  const auto y = [&](double value) { return bottom - (bottom - top) * std::log(value / y0) / std::log(y1 / y0); };

  const auto grid = [&](double from, double to, bool across) {
    const double decades = std::log10(to / from);
    std::vector<double> values;
    for (double power = std::pow(10, std::floor(std::log10(from))); power <= to; power *= decades > 8 ? 1000 : 10)
      for (const double digit : {1.0, 2.0, 5.0})
        if (digit == 1 || decades <= 1.2)
          values.push_back(digit * power);
    for (const double value : values) {
      if (value < from || value > to)
        continue;
      if (across) {
        drawing.lines.push_back({{{left, y(value)}, {right, y(value)}}, "#dddddd", 1, false});
        drawing.texts.push_back(
            {left - 6, y(value) + 4, short_number(value) + curve.size_unit + "/s", 11, 1, "#444444", false});
      } else {
        drawing.lines.push_back({{{x(value), top}, {x(value), bottom}}, "#dddddd", 1, false});
        drawing.texts.push_back(
            {x(value), bottom + 18, short_number(value) + curve.size_unit, 11, 0, "#444444", false});
      }
    }
  };
  grid(x0, x1, false);
  grid(y0, y1, true);
  drawing.lines.push_back({{{left, top}, {left, bottom}, {right, bottom}}, "#444444", 1, false});
  if (curve.roof) {
    drawing.lines.push_back({{{left, y(*curve.roof)}, {right, y(*curve.roof)}}, "#b03030", 1.5, true});
    drawing.texts.push_back({right, y(*curve.roof) - 5, "peak: " + curve.roof_source, 11, 1, "#b03030", false});
  }
  for (const FitPiece& piece : curve.fit.pieces) {
    Drawing::Line line{{}, "#1f6fb4", 2, false};
    for (int i = 0; i <= 40; ++i) {
      const double size = piece.from * std::pow(piece.to / piece.from, i / 40.0);
      if (const double seconds = piece.start_up + size / piece.rate; seconds > 0)
        line.points.emplace_back(x(size), std::clamp(y(size / seconds), top, bottom));
    }
    if (line.points.size() > 1)
      drawing.lines.push_back(std::move(line));
  }
  for (const CurvePoint& point : curve.points) {
    drawing.lines.push_back(
        {{{x(point.size), y(rate(point, point.first_quartile))}, {x(point.size), y(rate(point, point.third_quartile))}},
         "#222222",
         1,
         false});
    drawing.dots.push_back(
        {x(point.size), y(rate(point, point.median)), 3.5, point.state.empty() ? "#222222" : "#e08a00"});
  }
  drawing.texts.push_back({left, 20, curve.name, 14, -1, "#222222", false});
  drawing.texts.push_back(
      {left, 36, "rate over size; dots: median and quartiles, line: fit", 11, -1, "#222222", false});
  drawing.texts.push_back({(left + right) / 2, 402, "size", 12, 0, "#222222", false});
  return drawing;
}

std::vector<Difference> differences(const Profile& before, const Profile& after, double limit)
{
  std::vector<Difference> list;
  for (const CalibratedConstant& old : before.constants) {
    Difference difference{old.name, old.unit, old.value, std::nullopt, 0, false, false};
    if (const CalibratedConstant* fresh = after.find(old.name)) {
      difference.after = fresh->value;
      difference.relative = old.value.value > 0 ? fresh->value.value / old.value.value - 1 : 0;
      difference.within_bars = old.value.low <= fresh->value.high && fresh->value.low <= old.value.high;
      difference.within_limit = std::abs(difference.relative) <= limit;
    }
    list.push_back(std::move(difference));
  }
  for (const CalibratedConstant& fresh : after.constants)
    if (before.find(fresh.name) == nullptr)
      list.push_back({fresh.name, fresh.unit, std::nullopt, fresh.value, 0, false, false});
  return list;
}

std::string diff_text(const Profile& before, const Profile& after, double limit)
{
  std::string out =
      padded("constant", 40) + padded(before.name, 18) + padded(after.name, 18) + padded("change", 10) + "verdict\n";
  int differ = 0, compared = 0;
  for (const Difference& difference : differences(before, after, limit)) {
    std::string verdict = "only in one";
    if (difference.before && difference.after) {
      ++compared;
      verdict = difference.within_limit  ? "equal within " + percent(limit)
                : difference.within_bars ? "equal within the error bars"
                                         : "DIFFERENT";
      differ += !difference.within_limit && !difference.within_bars ? 1 : 0;
    }
    out += padded(difference.name, 40) +
           padded(difference.before ? with_unit(difference.before->value, difference.unit) : "-", 18) +
           padded(difference.after ? with_unit(difference.after->value, difference.unit) : "-", 18) +
           padded(difference.before && difference.after ? percent(difference.relative) : "", 10) + verdict + "\n";
  }
  return out + "\n" + std::to_string(differ) + " of " + std::to_string(compared) + " constants differ by more than " +
         percent(limit) + " and more than their error bars\n";
}

std::string svg_text(const Drawing& drawing)
{
  const std::string w = to_string(drawing.width), h = to_string(drawing.height);
  std::string out =
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" + w + "\" height=\"" + h + "\" viewBox=\"0 0 " + w + " " +
      h + "\" font-family=\"DejaVu Sans, sans-serif\">\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n";
  for (const Drawing::Line& line : drawing.lines) {
    out += "<polyline fill=\"none\" stroke=\"" + line.colour + "\" stroke-width=\"" + to_string(line.width) + "\"" +
           (line.dashed ? " stroke-dasharray=\"6 4\"" : "") + " points=\"";
    for (const auto& [x, y] : line.points)
      out += to_string(x, 6) + "," + to_string(y, 6) + " ";
    out += "\"/>\n";
  }
  for (const Drawing::Dot& dot : drawing.dots)
    out += "<circle cx=\"" + to_string(dot.x, 6) + "\" cy=\"" + to_string(dot.y, 6) + "\" r=\"" +
           to_string(dot.radius) + "\" fill=\"" + dot.colour + "\"/>\n";
  for (const Drawing::Text& text : drawing.texts) {
    const std::string place = "x=\"" + to_string(text.x, 6) + "\" y=\"" + to_string(text.y, 6) + "\"";
    out +=
        "<text " + place + " font-size=\"" + to_string(text.size) + "\" fill=\"" + text.colour + "\" text-anchor=\"" +
        (text.anchor < 0   ? "start"
         : text.anchor > 0 ? "end"
                           : "middle") +
        "\"" +
        (text.upright ? " transform=\"rotate(-90 " + to_string(text.x, 6) + " " + to_string(text.y, 6) + ")\"" : "") +
        ">" + escaped(text.text) + "</text>\n";
  }
  return out + "</svg>\n";
}

} // namespace trainyard::calibrate
