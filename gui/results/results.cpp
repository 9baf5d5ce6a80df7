// SPDX-License-Identifier: Apache-2.0
#include "gui/results/results.hpp"

#include "gui/results/explanation.hpp"
#include "gui/results/messages.hpp"
#include "gui/run/run_queue.hpp"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QJsonArray>
#include <QJsonDocument>
#include <QObject>
#include <QSet>

#include <algorithm>
#include <limits>
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
    add_counters(data.timeline, data.link_loads, true);
  add_detail(data.timeline);
  return data;
}

// The critical path of the summary, on the lanes of the timeline.
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

// A sweep has one timeline for each of its points.
Table rows_of_point(const Table& table, const QString& point)
{
  const int column = table.column(QStringLiteral("point"));
  Table rows{table.columns, {}};
  for (const QStringList& row : table.rows)
    if (column < 0 || row[column] == point)
      rows.rows.push_back(row);
  return rows;
}

QStringList points_of(const ResultsData& data)
{
  // Services and retraining have no jobs, but tables with points.
  const QString point = QStringLiteral("point");
  const Table* named = &data.jobs;
  for (const auto& [name, table] : data.other)
    if (named->rows.isEmpty() && table.column(point) >= 0)
      named = &table;
  constexpr int most = 2000;
  QStringList points;
  QSet<QString> seen;
  for (int row = 0; row < named->rows.size(); ++row)
    if (const QString name = named->text(row, point); !seen.contains(name) && seen.size() < most) {
      seen.insert(name);
      points << name;
    }
  if (const QString last = named->text(static_cast<int>(named->rows.size()) - 1, point);
      !named->rows.isEmpty() && !seen.contains(last))
    points << last; // whose timeline is there
  return points;
}

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
  const QStringList points = points_of(*results);
  if (results->plan || points.size() < 2)
    return results;
  auto detail = std::make_shared<ResultsData>();
  detail->folder = results->folder;
  detail->links = rows_of_point(results->links, point);
  if (results->link_loads.point == point)
    detail->link_loads = results->link_loads;
  for (const char* name : {"runs", "waits", "failures", "tasks", "trainings", "stale", "timeline", "queue: failures"}) {
    Table table = rows_of_point(further_table(*results, QLatin1String(name)), point);
    for (QStringList& row : table.rows) // it stands above the lanes
      if (const int column = table.column(QStringLiteral("point")); column >= 0)
        row[column].clear();
    detail->other.push_back({QLatin1String(name), std::move(table)});
  }
  if (detail->timeline = timeline_of_tables(*detail); !detail->timeline.lanes.empty()) {
    add_detail(detail->timeline);
    return detail; // the folder has the tables of all points
  }
  const bool traced = results->jobs.column(QStringLiteral("samples_per_second")) >= 0; // the last point alone
  return !traced || points.back() == point ? results : nullptr;
}

// The folder of `simrun plan`: one row per design, and a chart of cost against the measure of the goal.
bool is_plan_folder(const QString& folder)
{
  QFile in{QDir{folder}.filePath(QStringLiteral("manifest.json"))};
  return QFile::exists(QDir{folder}.filePath(QStringLiteral("designs.csv"))) && in.open(QIODevice::ReadOnly) &&
         in.read(200).contains("\"trainyard plan\"");
}

ResultsData read_plan(const QString& folder)
{
  const QDir dir{folder};
  ResultsData data;
  data.folder = dir.absolutePath();
  QJsonParseError fault;
  const QJsonDocument manifest =
      QJsonDocument::fromJson(bytes_of(dir.filePath(QStringLiteral("manifest.json"))), &fault);
  if (!manifest.isObject())
    throw std::runtime_error{
        QObject::tr("manifest.json of %1 is damaged: %2").arg(folder, fault.errorString()).toStdString()};
  data.summary = manifest.object();
  data.scenario = data.summary.value(QLatin1String("scenario")).toString();
  data.written_by = data.summary.value(QLatin1String("trainyard_version")).toString();
  if (data.summary.value(QLatin1String("schema_version")).toInt(1) > 1)
    data.warnings << QObject::tr(
                         "a newer version (%1) wrote this folder; only the parts that this version knows are shown")
                         .arg(data.written_by);
  PlanAnswer plan;
  plan.objective = data.summary.value(QLatin1String("objective")).toString();
  for (const QJsonValue& goal : data.summary.value(QLatin1String("goals")).toArray()) {
    plan.goals << goal.toString();
    plan.fronts.push_back({});
  }
  for (const auto& limit : data.summary.value(QLatin1String("limits")).toArray()) {
    plan.measures << limit[QLatin1String("measure")].toString();
    plan.limits.push_back(limit[QLatin1String("limit")].toDouble());
    plan.upper.push_back(limit[QLatin1String("upper")].toBool());
  }
  if (plan.limits.size() != plan.goals.size())
    throw std::runtime_error{
        QObject::tr("manifest.json of %1 is damaged: %2").arg(folder, QStringLiteral("limits")).toStdString()};
  const QJsonArray fronts = data.summary.value(QLatin1String("fronts")).toArray();
  for (const QJsonValue& front : fronts) {
    const auto of = plan.goals.indexOf(front[QLatin1String("goal")].toString());
    for (const QJsonValue& design : front[QLatin1String("designs")].toArray())
      if (const QJsonValue goal = design[QLatin1String("goals")][of];
          of >= 0 && goal[QLatin1String("value")].isDouble())
        plan.fronts[of].push_back(
            {design[QLatin1String("objective")].toDouble(), goal[QLatin1String("value")].toDouble()});
  }
  const QJsonObject best = data.summary.contains(QLatin1String("answer"))
                               ? data.summary.value(QLatin1String("answer")).toObject()
                               : data.summary.value(QLatin1String("nearest_miss")).toObject();
  if (!best.isEmpty()) {
    plan.best_objective = best.value(QLatin1String("objective")).toDouble();
    for (const QJsonValue& goal : best.value(QLatin1String("goals")).toArray())
      plan.best_values.push_back(goal[QLatin1String("value")].toDouble(std::numeric_limits<double>::quiet_NaN()));
  }
  plan.met = data.summary.value(QLatin1String("met")).toBool();
  plan.told = told_in(manifest.toJson());
  try {
    data.jobs = read_csv(bytes_of(dir.filePath(QStringLiteral("designs.csv"))));
  } catch (const std::exception& failure) {
    data.warnings << QString::fromUtf8(failure.what());
  }
  data.messages = read_messages(data.summary.value(QLatin1String("messages")).toArray());
  data.question = QString::fromLatin1(QT_TRANSLATE_NOOP("Examples", "Designs, and their measures of the goal"));
  for (const char* name : {"front.png"})
    if (dir.exists(QLatin1String(name)))
      data.pictures << dir.absoluteFilePath(QLatin1String(name));
  QFile answer{dir.filePath(QStringLiteral("answer.yaml"))};
  if (answer.open(QIODevice::ReadOnly))
    data.scenario_text = QString::fromUtf8(answer.readAll());
  data.plan = std::move(plan);
  return data;
}

} // namespace trainyard::gui
