// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <QHash>
#include <QString>
#include <QVector>

#include <limits>
#include <utility>

namespace trainyard::gui {

/// What a column of a results folder is, as simrun declares it.
struct ColumnFact {
  QString unit; // "s", "B", "/s", "$", "W"; empty for counts and shares
  QString meaning;
};

/// The columns by name, from `simrun list columns --json`, which is asked once; empty where it cannot be. Takes a
/// moment the first time; the loader of results asks on its own thread.
const QHash<QString, ColumnFact>& column_facts();

/// What is known of a column, also of a part of a distribution: "jct_p95_s" is a part of "jct_s". A column that nobody
/// declares has the unit of its ending.
ColumnFact fact_of(const QString& column);

/// The column with the "low" or "high" end of an interval: "step_s" -> "step_low_s".
QString interval_end(const QString& column, const char* end);

/// A heading in words: "queueing delay, 95 % of jobs", "GPU memory". The unit stands with the numbers.
QString column_title(const QString& column);

/// A value as the terminal prints it, with its unit: "95.3 ms", "18,367", "5.14 GB", "73 %". In the
/// unit of the @p largest of its column, where that is given.
QString figure_text(const QString& column, double value, double largest = std::numeric_limits<double>::quiet_NaN());

/// For an axis: how its numbers are to be scaled, and its title with the unit that they then have.
struct AxisUnit {
  double factor = 1; // shown = value * factor
  QString title;
};
/// @p most: the largest value that is drawn; @p sample: what a sample is called, "image".
AxisUnit axis_unit(const QString& column, double most, const QString& sample = {});

/// The name of a point in its parts: "workers=4 variant=ps:1 sync" has two.
QVector<std::pair<QString, QString>> parts_of_point(const QString& point);

} // namespace trainyard::gui
