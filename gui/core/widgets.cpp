// SPDX-License-Identifier: Apache-2.0
#include "gui/core/widgets.hpp"
#include "models/core/figure_text.hpp"

#include <QAbstractButton>
#include <QAbstractScrollArea>
#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QEvent>
#include <QFileDialog>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QKeyEvent>
#include <QLabel>
#include <QMessageBox>
#include <QPainter>
#include <QPushButton>
#include <QRegularExpression>
#include <QSaveFile>
#include <QScrollArea>
#include <QTableView>
#include <QTimer>
#include <QToolButton>
#include <QTreeView>
#include <QVBoxLayout>

#include <algorithm>
#include <numeric>

namespace trainyard::gui {

QVBoxLayout* column_in(QWidget* widget, int margin)
{
  auto* column = new QVBoxLayout{widget};
  column->setContentsMargins(margin, margin, margin, margin);
  return column;
}

QScrollArea* scrolled(QWidget* page)
{
  auto* area = new QScrollArea;
  area->setWidgetResizable(true);
  area->setWidget(page);
  return area;
}

void narrow(QComboBox& box, int letters)
{
  box.setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  box.setMinimumContentsLength(letters);
}

QLabel* label_for(QWidget& widget, const QString& name)
{
  auto* label = new QLabel{name};
  label->setBuddy(&widget);
  widget.setAccessibleName(name);
  return label;
}

void set_up(QTableView& table, QAbstractItemModel* model, const QString& name)
{
  table.setTabKeyNavigation(false);
  table.setModel(model);
  table.setTextElideMode(Qt::ElideMiddle); // names of machines and links differ at their ends
  table.setWordWrap(false);                // else a long word is left out whole
  table.setAccessibleName(name);
  for (QAbstractButton* corner : table.findChildren<QAbstractButton*>())
    corner->setAccessibleName(QObject::tr("Select all"));
  let_copy(table);
}

QWidget* empty_state(const QString& title, const QString& words)
{
  auto* page = new QWidget;
  auto* column = column_in(page, 24);
  auto* head = new QLabel{title};
  head->setFont(bold(head->font(), 1.3));
  auto* text = new QLabel{words};
  text->setForegroundRole(QPalette::PlaceholderText);
  column->addStretch(1);
  for (QLabel* label : {head, text}) {
    label->setAlignment(Qt::AlignHCenter);
    label->setWordWrap(true);
    column->addWidget(label);
  }
  column->addStretch(2);
  return page;
}

QString plain_words(QString text)
{
  static const QRegularExpression key{QStringLiteral("\\(&.\\)")};
  return text.remove(key).remove(QLatin1Char('&'));
}

QFont bold(QFont font, double times)
{
  font.setBold(true);
  if (times != 1)
    font.setPointSizeF(font.pointSizeF() * times);
  return font;
}

QString copied_rows(const QTableView& table, bool markdown, CopiedRows which)
{
  const QAbstractItemModel& model = *table.model();
  QVector<int> rows;
  if (which == CopiedRows::selected && table.selectionModel()->hasSelection())
    for (const QModelIndex& each : table.selectionModel()->selectedIndexes())
      if (!rows.contains(each.row()))
        rows.push_back(each.row());
  if (rows.isEmpty()) {
    rows.resize(model.rowCount());
    std::iota(rows.begin(), rows.end(), 0);
  }
  std::sort(rows.begin(), rows.end());
  const auto line = [&](const auto& text_of) {
    QStringList cells;
    for (int column = 0; column < model.columnCount(); ++column) {
      QString cell = text_of(column);
      if (markdown)
        cell.replace(QLatin1Char('|'), QLatin1String("\\|"));
      else
        cell = QString::fromStdString(csv_text(cell.toStdString()));
      cells << cell;
    }
    return markdown ? QStringLiteral("| %1 |\n").arg(cells.join(QStringLiteral(" | ")))
                    : cells.join(QLatin1Char(',')) + QLatin1Char('\n');
  };
  QString text = line([&](int column) { return model.headerData(column, Qt::Horizontal).toString(); });
  if (markdown)
    text += QLatin1Char('|') + QStringLiteral("---|").repeated(model.columnCount()) + QLatin1Char('\n');
  for (const int row : std::as_const(rows))
    text += line([&](int column) {
      const QModelIndex cell = model.index(row, column);
      const QVariant whole = markdown ? QVariant{} : cell.data(whole_value_role);
      return (whole.isValid() ? whole : cell.data(Qt::DisplayRole)).toString();
    });
  return text;
}

void let_copy(QTableView& table)
{
  table.setContextMenuPolicy(Qt::ActionsContextMenu);
  for (const bool markdown : {false, true}) {
    auto* copy = new QAction{markdown ? QObject::tr("Copy as Markdown") : QObject::tr("Copy as CSV"), &table};
    copy->setShortcut(markdown ? QKeySequence{QStringLiteral("Ctrl+Shift+C")} : QKeySequence{QKeySequence::Copy});
    copy->setShortcutContext(Qt::WidgetShortcut);
    QObject::connect(copy, &QAction::triggered, &table,
                     [&table, markdown] { QGuiApplication::clipboard()->setText(copied_rows(table, markdown)); });
    table.addAction(copy);
  }
  auto* save = new QAction{QObject::tr("Save as CSV…"), &table};
  save->setObjectName(QStringLiteral("save_rows"));
  QObject::connect(save, &QAction::triggered, &table, [&table] {
    save_text(table, QObject::tr("Save the table"), QStringLiteral("table.csv"), QObject::tr("Tables (*.csv)"),
              copied_rows(table, false, CopiedRows::all));
  });
  table.addAction(save);
}

void save_text(QWidget& parent, const QString& title, const QString& name, const QString& filter, const QString& text)
{
  const QString file = QFileDialog::getSaveFileName(&parent, title, name, filter);
  if (file.isEmpty())
    return;
  QSaveFile out{file};
  const QByteArray bytes = text.toUtf8();
  if (!out.open(QIODevice::WriteOnly) || out.write(bytes) != bytes.size() || !out.flush() || !out.commit())
    QMessageBox::warning(&parent, title, QObject::tr("%1 cannot be written: %2").arg(file, out.errorString()));
}

WrapDelegate::WrapDelegate(QTreeView& view) : QStyledItemDelegate{&view}, view_{view}
{
  view.setWordWrap(true);
  view.setUniformRowHeights(false);
  view.setTextElideMode(Qt::ElideNone);
  auto* later = new QTimer{this};
  later->setSingleShot(true);
  later->setInterval(0);
  connect(later, &QTimer::timeout, &view, &QTreeView::doItemsLayout);
  connect(view.header(), &QHeaderView::sectionResized, later, qOverload<>(&QTimer::start));
}

QSize WrapDelegate::sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const
{
  QSize hint = QStyledItemDelegate::sizeHint(option, index);
  const QString text = index.data(Qt::DisplayRole).toString();
  if (text.isEmpty())
    return hint;
  int depth = view_.rootIsDecorated() ? 1 : 0;
  for (QModelIndex up = index.parent(); up.isValid(); up = up.parent())
    ++depth;
  const int indent = index.column() == view_.header()->logicalIndex(0) ? depth * view_.indentation() : 0;
  constexpr int margins = 8; // left and right of the text in Qt's own drawing
  const int width = std::max(40, view_.columnWidth(index.column()) - indent - margins);
  hint.setHeight(
      std::max(hint.height(),
               option.fontMetrics.boundingRect(QRect{0, 0, width, 100'000}, Qt::TextWordWrap, text).height() + 4));
  return hint;
}

InfoBar::InfoBar(QWidget* parent) : QWidget{parent}, text_{new QLabel}, row_{new QHBoxLayout{this}}
{
  row_->setContentsMargins(10, 4, 6, 4);
  text_->setWordWrap(true);
  text_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  row_->addWidget(text_, 1);
  auto* close = new QToolButton;
  close->setText(QStringLiteral("×"));
  close->setAutoRaise(true);
  close->setAccessibleName(tr("Close this message"));
  row_->addWidget(close);
  connect(close, &QToolButton::clicked, this, &QWidget::hide);
  setAutoFillBackground(true);
  setBackgroundRole(QPalette::ToolTipBase);
  text_->setForegroundRole(QPalette::ToolTipText);
  setAccessibleName(tr("Message"));
  hide();
}

void InfoBar::tell(const QString& message, const QVector<QPair<QString, std::function<void()>>>& answers, About about)
{
  about_ = about;
  for (QWidget* button : std::as_const(buttons_))
    button->deleteLater();
  buttons_.clear();
  text_->setText(message);
  for (const auto& [name, act] : answers) {
    auto* button = new QPushButton{name};
    connect(button, &QPushButton::clicked, this, [this, act = act] {
      hide();
      act();
    });
    row_->insertWidget(1 + static_cast<int>(buttons_.size()), button);
    buttons_.push_back(button);
  }
  show();
}

void InfoBar::retell(const QString& message, About about)
{
  if (about_ == about)
    text_->setText(message);
}

void InfoBar::forget(About about)
{
  if (about_ == about)
    hide();
}

QString InfoBar::message() const
{
  return isVisibleTo(parentWidget()) ? text_->text() : QString{};
}

FocusRing::FocusRing(QWidget& window) : QWidget{&window}, window_{window}
{
  setObjectName(QStringLiteral("focus_ring"));
  setAttribute(Qt::WA_TransparentForMouseEvents);
  setAttribute(Qt::WA_NoSystemBackground);
  setFocusPolicy(Qt::NoFocus);
  hide();
  qApp->installEventFilter(this);
  connect(qApp, &QApplication::focusChanged, this, [this](QWidget*, QWidget* now) {
    if (keyboard_)
      follow(now);
  });
}

bool FocusRing::eventFilter(QObject* watched, QEvent* event)
{
  switch (event->type()) {
  case QEvent::KeyPress: {
    const int key = static_cast<QKeyEvent*>(event)->key();
    keyboard_ = keyboard_ || key == Qt::Key_Tab || key == Qt::Key_Backtab || key == Qt::Key_F8;
    break;
  }
  case QEvent::MouseButtonPress:
    keyboard_ = false;
    follow(nullptr);
    break;
  case QEvent::Move:
  case QEvent::Resize:
  case QEvent::Hide:
    if (followed_ != nullptr && watched->isWidgetType() &&
        (watched == followed_ || static_cast<QWidget*>(watched)->isAncestorOf(followed_)))
      place();
    break;
  default:
    break;
  }
  return QWidget::eventFilter(watched, event);
}

void FocusRing::follow(QWidget* widget)
{
  if (widget != nullptr && (widget->window() != &window_ || widget == &window_))
    widget = nullptr;
  followed_ = widget;
  place();
}

void FocusRing::place()
{
  if (followed_ == nullptr || !followed_->isVisible())
    return hide();
  // Only the visible part of scrolled content.
  QRect seen{followed_->mapTo(&window_, QPoint{}), followed_->size()};
  for (const QWidget* above = followed_->parentWidget(); above != nullptr && above != &window_;
       above = above->parentWidget())
    seen &= QRect{above->mapTo(&window_, QPoint{}), above->size()};
  if (seen.isEmpty())
    return hide();
  const QRect wanted = seen.adjusted(-2, -2, 2, 2) & window_.rect();
  if (geometry() != wanted) {
    setGeometry(wanted);
    setMask(QRegion{rect()} - QRegion{rect().adjusted(3, 3, -3, -3)});
  }
  show();
  raise();
}

void FocusRing::paintEvent(QPaintEvent*)
{
  QPainter painter{this};
  painter.setPen(QPen{palette().color(QPalette::Highlight), 3});
  painter.drawRect(rect().adjusted(1, 1, -1, -1));
}

} // namespace trainyard::gui
