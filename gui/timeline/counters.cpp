// SPDX-License-Identifier: Apache-2.0
// Numbers over time above the lanes: how many GPUs are busy, how many jobs wait, how full the busiest link is.
#include "gui/timeline/timeline.hpp"

#include <QObject>

#include <algorithm>
#include <cmath>
#include <map>
#include <ranges>

namespace trainyard::gui {

std::pair<double, double> Counter::between(double from, double to) const
{
  if (values.empty() || !(end > begin) || to <= begin || from >= end)
    return {0, 0};
  const double per_second = static_cast<double>(values.size()) / (end - begin);
  const double last = static_cast<double>(values.size() - 1);
  const auto first = static_cast<std::size_t>(std::clamp((from - begin) * per_second, 0.0, last));
  const auto stop = static_cast<std::size_t>(std::clamp(std::ceil((to - begin) * per_second) - 1, 0.0, last));
  double sum = 0;
  double highest = 0;
  for (std::size_t i = first; i <= std::max(first, stop); ++i) {
    sum += static_cast<double>(values[i]);
    highest = std::max(highest, static_cast<double>(values[i]));
  }
  return {sum / static_cast<double>(std::max(first, stop) - first + 1), highest};
}

QString Counter::text(double value) const
{
  return share ? QStringLiteral("%1 %").arg(100 * value, 0, 'f', 0)
               : QString::number(value, 'f', value < 10 && std::floor(value) != value ? 1 : 0);
}

Averages::Averages(double begin, double end, std::size_t stretches)
    : begin_{begin}, end_{std::max(end, begin + 1e-12)}, change_(stretches + 1, 0.0), part_(stretches, 0.0)
{
}

void Averages::add(double from, double to, double weight)
{
  from = std::max(from, begin_);
  to = std::min(to, end_);
  if (!(to > from))
    return;
  any_ = true;
  const double per_second = static_cast<double>(part_.size()) / (end_ - begin_);
  const double first = (from - begin_) * per_second;
  const double last = std::min((to - begin_) * per_second, static_cast<double>(part_.size()));
  const auto a = std::min(static_cast<std::size_t>(first), part_.size() - 1);
  const auto b = std::min(static_cast<std::size_t>(last), part_.size() - 1);
  if (a == b) {
    part_[a] += weight * (last - first);
    return;
  }
  part_[a] += weight * (static_cast<double>(a + 1) - first);
  part_[b] += weight * (last - static_cast<double>(b));
  change_[a + 1] += weight;
  change_[b] -= weight;
}

Counter Averages::counter(const QString& name) const
{
  Counter counter;
  if (!any_)
    return counter;
  counter.name = name;
  counter.begin = begin_;
  counter.end = end_;
  counter.values.reserve(part_.size());
  double whole = 0;
  for (std::size_t i = 0; i < part_.size(); ++i) {
    whole += change_[i];
    const double value = std::max(0.0, whole + part_[i]);
    counter.values.push_back(static_cast<float>(value));
    counter.most = std::max(counter.most, value);
  }
  return counter;
}

namespace {

Counter busiest_link(const LinkLoads& loads)
{
  Counter counter;
  if (loads.parts.isEmpty() || !(loads.end > loads.begin))
    return counter;
  constexpr int stretches = 1024;
  counter.name = QString::fromLatin1(QT_TRANSLATE_NOOP("QObject", "busiest link"));
  counter.begin = loads.begin;
  counter.end = loads.end;
  counter.most = 1;
  counter.share = true;
  counter.values.assign(stretches, 0);
  const double per_second = stretches / (loads.end - loads.begin);
  const auto place = [&](double time) { return std::clamp((time - loads.begin) * per_second, 0.0, 1.0 * stretches); };
  for (const QVector<LinkLoads::Part>& link : loads.parts)
    for (const LinkLoads::Part& part : link) {
      const auto from = static_cast<std::size_t>(place(static_cast<double>(part.begin)) + 1e-6);
      const auto to = static_cast<std::size_t>(std::ceil(place(static_cast<double>(part.end)) - 1e-6));
      for (std::size_t i = from; i < to; ++i)
        counter.values[i] = std::max(counter.values[i], part.load);
    }
  return counter;
}

} // namespace

void add_counters(Timeline& timeline, const LinkLoads& loads, bool as_shares)
{
  Averages busy{timeline.begin, timeline.end};
  std::map<std::pair<QString, QString>, std::vector<const Lane*>> gpus; // a GPU that does several things has several
  for (const Lane& lane : timeline.lanes)
    if (lane.gpu)
      gpus[{lane.process, own_name(lane.name)}].push_back(&lane);
  for (const auto& [name, lanes] : gpus) {
    std::vector<Span> spans = lanes.front()->spans;
    for (const Lane* lane : lanes | std::views::drop(1))
      spans.insert(spans.end(), lane->spans.begin(), lane->spans.end());
    if (lanes.size() > 1)
      std::ranges::sort(spans, {}, &Span::begin);
    double until = timeline.begin;
    for (const Span& span : spans) {
      busy.add(std::max(span.begin, until), span.end, as_shares ? 1 / static_cast<double>(gpus.size()) : 1);
      until = std::max(until, span.end);
    }
  }
  if (Counter counter = busy.counter(QString::fromLatin1(QT_TRANSLATE_NOOP("QObject", "GPUs busy")));
      !counter.values.empty()) {
    counter.most = as_shares ? 1 : static_cast<double>(gpus.size());
    counter.share = as_shares;
    timeline.counters.push_back(std::move(counter));
  }
  if (Counter counter = busiest_link(loads); !counter.values.empty())
    timeline.counters.push_back(std::move(counter));
}

} // namespace trainyard::gui
