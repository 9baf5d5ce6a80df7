// SPDX-License-Identifier: Apache-2.0
#include "gui/panels/faults_view.hpp"

#include "gui/core/theme.hpp"
#include "gui/core/widgets.hpp"
#include "gui/document/scenario_document.hpp"
#include "gui/timeline/timeline_view.hpp"

#include <QDialog>
#include <QDialogButtonBox>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QMouseEvent>
#include <QPainter>
#include <QPushButton>
#include <QSplitter>
#include <QTableView>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>

namespace trainyard::gui {
namespace {

constexpr int axis_height = 22;
constexpr int row_height = 24;
constexpr int margin = 10;
constexpr int label_width = 130;

} // namespace

FaultAxis::FaultAxis(FaultsModel& model, QWidget* parent) : QWidget{parent}, model_{model}
{
  setFocusPolicy(Qt::StrongFocus);
  setMinimumSize(260, 90);
  setAccessibleName(tr("Failures over time"));
  setAccessibleDescription(
      tr("Arrow keys move the selected failure, Delete removes it; the table shows the same failures"));
  connect(&model_, &QAbstractItemModel::dataChanged, this, qOverload<>(&QWidget::update));
  connect(&model_, &QAbstractItemModel::modelReset, this, [this] {
    chosen_ = std::min(chosen_, model_.rowCount() - 1);
    update();
  });
}

QSize FaultAxis::sizeHint() const
{
  return {500, axis_height + row_height * std::max(3, model_.rowCount())};
}

double FaultAxis::end() const
{
  if (dragging_)
    return span_;
  double latest = 24 * 3600;
  bool any = false;
  for (const FaultEntry& fault : model_.faults()) {
    if (!fault.good)
      continue;
    const double until = fault.at_s + std::max(0.0, fault.lasts_s);
    latest = any ? std::max(latest, until * 1.25) : std::max(600.0, until * 1.25);
    any = true;
  }
  return latest;
}

double FaultAxis::x(double seconds) const
{
  return label_width + seconds / end() * std::max(1, width() - label_width - margin);
}

double FaultAxis::seconds(double x) const
{
  return std::max(0.0, (x - label_width) / std::max(1, width() - label_width - margin) * end());
}

QRect FaultAxis::bandOf(int row) const
{
  const FaultEntry& fault = model_.faults()[row];
  const double right = fault.lasts_s < 0 ? width() - margin : x(fault.at_s + fault.lasts_s);
  return QRectF{x(fault.at_s), static_cast<double>(axis_height + row * row_height + 4),
                std::max(6.0, right - x(fault.at_s)), static_cast<double>(row_height - 8)}
      .toRect();
}

int FaultAxis::rowAt(const QPoint& at) const
{
  for (int row = 0; row < model_.rowCount(); ++row)
    if (bandOf(row).adjusted(-4, -4, 4, 4).contains(at))
      return row;
  return -1;
}

void FaultAxis::choose(int row)
{
  if (row == chosen_)
    return;
  chosen_ = row;
  update();
  emit choiceChanged(row);
}

void FaultAxis::paintEvent(QPaintEvent*)
{
  QPainter painter{this};
  painter.fillRect(rect(), palette().color(QPalette::Base));
  const TimeScale scale{0, end(), std::max(1, width() - label_width - margin)};
  const double distance = end() > 2 * 3600
                              ? std::max(3600.0, std::ceil(end() / 3600 / std::max(1, scale.width / 70)) * 3600)
                              : tick_distance(scale, 70);
  const bool empty = model_.rowCount() == 0;
  for (double t = 0; t <= end(); t += distance) {
    const int at = static_cast<int>(x(t));
    painter.setPen(palette().color(QPalette::Mid));
    painter.drawLine(at, axis_height - 5, at, empty ? axis_height : height()); // none through the words below
    painter.setPen(palette().color(QPalette::Text));
    if (const QString clock = clock_text(t); at + 3 + fontMetrics().horizontalAdvance(clock) <= width())
      painter.drawText(at + 3, 0, 80, axis_height - 3, Qt::AlignVCenter | Qt::AlignLeft, clock);
  }
  if (empty) {
    painter.setPen(palette().color(QPalette::PlaceholderText));
    painter.drawText(rect().adjusted(margin, axis_height, -margin, 0), Qt::AlignCenter | Qt::TextWordWrap,
                     tr("There are no failures. To add one, double-click here or on a rack on the canvas."));
  }
  const QFontMetrics metrics{font()};
  for (int row = 0; row < model_.rowCount(); ++row) {
    const FaultEntry& fault = model_.faults()[row];
    painter.setPen(fault.good ? palette().color(QPalette::Text) : error_colour());
    painter.drawText(margin, axis_height + row * row_height, label_width - 2 * margin, row_height,
                     Qt::AlignVCenter | Qt::AlignLeft,
                     metrics.elidedText(fault.what, Qt::ElideMiddle, label_width - 2 * margin));
    if (!fault.good)
      continue;
    const QRect band = bandOf(row);
    QColor fill = error_colour();
    fill.setAlpha(150);
    painter.setBrush(fault.lasts_s < 0 ? QBrush{fill, Qt::BDiagPattern} : QBrush{fill});
    painter.setPen(
        QPen{row == chosen_ ? palette().color(QPalette::Highlight) : error_colour(), row == chosen_ ? 2.5 : 1.0});
    painter.drawRoundedRect(band, 3, 3);
  }
  if (hasFocus()) {
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen{palette().color(QPalette::Highlight), 1, Qt::DotLine});
    painter.drawRect(rect().adjusted(0, 0, -1, -1));
  }
}

void FaultAxis::mousePressEvent(QMouseEvent* event)
{
  const int row = rowAt(event->pos());
  choose(row);
  if (row < 0 || event->button() != Qt::LeftButton)
    return;
  span_ = end();
  dragging_ = true;
  grip_ = seconds(event->pos().x()) - model_.faults()[row].at_s;
}

void FaultAxis::mouseMoveEvent(QMouseEvent* event)
{
  if (!dragging_ || chosen_ < 0)
    return;
  const double raw = std::max(0.0, seconds(event->pos().x()) - grip_);
  const double snap = end() > 7200 ? 300 : 1;
  model_.move(chosen_, std::round(raw / snap) * snap);
}

void FaultAxis::mouseReleaseEvent(QMouseEvent*)
{
  dragging_ = false;
  update();
}

void FaultAxis::mouseDoubleClickEvent(QMouseEvent* event)
{
  dragging_ = false;
  if (rowAt(event->pos()) < 0)
    emit addRequested(seconds(event->pos().x()));
}

void FaultAxis::keyPressEvent(QKeyEvent* event)
{
  const int rows = model_.rowCount();
  const double by = (event->modifiers() & Qt::ShiftModifier) != 0 ? 3600 : 60;
  switch (event->key()) {
  case Qt::Key_Down:
    choose(std::min(rows - 1, chosen_ + 1));
    return;
  case Qt::Key_Up:
    choose(std::max(rows > 0 ? 0 : -1, chosen_ - 1));
    return;
  case Qt::Key_Left:
  case Qt::Key_Right:
    if (chosen_ >= 0)
      model_.move(chosen_, std::max(0.0, model_.faults()[chosen_].at_s + (event->key() == Qt::Key_Left ? -by : by)));
    return;
  case Qt::Key_Delete:
  case Qt::Key_Backspace:
    model_.remove(chosen_);
    return;
  case Qt::Key_Return:
  case Qt::Key_Enter:
    emit addRequested(2 * 3600.0);
    return;
  default:
    QWidget::keyPressEvent(event);
  }
}

FaultsView::FaultsView(ScenarioDocument& document, QWidget* parent)
    : QWidget{parent}, model_{new FaultsModel{document, this}}, axis_{new FaultAxis{*model_}}, table_{new QTableView}
{
  auto* layout = column_in(this, 6);
  auto* head = new QHBoxLayout;
  auto* title = new QLabel{tr("Failures")};
  title->setFont(bold(title->font()));
  head->addWidget(title);
  head->addStretch();
  auto* add = new QPushButton{tr("Add a failure…")};
  auto* remove = new QPushButton{tr("Remove")};
  head->addWidget(add);
  head->addWidget(remove);
  layout->addLayout(head);
  auto* split = new QSplitter;
  split->addWidget(axis_);
  set_up(*table_, model_, tr("Failures"));
  table_->setSelectionBehavior(QAbstractItemView::SelectRows);
  table_->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
  table_->horizontalHeader()->setSectionResizeMode(0, QHeaderView::Stretch);
  table_->setMinimumWidth(210);
  table_->verticalHeader()->hide();
  split->addWidget(table_);
  split->setSizes({600, 300});
  layout->addWidget(split, 1);
  connect(add, &QPushButton::clicked, this, [this] { ask(QStringLiteral("node:")); });
  connect(remove, &QPushButton::clicked, this, [this] {
    const QModelIndex at = table_->currentIndex();
    model_->remove(axis_->chosen() >= 0 ? axis_->chosen() : at.isValid() ? at.row() : -1);
  });
  connect(axis_, &FaultAxis::addRequested, this,
          [this](double seconds) { ask(QStringLiteral("node:"), std::round(seconds / 60) * 60); });
  connect(axis_, &FaultAxis::choiceChanged, this, [this](int row) {
    if (row >= 0)
      table_->selectRow(row);
  });
  connect(table_->selectionModel(), &QItemSelectionModel::currentRowChanged, this, [this](const QModelIndex& now) {
    if (now.isValid())
      axis_->choose(now.row());
  });
}

void FaultsView::ask(const QString& what, double at_s)
{
  auto* dialog = new QDialog{window()};
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->setObjectName(QStringLiteral("fail_at"));
  dialog->setWindowTitle(tr("Fail at…"));
  auto* form = new QFormLayout{dialog};
  auto* target = new QLineEdit{what};
  target->setObjectName(QStringLiteral("what"));
  target->setPlaceholderText(QStringLiteral("rack:3, node:worker-1, gpu:worker-1/0, switch:leaf-0, storage"));
  auto* at = new QLineEdit{clock_text(at_s)};
  at->setObjectName(QStringLiteral("at"));
  auto* lasts = new QLineEdit{QStringLiteral("6 h")};
  lasts->setObjectName(QStringLiteral("lasts"));
  lasts->setPlaceholderText(tr("empty: never repaired"));
  auto* fault = new QLabel;
  fault->setWordWrap(true);
  form->addRow(tr("What fails"), target);
  form->addRow(tr("When (hh:mm or 90 min)"), at);
  form->addRow(tr("For how long"), lasts);
  form->addRow(fault);
  auto* buttons = new QDialogButtonBox{QDialogButtonBox::Ok | QDialogButtonBox::Cancel};
  form->addRow(buttons);
  connect(buttons, &QDialogButtonBox::rejected, dialog, &QDialog::reject);
  connect(buttons, &QDialogButtonBox::accepted, dialog, [this, dialog, target, at, lasts, fault] {
    if (model_->add(target->text(), at->text(), lasts->text()))
      return dialog->accept();
    fault->setText(tr(
        "Give what fails, a time such as 02:00 or 90 min, and a duration such as 6 h, or leave the duration empty."));
    dialog->resize(dialog->width(), std::max(dialog->height(), dialog->layout()->totalHeightForWidth(dialog->width())));
  });
  (what.endsWith(QLatin1Char(':')) ? target : at)->setFocus();
  dialog->resize(380, dialog->sizeHint().height());
  dialog->open();
}

} // namespace trainyard::gui
