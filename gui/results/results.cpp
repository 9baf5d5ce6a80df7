// SPDX-License-Identifier: Apache-2.0
#include "gui/results/results.hpp"

#include "models/core/csv.hpp"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QJsonArray>
#include <QJsonDocument>
#include <QObject>

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <utility>

namespace trainyard::gui {
namespace {

QByteArray bytes_of(const QString& file)
{
  QFile in{file};
  if (!in.open(QIODevice::ReadOnly))
    throw std::runtime_error{QObject::tr("%1 cannot be read: %2").arg(file, in.errorString()).toStdString()};
  return in.readAll();
}

} // namespace

QString Table::text(int row, const QString& name) const
{
  const int at = column(name);
  return at < 0 || row < 0 || row >= rows.size() ? QString{} : rows[row][at];
}

double Table::number(int row, const QString& name) const
{
  bool good = false;
  const double value = text(row, name).toDouble(&good);
  return good ? value : std::numeric_limits<double>::quiet_NaN();
}

bool Table::isNumeric(int column) const
{
  if (counted_rows == rows.size() && numeric.size() == columns.size())
    return numeric[column];
  bool any = false;
  for (const QStringList& row : rows) {
    if (row[column].isEmpty())
      continue;
    bool good = false;
    row[column].toDouble(&good);
    if (!good)
      return false;
    any = true;
  }
  return any;
}

Table read_csv(const QByteArray& text, int* uneven)
{
  Table table;
  for (CsvReader reader{{text.data(), static_cast<std::size_t>(text.size())}}; reader.next();) {
    QStringList row;
    for (const std::string_view cell : reader.cells())
      row << QString::fromUtf8(cell.data(), static_cast<qsizetype>(cell.size()));
    if (table.columns.isEmpty()) {
      table.columns = row;
      continue;
    }
    if (row.size() != table.columns.size() && uneven != nullptr)
      ++*uneven;
    row.resize(table.columns.size());
    table.rows.push_back(row);
  }
  QVector<bool> numeric;
  numeric.reserve(table.columns.size());
  for (int i = 0; i < table.columns.size(); ++i)
    numeric.push_back(table.isNumeric(i));
  table.numeric = std::move(numeric);
  table.counted_rows = table.rows.size();
  return table;
}

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

ResultsData read_results(const QString& folder)
{
  if (is_plan_folder(folder))
    return read_plan(folder);
  const QDir dir{folder};
  if (!dir.exists(QStringLiteral("summary.json")))
    throw std::runtime_error{
        QObject::tr("%1 is not a results folder: it has no summary.json").arg(folder).toStdString()};
  ResultsData data;
  data.folder = dir.absolutePath();
  QJsonParseError fault;
  const QJsonDocument summary = QJsonDocument::fromJson(bytes_of(dir.filePath(QStringLiteral("summary.json"))), &fault);
  if (!summary.isObject())
    throw std::runtime_error{
        QObject::tr("summary.json of %1 is damaged: %2").arg(folder, fault.errorString()).toStdString()};
  data.summary = summary.object();
  data.scenario = data.summary.value(QLatin1String("scenario")).toString();
  data.question = data.summary.value(QLatin1String("description")).toString();
  data.advice = data.summary.value(QLatin1String("advice")).toString();
  data.written_by = data.summary.value(QLatin1String("trainyard_version")).toString();
  if (const int version = data.summary.value(QLatin1String("schema_version")).toInt(1); version > 1)
    data.warnings << QObject::tr(
                         "a newer version (%1) wrote this folder; only the parts that this version knows are shown")
                         .arg(data.written_by);
  for (const QJsonValue& warning : data.summary.value(QLatin1String("warnings")).toArray())
    data.warnings << warning.toString();
  for (const QFileInfo& info : dir.entryInfoList({QStringLiteral("*.csv")}, QDir::Files, QDir::Name)) {
    try {
      int uneven = 0;
      Table table = read_csv(bytes_of(info.absoluteFilePath()), &uneven);
      if (uneven > 0)
        data.warnings << QObject::tr("%1: in %2 rows the number of cells differs from the header")
                             .arg(info.fileName())
                             .arg(uneven);
      if (info.fileName() == QLatin1String("jobs.csv"))
        data.jobs = std::move(table);
      else if (info.fileName() == QLatin1String("links.csv"))
        data.links = std::move(table);
      else if (info.fileName() == QLatin1String("events.csv"))
        data.events = std::move(table);
      else if (info.fileName() == QLatin1String("link_loads.csv"))
        data.link_loads = link_loads_of(table);
      else if (info.size() < 64'000'000)
        data.other.push_back({info.completeBaseName(), std::move(table)});
    } catch (const std::exception& failure) {
      data.warnings << QString::fromUtf8(failure.what());
    }
  }
  // Groups of jobs by team, by user, …: a table each, as no picture shows all of them.
  for (qsizetype i = 0; i < data.other.size(); ++i)
    if (data.other[i].first == QLatin1String("groups"))
      if (const int by = data.other[i].second.column(QStringLiteral("by")); by >= 0) {
        const Table groups = std::exchange(data.other[i].second, Table{});
        data.other.removeAt(i);
        for (const QStringList& row : groups.rows) {
          const QString name = QStringLiteral("groups by ") + row[by];
          auto found =
              std::find_if(data.other.begin(), data.other.end(), [&](const auto& each) { return each.first == name; });
          if (found == data.other.end())
            found = data.other.insert(data.other.end(), {name, Table{groups.columns, {}}});
          found->second.rows.push_back(row);
        }
        break;
      }
  for (const QFileInfo& info : dir.entryInfoList({QStringLiteral("*.png")}, QDir::Files, QDir::Name))
    data.pictures << info.absoluteFilePath();
  if (dir.exists(QStringLiteral("manifest.json"))) {
    try {
      const QJsonObject manifest =
          QJsonDocument::fromJson(bytes_of(dir.filePath(QStringLiteral("manifest.json")))).object();
      data.scenario_text = manifest.value(QLatin1String("scenario")).toObject().value(QLatin1String("text")).toString();
    } catch (const std::exception& failure) {
      data.warnings << QString::fromUtf8(failure.what());
    }
  }
  if (dir.exists(QStringLiteral("trace.json.gz"))) {
    try {
      data.timeline = read_trace(dir.filePath(QStringLiteral("trace.json.gz")));
    } catch (const std::exception& failure) {
      data.warnings << QString::fromUtf8(failure.what());
    }
  }
  if (data.timeline.lanes.empty()) {
    const auto table = [&](const QString& name) {
      for (const auto& [other, rows] : data.other)
        if (other == name)
          return rows;
      return Table{};
    };
    data.timeline = queue_timeline(table(QStringLiteral("runs")), table(QStringLiteral("waits")));
    if (data.timeline.lanes.empty())
      data.timeline = task_timeline(table(QStringLiteral("tasks")));
    if (data.timeline.lanes.empty())
      data.timeline = retraining_timeline(table(QStringLiteral("trainings")), table(QStringLiteral("stale")));
    if (data.timeline.lanes.empty())
      data.timeline = cluster_timeline(table(QStringLiteral("timeline")));
  }
  add_detail(data.timeline);
  return data;
}

} // namespace trainyard::gui
