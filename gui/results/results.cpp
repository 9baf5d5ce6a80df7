// SPDX-License-Identifier: Apache-2.0
#include "gui/results/results.hpp"

#include "gui/results/messages.hpp"
#include "gui/run/run_queue.hpp"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QJsonArray>
#include <QJsonDocument>
#include <QObject>

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace trainyard::gui {
namespace {

constexpr qint64 largest_table = 64'000'000; // bytes of a table that is shown

/// Tables of the parts of a run that has several, each in a folder of its own: "queue: jobs".
void add_parts(ResultsData& data, const QDir& dir)
{
  for (const char* part : {"queue", "services", "retraining"})
    for (const QFileInfo& info :
         QDir{dir.filePath(QLatin1String(part))}.entryInfoList({QStringLiteral("*.csv")}, QDir::Files, QDir::Name)) {
      if (info.size() >= largest_table)
        continue;
      try {
        Table table = read_csv(bytes_of(info.absoluteFilePath()));
        if (!table.rows.isEmpty())
          data.other.push_back(
              {QStringLiteral("%1: %2").arg(QLatin1String(part), info.completeBaseName()), std::move(table)});
      } catch (const std::exception& failure) {
        data.warnings << QString::fromUtf8(failure.what());
      }
    }
}

void read_summary(const QDir& dir, const QString& folder, ResultsData& data)
{
  QJsonParseError fault;
  const QJsonDocument summary = QJsonDocument::fromJson(bytes_of(dir.filePath(QStringLiteral("summary.json"))), &fault);
  if (!summary.isObject())
    throw std::runtime_error{
        QObject::tr("summary.json of %1 is damaged: %2").arg(folder, fault.errorString()).toStdString()};
  data.summary = summary.object();
  data.scenario = data.summary.value(QLatin1String("scenario")).toString();
  data.question = data.summary.value(QLatin1String("description")).toString();
  data.written_by = data.summary.value(QLatin1String("trainyard_version")).toString();
  if (const int version = data.summary.value(QLatin1String("schema_version")).toInt(1); version > 1)
    data.warnings << QObject::tr(
                         "a newer version (%1) wrote this folder; only the parts that this version knows are shown")
                         .arg(data.written_by);
  const QJsonArray messages = data.summary.value(QLatin1String("messages")).toArray();
  learn_messages(messages); // cells of tables have their words alone
  data.messages = read_messages(messages);
}

void read_tables(const QDir& dir, ResultsData& data)
{
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
      else if (info.size() < largest_table)
        data.other.push_back({info.completeBaseName(), std::move(table)});
    } catch (const std::exception& failure) {
      data.warnings << QString::fromUtf8(failure.what());
    }
  }
}

/// Groups of jobs by team, by user, …: a table each, as no picture shows all of them.
void split_groups(ResultsData& data)
{
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
}

/// The text of the scenario, and the lanes of the trace; what is damaged is a warning.
void read_text_and_trace(const QDir& dir, ResultsData& data)
{
  if (dir.exists(QStringLiteral("manifest.json"))) {
    try {
      const QJsonObject manifest =
          QJsonDocument::fromJson(bytes_of(dir.filePath(QStringLiteral("manifest.json")))).object();
      const QJsonObject scenario = manifest.value(QLatin1String("scenario")).toObject();
      data.scenario_text = scenario.value(QLatin1String("text")).toString();
      data.scenario_identity = identity_of_run(data.folder);
      if (data.scenario_identity.isEmpty()) {
        const QString folder = scenario.value(QLatin1String("folder")).toString(); // older manifests have none
        const QString file = scenario.value(QLatin1String("file")).toString();
        data.scenario_identity = folder.isEmpty() ? file : QDir{folder}.filePath(file);
      }
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
}

/// Lanes of a run that wrote no trace: those of the first kind of table that it has.
Timeline timeline_of_tables(const ResultsData& data)
{
  Timeline timeline;
  const Table runs = further_table(data, QStringLiteral("runs"));
  if (const QString first = queue_runs(runs).value(0); !first.isEmpty())
    timeline = machine_timeline(runs, further_table(data, QStringLiteral("waits")),
                                further_table(data, QStringLiteral("failures")), first);
  if (timeline.lanes.empty())
    timeline = queue_timeline(runs, further_table(data, QStringLiteral("waits")));
  if (timeline.lanes.empty())
    timeline = task_timeline(further_table(data, QStringLiteral("tasks")));
  if (timeline.lanes.empty())
    timeline = retraining_timeline(further_table(data, QStringLiteral("trainings")),
                                   further_table(data, QStringLiteral("stale")));
  if (timeline.lanes.empty())
    timeline = cluster_timeline(further_table(data, QStringLiteral("timeline")),
                                further_table(data, QStringLiteral("queue: failures")));
  return timeline;
}

} // namespace

QByteArray bytes_of(const QString& file)
{
  QFile in{file};
  if (!in.open(QIODevice::ReadOnly))
    throw std::runtime_error{QObject::tr("%1 cannot be read: %2").arg(file, in.errorString()).toStdString()};
  return in.readAll();
}

Table further_table(const ResultsData& data, const QString& name)
{
  for (const auto& [other, table] : data.other)
    if (other == name)
      return table;
  return {};
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
  read_summary(dir, folder, data);
  read_tables(dir, data);
  if (further_table(data, QStringLiteral("parts")).column(QStringLiteral("run")) >= 0)
    add_parts(data, dir);
  split_groups(data);
  for (const QFileInfo& info : dir.entryInfoList({QStringLiteral("*.png")}, QDir::Files, QDir::Name))
    data.pictures << info.absoluteFilePath();
  read_text_and_trace(dir, data);
  if (data.timeline.lanes.empty())
    data.timeline = timeline_of_tables(data);
  add_critical_path(data);
  if (data.timeline.counters.empty())
    add_counters(data.timeline, data.link_loads);
  add_detail(data.timeline);
  return data;
}

} // namespace trainyard::gui
