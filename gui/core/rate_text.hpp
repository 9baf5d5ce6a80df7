// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <QString>
#include <QStringList>

namespace trainyard::gui {

/// "25 Gbit/s"
QString rate_text(double bytes_per_second);

/// A number with its unit as simrun prints it, "12.3 ms", with the unit as the window's language writes it.
QString in_units(const QString& figure);

/// The units in the window's language, for those who draw letters themselves.
QStringList unit_texts();

} // namespace trainyard::gui
