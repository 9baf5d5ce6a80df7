// SPDX-License-Identifier: Apache-2.0
#include "gui/results/comparison.hpp"

#include "models/scenario/document.hpp"

#include <QJsonArray>
#include <QObject>

#include <cmath>
#include <limits>
#include <map>

namespace trainyard::gui {

Comparison comparison_of(const QJsonObject& json)
{
  constexpr double none = std::numeric_limits<double>::quiet_NaN();
  const auto list = [](const QJsonObject& object, const char* key) {
    return object.value(QLatin1String(key)).toArray();
  };
  Comparison comparison;
  comparison.confidence = json.value(QLatin1String("confidence")).toDouble(0.95);
  for (const QJsonValue& value : list(json, "measures"))
    comparison.measures.push_back({value[QLatin1String("name")].toString(), value[QLatin1String("unit")].toString(),
                                   value[QLatin1String("more_is_better")].toBool(true)});
  for (const QJsonValue& value : list(json, "candidates"))
    comparison.candidates << value.toString();
  for (const QJsonValue& value : list(json, "groups")) {
    Comparison::Group group{value[QLatin1String("name")].toString(), {}};
    for (const QJsonValue& candidate : list(value.toObject(), "candidates")) {
      QHash<QString, Comparison::Figure> figures;
      for (const QJsonValue& each : list(candidate.toObject(), "figures")) {
        const QJsonObject figure = each.toObject();
        const double mean = figure.value(QLatin1String("mean")).toDouble(none);
        figures[figure.value(QLatin1String("measure")).toString()] = {
            mean,
            figure.value(QLatin1String("low")).toDouble(mean),
            figure.value(QLatin1String("high")).toDouble(mean),
            figure.contains(QLatin1String("difference")),
            figure.value(QLatin1String("difference")).toDouble(none),
            figure.value(QLatin1String("difference_low")).toDouble(none),
            figure.value(QLatin1String("difference_high")).toDouble(none),
            figure.value(QLatin1String("significant")).toBool()};
      }
      group.candidates.push_back(std::move(figures));
    }
    comparison.groups.push_back(std::move(group));
  }
  return comparison;
}

Table delta_table(const Comparison& comparison, const QString& measure, const QStringList& names)
{
  const auto text = [](double value) { return std::isfinite(value) ? QString::number(value, 'g', 15) : QString{}; };
  bool intervals = false;
  for (const Comparison::Group& group : comparison.groups)
    for (const auto& figures : group.candidates)
      if (const auto found = figures.constFind(measure); found != figures.constEnd())
        intervals = intervals || std::isfinite(found->difference_low);
  Table table;
  table.columns << QObject::tr("where");
  for (const QString& name : names)
    table.columns << name;
  for (int i = 1; i < names.size(); ++i) {
    const QString difference = QStringLiteral("%1 − %2").arg(names[i], names[0]);
    table.columns << difference;
    if (intervals)
      table.columns << QObject::tr("%1, low").arg(difference) << QObject::tr("%1, high").arg(difference);
    table.columns << QObject::tr("%1, %").arg(difference) << QObject::tr("%1: sure").arg(names[i]);
  }
  for (const Comparison::Group& group : comparison.groups) {
    bool any = false;
    for (const auto& figures : group.candidates)
      any = any || figures.contains(measure);
    if (!any)
      continue;
    QStringList row{group.name};
    for (int i = 0; i < names.size(); ++i)
      row << (i < group.candidates.size() && group.candidates[i].contains(measure)
                  ? text(group.candidates[i].value(measure).mean)
                  : QString{});
    const double base = group.candidates.isEmpty() ? 0 : group.candidates[0].value(measure).mean;
    for (int i = 1; i < names.size(); ++i) {
      const Comparison::Figure figure =
          i < group.candidates.size() ? group.candidates[i].value(measure) : Comparison::Figure{};
      row << (figure.differs ? text(figure.difference) : QString{});
      if (intervals)
        row << (figure.differs ? text(figure.difference_low) : QString{})
            << (figure.differs ? text(figure.difference_high) : QString{});
      row << (figure.differs && base != 0 ? QString::number(100 * figure.difference / std::fabs(base), 'g', 6)
                                          : QString{})
          << (!figure.differs      ? QString{}
              : figure.significant ? QObject::tr("yes")
                                   : QObject::tr("no"));
    }
    table.rows.push_back(row);
  }
  return table;
}

Table input_differences(const QVector<Results>& runs, const QStringList& names)
{
  Table table;
  table.columns << QObject::tr("key") << names;
  if (runs.size() < 2)
    return table;
  Diagnostics ignored;
  const Document first = parse_document(runs[0]->scenario_text.toStdString(), "first", ignored);
  std::map<QString, QStringList> rows;
  for (int i = 1; i < runs.size(); ++i) {
    const Document other = parse_document(runs[i]->scenario_text.toStdString(), "other", ignored);
    for (const DocumentDifference& each : difference(first.root, other.root)) {
      QStringList& row = rows[QString::fromStdString(each.path)];
      while (row.size() < runs.size())
        row << QString::fromStdString(each.before); // where a run does not differ it has the first one's
      row[i] = QString::fromStdString(each.after);
    }
  }
  for (const auto& [key, row] : rows)
    table.rows.push_back(QStringList{key} + row);
  return table;
}

} // namespace trainyard::gui
