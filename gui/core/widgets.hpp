// SPDX-License-Identifier: Apache-2.0
#pragma once
/// Widgets as this program sets them up everywhere.
#include <QFont>
#include <QString>
#include <QStyledItemDelegate>

class QAbstractItemModel;
class QComboBox;
class QLabel;
class QScrollArea;
class QTableView;
class QVBoxLayout;
class QWidget;
class QTreeView;

namespace trainyard::gui {

/// A column in a widget, with the same margin on all sides.
QVBoxLayout* column_in(QWidget* widget, int margin = 0);
/// A page that scrolls where it has too little room, instead of being cut.
QScrollArea* scrolled(QWidget* page);
/// A box that stays so many letters wide, however long its entries are.
void narrow(QComboBox& box, int letters);
/// A label that names a widget, also for screen readers; its key moves the focus there.
QLabel* label_for(QWidget& widget, const QString& name);
/// What all tables have: a name, rows that can be copied and saved, and the Tab key leaves them (arrows walk the
/// cells).
void set_up(QTableView& table, QAbstractItemModel* model, const QString& name);
/// What stands where there is nothing to show yet: what it is for, and what to do.
QWidget* empty_state(const QString& title, const QString& words);
/// Bold, and so many times as large.
/// The words of an action or menu without the letter that is its key: "&Open…", and "打开(&O)…" in Chinese.
QString plain_words(QString text);

QFont bold(QFont font, double times = 1);

/// What a cell says in full, where it shows less of it.
inline constexpr int whole_value_role = Qt::UserRole + 2;

enum class CopiedRows { selected, all }; // selected: all where none is

/// The rows as CSV with the numbers of the file, or as Markdown as they are shown.
QString copied_rows(const QTableView& table, bool markdown, CopiedRows which = CopiedRows::selected);
/// Lets the rows of a table be copied, and written to a CSV file, by keys and by its menu.
void let_copy(QTableView& table);
/// Asks for a file and writes a text to it; says what is wrong where that fails.
void save_text(QWidget& parent, const QString& title, const QString& name, const QString& filter, const QString& text);

/// Gives every cell of a tree the height of its wrapped text, so that no sentence is cut; rows grow and shrink with the
/// column's width.
class WrapDelegate : public QStyledItemDelegate
{
  Q_OBJECT
public:
  explicit WrapDelegate(QTreeView& view);

  QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;

private:
  QTreeView& view_;
};

} // namespace trainyard::gui
