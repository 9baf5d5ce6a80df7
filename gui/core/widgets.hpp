// SPDX-License-Identifier: Apache-2.0
#pragma once
/// Widgets as this program sets them up everywhere.
#include <QFont>

class QAbstractItemModel;
class QComboBox;
class QLabel;
class QScrollArea;
class QString;
class QTableView;
class QVBoxLayout;
class QWidget;

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

} // namespace trainyard::gui
