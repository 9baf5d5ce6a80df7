// SPDX-License-Identifier: Apache-2.0
// A sweep has one timeline for each of its points.
#include "gui/results/results.hpp"

#include <algorithm>
#include <utility>

namespace trainyard::gui {
namespace {

Table rows_of_point(const Table& table, const QString& point)
{
  const int column = table.column(QStringLiteral("point"));
  Table rows{table.columns, {}};
  for (const QStringList& row : table.rows)
    if (column < 0 || row[column] == point)
      rows.rows.push_back(row);
  return rows;
}

} // namespace

TimelineSource queue_source(const Results& results)
{
  TimelineSource source;
  if (!results)
    return source;
  source.runs = queue_runs(further_table(*results, QStringLiteral("runs")));
  if (source.runs.isEmpty()) { // several parts in one run
    const QString who_held_what = QStringLiteral("timeline");
    source.jobs = false;
    source.runs = queue_runs(further_table(*results, who_held_what));
    source.make = [results, who_held_what](const QString& run, bool) {
      Timeline timeline = cluster_timeline(further_table(*results, who_held_what),
                                           further_table(*results, QStringLiteral("queue: failures")), run);
      add_detail(timeline);
      return timeline;
    };
    return source;
  }
  source.make = [results](const QString& run, bool by_machine) {
    const Table runs = further_table(*results, QStringLiteral("runs"));
    const Table waits = further_table(*results, QStringLiteral("waits"));
    Timeline timeline = machine_timeline(runs, waits, further_table(*results, QStringLiteral("failures")), run);
    if (!by_machine || timeline.lanes.empty()) {
      Timeline jobs = queue_timeline(runs, waits, 1000, run);
      jobs.counters = std::move(timeline.counters);
      timeline = std::move(jobs);
    }
    add_detail(timeline);
    return timeline;
  };
  return source;
}

Results detail_of(const Results& results, const QString& point)
{
  const int column = results->jobs.column(QStringLiteral("point"));
  if (column < 0 || results->jobs.rows.isEmpty() || results->plan ||
      std::all_of(results->jobs.rows.begin(), results->jobs.rows.end(),
                  [&](const QStringList& row) { return row[column] == results->jobs.rows.front()[column]; }))
    return results;
  const auto table = [&](const QString& name) { return rows_of_point(further_table(*results, name), point); };
  if (const Table runs = table(QStringLiteral("runs")); runs.column(QStringLiteral("policy")) >= 0) {
    auto detail = std::make_shared<ResultsData>(); // a queue has all of its points in one folder
    detail->folder = results->folder;
    detail->links = rows_of_point(results->links, point);
    for (const char* name : {"runs", "waits", "failures"})
      detail->other.push_back({QLatin1String(name), table(QLatin1String(name))});
    if (const TimelineSource source = queue_source(detail); !source.runs.isEmpty())
      detail->timeline = source.make(source.runs.front(), true);
    return detail;
  }
  if (results->jobs.column(QStringLiteral("samples_per_second")) < 0)
    return results;
  return results->jobs.rows.back()[column] == point ? results : nullptr; // a run keeps the timeline of its last point
}

} // namespace trainyard::gui
