// SPDX-License-Identifier: Apache-2.0
/// One step as bars: a row per lane, colours by what the work is for.
#include "models/core/figure_text.hpp"
#include "sim/report/files.hpp"
#include "sim/report/picture.hpp"
#include "sim/results/breakdown.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <tuple>
#include <vector>

namespace trainyard {
namespace {

constexpr std::size_t most_lanes = 28;
constexpr std::size_t most_rows_per_lane = 4;

Colour colour_of(Role role)
{
  switch (role) {
  case Role::forward:
    return okabe_ito[5];
  case Role::backward:
    return okabe_ito[0];
  case Role::push:
  case Role::exchange:
    return okabe_ito[1];
  case Role::pull:
    return okabe_ito[4];
  case Role::aggregate:
    return okabe_ito[3];
  case Role::update:
    return okabe_ito[2];
  case Role::input:
    return {0.55, 0.45, 0.35};
  case Role::other:
    break;
  }
  return {0.6, 0.6, 0.6};
}

constexpr Colour bottleneck_colour{0.55, 0.12, 0.12}; // none of the roles

struct LaneBars {
  std::string name;
  LaneKind kind = LaneKind::compute;
  std::vector<std::vector<const TraceSpan*>> rows;
};

int order_of(const LaneBars& lane)
{
  return lane.kind == LaneKind::host ? 1 : 0;
}

struct ShownStep {
  Seconds begin;
  Seconds end;
  int step = 0;
};

/// The last step of which everything is there.
ShownStep window_of(const Results& results, const std::string& point, const std::string& job)
{
  Seconds latest;
  for (const TraceSpan& span : results.spans)
    if (span.point == point && span.job == job)
      latest = std::max(latest, span.end);
  ShownStep window;
  for (const StepRow& row : results.steps)
    if (row.point == point && row.job == job && row.end <= latest * (1 + 1e-9) && row.end > window.end &&
        row.end > row.begin)
      window = {row.begin, row.end, row.step};
  if (window.end.value() <= 0)
    window = {Seconds{0}, latest, 0};
  return window;
}

std::vector<LaneBars> lanes_of(const Results& results, const std::string& point, const std::string& job,
                               const ShownStep& window)
{
  std::vector<const TraceSpan*> spans;
  for (const TraceSpan& span : results.spans)
    if (span.point == point && span.job == job && span.end > window.begin && span.begin < window.end)
      spans.push_back(&span);
  std::ranges::stable_sort(spans, {}, [](const TraceSpan* span) { return std::tuple{span->begin, span->end}; });
  const Seconds tolerance = 1e-6 * (window.end - window.begin); // rounding is not overlap
  std::vector<LaneBars> lanes;
  for (const TraceSpan* span : spans) {
    auto lane = std::ranges::find(lanes, span->lane, &LaneBars::name);
    if (lane == lanes.end())
      lane = lanes.insert(lanes.end(), {span->lane, span->kind, {}});
    auto row =
        std::ranges::find_if(lane->rows, [&](const auto& bars) { return bars.back()->end <= span->begin + tolerance; });
    if (row != lane->rows.end())
      row->push_back(span);
    else if (lane->rows.size() < most_rows_per_lane)
      lane->rows.push_back({span});
    else
      lane->rows.back().push_back(span); // drawn over each other
  }
  // names with numbers in their natural order: worker-2 before worker-10
  const auto key = [](const LaneBars& lane) {
    std::string text;
    for (std::size_t i = 0; i < lane.name.size();) {
      if (std::isdigit(static_cast<unsigned char>(lane.name[i])) == 0) {
        text += lane.name[i++];
        continue;
      }
      std::size_t digits = i;
      while (digits < lane.name.size() && std::isdigit(static_cast<unsigned char>(lane.name[digits])) != 0)
        ++digits;
      text += std::string(digits - i < 8 ? 8 - (digits - i) : 0, '0') + lane.name.substr(i, digits - i);
      i = digits;
    }
    return std::tuple{order_of(lane), text.substr(0, text.find(' ')), static_cast<int>(lane.kind), text};
  };
  std::ranges::stable_sort(lanes, {}, key);
  return lanes;
}

/// What a bar is called: its colour already says "forward".
std::string name_of(const TraceSpan& span)
{
  const std::string role = to_text(span.role) + " ";
  return span.name.starts_with(role) ? span.name.substr(role.size()) : span.name;
}

} // namespace

BottleneckLane bottleneck_lane(const Results& results, const std::string& point, const std::string& job, Seconds begin,
                               Seconds end)
{
  const auto row =
      std::ranges::find_if(results.jobs, [&](const JobRow& one) { return one.point == point && one.job == job; });
  if (row == results.jobs.end())
    return {};
  BottleneckLane lane{row->bottleneck.text.substr(0, row->bottleneck.text.find(':')), {}};
  const auto add = [&](Seconds from, Seconds to, double load) {
    from = std::max(from, begin);
    to = std::min(to, end);
    if (to <= from)
      return;
    if (!lane.parts.empty() && from <= lane.parts.back().end && load == lane.parts.back().load)
      lane.parts.back().end = std::max(lane.parts.back().end, to);
    else
      lane.parts.push_back({from, to, load});
  };
  const LinkRow* link = nullptr; // "NIC of ps-0 (in)": the fuller direction
  for (const LinkRow& one : results.links)
    if (one.point == point && (one.label == lane.name || one.label.starts_with(lane.name + " (")))
      if (link == nullptr || one.utilisation > link->utilisation)
        link = &one;
  if (link != nullptr)
    for (const LinkLoad& load : results.link_loads)
      if (load.point == point && load.link == link->link)
        for (const LinkLoad::Part& part : load.parts)
          add(part.begin, part.end, part.load);
  if (!lane.parts.empty()) {
    lane.name = link->label;
    return lane;
  }
  const std::size_t of = lane.name.rfind(" of ");
  if (of == std::string::npos)
    return {};
  const std::string task = lane.name.substr(of + 4);
  const auto names = [&](const std::string& text) {
    const std::size_t at = text.find(task);
    const auto ends = [&](std::size_t i) {
      return i >= text.size() || std::isalnum(static_cast<unsigned char>(text[i])) == 0;
    };
    return at != std::string::npos && (at == 0 || ends(at - 1)) && ends(at + task.size());
  };
  std::vector<const TraceSpan*> messages;
  for (const TraceSpan& span : results.spans)
    if (span.point == point && span.job == job && span.kind != LaneKind::compute &&
        (names(span.name) || names(span.lane)))
      messages.push_back(&span);
  std::ranges::stable_sort(messages, {}, &TraceSpan::begin);
  for (const TraceSpan* span : messages)
    add(span->begin, span->end, 1);
  return lane.parts.empty() ? BottleneckLane{} : lane;
}

namespace {

/// Its bars, row by row in the lanes of the panel.
void add_bars(const LaneBars& lane, Seconds begin, PicturePanel& panel)
{
  for (const auto& row : lane.rows) {
    const auto y = static_cast<double>(panel.lanes.size());
    panel.lanes.push_back(&row == &lane.rows.front() ? lane.name : std::string{});
    for (const TraceSpan* span : row)
      panel.marks.push_back(box((span->begin - begin).value(), (span->end - begin).value(), y + 0.06, y + 0.94,
                                colour_of(span->role), 1, name_of(*span)));
  }
}

/// All ticks in one unit, without unnecessary digits.
std::vector<AxisTick> ticks_of(double length)
{
  const auto [factor, unit] = length < 1e-3 ? std::pair{1e6, "us"}
                              : length < 1  ? std::pair{1e3, "ms"}
                                            : std::pair{1.0, "s"};
  std::vector<AxisTick> ticks;
  for (const double at : PlotAxis{0, length * factor}.ticks())
    ticks.push_back({at / factor, fmt::format("{:.4g} {}", at, unit)});
  return ticks;
}

} // namespace

bool plot_timeline(const Results& results, const std::filesystem::path& path)
{
  if (results.spans.empty())
    return false;
  const std::string& point = results.spans.back().point;
  const std::string& job = results.spans.back().job;
  const ShownStep window = window_of(results, point, job);
  std::vector<LaneBars> lanes = lanes_of(results, point, job, window);
  if (lanes.empty() || window.end <= window.begin)
    return false;
  const Seconds length = window.end - window.begin;
  Picture picture{
      .title = fmt::format("One step of {}: {}{}", job, time_text(length), point.empty() ? "" : "  (" + point + ")"),
      .left = 60};
  PicturePanel panel{.kind = PicturePanel::Kind::number,
                     .x = {0, length.value()},
                     .x_ticks = ticks_of(length.value()),
                     .x_title = "time within the step"};
  if (const BottleneckLane held = bottleneck_lane(results, point, job, window.begin, window.end); !held.parts.empty()) {
    panel.lanes.push_back("bottleneck: " + held.name);
    for (const BottleneckLane::Part& part : held.parts)
      panel.marks.push_back(box((part.begin - window.begin).value(), (part.end - window.begin).value(),
                                0.94 - 0.88 * std::clamp(part.load, 0.0, 1.0), 0.94, bottleneck_colour));
  }
  if (lanes.size() > most_lanes) { // a worker's lanes and the servers are the most useful: keep both ends
    const std::size_t hidden = lanes.size() - most_lanes;
    const auto first = lanes.begin() + most_lanes / 2;
    lanes.erase(first, first + static_cast<std::ptrdiff_t>(hidden));
    picture.footer = fmt::format("{} more lanes in trace.json.gz (open it in ui.perfetto.dev)", hidden);
  }
  for (const LaneBars& lane : lanes)
    add_bars(lane, window.begin, panel);
  for (const std::string& name : panel.lanes)
    picture.left = std::clamp(6.1 * static_cast<double>(text_width(name)) + 28, picture.left, 246.0);
  picture.width = picture.left + 894;
  panel.height = 19 * static_cast<double>(panel.lanes.size());
  for (const Role role : {Role::input, Role::forward, Role::backward, Role::push, Role::exchange, Role::aggregate,
                          Role::update, Role::pull, Role::other}) // those that occur
    if (std::ranges::any_of(lanes, [&](const LaneBars& lane) {
          return std::ranges::any_of(lane.rows, [&](const auto& row) {
            return std::ranges::any_of(row, [&](const TraceSpan* span) { return span->role == role; });
          });
        }))
      picture.legend.push_back(box(0, 0, 0, 0, colour_of(role), 1, to_text(role)));
  picture.panels.push_back(std::move(panel));
  return draw(picture, path);
}

void write_plots(const Results& results, const std::filesystem::path& folder)
{
  plot_timeline(results, folder / "timeline");
  plot_throughput(results, folder / "throughput");
}

} // namespace trainyard
