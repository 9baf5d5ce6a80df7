// SPDX-License-Identifier: Apache-2.0
// What a click on a result asks about, and text about links, which `simrun explain` shows only as parts of jobs.
#include "gui/core/rate_text.hpp"
#include "gui/results/messages.hpp"
#include "gui/results/results_view.hpp"
#include "models/core/quantity_text.hpp"

#include <QStringList>

#include <algorithm>

namespace trainyard::gui {
namespace {

QString volume_text(double bytes)
{
  return in_units(QString::fromStdString(to_text(Bytes{bytes})));
}

} // namespace

QString usual_table(const ResultsData& data)
{
  if (data.jobs.column(QStringLiteral("samples_per_second")) >= 0)
    return QStringLiteral("jobs");
  for (const auto& [name, table] : data.other) // several policies are compared by what came of them
    if (name == QLatin1String("metrics") && table.rows.size() > 1 && table.column(QStringLiteral("policy")) >= 0 &&
        table.column(QStringLiteral("jct_mean_s")) >= 0)
      return name;
  for (const auto& [name, table] : data.other)
    if (name == QLatin1String("parallel") && data.jobs.rows.isEmpty())
      return name;
  for (const char* wanted : {"utilisation", "replicas", "load", "series", "tasks_over_time", "services", "metrics"})
    for (const auto& [name, table] : data.other)
      if (name == QLatin1String(wanted) && table.rows.size() > 1)
        return name;
  return QStringLiteral("jobs");
}

QPair<QString, QString> subject_of(const Table& table, int row)
{
  static constexpr const char* kinds[][2]{{"job", "job"},         {"request", "job"},   {"task", "task"},
                                          {"service", "service"}, {"owner", "service"}, {"node", "node"}};
  for (const auto& [column, kind] : kinds)
    if (const QString name = table.text(row, QLatin1String(column)); !name.isEmpty())
      return {QLatin1String(kind), name};
  // A fault: "rack:3", or "node node-2 …".
  if (table.column(QStringLiteral("recovered_s")) >= 0)
    if (const QStringList words = table.text(row, QStringLiteral("what")).split(QLatin1Char(' '), Qt::SkipEmptyParts);
        words.size() > 1)
      return {words[0] == QLatin1String("process") ? QStringLiteral("task") : QStringLiteral("node"), words.back()};
  return {};
}

QString link_words(const ResultsData& data, const QStringList& links, const QString& point)
{
  struct Use {
    int row = 0;
    double busy = 0;
  };
  QVector<Use> uses;
  for (int row = 0; row < data.links.rows.size(); ++row)
    if (data.links.text(row, QStringLiteral("point")) == point &&
        links.contains(data.links.text(row, QStringLiteral("link"))))
      uses.push_back({row, data.links.number(row, QStringLiteral("busy"))});
  if (uses.isEmpty())
    return QObject::tr("This link carried nothing in the run that is shown.");
  std::stable_sort(uses.begin(), uses.end(), [](const Use& a, const Use& b) { return a.busy > b.busy; });
  QStringList words;
  for (const Use& use : uses.mid(0, 2)) {
    const auto number = [&](const char* column) { return data.links.number(use.row, QLatin1String(column)); };
    words << QObject::tr(
                 "%1 (%2): busy %3 % of the time; it carried %4 in %5 s, %6 % of what %7 could carry; used by %8")
                 .arg(sentence_words(data.links.text(use.row, QStringLiteral("label"))),
                      data.links.text(use.row, QStringLiteral("link")))
                 .arg(100 * use.busy, 0, 'f', 1)
                 .arg(volume_text(number("bytes_B")))
                 .arg(number("window_s"), 0, 'g', 4)
                 .arg(100 * number("utilisation"), 0, 'f', 1)
                 .arg(rate_text(number("bandwidth_Bps")), data.links.text(use.row, QStringLiteral("jobs")));
  }
  if (uses.size() > 2)
    words << QObject::tr("… and %1 more links of this bundle").arg(uses.size() - 2);
  // Why: the bottleneck of the jobs that use it.
  for (int row = 0; row < data.jobs.rows.size(); ++row) {
    if (data.jobs.text(row, QStringLiteral("point")) != point)
      continue;
    const QString job = data.jobs.text(row, QStringLiteral("job"));
    if (!data.links.text(uses.front().row, QStringLiteral("jobs")).split(QLatin1Char(' ')).contains(job) &&
        !data.links.text(uses.front().row, QStringLiteral("jobs")).contains(job))
      continue;
    words << QObject::tr("%1 exchanges %2 per step; bottleneck: %3")
                 .arg(job, volume_text(data.jobs.number(row, QStringLiteral("bytes_per_step_B"))),
                      sentence_words(data.jobs.text(row, QStringLiteral("bottleneck"))));
  }
  return words.join(QLatin1Char('\n'));
}

} // namespace trainyard::gui
