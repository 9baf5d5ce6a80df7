// SPDX-License-Identifier: Apache-2.0
#include "gui/timeline/timeline.hpp"

#include <QObject>

#include <algorithm>
#include <iterator>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

namespace trainyard::gui {
namespace {

/// Gathers spans by lane, in the order in which lanes are first met.
class Lanes
{
public:
  explicit Lanes(int most) : most_{static_cast<std::size_t>(std::max(0, most))} {}

  void add(const QString& process, const QString& lane, Span span, const QString& name, const QString& category)
  {
    if (!(span.end > span.begin))
      return;
    auto found = places_.find({process, lane});
    if (found == places_.end()) {
      if (places_.size() >= most_)
        return;
      found = places_.emplace(std::pair{process, lane}, timeline_.lanes.size()).first;
      timeline_.lanes.push_back({lane, process, {}});
    }
    auto known = names_.find(name);
    if (known == names_.end()) {
      known = names_.emplace(name, static_cast<std::uint32_t>(timeline_.names.size())).first;
      timeline_.names << name;
      timeline_.categories << category;
    }
    span.name = known->second;
    timeline_.lanes[found->second].spans.push_back(span);
  }

  Timeline result()
  {
    bool first = true;
    std::vector<Lane> whole;
    for (Lane& lane : timeline_.lanes) {
      std::stable_sort(lane.spans.begin(), lane.spans.end(),
                       [](const Span& a, const Span& b) { return a.begin < b.begin; });
      std::vector<Lane> parts; // spans that overlap stand on further lanes
      for (const Span& span : lane.spans) {
        auto free = std::find_if(parts.begin(), parts.end(),
                                 [&](const Lane& part) { return part.spans.back().end <= span.begin + 1e-9; });
        if (free == parts.end()) {
          const QString name =
              parts.empty() ? lane.name : QStringLiteral("%1 #%2").arg(lane.name).arg(parts.size() + 1);
          parts.push_back({name, lane.process, {}});
          free = std::prev(parts.end());
        }
        free->spans.push_back(span);
        timeline_.begin = first ? span.begin : std::min(timeline_.begin, span.begin);
        timeline_.end = std::max(timeline_.end, span.end);
        ++timeline_.spans;
        first = false;
      }
      std::move(parts.begin(), parts.end(), std::back_inserter(whole));
    }
    timeline_.lanes = std::move(whole);
    return std::move(timeline_);
  }

private:
  std::size_t most_;
  Timeline timeline_;
  std::map<std::pair<QString, QString>, std::size_t> places_;
  std::map<QString, std::uint32_t> names_;
};

QString category_of(const QString& state)
{
  return state == QLatin1String("running")    ? QStringLiteral("running")
         : state == QLatin1String("starting") ? QStringLiteral("starting")
         : state == QLatin1String("pending")  ? QStringLiteral("waiting")
         : state == QLatin1String("finished") ? QStringLiteral("finished")
                                              : QStringLiteral("failed");
}

} // namespace

Timeline task_timeline(const Table& tasks, int most_lanes)
{
  const int point = tasks.column(QStringLiteral("point"));
  const int task = tasks.column(QStringLiteral("task"));
  const int service = tasks.column(QStringLiteral("service"));
  const int from = tasks.column(QStringLiteral("from_s"));
  const int to = tasks.column(QStringLiteral("to_s"));
  const int state = tasks.column(QStringLiteral("state"));
  if (task < 0 || service < 0 || from < 0 || to < 0 || state < 0)
    return {};
  Lanes lanes{most_lanes};
  for (const QStringList& row : tasks.rows)
    lanes.add(point < 0 || row[point].isEmpty() ? row[service] : row[service] + QStringLiteral(", ") + row[point],
              row[task], {row[from].toDouble(), row[to].toDouble(), 0}, row[state], category_of(row[state]));
  return lanes.result();
}

Timeline retraining_timeline(const Table& trainings, const Table& stale)
{
  Lanes lanes{2000};
  // Stale times first, so that every model has its lanes side by side.
  for (const bool training : {false, true}) {
    const Table& table = training ? trainings : stale;
    const int point = table.column(QStringLiteral("point"));
    const int policy = table.column(QStringLiteral("policy"));
    const int replica = table.column(QStringLiteral("replica"));
    const int what = table.column(training ? QStringLiteral("request") : QStringLiteral("model"));
    const int from = table.column(QStringLiteral("from_s"));
    const int to = table.column(QStringLiteral("to_s"));
    if (policy < 0 || what < 0 || from < 0 || to < 0)
      continue;
    for (const QStringList& row : table.rows) {
      if (replica >= 0 && row[replica] != QLatin1String("0"))
        continue;
      const QString model = training ? row[what].section(QLatin1Char('-'), 0, -2) : row[what];
      const QString process =
          point < 0 || row[point].isEmpty() ? row[policy] : row[policy] + QStringLiteral(", ") + row[point];
      const Span span{row[from].toDouble(), row[to].toDouble(), 0};
      if (training)
        lanes.add(process, QObject::tr("%1 is trained").arg(model), span, row[what], QStringLiteral("training"));
      else
        lanes.add(process, QObject::tr("%1 is out of date").arg(model), span, QObject::tr("out of date"),
                  QStringLiteral("stale"));
    }
  }
  Timeline timeline = lanes.result();
  std::stable_sort(
      timeline.lanes.begin(), timeline.lanes.end(), // both lanes of a model side by side
      [](const Lane& a, const Lane& b) { return std::tie(a.process, a.name) < std::tie(b.process, b.name); });
  return timeline;
}

Timeline cluster_timeline(const Table& timeline, const Table& failures, const QString& run, int most_lanes)
{
  const int point = timeline.column(QStringLiteral("point"));
  const int policy = timeline.column(QStringLiteral("policy"));
  const int source = timeline.column(QStringLiteral("source"));
  const int name = timeline.column(QStringLiteral("name"));
  const int node = timeline.column(QStringLiteral("node"));
  const int from = timeline.column(QStringLiteral("from_s"));
  const int to = timeline.column(QStringLiteral("to_s"));
  const int mask = timeline.column(QStringLiteral("gpu_mask"));
  if (policy < 0 || source < 0 || name < 0 || node < 0 || from < 0 || to < 0 || mask < 0 || timeline.rows.isEmpty())
    return {};
  const QString wanted = run.isEmpty() ? queue_run(timeline.rows.front(), policy, point) : run;
  Lanes lanes{most_lanes};
  for (const QStringList& row : timeline.rows) {
    if (queue_run(row, policy, point) != wanted)
      continue;
    const uint gpus = row[mask].toUInt();
    for (int gpu = 0; gpu < 32; ++gpu)
      if ((gpus >> gpu & 1U) != 0)
        lanes.add(
            row[node], QObject::tr("%1 GPU %2").arg(row[node]).arg(gpu), {row[from].toDouble(), row[to].toDouble(), 0},
            row[source] == QLatin1String("queue") ? QObject::tr("job %1").arg(row[name]) : row[name], row[source]);
  }
  Timeline result = lanes.result();
  for (Lane& lane : result.lanes)
    lane.gpu = true;
  std::stable_sort(result.lanes.begin(), result.lanes.end(), [](const Lane& a, const Lane& b) {
    return std::pair{a.process.size(), std::tie(a.process, a.name)} <
           std::pair{b.process.size(), std::tie(b.process, b.name)};
  });
  add_counters(result);
  add_failures(result, failures, wanted);
  return result;
}

} // namespace trainyard::gui
