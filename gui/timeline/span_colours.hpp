// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <QString>
#include <QStringList>

class QColor;

namespace trainyard::gui {

struct Timeline;

/// The colour of work of a kind; a name without kind has one of its own.
QColor span_colour(const QString& category, const QString& name);
/// A kind in words: "backward", "2 to 8 GPUs".
QString category_words(const QString& category);
/// The kinds that a timeline has, in the order in which they are met; names without kind are left out.
QStringList categories_of(const Timeline& timeline);
/// Every kind with its colour, as HTML; each is a link to its words.
QString legend_html(const Timeline& timeline);

} // namespace trainyard::gui
