// SPDX-License-Identifier: Apache-2.0
#include "gui/results/figures.hpp"

#include "gui/core/places.hpp"
#include "gui/core/rate_text.hpp"
#include "gui/results/table_model.hpp"
#include "models/core/figure_text.hpp"
#include "models/core/quantity_text.hpp"

#include <QCoreApplication>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QRegularExpression>

#include <algorithm>
#include <array>
#include <cmath>

namespace trainyard::gui {
namespace {

QHash<QString, ColumnFact> asked_columns()
{
  QHash<QString, ColumnFact> facts;
  QProcess process;
  process.start(simrun_program(), {QStringLiteral("list"), QStringLiteral("columns"), QStringLiteral("--json")});
  if (!process.waitForFinished(3000) || process.exitCode() != 0)
    return facts;
  for (const auto& value : QJsonDocument::fromJson(process.readAllStandardOutput()).array()) {
    const QJsonObject row = value.toObject();
    const QString name = row.value(QLatin1String("name")).toString();
    const QString meaning = row.value(QLatin1String("what it is")).toString();
    if (meaning.contains(QLatin1String(" (mean,"))) // a distribution; training may have a column of that name, too
      facts.insert(name + QLatin1String(" (distribution)"), {row.value(QLatin1String("unit")).toString(), meaning});
    if (!facts.contains(name))
      facts.insert(name,
                   {row.value(QLatin1String("unit")).toString(), row.value(QLatin1String("what it is")).toString()});
  }
  return facts;
}

struct Ending {
  const char* letters;
  const char* unit;
};
constexpr std::array<Ending, 8> endings{{{"_Bps", "B/s"},
                                         {"_s", "s"},
                                         {"_B", "B"},
                                         {"_usd", "$"},
                                         {"_W", "W"},
                                         {"_kWh", "kWh"},
                                         {"_hours", "h"},
                                         {"_per_second", "/s"}}};

struct Part {
  const char* letters;
  const char* words;
};
constexpr std::array<Part, 7> parts{{{"_mean", QT_TRANSLATE_NOOP("Figures", "mean")},
                                     {"_p50", QT_TRANSLATE_NOOP("Figures", "median")},
                                     {"_p95", QT_TRANSLATE_NOOP("Figures", "95 % are below")},
                                     {"_p99", QT_TRANSLATE_NOOP("Figures", "99 % are below")},
                                     {"_max", QT_TRANSLATE_NOOP("Figures", "largest")},
                                     {"_low", QT_TRANSLATE_NOOP("Figures", "low end")},
                                     {"_high", QT_TRANSLATE_NOOP("Figures", "high end")}}};

/// "jct_p95_s" -> "jct_s" and "95 % are below"; a column that is whole stays.
std::pair<QString, QString> whole_and_part(const QString& column)
{
  QString name = column;
  QString ending;
  for (const Ending& each : endings)
    if (ending.isEmpty() && name.endsWith(QLatin1String(each.letters)) && !column_facts().contains(name))
      ending = QLatin1String(each.letters);
  name.chop(ending.size());
  for (const Part& part : parts)
    if (name.endsWith(QLatin1String(part.letters)))
      return {name.chopped(qstrlen(part.letters)) + ending, QCoreApplication::translate("Figures", part.words)};
  return {column, {}};
}

bool is_share(const ColumnFact& fact, const QString& column)
{
  return fact.unit.isEmpty() &&
         (fact.meaning.startsWith(QLatin1String("share")) || column == QLatin1String("scaling_efficiency") ||
          column == QLatin1String("mfu") || column.startsWith(QLatin1String("model_flop_utilisation")) ||
          column == QLatin1String("busy") || column == QLatin1String("utilisation"));
}

} // namespace

const QHash<QString, ColumnFact>& column_facts()
{
  static const QHash<QString, ColumnFact> facts = asked_columns();
  return facts;
}

ColumnFact fact_of(const QString& column)
{
  if (const auto found = column_facts().constFind(column); found != column_facts().constEnd())
    return *found;
  const QString whole = whole_and_part(column).first;
  for (const QString& name : {whole + QLatin1String(" (distribution)"), whole})
    if (const auto found = column_facts().constFind(name); found != column_facts().constEnd())
      return {found->unit, found->meaning.section(QLatin1String(" (mean,"), 0, 0)};
  for (const Ending& each : endings)
    if (column.endsWith(QLatin1String(each.letters)))
      return {QLatin1String(each.unit), {}};
  return {};
}

QString interval_end(const QString& column, const char* end)
{
  const QString unit = column.endsWith(QLatin1String("_s")) ? QStringLiteral("_s") : QString{};
  return column.chopped(unit.size()) + QLatin1Char('_') + QLatin1String(end) + unit;
}

QString column_title(const QString& column)
{
  auto [name, part] = whole_and_part(column);
  for (const Ending& each : endings)
    if (qstrlen(each.letters) < 6 && name.endsWith(QLatin1String(each.letters))) { // "per second" stays
      name.chop(qstrlen(each.letters));
      break;
    }
  name.replace(QLatin1Char('_'), QLatin1Char(' '));
  static const QRegularExpression short_word{QStringLiteral("\\b(gpu|gpus|jct|nic|cpu)\\b")};
  for (auto it = short_word.globalMatch(name); it.hasNext();) {
    const auto match = it.next();
    const QString upper =
        match.captured() == QLatin1String("gpus") ? QStringLiteral("GPUs") : match.captured().toUpper();
    name.replace(match.capturedStart(), match.capturedLength(), upper);
  }
  name = QCoreApplication::translate("Columns", name.toUtf8().constData()); // English where that has no text
  return part.isEmpty() ? name : QStringLiteral("%1, %2").arg(name, part);
}

QString figure_text(const QString& column, double value, double largest)
{
  if (!std::isfinite(value))
    return QStringLiteral("–");
  const ColumnFact fact = fact_of(column);
  if (largest > 0 && value != 0 && (fact.unit == QLatin1String("s") || fact.unit.startsWith(QLatin1Char('B')))) {
    const AxisUnit unit = axis_unit(column, largest);
    const double number = value * unit.factor;
    return QStringLiteral("%1 %2").arg(std::fabs(number) < 100 ? QString::number(number, 'g', 3)
                                                               : QString::fromStdString(trainyard::rate_text(number)),
                                       unit.title.section(QStringLiteral(", "), -1));
  }
  if (fact.unit == QLatin1String("s"))
    return in_units(QString::fromStdString(trainyard::time_text(Seconds{value})));
  if (fact.unit == QLatin1String("/s"))
    return QString::fromStdString(trainyard::rate_text(value));
  if (fact.unit == QLatin1String("B"))
    return in_units(QString::fromStdString(to_text(value, QuantityKind::bytes, 3)));
  if (fact.unit == QLatin1String("B/s"))
    return in_units(QString::fromStdString(to_text(value, QuantityKind::bandwidth, 3)));
  if (fact.unit == QLatin1String("$"))
    return QStringLiteral("$%1").arg(value, 0, value < 1 ? 'g' : 'f', value < 1 ? 3 : 2);
  if (is_share(fact, column))
    return QString::fromStdString(trainyard::percent_text(value));
  const QString number = std::fabs(value) >= 1000 && value == std::floor(value) && std::fabs(value) < 1e15
                             ? QString::fromStdString(trainyard::rate_text(value))
                             : short_number(value);
  return fact.unit.isEmpty() ? number : in_units(QStringLiteral("%1 %2").arg(number, fact.unit));
}

AxisUnit axis_unit(const QString& column, double most, const QString& sample)
{
  struct Step {
    double size; // of the unit
    const char* name;
    double least; // largest value from which on it is taken, as time_text has it
  };
  const ColumnFact fact = fact_of(column);
  const QString part = whole_and_part(column).second;
  QString words = fact.meaning.isEmpty() ? column_title(column) : fact.meaning;
  // In other languages the short titles alone have a text.
  const bool english = QCoreApplication::translate("Figures", "mean") == QLatin1String("mean");
  if (words.size() > 60 || words.contains(QLatin1Char(';')) || !english)
    words = column_title(column);
  else if (!part.isEmpty() && !fact.meaning.isEmpty())
    words += QStringLiteral(", ") + part;
  if (!sample.isEmpty() && fact.unit == QLatin1String("/s"))
    words.replace(QLatin1String("samples"), sample + QLatin1Char('s'));
  QVector<Step> steps;
  if (fact.unit == QLatin1String("s"))
    steps = {{3600, "h", 36000}, {60, "min", 600}, {1, "s", 0.9995}, {1e-3, "ms", 0.9995e-3}, {1e-6, "µs", 0}};
  else if (fact.unit == QLatin1String("B"))
    steps = {{1e12, "TB", 1e12}, {1e9, "GB", 1e9}, {1e6, "MB", 1e6}, {1e3, "kB", 1e3}, {1, "B", 0}};
  else if (fact.unit == QLatin1String("B/s"))
    steps = {{1e9, "GB/s", 1e9}, {1e6, "MB/s", 1e6}, {1, "B/s", 0}};
  if (is_share(fact, column))
    return {100, QStringLiteral("%1, %").arg(words)};
  if (steps.isEmpty())
    return {1, fact.unit.isEmpty() || fact.unit == QLatin1String("/s")
                   ? words
                   : QStringLiteral("%1, %2").arg(words, in_units(fact.unit))};
  const auto step =
      std::find_if(steps.begin(), std::prev(steps.end()), [&](const Step& each) { return most >= each.least; });
  return {1 / step->size, QStringLiteral("%1, %2").arg(words, in_units(QString::fromUtf8(step->name)))};
}

QVector<std::pair<QString, QString>> parts_of_point(const QString& point)
{
  static const QRegularExpression key{QStringLiteral("(?:^| )([A-Za-z_][A-Za-z0-9_]*)=")};
  QVector<std::pair<QString, QString>> list;
  QVector<qsizetype> begins;
  for (auto it = key.globalMatch(point); it.hasNext();) {
    const auto match = it.next();
    if (!list.isEmpty())
      list.back().second = point.mid(begins.back(), match.capturedStart() - begins.back());
    list.push_back({match.captured(1), {}});
    begins.push_back(match.capturedEnd());
  }
  if (!list.isEmpty())
    list.back().second = point.mid(begins.back());
  return list;
}

} // namespace trainyard::gui
