// SPDX-License-Identifier: Apache-2.0
#include "gui/timeline/timeline.hpp"

#include "gui/core/rate_text.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <map>
#include <utility>

namespace trainyard::gui {

std::vector<std::uint32_t> kinds_of(const Timeline& timeline)
{
  std::vector<std::uint32_t> kinds;
  QHash<QString, std::uint32_t> known;
  for (int i = 0; i < timeline.names.size(); ++i) {
    const QString& category = timeline.categories[i];
    const bool alone = category.isEmpty() || category == QLatin1String("other");
    const QString what = alone ? QLatin1Char('\n') + timeline.names[i] : category;
    kinds.push_back(known.insert(what, known.value(what, static_cast<std::uint32_t>(known.size()))).value());
  }
  return kinds;
}

void add_detail(Timeline& timeline)
{
  const std::vector<std::uint32_t> kinds = kinds_of(timeline);
  for (Lane& lane : timeline.lanes)
    lane.detail = detail_of(lane.spans, kinds);
}

/// Millions of spans on a few thousand pixels. Spans that are wider than a pixel are drawn one by one, each found from
/// the one before by a search that doubles its step (galloping), so that it touches the memory beside it. Narrower ones
/// are drawn from a pyramid: the coarsest level whose stretches are no longer than a pixel tells in one or two looks
/// what the pixel's time was spent on.

namespace {

constexpr std::size_t fewest_spans = 256;     // a lane of fewer has no detail
constexpr std::size_t fewest_stretches = 512; // of a level; coarser ones would be no faster
constexpr std::uint32_t most_names = 1U << 24U;
constexpr int looks_per_pixel = 8;

/// Time by name and by kind within a stretch.
class Tally
{
public:
  Tally(const std::vector<std::uint32_t>& kinds, const std::vector<char>& favoured)
      : kinds_{kinds}, favoured_{favoured}, by_name_(kinds.size(), 0.0)
  {
    std::uint32_t most = 0;
    for (const std::uint32_t kind : kinds)
      most = std::max(most, kind);
    by_kind_.resize((static_cast<std::size_t>(most) + 1) * 2, 0.0);
  }

  void add(std::uint32_t name, double seconds)
  {
    if (by_name_[name] <= 0)
      names_.push_back(name);
    by_name_[name] += seconds;
    by_kind_[kind_of(name)] += seconds;
    busy_ += seconds;
  }

  /// What won, and empties the tally.
  LaneDetail::Stretch take(double length)
  {
    if (names_.empty())
      return 0;
    std::uint32_t best = names_.front();
    for (const std::uint32_t name : names_) {
      const std::size_t kind = kind_of(name);
      const std::size_t leader = kind_of(best);
      if ((kind & 1U) != (leader & 1U) ? (kind & 1U) != 0
          : kind != leader             ? by_kind_[kind] > by_kind_[leader]
                                       : by_name_[name] > by_name_[best])
        best = name;
    }
    const double share = std::clamp(busy_ / length, 0.0, 1.0);
    for (const std::uint32_t name : names_) {
      by_name_[name] = 0;
      by_kind_[kind_of(name)] = 0;
    }
    names_.clear();
    busy_ = 0;
    return (best << 8U) | static_cast<std::uint32_t>(std::max(1.0, std::round(share * 255)));
  }

private:
  /// Favoured names count as kinds of their own, with an odd number.
  std::size_t kind_of(std::uint32_t name) const
  {
    return static_cast<std::size_t>(kinds_[name]) * 2 + (!favoured_.empty() && favoured_[name] != 0 ? 1U : 0U);
  }

  const std::vector<std::uint32_t>& kinds_;
  const std::vector<char>& favoured_;
  std::vector<double> by_name_;
  std::vector<double> by_kind_;
  std::vector<std::uint32_t> names_;
  double busy_ = 0;
};

LaneDetail::Level level_of(const std::vector<Span>& spans, double begin, double end, std::size_t count, Tally& tally)
{
  LaneDetail::Level level;
  level.length = (end - begin) / static_cast<double>(count);
  level.stretches.resize(count, 0);
  std::size_t at = 0;
  for (const Span& span : spans) {
    double from = span.begin;
    for (;;) {
      const auto last = static_cast<double>(count - 1);
      const auto stretch =
          static_cast<std::size_t>(std::clamp((from - begin) / level.length, static_cast<double>(at), last));
      if (stretch != at) {
        level.stretches[at] = tally.take(level.length);
        at = stretch;
      }
      const double stop = begin + static_cast<double>(at + 1) * level.length;
      tally.add(span.name, std::max(std::min(span.end, stop) - from, 1e-300));
      if (span.end <= stop || at + 1 == count)
        break;
      // All stretches in the middle of a long span look alike.
      level.stretches[at] = tally.take(level.length);
      ++at;
      const auto whole =
          static_cast<std::size_t>(std::clamp((span.end - begin) / level.length, static_cast<double>(at), last));
      if (whole > at) {
        std::fill(level.stretches.begin() + static_cast<std::ptrdiff_t>(at),
                  level.stretches.begin() + static_cast<std::ptrdiff_t>(whole), (span.name << 8U) | 255U);
        at = whole;
      }
      from = begin + static_cast<double>(at) * level.length;
      if (from >= span.end)
        break;
    }
  }
  level.stretches[at] = tally.take(level.length);
  return level;
}

/// The nearest whole number of one that is not negative; the library's takes a call.
std::ptrdiff_t nearest(double x)
{
  return static_cast<std::ptrdiff_t>(x + 0.5);
}

/// @p share in 256ths. Little work is still to be seen: two fifths of the colour at least.
std::uint32_t mixed(std::uint32_t colour, std::uint32_t ground, std::uint32_t share)
{
  const std::uint32_t part = 102 + (share * 154) / 256;
  const std::uint32_t rest = 256 - part;
  const std::uint32_t red_blue = (((colour & 0xff00ffU) * part + (ground & 0xff00ffU) * rest) >> 8U) & 0xff00ffU;
  const std::uint32_t green = (((colour & 0xff00U) * part + (ground & 0xff00U) * rest) >> 8U) & 0xff00U;
  return 0xff000000U | red_blue | green;
}

/// The work in several stretches together.
std::uint32_t of_stretches(const LaneDetail::Level& level, std::ptrdiff_t from, std::ptrdiff_t to,
                           const std::vector<std::uint32_t>& colours, std::uint32_t background)
{
  constexpr std::ptrdiff_t most = 16; // looks, beyond the coarsest level
  const std::ptrdiff_t step = std::max<std::ptrdiff_t>(1, (to - from) / most);
  std::array<std::pair<std::uint32_t, std::uint32_t>, 4> seen{}; // colours and how busy
  std::uint32_t busy = 0;
  std::uint32_t looks = 0;
  for (std::ptrdiff_t at = from; at < to; at += step) {
    const LaneDetail::Stretch stretch = level.stretches[static_cast<std::size_t>(at)];
    ++looks;
    if (stretch == 0)
      continue;
    const std::uint32_t colour = colours[stretch >> 8U];
    busy += stretch & 0xffU;
    for (auto& [other, sum] : seen)
      if (sum == 0 || other == colour) {
        other = colour;
        sum += stretch & 0xffU;
        break;
      }
  }
  if (busy == 0)
    return background;
  const auto best =
      std::max_element(seen.begin(), seen.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  return mixed(best->first, background, busy * 256 / (255 * looks));
}

void draw_detail(LaneRow& row, const LaneDetail& detail, const LaneDetail::Level& level, const TimeScale& scale,
                 const std::vector<std::uint32_t>& colours, std::uint32_t background)
{
  const double per_pixel = 1 / (scale.pixels_per_second() * level.length); // stretches
  const double first = (scale.begin - detail.begin) / level.length;
  const auto count = static_cast<std::ptrdiff_t>(level.stretches.size());
  const auto edge = [&](std::size_t x) { return nearest(std::max(0.0, first + static_cast<double>(x) * per_pixel)); };
  std::ptrdiff_t from = edge(0);
  for (std::size_t x = 0; x < row.pixels.size() && from < count; ++x) {
    const std::ptrdiff_t to = std::min(edge(x + 1), count);
    if (to - from == 1) {
      if (const LaneDetail::Stretch stretch = level.stretches[static_cast<std::size_t>(from)]; stretch != 0)
        row.pixels[x] = mixed(colours[stretch >> 8U], background, (stretch & 0xffU) + 1);
    } else if (to > from) {
      row.pixels[x] = of_stretches(level, from, to, colours, background);
    }
    from = std::max(from, to);
  }
}

/// The first span at or after @p from that ends after a time.
std::size_t ends_after(const std::vector<Span>& spans, std::size_t from, double time)
{
  std::size_t step = 1;
  std::size_t low = from;
  while (low + step < spans.size() && spans[low + step - 1].end <= time) {
    low += step;
    step *= 2;
  }
  const auto begin = spans.begin() + static_cast<std::ptrdiff_t>(low);
  const auto end = spans.begin() + static_cast<std::ptrdiff_t>(std::min(low + step, spans.size()));
  return static_cast<std::size_t>(
      std::upper_bound(begin, end, time, [](double t, const Span& span) { return t < span.end; }) - spans.begin());
}

void draw_spans(LaneRow& row, const std::vector<Span>& spans, const TimeScale& scale,
                const std::vector<std::uint32_t>& colours, std::uint32_t background, int wide)
{
  const int width = static_cast<int>(row.pixels.size());
  const double per_second = scale.pixels_per_second();
  const double pixel = 1 / per_second;
  std::size_t at = static_cast<std::size_t>(std::upper_bound(spans.begin(), spans.end(), scale.begin,
                                                             [](double t, const Span& span) { return t < span.end; }) -
                                            spans.begin());
  for (int x = 0; x < width && at < spans.size();) {
    const double left = scale.begin + x * pixel;
    const double right = left + pixel;
    if (spans[at].end <= left) {
      at = ends_after(spans, at, left);
      continue;
    }
    if (spans[at].begin >= right) {
      x = std::max(x + 1, static_cast<int>(std::min<double>(width, (spans[at].begin - scale.begin) * per_second)));
      continue;
    }
    // Of those that share this pixel the one that takes most of it.
    std::size_t best = at;
    double most = std::min(spans[at].end, right) - std::max(spans[at].begin, left);
    for (std::size_t next = at + 1, looks = 0;
         next < spans.size() && spans[next].begin < right && looks < looks_per_pixel && spans[next - 1].end < right;
         ++next, ++looks)
      if (const double share = std::min(spans[next].end, right) - std::max(spans[next].begin, left);
          share > most * (1 + 1e-9)) {
        most = share;
        best = next;
      }
    at = best;
    const double stop = (spans[at].end - scale.begin) * per_second;
    const int end = stop >= width ? width : std::max(x + 1, static_cast<int>(nearest(std::max(0.0, stop))));
    std::fill(row.pixels.begin() + x, row.pixels.begin() + end, colours[spans[at].name]);
    if (end - x >= wide)
      row.wide.push_back(at);
    if (end - x > 3 && stop <= width) // a seam, so that equal neighbours stay apart
      row.pixels[static_cast<std::size_t>(end - 1)] = background;
    x = end;
  }
}

} // namespace

LaneDetail detail_of(const std::vector<Span>& spans, const std::vector<std::uint32_t>& kinds,
                     const std::vector<char>& favoured)
{
  LaneDetail detail;
  if (spans.size() < fewest_spans || kinds.size() >= most_names || !(spans.back().end > spans.front().begin))
    return detail;
  detail.begin = spans.front().begin;
  detail.end = spans.back().end;
  Tally tally{kinds, favoured};
  std::size_t count = std::max(fewest_stretches, spans.size() / 4);
  for (;; count /= 2) {
    detail.levels.push_back(level_of(spans, detail.begin, detail.end, count, tally));
    if (count / 2 < fewest_stretches)
      break;
  }
  return detail;
}

LaneRow draw_lane(const std::vector<Span>& spans, const LaneDetail& detail, const TimeScale& scale,
                  const std::vector<std::uint32_t>& colours, std::uint32_t background, int wide)
{
  LaneRow row{std::vector<std::uint32_t>(static_cast<std::size_t>(std::max(0, scale.width)), background), {}};
  if (row.pixels.empty() || spans.empty())
    return row;
  const double pixel = 1 / scale.pixels_per_second();
  const LaneDetail::Level* chosen = nullptr;
  for (const LaneDetail::Level& level : detail.levels)
    if (level.length <= pixel)
      chosen = &level;
  if (chosen != nullptr)
    draw_detail(row, detail, *chosen, scale, colours, background);
  else
    draw_spans(row, spans, scale, colours, background, wide);
  return row;
}

namespace {

void take(SpanSum& sum, qint64 count, double total, double shortest, double longest)
{
  sum.shortest = sum.count == 0 ? shortest : std::min(sum.shortest, shortest);
  sum.longest = std::max(sum.longest, longest);
  sum.count += count;
  sum.total += total;
}

} // namespace

std::vector<SpanSum> sums_of(const Timeline& timeline, const std::vector<int>& lanes, double begin, double end,
                             std::size_t names)
{
  std::vector<SpanSum> by_name(static_cast<std::size_t>(timeline.names.size()));
  for (const int at : lanes) {
    const std::vector<Span>& spans = timeline.lanes[static_cast<std::size_t>(at)].spans;
    for (auto span = std::upper_bound(spans.begin(), spans.end(), begin,
                                      [](double time, const Span&each) { return time < each.end; });
         span != spans.end() && span->begin < end; ++span) {
      const double length = std::min(span->end, end) - std::max(span->begin, begin);
      take(by_name[span->name], 1, length, length, length);
    }
  }
  const double whole = std::max(1e-300, (end - begin) * static_cast<double>(lanes.size()));
  std::map<QString, std::pair<SpanSum, std::vector<SpanSum>>> by_category;
  for (std::size_t i = 0; i < by_name.size(); ++i) {
    SpanSum& sum = by_name[i];
    if (sum.count == 0)
      continue;
    sum.category = timeline.categories[static_cast<int>(i)];
    sum.name = timeline.names[static_cast<int>(i)];
    sum.share = sum.total / whole;
    auto& [kind, members] = by_category[sum.category];
    kind.category = sum.category;
    take(kind, sum.count, sum.total, sum.shortest, sum.longest);
    members.push_back(sum);
  }
  std::vector<std::pair<SpanSum, std::vector<SpanSum>>> kinds;
  for (auto& [category, kind] : by_category)
    kinds.push_back(std::move(kind));
  const auto more = [](const SpanSum& a, const SpanSum& b) { return a.total > b.total; };
  std::stable_sort(kinds.begin(), kinds.end(), [&](const auto& a, const auto& b) { return more(a.first, b.first); });
  std::vector<SpanSum> result;
  for (auto& [kind, members] : kinds) {
    kind.share = kind.total / whole;
    result.push_back(kind);
    std::stable_sort(members.begin(), members.end(), more);
    members.resize(std::min(members.size(), names));
    result.insert(result.end(), members.begin(), members.end());
  }
  return result;
}

void TimeScale::zoom(double factor, double x, double low, double high)
{
  const double at = seconds(x);
  const double least = std::max((high - low) * 1e-9, 1e-12);
  const double length = std::clamp((end - begin) * factor, least, high - low);
  begin = at - length * (x / width);
  end = begin + length;
  pan(0, low, high);
}

void TimeScale::pan(double pixels, double low, double high)
{
  const double length = end - begin;
  begin = std::clamp(begin + pixels / pixels_per_second(), low, std::max(low, high - length));
  end = begin + length;
}

double tick_distance(const TimeScale& scale, double pixels)
{
  const double least = pixels / scale.pixels_per_second();
  for (const double clock :
       {60., 120., 300., 600., 1800., 3600., 7200., 14400., 21600., 43200., 86400., 172800., 432000., 864000.})
    if (least > 30 && clock >= least) // minutes, hours and days as clocks have them
      return clock;
  const double unit = least > 30 ? 86400 : 1; // whole days
  const double power = unit * std::pow(10.0, std::floor(std::log10(least / unit)));
  for (const double factor : {1.0, 2.0, 5.0})
    if (factor * power >= least * (1 - 1e-9))
      return factor * power;
  return 10 * power;
}

namespace {

struct TimeUnit {
  double size;
  const char* name;
};
constexpr TimeUnit time_units[]{{86400, "d"}, {3600, "h"},  {60, "min"}, {1, "s"},
                                {1e-3, "ms"}, {1e-6, "µs"}, {1e-9, "ns"}};

QString text_in(const TimeUnit& unit, double seconds, double distance)
{
  const int digits = std::clamp(static_cast<int>(std::ceil(-std::log10(distance / unit.size) - 1e-9)), 0, 9);
  return in_units(QStringLiteral("%1 %2").arg(seconds / unit.size, 0, 'f', digits).arg(QString::fromUtf8(unit.name)));
}

} // namespace

QString time_text(double seconds, double distance)
{
  const double decide = std::max(std::fabs(seconds), distance);
  for (const TimeUnit& unit : time_units)
    if (decide >= unit.size * (unit.size > 1 ? 2 : 1))
      return text_in(unit, seconds, distance);
  return text_in(*std::prev(std::end(time_units)), seconds, distance);
}

QString tick_text(double seconds, double distance)
{
  for (const TimeUnit& unit : time_units)
    if (const double halves = std::round(2 * distance / unit.size);
        halves >= 1 && std::fabs(halves * unit.size / 2 - distance) < 1e-6 * distance &&
        std::fabs(seconds) < 1e5 * distance)
      return text_in(unit, seconds, distance);
  return time_text(seconds, distance);
}

} // namespace trainyard::gui
