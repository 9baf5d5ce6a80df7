// SPDX-License-Identifier: Apache-2.0
#include "gui/panels/runs_panel.hpp"

#include "gui/core/widgets.hpp"
#include "gui/run/run_queue.hpp"

#include <QGridLayout>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QItemSelectionModel>
#include <QMessageBox>
#include <QPushButton>
#include <QShortcut>
#include <QTableView>

namespace trainyard::gui {

RunsPanel::RunsPanel(RunQueue& queue, QWidget* parent) : QWidget{parent}, queue_{queue}, table_{new QTableView}
{
  auto* layout = new QHBoxLayout{this};
  layout->setContentsMargins(0, 0, 4, 0);
  set_up(*table_, &queue_, tr("Runs"));
  table_->setSelectionBehavior(QAbstractItemView::SelectRows);
  table_->setSelectionMode(QAbstractItemView::SingleSelection);
  table_->setEditTriggers(QAbstractItemView::NoEditTriggers); // the button and Ctrl+Return name it
  table_->setAlternatingRowColors(true);
  table_->verticalHeader()->hide();
  table_->horizontalHeader()->setStretchLastSection(true);
  table_->verticalHeader()->setDefaultSectionSize(24);
  const QVector<int> widths{50, 190, 110, 80, 190, 180};
  for (int i = 0; i < widths.size(); ++i)
    table_->setColumnWidth(i, widths[i]);
  layout->addWidget(table_, 1);
  auto* buttons = new QGridLayout; // two beside each other: the panel is low
  buttons->setSpacing(4);
  layout->addLayout(buttons);
  open_ = addButton(QStringLiteral("open_run"), tr("Open"), tr("Shows the results of the chosen run (Return)"));
  rename_ = addButton(QStringLiteral("rename_run"), tr("Rename"), tr("Gives the chosen run another name"));
  remark_ = addButton(QStringLiteral("note_run"), tr("Note"), tr("Keeps words about the chosen run"));
  pin_ = addButton(QStringLiteral("pin_run"), tr("Baseline"),
                   tr("Compares other runs with the chosen one; the same again: no longer"));
  again_ = addButton(QStringLiteral("rerun"), tr("Run again"), tr("Runs the same scenario once more"));
  remove_ = addButton(QStringLiteral("delete_run"), tr("Delete…"), tr("Deletes the chosen run and its results (Del)"));
  for (QPushButton* button : {open_, again_, rename_, remark_, pin_, remove_})
    buttons->addWidget(button, buttons->count() / 2, buttons->count() % 2);
  buttons->setRowStretch(3, 1);
  connect(open_, &QPushButton::clicked, this, [this] { openRow(row()); });
  connect(rename_, &QPushButton::clicked, this, [this] {
    if (row() >= 0)
      table_->edit(queue_.index(row(), RunQueue::name_column));
  });
  connect(remark_, &QPushButton::clicked, this, [this] {
    if (row() >= 0)
      table_->edit(queue_.index(row(), RunQueue::remark_column));
  });
  pin_->setCheckable(true);
  connect(pin_, &QPushButton::clicked, this, [this] {
    queue_.pin(row());
    showState();
  });
  connect(again_, &QPushButton::clicked, this, [this] {
    if (const int at = row(); at >= 0 && queue_.rerun(at) == 0)
      emit told(queue_.runs()[at].name,
                tr("%1 is gone; the run cannot be repeated").arg(queue_.runs()[at].scenario_file));
  });
  connect(remove_, &QPushButton::clicked, this, [this] { removeRow(row()); });
  connect(table_, &QTableView::doubleClicked, this, [this](const QModelIndex& at) { openRow(at.row()); });
  for (const auto key : {Qt::Key_Return, Qt::Key_Enter}) {
    auto* opens = new QShortcut{QKeySequence{key}, table_};
    opens->setContext(Qt::WidgetShortcut);
    connect(opens, &QShortcut::activated, this, [this] { openRow(row()); });
  }
  auto* removes = new QShortcut{QKeySequence::Delete, table_};
  removes->setContext(Qt::WidgetShortcut);
  connect(removes, &QShortcut::activated, this, [this] { removeRow(row()); });
  connect(table_->selectionModel(), &QItemSelectionModel::selectionChanged, this, &RunsPanel::showState);
  connect(&queue_, &QAbstractItemModel::dataChanged, this, &RunsPanel::showState);
  connect(&queue_, &QAbstractItemModel::rowsInserted, this, [this](const QModelIndex&, int, int last) {
    table_->selectRow(last); // the newest
    table_->scrollToBottom();
  });
  connect(&queue_, &QAbstractItemModel::rowsRemoved, this, &RunsPanel::showState);
  if (queue_.rowCount() > 0)
    table_->selectRow(queue_.rowCount() - 1);
  showState();
}

QPushButton* RunsPanel::addButton(const QString& name, const QString& text, const QString& about)
{
  auto* button = new QPushButton{text};
  button->setObjectName(name);
  button->setToolTip(about);
  return button;
}

int RunsPanel::row() const
{
  const QModelIndexList rows = table_->selectionModel()->selectedRows();
  return rows.isEmpty() ? -1 : rows.front().row();
}

void RunsPanel::showState()
{
  const QueuedRun* run = row() < 0 || row() >= queue_.runs().size() ? nullptr : &queue_.runs()[row()];
  const bool rests = run != nullptr && run->state != QueuedRun::State::running;
  open_->setEnabled(run != nullptr && (run->state == QueuedRun::State::done || !run->message.isEmpty()));
  rename_->setEnabled(run != nullptr);
  remark_->setEnabled(run != nullptr);
  pin_->setEnabled(run != nullptr && run->state == QueuedRun::State::done && run->plan.isEmpty());
  pin_->setChecked(run != nullptr && run->baseline);
  again_->setEnabled(run != nullptr);
  remove_->setEnabled(rests);
}

void RunsPanel::openRow(int row)
{
  if (row < 0 || row >= queue_.runs().size())
    return;
  const QueuedRun& run = queue_.runs()[row];
  if (run.state == QueuedRun::State::done)
    emit openRequested(run.folder);
  else if (!run.message.isEmpty())
    emit told(run.name, run.message);
}

void RunsPanel::removeRow(int row)
{
  if (row < 0 || row >= queue_.runs().size() || queue_.runs()[row].state == QueuedRun::State::running)
    return;
  const auto answer =
      QMessageBox::question(this, tr("Delete the run"), tr("Delete %1 and its results?").arg(queue_.runs()[row].name),
                            QMessageBox::Yes | QMessageBox::Cancel);
  if (answer == QMessageBox::Yes)
    queue_.remove(row);
}

} // namespace trainyard::gui
