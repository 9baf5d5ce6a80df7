// SPDX-License-Identifier: Apache-2.0
// A sweep has one timeline for each of its points.
#include "gui/results/results.hpp"

#include <algorithm>

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

Results detail_of(const Results& results, const QString& point)
{
  const int column = results->jobs.column(QStringLiteral("point"));
  if (column < 0 || results->jobs.rows.isEmpty() || results->plan ||
      std::all_of(results->jobs.rows.begin(), results->jobs.rows.end(),
                  [&](const QStringList& row) { return row[column] == results->jobs.rows.front()[column]; }))
    return results;
  const auto table = [&](const char* name) {
    for (const auto& [other, rows] : results->other)
      if (other == QLatin1String(name))
        return rows_of_point(rows, point);
    return Table{};
  };
  if (const Table runs = table("runs"); runs.column(QStringLiteral("policy")) >= 0) { // a queue, with all its points
    auto detail = std::make_shared<ResultsData>();
    detail->folder = results->folder;
    detail->links = rows_of_point(results->links, point);
    detail->timeline = queue_timeline(runs, table("waits"));
    add_detail(detail->timeline);
    return detail;
  }
  if (results->jobs.column(QStringLiteral("samples_per_second")) < 0)
    return results;
  return results->jobs.rows.back()[column] == point ? results : nullptr; // a run keeps the timeline of its last point
}

} // namespace trainyard::gui
