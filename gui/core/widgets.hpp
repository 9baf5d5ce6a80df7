// SPDX-License-Identifier: Apache-2.0
#pragma once
/// Widgets as this program sets them up everywhere.
#include <QFont>
#include <QPointer>
#include <QString>
#include <QStyledItemDelegate>
#include <QWidget>

#include <functional>

class QAbstractItemModel;
class QComboBox;
class QLabel;
class QScrollArea;
class QTableView;
class QVBoxLayout;
class QWidget;
class QTreeView;
class QHBoxLayout;

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

/// A line above the page with a message and buttons to react to it; nothing waits for it.
class InfoBar : public QWidget
{
  Q_OBJECT
public:
  explicit InfoBar(QWidget* parent = nullptr);
  /// What a message is about: it goes with the text that was open, with the next run, or with the end of a study.
  enum class About { file, run, study };
  void tell(const QString& message, const QVector<QPair<QString, std::function<void()>>>& answers = {},
            About about = About::file);
  /// Other words for the message that is about that, if it still stands there.
  void retell(const QString& message, About about);
  /// Takes a message about that away.
  void forget(About about);
  QString message() const;

private:
  QLabel* text_;
  QHBoxLayout* row_;
  QVector<QWidget*> buttons_;
  About about_ = About::file;
};

/// A frame around the widget that has the keyboard, drawn over it while the keyboard is what moves the focus; a click
/// takes it away.
class FocusRing : public QWidget
{
  Q_OBJECT
public:
  /// For the widgets of @p window.
  explicit FocusRing(QWidget& window);
  /// What it stands around; null while it is hidden.
  const QWidget* around() const { return isVisible() ? followed_.data() : nullptr; }

protected:
  bool eventFilter(QObject* watched, QEvent* event) override;
  void paintEvent(QPaintEvent* event) override;

private:
  void follow(QWidget* widget);
  void place();

  QWidget& window_;
  QPointer<QWidget> followed_;
  bool keyboard_ = false;
};

} // namespace trainyard::gui
