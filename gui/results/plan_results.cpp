// SPDX-License-Identifier: Apache-2.0
// The folder of `simrun plan`: one row per design, and a chart of cost against the measure of the goal.
#include "gui/results/results.hpp"

#include <QDir>
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QObject>
#include <QRegularExpression>

#include <cmath>
#include <limits>
#include <stdexcept>

namespace trainyard::gui {
namespace {

/// Columns of several goals have the same names; each gets its goal's name in front.
void name_columns_apart(Table& table, const PlanAnswer& plan)
{
  int goal = -1;
  for (QString& column : table.columns) {
    for (int i = 0; i < plan.measures.size(); ++i)
      if (column == plan.measures[i])
        goal = i;
    if (goal >= 0 && plan.measures.size() > 1 &&
        (column == QLatin1String("low") || column == QLatin1String("high") || column == QLatin1String("replicas")))
      column = plan.measures[goal] + QStringLiteral(" ") + column;
  }
}

double limit_of(const QJsonObject& goal, const QString& text)
{
  // The margin is relative to the limit: 1 - value / limit below it, value / limit - 1 above.
  const double value = goal.value(QLatin1String("value")).toDouble();
  const double margin = goal.value(QLatin1String("margin")).toDouble();
  const double part = text.contains(QLatin1Char('<')) ? 1 - margin : 1 + margin;
  return std::fabs(part) > 1e-12 && value != 0 ? value / part : std::numeric_limits<double>::quiet_NaN();
}

} // namespace

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
  static const QRegularExpression measure{QStringLiteral("^\\s*([^<>=]+?)\\s*[<>]")};
  for (const QJsonValue& goal : data.summary.value(QLatin1String("goals")).toArray()) {
    plan.goals << goal.toString();
    plan.measures << measure.match(goal.toString()).captured(1);
    plan.limits.push_back(std::numeric_limits<double>::quiet_NaN());
    plan.fronts.push_back({});
  }
  const auto look = [&](const QJsonObject& design, bool front, int of) {
    const QJsonArray goals = design.value(QLatin1String("goals")).toArray();
    for (int g = 0; g < std::min<qsizetype>(goals.size(), plan.goals.size()); ++g) {
      const QJsonObject goal = goals[g].toObject();
      if (!goal.contains(QLatin1String("value")))
        continue;
      if (!std::isfinite(plan.limits[g]))
        plan.limits[g] = limit_of(goal, plan.goals[g]);
      if (front && g == of)
        plan.fronts[g].push_back(
            {design.value(QLatin1String("objective")).toDouble(), goal.value(QLatin1String("value")).toDouble()});
    }
  };
  const QJsonArray fronts = data.summary.value(QLatin1String("fronts")).toArray();
  for (const QJsonValue& front : fronts) {
    const int of = static_cast<int>(plan.goals.indexOf(front[QLatin1String("goal")].toString()));
    for (const QJsonValue& design : front[QLatin1String("designs")].toArray())
      look(design.toObject(), true, of);
  }
  for (const char* key : {"answer", "nearest_miss", "runner_up"})
    look(data.summary.value(QLatin1String(key)).toObject(), false, -1);
  const QJsonObject best =
      data.summary.contains(QLatin1String("answer")) && !data.summary.value(QLatin1String("answer")).isNull()
          ? data.summary.value(QLatin1String("answer")).toObject()
          : data.summary.value(QLatin1String("nearest_miss")).toObject();
  if (!best.isEmpty()) {
    plan.best_objective = best.value(QLatin1String("objective")).toDouble();
    for (const QJsonValue& goal : best.value(QLatin1String("goals")).toArray())
      plan.best_values.push_back(goal[QLatin1String("value")].toDouble(std::numeric_limits<double>::quiet_NaN()));
  }
  plan.met = data.summary.value(QLatin1String("met")).toBool();
  try {
    plan.words = QString::fromUtf8(bytes_of(dir.filePath(QStringLiteral("plan.txt"))));
    data.jobs = read_csv(bytes_of(dir.filePath(QStringLiteral("designs.csv"))));
  } catch (const std::exception& failure) {
    data.warnings << QString::fromUtf8(failure.what());
  }
  name_columns_apart(data.jobs, plan);
  // The lines of the answer are clearer than one sentence made from them.
  QStringList said;
  for (const QString& line : plan.words.split(QLatin1Char('\n')))
    for (const char* begin : {"answer:", "nothing", "no design", "nearest miss:", "tightest goal:", "waits for:"})
      if (line.startsWith(QLatin1String(begin)))
        said << line;
  data.advice = said.isEmpty() ? plan.words.section(QLatin1Char('\n'), 0, 0) : said.join(QLatin1Char('\n'));
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
