// SPDX-License-Identifier: Apache-2.0
// Where a step's time goes: the page of the step breakdown.
#include "gui/core/rate_text.hpp"
#include "gui/core/theme.hpp"
#include "gui/results/messages.hpp"
#include "gui/results/results_view.hpp"

#include <QJsonArray>
#include <QJsonObject>

#include <algorithm>
#include <cmath>

namespace trainyard::gui {
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
