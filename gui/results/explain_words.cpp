// SPDX-License-Identifier: Apache-2.0
// What a click on a result asks about, and text about links, which `simrun explain` shows only as parts of jobs.
#include "gui/core/rate_text.hpp"
#include "gui/core/theme.hpp"
#include "gui/results/messages.hpp"
#include "gui/results/results_view.hpp"
#include "models/core/quantity_text.hpp"

#include <QJsonArray>
#include <QJsonObject>
#include <QStringList>

#include <algorithm>
#include <cmath>

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

// Where a step's time goes: the page of the step breakdown.
namespace {

QString milliseconds(double seconds)
{
  return in_units(QStringLiteral("%1 ms").arg(seconds * 1e3, 0, 'f', 2))
      .replace(QLatin1Char(' '), QLatin1String("&nbsp;"));
}

/// A share bar in text: where a step's time goes.
QString share_row(const QString& name, double seconds, double whole, const QColor& colour)
{
  const int percent = whole > 0 ? static_cast<int>(std::lround(100 * seconds / whole)) : 0;
  return QStringLiteral("<tr><td>%1</td><td align='right'>%2</td><td align='right'>%3&nbsp;%</td><td><span "
                        "style='background:%4'>%5</span></td></tr>")
      .arg(name)
      .arg(milliseconds(seconds))
      .arg(percent)
      .arg(colour.name(), QStringLiteral("&nbsp;").repeated(std::max(1, percent / 2)));
}

} // namespace

QString step_words(const ResultsData& data, const QString& point)
{
  QString html;
  for (const QJsonValue& value : data.summary.value(QLatin1String("jobs")).toArray()) {
    const QJsonObject job = value.toObject();
    if (job.value(QLatin1String("point")).toString() != point)
      continue;
    const double step = job.value(QLatin1String("step_s")).toObject().value(QLatin1String("mean")).toDouble();
    html += QStringLiteral("<h3>%1 · %2</h3><p>%3</p><table cellspacing='6'>")
                .arg(job.value(QLatin1String("job")).toString().toHtmlEscaped(), point.toHtmlEscaped(),
                     sentence_words(job.value(QLatin1String("bottleneck")).toString()).toHtmlEscaped());
    html += share_row(QObject::tr("compute"), job.value(QLatin1String("compute_s")).toDouble(), step, series_colour(0));
    if (const double host = job.value(QLatin1String("host_s")).toDouble(); host > 0)
      html += share_row(QObject::tr("host starts operators"), host, step, series_colour(4));
    html += share_row(QObject::tr("exposed communication"),
                      job.value(QLatin1String("exposed_communication_s")).toDouble(), step, series_colour(1));
    if (const double input = job.value(QLatin1String("input_s")).toDouble(); input > 0)
      html += share_row(QObject::tr("input"), input, step, series_colour(2));
    if (const double wait = job.value(QLatin1String("wait_s")).toDouble(); wait > 0)
      html += share_row(QObject::tr("waiting for others"), wait, step, series_colour(3));
    html += share_row(QObject::tr("whole step"), step, step, series_colour(6));
    html += QStringLiteral("</table>");
    const QJsonArray path = job.value(QLatin1String("critical_path")).toArray();
    if (!path.isEmpty()) {
      html += QStringLiteral("<h4>%1</h4><table cellspacing='6'>").arg(QObject::tr("Critical path"));
      for (const QJsonValue& each : path) {
        const QJsonObject part = each.toObject();
        html += QStringLiteral("<tr><td>%1</td><td>%2</td><td align='right'>%3</td></tr>")
                    .arg(explained_cell_words(part.value(QLatin1String("name")).toString()).toHtmlEscaped(),
                         explained_cell_words(part.value(QLatin1String("lane")).toString()).toHtmlEscaped(),
                         milliseconds(part.value(QLatin1String("duration_s")).toDouble()));
      }
      html += QStringLiteral("</table>");
    }
    const QJsonArray busiest = job.value(QLatin1String("busiest")).toArray();
    if (!busiest.isEmpty()) {
      html += QStringLiteral("<h4>%1</h4><table cellspacing='6'>").arg(QObject::tr("Busiest"));
      for (const QJsonValue& each : busiest) {
        const QJsonObject part = each.toObject();
        html += QStringLiteral("<tr><td>%1</td><td align='right'>%2 %</td></tr>")
                    .arg(sentence_words(part.value(QLatin1String("name")).toString()).toHtmlEscaped())
                    .arg(part.value(QLatin1String("busy")).toDouble() * 100, 0, 'f', 1);
      }
      html += QStringLiteral("</table>");
    }
    html += QStringLiteral("<p>%1: %2</p>")
                .arg(QObject::tr("Based on"),
                     sentence_words(job.value(QLatin1String("provenance_note")).toString()).toHtmlEscaped());
  }
  return html;
}

} // namespace trainyard::gui
