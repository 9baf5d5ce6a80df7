// SPDX-License-Identifier: Apache-2.0
#include "gui/run/run_queue.hpp"

#include "gui/core/places.hpp"
#include "gui/core/theme.hpp"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QRegularExpression>

namespace trainyard::gui {

RunQueue::RunQueue(QObject* parent) : QAbstractTableModel{parent}
{
  connect(&process_, &RunProcess::progressed, this, [this](int done, int total, double left, const QString& point) {
    if (current_ < 0)
      return;
    QueuedRun& run = runs_[current_];
    run.done = done;
    run.total = total;
    run.left_s = left;
    run.elapsed_s = process_.elapsedSeconds();
    run.message = point;
    changed(current_);
    emit progressed(current_);
  });
  connect(&process_, &RunProcess::eventReceived, this,
          [this](const QJsonObject& event) { emit eventReceived(current_, event); });
  connect(&process_, &RunProcess::finished, this, [this] {
    if (current_ < 0)
      return;
    const int row = std::exchange(current_, -1);
    QueuedRun& run = runs_[row];
    run.elapsed_s = process_.elapsedSeconds();
    run.left_s = 0;
    run.state = process_.state() == RunProcess::State::done        ? QueuedRun::State::done
                : process_.state() == RunProcess::State::cancelled ? QueuedRun::State::cancelled
                                                                   : QueuedRun::State::failed;
    run.message = process_.messages().trimmed();
    changed(row);
    emit ended(row);
    next();
  });
}

RunQueue::~RunQueue()
{
  process_.disconnect(this);
}

int RunQueue::add(const QString& name, const QString& text, const QString& working_folder, const QStringList& overrides,
                  const QString& folder)
{
  QueuedRun run;
  run.name = name;
  run.overrides = overrides;
  run.working_folder = working_folder;
  return add(std::move(run), text, folder);
}

int RunQueue::addPlan(const QString& name, const QString& text, const QString& working_folder, const QStringList& plan)
{
  QueuedRun run;
  run.name = name + QStringLiteral("-plan");
  run.plan = plan;
  run.working_folder = working_folder;
  return add(std::move(run), text, {});
}

int RunQueue::add(QueuedRun run, const QString& text, const QString& folder)
{
  run.number = static_cast<int>(runs_.size()) + 1;
  QString safe = run.name;
  safe.replace(QRegularExpression{QStringLiteral("[^A-Za-z0-9_.-]+")}, QStringLiteral("_"));
  const QString runs = state_folder(QStringLiteral("runs"));
  int free = 1;
  while (QFile::exists(QStringLiteral("%1/%2-%3").arg(runs, safe).arg(free)) ||
         QFile::exists(QStringLiteral("%1/%2-%3.yaml").arg(runs, safe).arg(free)))
    ++free;
  run.folder = folder.isEmpty() ? QStringLiteral("%1/%2-%3").arg(runs, safe).arg(free) : folder;
  QDir{}.mkpath(QFileInfo{run.folder}.absolutePath());
  run.scenario_file = run.folder + QStringLiteral(".yaml");
  QFile file{run.scenario_file};
  const QByteArray bytes = text.toUtf8();
  if (!file.open(QIODevice::WriteOnly) || file.write(bytes) != bytes.size()) {
    run.state = QueuedRun::State::failed;
    run.message = tr("%1 cannot be written: %2").arg(run.scenario_file, file.errorString());
  }
  file.close();
  beginInsertRows({}, static_cast<int>(runs_.size()), static_cast<int>(runs_.size()));
  runs_.push_back(run);
  endInsertRows();
  if (run.state == QueuedRun::State::failed)
    emit ended(static_cast<int>(runs_.size()) - 1);
  next();
  return run.number;
}

void RunQueue::next()
{
  if (current_ >= 0)
    return;
  for (int row = 0; row < runs_.size(); ++row) {
    if (runs_[row].state != QueuedRun::State::waiting)
      continue;
    current_ = row;
    QueuedRun& run = runs_[row];
    run.state = QueuedRun::State::running;
    QStringList arguments{run.plan.isEmpty() ? QStringLiteral("run") : QStringLiteral("plan"), run.scenario_file};
    arguments << run.plan << QStringLiteral("-o") << run.folder << QStringLiteral("--progress=json")
              << QStringLiteral("--color=never");
    for (const QString& value : run.overrides)
      arguments << QStringLiteral("--set") << value;
    process_.start(arguments, run.working_folder);
    changed(row);
    emit started(row);
    return;
  }
}

void RunQueue::cancel(int row)
{
  if (row < 0 || row >= runs_.size())
    return;
  if (row == current_) {
    process_.cancel();
  } else if (runs_[row].state == QueuedRun::State::waiting) {
    runs_[row].state = QueuedRun::State::cancelled;
    changed(row);
  }
}

void RunQueue::cancelAll()
{
  for (int row = 0; row < runs_.size(); ++row)
    cancel(row);
}

void RunQueue::changed(int row)
{
  emit dataChanged(index(row, 0), index(row, columnCount() - 1));
}

int RunQueue::rowCount(const QModelIndex& parent) const
{
  return parent.isValid() ? 0 : static_cast<int>(runs_.size());
}
int RunQueue::columnCount(const QModelIndex& parent) const
{
  return parent.isValid() ? 0 : 5;
}

QVariant RunQueue::data(const QModelIndex& index, int role) const
{
  if (!index.isValid() || index.row() >= runs_.size())
    return {};
  const QueuedRun& run = runs_[index.row()];
  if (role == Qt::ForegroundRole && run.state == QueuedRun::State::failed)
    return error_colour();
  if (role == Qt::ToolTipRole)
    return run.message;
  if (role != Qt::DisplayRole)
    return {};
  switch (index.column()) {
  case 0:
    return run.number;
  case 1:
    return run.name;
  case 2:
    switch (run.state) {
    case QueuedRun::State::waiting:
      return tr("waiting");
    case QueuedRun::State::running:
      return run.total > 0 ? tr("%1 of %2, %3 s left").arg(run.done).arg(run.total).arg(run.left_s, 0, 'f', 1)
                           : tr("running");
    case QueuedRun::State::done:
      return tr("done");
    case QueuedRun::State::failed:
      return tr("failed");
    case QueuedRun::State::cancelled:
      return tr("cancelled");
    }
    return {};
  case 3:
    return run.state == QueuedRun::State::waiting ? QString{} : tr("%1 s").arg(run.elapsed_s, 0, 'f', 2);
  case 4:
    return run.state == QueuedRun::State::done ? QFileInfo{run.folder}.fileName()
                                               : run.message.section(QLatin1Char('\n'), 0, 0);
  default:
    return {};
  }
}

QVariant RunQueue::headerData(int section, Qt::Orientation orientation, int role) const
{
  if (orientation != Qt::Horizontal || role != Qt::DisplayRole)
    return {};
  const QStringList names{tr("No."), tr("Run"), tr("State"), tr("Time"), tr("Message")};
  return names.value(section);
}

} // namespace trainyard::gui
