// SPDX-License-Identifier: Apache-2.0
/// One step as bars: a row per lane, colours by what the work is for.
#include "models/core/figure_text.hpp"
#include "sim/report/canvas.hpp"
#include "sim/report/plots.hpp"
#include "sim/results/breakdown.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <map>
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

/// 1, 2 or 5 times a power of ten, so that about eight fit.
double tick_distance(double length)
{
  const double rough = length / 8;
  const double decade = std::pow(10, std::floor(std::log10(rough)));
  for (const double factor : {1.0, 2.0, 5.0})
    if (factor * decade >= rough)
      return factor * decade;
  return 10 * decade;
}

/// All ticks in one unit, without unnecessary digits.
std::string tick_text(double seconds, double length)
{
  const auto [factor, unit] = length < 1e-3 ? std::pair{1e6, "us"}
                              : length < 1  ? std::pair{1e3, "ms"}
                                            : std::pair{1.0, "s"};
  return fmt::format("{:.4g} {}", seconds * factor, unit);
}

bool is_light(Colour colour)
{
  return 0.3 * colour.red + 0.59 * colour.green + 0.11 * colour.blue > 0.5;
}

void paint_bar(Canvas& canvas, const TraceSpan& span, double left, double right, double y, double height)
{
  const Colour colour = colour_of(span.role);
  canvas.colour(colour);
  const double width = std::max(right - left, 0.4);
  canvas.rectangle(left, y, width > 3 ? width - 0.6 : width, height);
  if (width < 26 || height < 10)
    return;
  // the colour already says "forward"
  const std::string role = to_text(span.role) + " ";
  const std::string name = span.name.starts_with(role) ? span.name.substr(role.size()) : span.name;
  const std::string text = canvas.fitted(name, width - 6, 8.5);
  if (text.empty())
    return;
  canvas.colour(is_light(colour) ? ink : Colour{1, 1, 1});
  canvas.text(left + 3, y + height / 2 + 3, text, 8.5);
}

} // namespace

BottleneckLane bottleneck_lane(const Results& results, const std::string& point, const std::string& job, Seconds begin,
                               Seconds end)
{
  const auto row =
      std::ranges::find_if(results.jobs, [&](const JobRow& one) { return one.point == point && one.job == job; });
  if (row == results.jobs.end())
    return {};
  BottleneckLane lane{row->bottleneck.substr(0, row->bottleneck.find(':')), {}};
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

/// The picture of a step: where everything stands on it. Sizes in points.
class StepPicture
{
public:
  StepPicture(ShownStep window, std::vector<LaneBars> lanes, BottleneckLane bottleneck)
      : window_{window}, lanes_{std::move(lanes)}, bottleneck_{std::move(bottleneck)},
        bottleneck_name_{"bottleneck: " + bottleneck_.name}
  {
    hidden_ = lanes_.size() > most_lanes ? lanes_.size() - most_lanes : 0;
    if (hidden_ > 0) { // a worker's lanes and the servers are the most useful: keep both ends
      const auto first = lanes_.begin() + most_lanes / 2;
      lanes_.erase(first, first + static_cast<std::ptrdiff_t>(hidden_));
    }
    const auto room_for = [&](const std::string& name) {
      names_ = std::max(names_, 6.1 * static_cast<double>(text_width(name)) + 12);
    };
    for (const LaneBars& lane : lanes_) {
      room_for(lane.name);
      rows_height_ += bar_height * static_cast<double>(lane.rows.size()) + lane_gap;
    }
    if (!bottleneck_.parts.empty()) {
      room_for(bottleneck_name_);
      rows_height_ += bottleneck_height;
    }
    names_ = std::min(names_, 230.0);
    left_ = names_ + 16;
  }

  double width() const { return left_ + plot_width + 34; }
  double height() const { return top + rows_height_ + 56; }

  void draw(Canvas& canvas, const std::string& title) const
  {
    canvas.colour(ink);
    canvas.text(16, 26, canvas.fitted(title, width() - 32, 15), 15, Anchor::left, true);
    draw_legend(canvas);
    draw_axis(canvas);
    double y = top;
    if (!bottleneck_.parts.empty()) {
      draw_bottleneck(canvas, y);
      y += bottleneck_height;
    }
    for (const LaneBars& lane : lanes_)
      y = draw_lane(canvas, lane, y);
    if (hidden_ > 0) {
      canvas.colour(quiet_ink);
      canvas.text(16, height() - 10,
                  fmt::format("{} more lanes in trace.json.gz (open it in ui.perfetto.dev)", hidden_), 9.5);
    }
  }

private:
  static constexpr double bar_height = 17;
  static constexpr double lane_gap = 5;
  static constexpr double bottleneck_height = bar_height + 2 * lane_gap;
  static constexpr double plot_width = 860;
  static constexpr double top = 84;

  double length() const { return (window_.end - window_.begin).value(); }
  double place(Seconds time) const
  {
    return left_ + plot_width * std::clamp((time - window_.begin).value() / length(), 0.0, 1.0);
  }

  /// The roles that occur.
  void draw_legend(Canvas& canvas) const
  {
    double x = 16;
    for (const Role role : {Role::input, Role::forward, Role::backward, Role::push, Role::exchange, Role::aggregate,
                            Role::update, Role::pull, Role::other}) {
      bool used = false;
      for (const LaneBars& lane : lanes_)
        for (const auto& row : lane.rows)
          used = used || std::ranges::any_of(row, [&](const TraceSpan* span) { return span->role == role; });
      if (!used)
        continue;
      canvas.colour(colour_of(role));
      canvas.rectangle(x, 42, 11, 11);
      canvas.colour(ink);
      canvas.text(x + 16, 51.5, to_text(role), 10.5);
      x += 34 + canvas.text_width(to_text(role), 10.5);
    }
  }

  void draw_axis(Canvas& canvas) const
  {
    const double bottom = top + rows_height_;
    const double distance = tick_distance(length());
    for (int i = 0; i * distance <= length() * 1.0001; ++i) {
      const double at = left_ + plot_width * i * distance / length();
      canvas.colour(grid_line);
      canvas.line(at, top - 6, at, bottom, 1);
      canvas.colour(quiet_ink);
      canvas.text(at, bottom + 16, tick_text(i * distance, length()), 10, Anchor::centre);
    }
    canvas.text(left_ + plot_width / 2, bottom + 34, "time within the step", 11, Anchor::centre);
  }

  /// The name of a lane, and its ground.
  void begin_lane(Canvas& canvas, const std::string& name, Colour colour, double y, double height) const
  {
    canvas.colour(colour);
    canvas.text(names_ + 8, y + height / 2 + 3.5, canvas.fitted(name, names_ - 8, 10), 10, Anchor::right);
    canvas.colour(grid_line, 0.55);
    canvas.rectangle(left_, y, plot_width, height);
  }

  void draw_bottleneck(Canvas& canvas, double y) const
  {
    begin_lane(canvas, bottleneck_name_, bottleneck_colour, y, bar_height);
    for (const BottleneckLane::Part& part : bottleneck_.parts) {
      const double tall = (bar_height - 2) * std::clamp(part.load, 0.0, 1.0);
      canvas.colour(bottleneck_colour);
      canvas.rectangle(place(part.begin), y + bar_height - 1 - tall, std::max(place(part.end) - place(part.begin), 0.4),
                       tall);
    }
  }

  /// Gives where the next lane begins.
  double draw_lane(Canvas& canvas, const LaneBars& lane, double y) const
  {
    begin_lane(canvas, lane.name, ink, y, bar_height * static_cast<double>(lane.rows.size()));
    for (const auto& row : lane.rows) {
      for (const TraceSpan* span : row)
        paint_bar(canvas, *span, place(span->begin), place(span->end), y + 1, bar_height - 2);
      y += bar_height;
    }
    return y + lane_gap;
  }

  ShownStep window_;
  std::vector<LaneBars> lanes_;
  BottleneckLane bottleneck_;
  std::string bottleneck_name_;
  std::size_t hidden_ = 0; // lanes that are left out
  double names_ = 60;      // width of the names
  double left_ = 0;        // of the plot
  double rows_height_ = 0;
};

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
  const StepPicture picture{window, std::move(lanes), bottleneck_lane(results, point, job, window.begin, window.end)};
  std::string title = fmt::format("One step of {}: {}", job, time_text(window.end - window.begin));
  if (!point.empty())
    title += "  (" + point + ")";
  draw_to_files(path, picture.width(), picture.height(), [&](Canvas& canvas) { picture.draw(canvas, title); });
  return true;
}

void write_plots(const Results& results, const std::filesystem::path& folder)
{
  plot_timeline(results, folder / "timeline");
  plot_throughput(results, folder / "throughput");
}

} // namespace trainyard
