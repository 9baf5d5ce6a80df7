// SPDX-License-Identifier: Apache-2.0
// Who held which GPU of a queue.
#include "gui/timeline/timeline.hpp"

#include <QObject>

#include <algorithm>
#include <map>

namespace trainyard::gui {
namespace {

/// A job on its machines, without a pause.
struct Stay {
  double begin = 0;
  double end = 0;
  QString job;
  QString nodes; // "dgx-0:8 dgx-1:4"
};

/// Rows of one run, by the columns that are asked for; empty where one is missing.
QVector<QStringList> rows_of(const Table& table, const QString& run, const QStringList& columns)
{
  const int policy = table.column(QStringLiteral("policy"));
  const int point = table.column(QStringLiteral("point"));
  QVector<int> at;
  for (const QString& column : columns)
    at << table.column(column);
  QVector<QStringList> rows;
  if (policy < 0 || at.contains(-1))
    return rows;
  for (const QStringList& row : table.rows)
    if (queue_run(row, policy, point) == run) {
      QStringList cells;
      for (const int each : std::as_const(at))
        cells << row[each];
      rows.push_back(cells);
    }
  return rows;
}

/// Stays in order of time; those that only change speed are one.
std::vector<Stay> stays_of(const Table& runs, const QString& run)
{
  std::vector<Stay> stays;
  QHash<QString, std::size_t> last; // by job
  for (const QStringList& row :
       rows_of(runs, run,
               {QStringLiteral("from_s"), QStringLiteral("to_s"), QStringLiteral("job"), QStringLiteral("nodes")})) {
    const Stay stay{row[0].toDouble(), row[1].toDouble(), row[2], row[3]};
    if (const auto before = last.constFind(stay.job); before != last.constEnd())
      if (Stay& earlier = stays[before.value()]; earlier.nodes == stay.nodes && earlier.end == stay.begin) {
        earlier.end = stay.end;
        continue;
      }
    last[stay.job] = stays.size();
    stays.push_back(stay);
  }
  std::stable_sort(stays.begin(), stays.end(), [](const Stay& a, const Stay& b) { return a.begin < b.begin; });
  return stays;
}

/// How large a job is, as a kind of its own with its own colour.
QString size_of(int gpus)
{
  return gpus <= 1    ? QStringLiteral("gpus_1")
         : gpus <= 8  ? QStringLiteral("gpus_8")
         : gpus <= 64 ? QStringLiteral("gpus_64")
                      : QStringLiteral("gpus_more");
}

QVector<std::pair<QString, int>> machines_of(const QString& nodes)
{
  QVector<std::pair<QString, int>> machines;
  for (const QString& each : nodes.split(QLatin1Char(' '), Qt::SkipEmptyParts))
    machines.push_back({each.section(QLatin1Char(':'), 0, -2), each.section(QLatin1Char(':'), -1).toInt()});
  return machines;
}

} // namespace

QString queue_run(const QStringList& row, int policy, int point)
{
  return point < 0 || row[point].isEmpty() ? row[policy] : row[policy] + QStringLiteral(", ") + row[point];
}

void add_failures(Timeline& timeline, const Table& failures, const QString& run)
{
  for (const QStringList& row : rows_of(
           failures, run,
           {QStringLiteral("failure"), QStringLiteral("from_s"), QStringLiteral("to_s"), QStringLiteral("nodes")})) {
    const QStringList down = row[3].split(QLatin1Char(' '), Qt::SkipEmptyParts);
    const Span span{row[1].toDouble(), row[2].isEmpty() ? timeline.end : row[2].toDouble(),
                    static_cast<std::uint32_t>(timeline.names.size())};
    timeline.names << QObject::tr("failed: %1").arg(row[0]);
    timeline.categories << QStringLiteral("failed");
    for (Lane& lane : timeline.lanes) {
      if (!down.contains(lane.process) || !(span.end > span.begin))
        continue;
      const auto after = std::lower_bound(lane.spans.begin(), lane.spans.end(), span.begin,
                                          [](const Span& a, double time) { return a.begin < time; });
      const double from = after == lane.spans.begin() ? span.begin : std::max(span.begin, std::prev(after)->end);
      const double to = after == lane.spans.end() ? span.end : std::min(span.end, after->begin);
      if (to > from)
        lane.spans.insert(after, {from, to, span.name});
    }
  }
}

QStringList queue_runs(const Table& runs)
{
  const int policy = runs.column(QStringLiteral("policy"));
  const int point = runs.column(QStringLiteral("point"));
  QStringList list;
  if (policy >= 0)
    for (const QStringList& row : runs.rows)
      if (const QString run = queue_run(row, policy, point);
          list.isEmpty() || (list.back() != run && !list.contains(run)))
        list << run;
  return list;
}

Timeline machine_timeline(const Table& runs, const Table& waits, const Table& failures, const QString& run)
{
  Timeline timeline;
  std::map<std::pair<qsizetype, QString>, std::vector<Lane>> machines; // by length first: dgx-2 before dgx-10
  const auto lanes_of = [&](const QString& machine) -> std::vector<Lane>& {
    return machines[{machine.size(), machine}];
  };
  const auto name = [&](const QString& words, const QString& category) {
    timeline.names << words;
    timeline.categories << category;
    return static_cast<std::uint32_t>(timeline.names.size() - 1);
  };
  QHash<QString, std::uint32_t> known;
  bool first = true;
  for (const Stay& stay : stays_of(runs, run)) {
    const auto held = machines_of(stay.nodes);
    if (held.isEmpty() || !(stay.end > stay.begin))
      continue;
    auto words = known.constFind(stay.job);
    if (words == known.constEnd()) {
      int gpus = 0;
      for (const auto& [machine, count] : held)
        gpus += count;
      words = known.insert(stay.job, name(QObject::tr("job %1").arg(stay.job), size_of(gpus)));
    }
    for (const auto& [machine, count] : held) {
      std::vector<Lane>& lanes = lanes_of(machine);
      std::size_t at = 0;
      for (int left = count; left > 0; --left, ++at) {
        while (at < lanes.size() && !lanes[at].spans.empty() && lanes[at].spans.back().end > stay.begin + 1e-9)
          ++at;
        if (at == lanes.size())
          lanes.push_back({QObject::tr("%1 GPU %2").arg(machine).arg(at), machine, {}, {}, true});
        lanes[at].spans.push_back({stay.begin, stay.end, words.value()});
      }
    }
    timeline.begin = first ? stay.begin : std::min(timeline.begin, stay.begin);
    timeline.end = std::max(timeline.end, stay.end);
    first = false;
  }
  const auto waiting = rows_of(waits, run, {QStringLiteral("from_s"), QStringLiteral("to_s")});
  for (const QStringList& row : waiting)
    timeline.end = machines.empty() ? timeline.end : std::max(timeline.end, row[1].toDouble());
  for (auto& [key, lanes] : machines)
    for (Lane& lane : lanes)
      timeline.lanes.push_back(std::move(lane));
  if (timeline.lanes.empty())
    return timeline;
  add_counters(timeline);
  Averages queue{timeline.begin, timeline.end};
  for (const QStringList& row : waiting)
    queue.add(row[0].toDouble(), row[1].toDouble());
  if (Counter counter = queue.counter(QString::fromLatin1(QT_TRANSLATE_NOOP("QObject", "jobs waiting")));
      !counter.values.empty())
    timeline.counters.push_back(std::move(counter));
  add_failures(timeline, failures, run);
  for (const Lane& lane : timeline.lanes)
    timeline.spans += lane.spans.size();
  return timeline;
}

} // namespace trainyard::gui
