// SPDX-License-Identifier: Apache-2.0
#include "models/core/figure_text.hpp"
#include "sim/report/canvas.hpp"
#include "sim/sources/retraining/environment_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace trainyard {
namespace {

constexpr double width = 860, left = 120, right = 20;

constexpr std::array<Colour, 9> segment_colours = {Colour{0.70, 0.72, 0.75},
                                                   okabe_ito[5],
                                                   Colour{0.55, 0.60, 0.85},
                                                   okabe_ito[4],
                                                   okabe_ito[0],
                                                   okabe_ito[2],
                                                   okabe_ito[3],
                                                   Colour{0.40, 0.75, 0.75},
                                                   okabe_ito[1]};

/// A tick of an axis that reaches to @p high: all ticks in one unit.
std::string time_label(double seconds, double high)
{
  if (high >= 4 * 86400)
    return fmt::format("{:.4g} d", seconds / 86400);
  if (high >= 3 * 3600)
    return fmt::format("{:.4g} h", seconds / 3600);
  if (high >= 180)
    return fmt::format("{:.4g} min", seconds / 60);
  return fmt::format("{:.4g} s", seconds);
}

double time_step(double range, int most)
{
  for (const double step : {1.0, 5.0, 15.0, 60.0, 300.0, 900.0, 3600.0, 3.0 * 3600, 6.0 * 3600, 12.0 * 3600, 86400.0,
                            2.0 * 86400, 7.0 * 86400, 28.0 * 86400, 91.0 * 86400, 365.0 * 86400})
    if (range / step <= most)
      return step;
  return range / most;
}

void time_axis(Canvas& canvas, double top, double bottom, double high)
{
  const double span = width - left - right, step = time_step(high, 9);
  for (double t = 0; t <= high * 1.0001; t += step) {
    const double x = left + span * t / high;
    canvas.colour(grid_line);
    canvas.line(x, top, x, bottom, 0.7);
    canvas.colour(quiet_ink);
    canvas.text(x, bottom + 13, time_label(t, high), 9, Anchor::centre);
  }
}

void hatch(Canvas& canvas, double x, double y, double wide, double tall)
{
  canvas.colour({0.835, 0.369, 0.0}, 0.10);
  canvas.rectangle(x, y, wide, tall);
  canvas.clip(x, y, wide, tall);
  canvas.colour({0.835, 0.369, 0.0}, 0.55);
  for (double at = x - tall; at < x + wide; at += 5)
    canvas.line(at, y + tall, at + tall, y, 0.7);
  canvas.unclip();
}

void segment_legend(Canvas& canvas, double y, bool with_stale)
{
  double x = left;
  for (std::size_t i = 0; i < segment_names.size(); ++i) {
    canvas.colour(segment_colours[i]);
    canvas.rectangle(x, y - 8, 10, 9);
    canvas.colour(ink);
    canvas.text(x + 14, y, std::string{segment_names[i]}, 9);
    x += 24 + canvas.text_width(std::string{segment_names[i]}, 9);
  }
  if (with_stale) {
    hatch(canvas, x, y - 8, 16, 9);
    canvas.colour(ink);
    canvas.text(x + 20, y, "stale model serves", 9);
  }
}

} // namespace

void plot_lanes(const std::string& title, const EnvironmentResult& result, const std::filesystem::path& path)
{
  if (result.requests.empty())
    return;
  constexpr std::size_t most_lanes = 24;
  const std::size_t lanes = std::min(result.models.size(), most_lanes);
  // Of a long run its beginning, with a readable number of requests.
  double low = 0, high = seconds(result.end).value(), last = 0;
  for (const Request& request : result.requests)
    last = std::max(last, seconds(request.end).value());
  high = std::min(high, last * 1.05); // nothing happens any more
  constexpr double readable = 14;
  const double per_lane = static_cast<double>(result.requests.size()) / static_cast<double>(result.models.size());
  if (per_lane > readable) {
    low = 0;
    high *= readable / per_lane;
  }
  const double lane = lanes > 12 ? 34 : 50, top = 54, bottom = top + lane * static_cast<double>(lanes),
               span = width - left - right;
  const auto x_of = [&](Instant time) {
    return left + span * std::clamp((seconds(time).value() - low) / (high - low), 0.0, 1.0);
  };
  draw_to_files(path, width, bottom + 56, [&](Canvas& canvas) {
    canvas.colour(ink);
    canvas.text(12, 20, canvas.fitted(title, width - 30, 12), 12, Anchor::left, true);
    std::string note = "retraining requests of each model; requests at the same time are stacked; hatched: time in "
                       "which a stale model served";
    if (per_lane > readable)
      note += fmt::format("; the first {}", time_text(Seconds{high}));
    if (lanes < result.models.size())
      note += fmt::format("; {} of {} models", lanes, result.models.size());
    canvas.colour(quiet_ink);
    canvas.text(12, 36, note, 9);
    time_axis(canvas, top, bottom, high);
    for (std::size_t model = 0; model < lanes; ++model) {
      const double y = top + lane * static_cast<double>(model);
      canvas.colour(grid_line);
      canvas.line(left, y, width - right, y, 0.7);
      canvas.colour(ink);
      canvas.text(left - 8, y + lane / 2 + 3, canvas.fitted(result.models[model], left - 16, 10), 10, Anchor::right);
      for (const auto& [from, to] : stale_times(result, static_cast<int>(model)))
        if (seconds(from).value() < high)
          hatch(canvas, x_of(from), y + lane * 0.72, std::max(0.5, x_of(to) - x_of(from)), lane * 0.24);
    }
    std::vector<std::array<Instant, 3>> free_at(lanes, {Instant{-1}, Instant{-1}, Instant{-1}});
    for (const Request& request : result.requests) {
      if (static_cast<std::size_t>(request.model) >= lanes || seconds(request.need).value() >= high)
        continue;
      auto& rows = free_at[static_cast<std::size_t>(request.model)];
      const auto row = std::ranges::find_if(rows, [&](Instant free) { return free <= request.need; });
      const auto place = static_cast<std::size_t>(row == rows.end() ? std::ranges::min_element(rows) - rows.begin()
                                                                    : row - rows.begin());
      rows[place] = request.end;
      const double tall = lane * 0.2, y = top + lane * request.model + 2 + lane * 0.23 * static_cast<double>(place);
      Instant at = request.need;
      for (std::size_t i = 0; i < request.spent.size(); ++i) {
        if (request.spent[i] == Instant{0})
          continue;
        const double x0 = x_of(at), x1 = x_of(at + request.spent[i]);
        canvas.colour(segment_colours[i]);
        canvas.rectangle(x0, y, std::max(0.6, x1 - x0), tall);
        at += request.spent[i];
      }
      const double end = x_of(request.end);
      if (request.ended == RequestEnd::deployed && seconds(request.end).value() < high) {
        canvas.colour(okabe_ito[2]);
        canvas.marker(end, y + tall / 2, 2.6, 0);
      } else if (request.ended != RequestEnd::open && seconds(request.end).value() < high) {
        canvas.colour(ink);
        canvas.line(end - 2.5, y + tall / 2 - 2.5, end + 2.5, y + tall / 2 + 2.5, 1.1);
        canvas.line(end - 2.5, y + tall / 2 + 2.5, end + 2.5, y + tall / 2 - 2.5, 1.1);
      }
    }
    segment_legend(canvas, bottom + 32, true);
    canvas.colour(quiet_ink);
    canvas.text(left, bottom + 48, "dot: deployed; cross: stopped, merged into a newer one, dropped or failed", 9);
  });
}

void plot_segments(const std::vector<EnvironmentRunSet>& sets, const std::filesystem::path& path)
{
  constexpr std::size_t most_bars = 30;
  const std::size_t bars = std::min(sets.size(), most_bars);
  double high = 1e-9;
  for (const EnvironmentRunSet& set : sets) {
    double sum = 0;
    for (const double segment : set.metrics.segment_s)
      sum += segment;
    high = std::max(high, sum);
  }
  high *= 1.2;
  const double bar = 26, top = 46, bottom = top + bar * static_cast<double>(bars), span = width - left - right - 60;
  draw_to_files(path, width, bottom + 44, [&](Canvas& canvas) {
    canvas.colour(ink);
    canvas.text(12, 20, "mean time from the need to the deployed model, for deployed models", 12, Anchor::left, true);
    const double step = time_step(high, 8);
    for (double t = 0; t <= high; t += step) {
      const double x = left + 60 + span * t / high;
      canvas.colour(grid_line);
      canvas.line(x, top - 8, x, bottom, 0.7);
      canvas.colour(quiet_ink);
      canvas.text(x, bottom + 13, time_label(t, high), 9, Anchor::centre);
    }
    for (std::size_t i = 0; i < bars; ++i) {
      const EnvironmentRunSet& set = sets[i];
      const double y = top + bar * static_cast<double>(i);
      canvas.colour(ink);
      canvas.text(left + 52, y + bar / 2 + 1, canvas.fitted(set.title, left + 40, 9), 9, Anchor::right);
      double x = left + 60;
      for (std::size_t s = 0; s < set.metrics.segment_s.size(); ++s) {
        const double wide = span * set.metrics.segment_s[s] / high;
        canvas.colour(segment_colours[s]);
        canvas.rectangle(x, y + 2, wide, bar - 9);
        x += wide;
      }
      canvas.colour(quiet_ink);
      canvas.text(x + 5, y + bar / 2 + 1,
                  set.metrics.completions > 0 ? fmt::format("{} deployed", set.metrics.completions)
                                              : std::string{"nothing deployed"},
                  9);
    }
    segment_legend(canvas, bottom + 34, false);
  });
}

} // namespace trainyard
