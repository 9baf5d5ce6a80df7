// SPDX-License-Identifier: Apache-2.0
#include "models/core/figure_text.hpp"
#include "sim/sources/retraining/environment_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace trainyard {
namespace {

constexpr std::array<Colour, 9> segment_colours = {Colour{0.70, 0.72, 0.75},
                                                   okabe_ito[5],
                                                   Colour{0.55, 0.60, 0.85},
                                                   okabe_ito[4],
                                                   okabe_ito[0],
                                                   okabe_ito[2],
                                                   okabe_ito[3],
                                                   Colour{0.40, 0.75, 0.75},
                                                   okabe_ito[1]};

std::vector<Mark> segment_legend()
{
  std::vector<Mark> entries;
  for (std::size_t i = 0; i < segment_names.size(); ++i)
    entries.push_back(box(0, 0, 0, 0, segment_colours[i], 1, std::string{segment_names[i]}));
  return entries;
}

/// A request in the first of three rows of its model's lane that is free: its segments, and how it ended.
void add_request(const Request& request, std::array<Instant, 3>& free_at, std::vector<Mark>& marks)
{
  auto row = std::ranges::find_if(free_at, [&](Instant free) { return free <= request.need; });
  if (row == free_at.end())
    row = std::ranges::min_element(free_at);
  *row = request.end;
  const double y = request.model + 0.04 + 0.23 * static_cast<double>(row - free_at.begin());
  Instant at = request.need;
  for (std::size_t i = 0; i < request.spent.size(); ++i)
    if (request.spent[i] != Instant{0}) {
      marks.push_back(box(at.value(), (at + request.spent[i]).value(), y, y + 0.2, segment_colours[i]));
      at += request.spent[i];
    }
  if (request.ended == RequestEnd::open)
    return;
  const bool deployed = request.ended == RequestEnd::deployed;
  marks.push_back(marker(request.end.value(), y + 0.1, deployed ? okabe_ito[2] : ink));
  if (!deployed)
    marks.back().shape = Mark::Shape::cross;
}

} // namespace

Picture lanes_picture(const EnvironmentRunSet& set)
{
  constexpr std::size_t most_lanes = 24;
  constexpr double readable = 14; // requests of a model: of a long run its beginning
  const EnvironmentResult& result = set.runs.front();
  if (result.requests.empty())
    return {};
  double last = 0;
  for (const Request& request : result.requests)
    last = std::max(last, request.end.value());
  double high = std::min(result.end.value(), last * 1.05); // nothing happens any more
  const double per_lane = static_cast<double>(result.requests.size()) / static_cast<double>(result.models.size());
  high *= std::min(1.0, readable / per_lane);
  const std::size_t lanes = std::min(result.models.size(), most_lanes);
  PicturePanel panel{.x = {0, high},
                     .height = static_cast<double>(lanes) * (lanes > 12 ? 34 : 50),
                     .lanes = {result.models.begin(), result.models.begin() + static_cast<std::ptrdiff_t>(lanes)}};
  for (std::size_t model = 0; model < lanes; ++model)
    for (const auto& [from, to] : stale_times(result, static_cast<int>(model)))
      if (from.value() < high) {
        const auto y = static_cast<double>(model);
        panel.marks.push_back(box(from.value(), to.value(), y + 0.72, y + 0.96, ink));
        panel.marks.back().shape = Mark::Shape::hatched;
      }
  std::vector<std::array<Instant, 3>> free_at(lanes, {Instant{-1}, Instant{-1}, Instant{-1}});
  for (const Request& request : result.requests)
    if (static_cast<std::size_t>(request.model) < lanes && request.need.value() < high)
      add_request(request, free_at[static_cast<std::size_t>(request.model)], panel.marks);
  Picture picture{.title = set.title,
                  .note = "retraining requests of each model; requests at the same time are stacked; hatched: time in "
                          "which a stale model served",
                  .width = 860,
                  .left = 120,
                  .legend = segment_legend(),
                  .footer = "dot: deployed; cross: stopped, merged into a newer one, dropped or failed"};
  if (per_lane > readable)
    picture.note += fmt::format("; the first {}", time_text(Seconds{high}));
  if (lanes < result.models.size())
    picture.note += fmt::format("; {} of {} models", lanes, result.models.size());
  picture.legend.push_back({.shape = Mark::Shape::hatched, .label = "stale model serves"});
  picture.panels.push_back(std::move(panel));
  return picture;
}

Picture segments_picture(const std::vector<EnvironmentRunSet>& sets)
{
  constexpr std::size_t most_bars = 30;
  const std::size_t bars = std::min(sets.size(), most_bars);
  PicturePanel panel{.kind = PicturePanel::Kind::elapsed, .x = {0, 1e-9}, .height = 26 * static_cast<double>(bars)};
  for (std::size_t i = 0; i < bars; ++i) {
    const EnvironmentMetrics& metrics = sets[i].metrics;
    panel.lanes.push_back(sets[i].title);
    double x = 0;
    const auto y = static_cast<double>(i);
    for (std::size_t s = 0; s < metrics.segment_s.size(); ++s) {
      panel.marks.push_back(box(x, x + metrics.segment_s[s], y + 0.1, y + 0.75, segment_colours[s]));
      x += metrics.segment_s[s];
    }
    panel.marks.push_back(words(x, y + 0.45, quiet_ink,
                                metrics.completions > 0 ? fmt::format("{} deployed", metrics.completions)
                                                        : std::string{"nothing deployed"}));
    panel.x.high = std::max(panel.x.high, x * 1.2);
  }
  return {.title = "mean time from the need to the deployed model, for deployed models",
          .width = 860,
          .left = 180,
          .panels = {std::move(panel)},
          .legend = segment_legend()};
}

} // namespace trainyard
