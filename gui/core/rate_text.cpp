// SPDX-License-Identifier: Apache-2.0
#include "gui/core/rate_text.hpp"

#include <QCoreApplication>

namespace trainyard::gui {
namespace {

constexpr const char* units[]{
    QT_TRANSLATE_NOOP("Units", "ns"),     QT_TRANSLATE_NOOP("Units", "us"),     QT_TRANSLATE_NOOP("Units", "µs"),
    QT_TRANSLATE_NOOP("Units", "ms"),     QT_TRANSLATE_NOOP("Units", "s"),      QT_TRANSLATE_NOOP("Units", "min"),
    QT_TRANSLATE_NOOP("Units", "h"),      QT_TRANSLATE_NOOP("Units", "d"),      QT_TRANSLATE_NOOP("Units", "B"),
    QT_TRANSLATE_NOOP("Units", "kB"),     QT_TRANSLATE_NOOP("Units", "MB"),     QT_TRANSLATE_NOOP("Units", "GB"),
    QT_TRANSLATE_NOOP("Units", "TB"),     QT_TRANSLATE_NOOP("Units", "B/s"),    QT_TRANSLATE_NOOP("Units", "kB/s"),
    QT_TRANSLATE_NOOP("Units", "MB/s"),   QT_TRANSLATE_NOOP("Units", "GB/s"),   QT_TRANSLATE_NOOP("Units", "TB/s"),
    QT_TRANSLATE_NOOP("Units", "Mbit/s"), QT_TRANSLATE_NOOP("Units", "Gbit/s"), QT_TRANSLATE_NOOP("Units", "Tbit/s"),
    QT_TRANSLATE_NOOP("Units", "W"),      QT_TRANSLATE_NOOP("Units", "kWh"),    QT_TRANSLATE_NOOP("Units", "$/h")};

} // namespace

QString in_units(const QString& figure)
{
  const qsizetype space = figure.lastIndexOf(QLatin1Char(' '));
  return figure.left(space + 1) + QCoreApplication::translate("Units", figure.mid(space + 1).toUtf8().constData());
}

QStringList unit_texts()
{
  QStringList texts;
  for (const char* unit : units)
    texts << QCoreApplication::translate("Units", unit);
  return texts;
}

QString rate_text(double bytes_per_second)
{
  const double bits = bytes_per_second * 8;
  if (bits >= 1e12)
    return in_units(QStringLiteral("%1 Tbit/s").arg(bits / 1e12, 0, 'g', 4));
  if (bits >= 1e9)
    return in_units(QStringLiteral("%1 Gbit/s").arg(bits / 1e9, 0, 'g', 4));
  return in_units(QStringLiteral("%1 Mbit/s").arg(bits / 1e6, 0, 'g', 4));
}

} // namespace trainyard::gui
