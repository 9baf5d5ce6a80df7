// SPDX-License-Identifier: Apache-2.0
// The folder of `simrun plan`: one row per design, and a chart of cost against the measure of the goal.
#include "gui/results/results.hpp"

#include "gui/results/explanation.hpp"
#include "gui/results/messages.hpp"

#include <QDir>
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QObject>

#include <limits>
#include <stdexcept>

namespace trainyard::gui {
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
  data.question =
      QString::fromLatin1(QT_TRANSLATE_NOOP("Examples", "Cost of each design, and its measure of the goal"));
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
