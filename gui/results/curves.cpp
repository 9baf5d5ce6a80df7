// SPDX-License-Identifier: Apache-2.0
#include "gui/results/curves.hpp"

#include "gui/results/figures.hpp"
#include "gui/results/messages.hpp"

#include <QHash>
#include <QJsonArray>
#include <QSet>

#include <QJsonObject>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace trainyard::gui {
namespace {

constexpr int most_lines = 200; // of a chart; more could not be told apart

bool varies(const Table& table, int column)
{
  return column >= 0 && std::any_of(table.rows.begin(), table.rows.end(),
                                    [&](const QStringList& row) { return row[column] != table.rows.front()[column]; });
}

int distinct(const Table& table, int column)
{
  QSet<QString> values;
  for (const QStringList& row : table.rows)
    values.insert(row[column]);
  return static_cast<int>(values.size());
}

double number_in(const QStringList& row, int column)
{
  bool good = false;
  const double value = column < 0 ? 0 : row[column].toDouble(&good);
  return good ? value : std::numeric_limits<double>::quiet_NaN();
}

/// What names a line: the model, where several are drawn, and the column that was chosen.
QVector<int> naming(const Table& table, const ChartChoice& choice)
{
  const int series = table.column(choice.series);
  const int model = table.column(QStringLiteral("model"));
  QVector<int> columns;
  if (model != series && varies(table, model))
    columns << model;
  if (series >= 0)
    columns << series;
  return columns;
}

QStringList cells(const QStringList& row, const QVector<int>& columns)
{
  QStringList list;
  for (const int column : columns)
    list << row[column];
  return list;
}

/// "interval=1 h" of a point; the whole point where it has no axes.
QString part_of(const QString& point, const QString& axis)
{
  for (const auto& [key, value] : parts_of_point(point))
    if (key == axis)
      return key + QLatin1Char('=') + value;
  return point;
}

/// The axes of a sweep in which rows differ that one line would have at one place: it takes a line for each.
QStringList mixed_axes(const Table& table, int x, const QVector<int>& names)
{
  const int point = table.column(QStringLiteral("point"));
  QHash<QStringList, QString> first;
  QSet<QPair<QString, QString>> seen;
  QStringList axes;
  for (const QStringList& row : table.rows) {
    if (point < 0)
      break;
    QString& other = first[cells(row, names) << row.value(x)];
    if (other.isNull())
      other = row[point];
    if (other == row[point] || seen.contains({other, row[point]}))
      continue;
    seen.insert({other, row[point]});
    const auto parts = parts_of_point(other);
    for (const auto& [key, value] : parts)
      if (!axes.contains(key) && part_of(row[point], key) != part_of(other, key))
        axes << key;
    if (parts.isEmpty() && axes.isEmpty())
      axes << QString{};
  }
  return axes;
}

} // namespace

bool of_one_point(const Table& table, const ChartChoice& choice)
{
  const int point = table.column(QStringLiteral("point"));
  const int x = table.column(choice.x);
  if (point < 0 || x < 0 || choice.series == QLatin1String("point"))
    return false;
  const QVector<int> names = naming(table, choice);
  QHash<QStringList, QString> place;
  return std::any_of(table.rows.begin(), table.rows.end(), [&](const QStringList& row) {
    const QStringList line = cells(row, names) << row[point];
    const auto found = place.constFind(line);
    if (found != place.constEnd())
      return found.value() != row[x];
    place.insert(line, row[x]);
    return false;
  });
}

ChartChoice best_choice(const Table& jobs)
{
  ChartChoice choice;
  const auto varied = [&](const QString& name) { return varies(jobs, jobs.column(name)); };
  for (const char* x : {"workers", "gpus", "servers", "batch_per_gpu", "arrival_s"})
    if (choice.x.isEmpty() && varied(QLatin1String(x)))
      choice.x = QLatin1String(x);
  for (const char* y : {"samples_per_second", "jct_s", "step_s"})
    if (choice.y.isEmpty() && jobs.column(QLatin1String(y)) >= 0)
      choice.y = QLatin1String(y);
  if (varied(QStringLiteral("time_s"))) { // a series over time
    choice.x = QStringLiteral("time_s");
    for (const char* y : {"busy_gpus", "running", "ready_replicas", "waiting_jobs"})
      if (jobs.column(QLatin1String(y)) >= 0 &&
          (choice.y.isEmpty() || jobs.column(choice.y) < jobs.column(QStringLiteral("time_s"))))
        choice.y = QLatin1String(y);
    for (int i = 0; i < jobs.columns.size() && choice.y.isEmpty(); ++i)
      if (jobs.columns[i] != QLatin1String("time_s") && jobs.isNumeric(i))
        choice.y = jobs.columns[i];
  }
  for (const char* by : {"variant", "policy", "job", "model", "service", "point"})
    if (choice.series.isEmpty() && varied(QLatin1String(by)))
      if (const int lines = distinct(jobs, jobs.column(QLatin1String(by)));
          lines <= most_lines && (qstrcmp(by, "point") != 0 || lines < jobs.rows.size()))
        choice.series = QLatin1String(by);
  if (choice.x.isEmpty() && varied(QStringLiteral("policy")) && jobs.column(QStringLiteral("jct_mean_s")) >= 0) {
    return {QStringLiteral("policy"), QStringLiteral("jct_mean_s"),
            varied(QStringLiteral("point")) ? QStringLiteral("point") : QString{}};
  }
  if (choice.x.isEmpty() && varied(QStringLiteral("run"))) // what each part of a run costs the others
    for (const char* y : {"mean_waiting_s", "availability", "stale_share"})
      if (varied(QLatin1String(y)))
        return {QStringLiteral("run"), QLatin1String(y), choice.series};
  for (int i = 0; i < jobs.columns.size() && choice.x.isEmpty(); ++i)
    if (jobs.isNumeric(i) && varies(jobs, i) && jobs.columns[i] != choice.y)
      choice.x = jobs.columns[i];
  return choice;
}

Curves curves_of(const Table& table, const ChartChoice& choice, const QString& separator)
{
  // Columns are looked up once: a queue has ten thousands of rows.
  const int x_column = table.column(choice.x);
  const int y_column = table.column(choice.y);
  const QVector<int> names = naming(table, choice);
  const QStringList axes = mixed_axes(table, x_column, names);
  const int point = table.column(QStringLiteral("point"));
  const int low = table.column(interval_end(choice.y, "low"));
  const int high = table.column(interval_end(choice.y, "high"));
  const bool named = x_column < 0 || !table.isNumeric(x_column);
  Curves curves;
  QHash<QString, qsizetype> line_of;
  QHash<QString, int> place_of;
  for (const QStringList& row : table.rows) {
    double x = 0;
    if (named) {
      const QString name = x_column < 0 ? column_title(choice.y) : row[x_column];
      const auto found = place_of.constFind(name);
      x = found != place_of.constEnd() ? found.value()
                                       : place_of.insert(name, static_cast<int>(place_of.size())).value();
      if (x >= static_cast<double>(curves.across.size()))
        curves.across << name;
    } else {
      x = number_in(row, x_column);
    }
    const double y = number_in(row, y_column);
    if (!std::isfinite(x) || !std::isfinite(y))
      continue;
    QStringList name = cells(row, names);
    for (const QString& axis : axes)
      name << part_of(row[point], axis);
    const QString label = name.join(separator);
    auto found = line_of.find(label);
    if (found == line_of.end()) {
      found = line_of.insert(label, curves.lines.size());
      curves.lines.push_back({label, {}, false, {}});
    }
    Series& line = curves.lines[found.value()];
    line.points.push_back({x, y});
    if (low >= 0 && high >= 0)
      line.interval.push_back({number_in(row, low), number_in(row, high)});
  }
  for (Series& line : curves.lines) {
    QVector<qsizetype> order(line.points.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(),
                     [&](qsizetype a, qsizetype b) { return line.points[a].x() < line.points[b].x(); });
    Series sorted = line;
    for (qsizetype i = 0; i < order.size(); ++i) {
      sorted.points[i] = line.points[order[i]];
      if (!line.interval.isEmpty())
        sorted.interval[i] = line.interval[order[i]];
    }
    line = std::move(sorted);
    if (std::none_of(line.interval.begin(), line.interval.end(),
                     [](const QPair<double, double>& each) { return each.second > each.first; }))
      line.interval.clear();
  }
  return curves;
}

QVector<Series> ideal_lines(const Table& jobs, const ChartChoice& choice)
{
  QVector<Series> lines;
  const int x = jobs.column(choice.x);
  const int y = jobs.column(QStringLiteral("samples_per_second"));
  const int efficiency = jobs.column(QStringLiteral("scaling_efficiency"));
  const int model = jobs.column(QStringLiteral("model"));
  if (choice.x != QLatin1String("workers") || choice.y != QLatin1String("samples_per_second") || efficiency < 0 ||
      model < 0 || !varies(jobs, x))
    return lines;
  for (const QStringList& row : jobs.rows) {
    const QPointF point{number_in(row, x), number_in(row, y) / number_in(row, efficiency)};
    if (!std::isfinite(point.x()) || !std::isfinite(point.y()))
      continue;
    const QString name =
        varies(jobs, model) ? QObject::tr("%1, perfect scaling").arg(row[model]) : QObject::tr("perfect scaling");
    auto line = std::find_if(lines.begin(), lines.end(), [&](const Series& each) { return each.name == name; });
    if (line == lines.end()) {
      lines.push_back({name, {}, true, {}});
      line = std::prev(lines.end());
      line->colour = 6; // grey
    }
    const auto same = std::find_if(line->points.begin(), line->points.end(),
                                   [&](const QPointF& each) { return each.x() == point.x(); });
    if (same == line->points.end())
      line->points.push_back(point);
    else if (std::fabs(same->y() - point.y()) > 0.01 * point.y())
      return {}; // other batches or GPUs: there is no one ideal
  }
  for (Series& line : lines)
    std::sort(line.points.begin(), line.points.end(), [](const QPointF& a, const QPointF& b) { return a.x() < b.x(); });
  return lines;
}

ChartTitles scale_axes(QVector<Series>& lines, const QString& x, const QString& y, const QString& sample)
{
  double most_x = 0;
  double most_y = 0;
  for (const Series& line : std::as_const(lines))
    for (const QPointF& point : line.points) {
      most_x = std::max(most_x, std::fabs(point.x()));
      most_y = std::max(most_y, std::fabs(point.y()));
    }
  const AxisUnit across = x.isEmpty() ? AxisUnit{} : axis_unit(x, most_x, sample);
  const AxisUnit up = axis_unit(y, most_y, sample);
  for (Series& line : lines) {
    for (QPointF& point : line.points)
      point = {point.x() * across.factor, point.y() * up.factor};
    for (auto& [low, high] : line.interval) {
      low *= up.factor;
      high *= up.factor;
    }
  }
  return {across.title, up.title, across.factor};
}

QString sample_of(const ResultsData& data)
{
  QString sample;
  for (const auto& each : data.summary.value(QLatin1String("jobs")).toArray()) {
    const QString own = each.toObject().value(QLatin1String("sample")).toString();
    if (!sample.isEmpty() && own != sample)
      return {};
    sample = own;
  }
  return sample;
}

Table figures_of(const Table& table)
{
  Table figures;
  figures.columns << QObject::tr("figure");
  for (const QStringList& row : table.rows) {
    QStringList name;
    for (const char* by : {"point", "variant", "policy", "job", "service", "model"})
      if (const int column = table.column(QLatin1String(by)); varies(table, column))
        name << row[column];
    figures.columns << (name.isEmpty() ? QObject::tr("value") : name.join(QStringLiteral(", ")));
  }
  QVector<int> order; // what is asked first, then the columns as they stand
  for (const char* first : {"samples_per_second", "step_s", "scaling_efficiency", "bottleneck", "jct_s"})
    if (const int column = table.column(QLatin1String(first)); column >= 0)
      order.push_back(column);
  for (int column = 0; column < table.columns.size(); ++column)
    if (!order.contains(column))
      order.push_back(column);
  for (const int column : std::as_const(order)) {
    QStringList figure{column_title(table.columns[column])};
    bool any = false;
    for (const QStringList& row : table.rows) {
      const double value = number_in(row, column);
      figure << (std::isfinite(value) ? figure_text(table.columns[column], value)
                                      : cell_words(table.columns[column], row[column]));
      any = any || !row[column].isEmpty();
    }
    if (any)
      figures.rows.push_back(figure);
  }
  return figures;
}

} // namespace trainyard::gui
