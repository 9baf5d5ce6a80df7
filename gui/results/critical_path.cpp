// SPDX-License-Identifier: Apache-2.0
// The critical path of the summary, on the lanes of the timeline.
#include "gui/results/results.hpp"

#include <QJsonArray>

#include <algorithm>

namespace trainyard::gui {
namespace {

struct RowSpan {
  int lane = -1;
  double end = 0;
};

/// The span of a lane, or of its further rows, that is at work at a time and ends last.
RowSpan longest_at(const Timeline& timeline, const QString& process, const QString& lane, double time)
{
  RowSpan longest;
  for (std::size_t i = 0; i < timeline.lanes.size(); ++i) {
    const Lane& row = timeline.lanes[i];
    if (row.process != process || (row.name != lane && !row.name.startsWith(lane + QStringLiteral(" #"))))
      continue;
    const auto span = std::upper_bound(row.spans.begin(), row.spans.end(), time,
                                       [](double at, const Span& other) { return at < other.end; });
    if (span != row.spans.end() && span->begin <= time && span->end > longest.end)
      longest = {static_cast<int>(i), span->end};
  }
  return longest;
}

} // namespace

void add_critical_path(ResultsData& data)
{
  for (const QJsonValue& value : data.summary.value(QLatin1String("jobs")).toArray()) {
    const QJsonObject job = value.toObject();
    const QString name = job.value(QLatin1String("job")).toString();
    const QString point = job.value(QLatin1String("point")).toString();
    const QString process = point.isEmpty() ? name : QStringLiteral("%1 (%2)").arg(name, point);
    for (const QJsonValue& each : job.value(QLatin1String("critical_path")).toArray()) {
      const QJsonObject part = each.toObject();
      const QString lane = part.value(QLatin1String("lane")).toString();
      const double begin = part.value(QLatin1String("begin_s")).toDouble(-1);
      const double end = begin + part.value(QLatin1String("duration_s")).toDouble();
      // A part is operations that follow each other without a pause. What overlaps on a lane stands on further rows
      // ("train all-reduce #2"): of those at work the one that goes on longest. The trace may end before the step does.
      for (double at = begin; at < end;) {
        const RowSpan next = longest_at(data.timeline, process, lane, at + 1e-9);
        if (next.lane < 0 || next.end <= at)
          break;
        const double until = std::min(end, next.end);
        data.timeline.critical.push_back({next.lane, at, until});
        at = until;
      }
    }
  }
  std::stable_sort(data.timeline.critical.begin(), data.timeline.critical.end(),
                   [](const CriticalPart& a, const CriticalPart& b) { return a.begin < b.begin; });
}

} // namespace trainyard::gui
