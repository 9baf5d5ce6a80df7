// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <QString>

class QTableView;
class QWidget;

namespace trainyard::gui {

/// What a cell says in full, where it shows less of it.
inline constexpr int whole_value_role = Qt::UserRole + 2;

enum class CopiedRows { selected, all }; // selected: all where none is

/// The rows as CSV with the numbers of the file, or as Markdown as they are shown.
QString copied_rows(const QTableView& table, bool markdown, CopiedRows which = CopiedRows::selected);
/// Lets the rows of a table be copied, and written to a CSV file, by keys and by its menu.
void let_copy(QTableView& table);
/// Asks for a file and writes a text to it; says what is wrong where that fails.
void save_text(QWidget& parent, const QString& title, const QString& name, const QString& filter, const QString& text);

} // namespace trainyard::gui
