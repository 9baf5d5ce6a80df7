// SPDX-License-Identifier: Apache-2.0
#include "gui/run/run_queue.hpp"

#include "gui/core/places.hpp"
#include "gui/core/theme.hpp"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QJsonArray>
#include <QJsonDocument>
#include <QLocale>
#include <QRegularExpression>
#include <QSaveFile>

#include <algorithm>
#include <utility>

namespace trainyard::gui {

namespace {

constexpr QLatin1String note_ending{".run.json"};

/// A state as a note has it, in no language.
QString words_of(QueuedRun::State state)
{
  switch (state) {
  case QueuedRun::State::done:
    return QStringLiteral("done");
  case QueuedRun::State::failed:
    return QStringLiteral("failed");
  case QueuedRun::State::cancelled:
    return QStringLiteral("cancelled");
  case QueuedRun::State::waiting:
  case QueuedRun::State::running:
    break;
  }
  return QStringLiteral("running");
}

QJsonObject note_of(const QString& folder)
{
  QFile file{folder + note_ending};
  return file.open(QIODevice::ReadOnly) ? QJsonDocument::fromJson(file.readAll()).object() : QJsonObject{};
}

} // namespace

QString identity_of_run(const QString& folder)
{
  return note_of(folder).value(QLatin1String("identity")).toString();
}

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
    // The file that was run is a copy; what is said of it is about the scenario.
    run.message = process_.messages().trimmed().replace(run.scenario_file, run.name + QStringLiteral(".yaml"));
    note(run);
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
  run.number = runs_.isEmpty() ? 1 : runs_.back().number + 1;
  run.when = QDateTime::currentDateTime();
  if (run.identity.isEmpty())
    run.identity = identity_;
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
  note(run);
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

void RunQueue::note(const QueuedRun& run) const
{
  // Only of runs in the state folder: others were asked for with a place of their own.
  if (QFileInfo{run.folder}.absolutePath() != QFileInfo{state_folder(QStringLiteral("runs"))}.absoluteFilePath())
    return;
  const QJsonObject json{{QStringLiteral("name"), run.name},
                         {QStringLiteral("working_folder"), run.working_folder},
                         {QStringLiteral("overrides"), QJsonArray::fromStringList(run.overrides)},
                         {QStringLiteral("plan"), QJsonArray::fromStringList(run.plan)},
                         {QStringLiteral("identity"), run.identity},
                         {QStringLiteral("state"), words_of(run.state)},
                         {QStringLiteral("elapsed_s"), run.elapsed_s},
                         {QStringLiteral("when"), run.when.toString(Qt::ISODateWithMs)},
                         {QStringLiteral("message"), run.message},
                         {QStringLiteral("remark"), run.remark},
                         {QStringLiteral("baseline"), run.baseline}};
  if (QSaveFile file{run.folder + note_ending}; file.open(QIODevice::WriteOnly)) {
    file.write(QJsonDocument{json}.toJson());
    file.commit();
  }
}

void RunQueue::restore()
{
  QVector<QueuedRun> found;
  const QDir folder{state_folder(QStringLiteral("runs"))};
  for (const QFileInfo& info : folder.entryInfoList({QStringLiteral("*") + note_ending}, QDir::Files)) {
    QueuedRun run;
    run.folder = info.absoluteFilePath().chopped(note_ending.size());
    const QJsonObject json = note_of(run.folder);
    if (json.isEmpty())
      continue;
    run.scenario_file = run.folder + QStringLiteral(".yaml");
    run.name = json.value(QLatin1String("name")).toString();
    run.working_folder = json.value(QLatin1String("working_folder")).toString();
    run.overrides = json.value(QLatin1String("overrides")).toVariant().toStringList();
    run.plan = json.value(QLatin1String("plan")).toVariant().toStringList();
    run.identity = json.value(QLatin1String("identity")).toString();
    run.elapsed_s = json.value(QLatin1String("elapsed_s")).toDouble();
    run.when = QDateTime::fromString(json.value(QLatin1String("when")).toString(), Qt::ISODateWithMs);
    run.message = json.value(QLatin1String("message")).toString();
    run.remark = json.value(QLatin1String("remark")).toString();
    run.baseline = json.value(QLatin1String("baseline")).toBool();
    // A run that was going on when the program ended did not end by itself.
    run.state = QueuedRun::State::cancelled;
    for (const QueuedRun::State state : {QueuedRun::State::done, QueuedRun::State::failed})
      if (json.value(QLatin1String("state")).toString() == words_of(state))
        run.state = state;
    if (run.state == QueuedRun::State::done && !QFileInfo{run.folder}.isDir())
      continue; // somebody deleted it
    found.push_back(run);
  }
  if (found.isEmpty())
    return;
  std::stable_sort(found.begin(), found.end(), [](const QueuedRun& a, const QueuedRun& b) { return a.when < b.when; });
  beginResetModel();
  int number = 0;
  for (QueuedRun& run : found)
    run.number = ++number;
  runs_ = found + runs_;
  if (current_ >= 0)
    current_ += static_cast<int>(found.size());
  endResetModel();
}

int RunQueue::rerun(int row)
{
  if (row < 0 || row >= runs_.size())
    return 0;
  QFile file{runs_[row].scenario_file};
  if (!file.open(QIODevice::ReadOnly))
    return 0;
  QueuedRun run;
  run.name = runs_[row].name;
  run.working_folder = runs_[row].working_folder;
  run.overrides = runs_[row].overrides;
  run.plan = runs_[row].plan;
  run.identity = runs_[row].identity;
  return add(std::move(run), QString::fromUtf8(file.readAll()), {});
}

void RunQueue::remove(int row)
{
  if (row < 0 || row >= runs_.size() || row == current_)
    return;
  const QueuedRun run = runs_[row];
  beginRemoveRows({}, row, row);
  runs_.removeAt(row);
  if (current_ > row)
    --current_;
  endRemoveRows();
  if (run.baseline)
    emit baselineChanged({});
  if (QFileInfo{run.folder}.absolutePath() != QFileInfo{state_folder(QStringLiteral("runs"))}.absoluteFilePath())
    return;
  QDir{run.folder}.removeRecursively();
  QFile::remove(run.scenario_file);
  QFile::remove(run.folder + note_ending);
}

void RunQueue::pin(int row)
{
  if (row < 0 || row >= runs_.size() || (runs_[row].state != QueuedRun::State::done && !runs_[row].baseline))
    return;
  for (int i = 0; i < runs_.size(); ++i) {
    const bool wanted = i == row && !runs_[row].baseline;
    if (std::exchange(runs_[i].baseline, wanted) == wanted)
      continue;
    note(runs_[i]);
    changed(i);
  }
  emit baselineChanged(baseline());
}

QString RunQueue::baseline() const
{
  const auto found = std::find_if(runs_.begin(), runs_.end(), [](const QueuedRun& run) { return run.baseline; });
  return found == runs_.end() ? QString{} : found->folder;
}

void RunQueue::cancel(int row)
{
  if (row < 0 || row >= runs_.size())
    return;
  if (row == current_) {
    process_.cancel();
  } else if (runs_[row].state == QueuedRun::State::waiting) {
    runs_[row].state = QueuedRun::State::cancelled;
    note(runs_[row]);
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
  return parent.isValid() ? 0 : 7;
}

QVariant RunQueue::data(const QModelIndex& index, int role) const
{
  if (!index.isValid() || index.row() >= runs_.size())
    return {};
  const QueuedRun& run = runs_[index.row()];
  if (role == Qt::ForegroundRole && run.state == QueuedRun::State::failed)
    return error_colour();
  if (role == Qt::ToolTipRole)
    return run.message.isEmpty() ? run.folder : run.message;
  if (role == Qt::EditRole && index.column() == name_column)
    return run.name;
  if (role == Qt::EditRole && index.column() == remark_column)
    return run.remark;
  if (role != Qt::DisplayRole)
    return {};
  switch (index.column()) {
  case 0:
    return run.number;
  case name_column:
    return run.baseline ? tr("%1 (baseline)").arg(run.name) : run.name;
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
    return QLocale{tr("en", "language of dates")}.toString(run.when, QLocale::ShortFormat);
  case remark_column:
    return run.remark;
  case 6:
    return run.state == QueuedRun::State::done ? QFileInfo{run.folder}.fileName()
                                               : run.message.section(QLatin1Char('\n'), 0, 0);
  default:
    return {};
  }
}

bool RunQueue::setData(const QModelIndex& index, const QVariant& value, int role)
{
  const QString words = value.toString().trimmed();
  const bool named = index.column() == name_column;
  if (role != Qt::EditRole || !index.isValid() || (named ? words.isEmpty() : index.column() != remark_column))
    return false;
  (named ? runs_[index.row()].name : runs_[index.row()].remark) = words;
  note(runs_[index.row()]);
  changed(index.row());
  return true;
}

Qt::ItemFlags RunQueue::flags(const QModelIndex& index) const
{
  const Qt::ItemFlags usual = QAbstractTableModel::flags(index);
  return index.column() == name_column || index.column() == remark_column ? usual | Qt::ItemIsEditable : usual;
}

QVariant RunQueue::headerData(int section, Qt::Orientation orientation, int role) const
{
  if (orientation != Qt::Horizontal || role != Qt::DisplayRole)
    return {};
  const QStringList names{tr("No."), tr("Run"), tr("State"), tr("Time"), tr("When"), tr("Note"), tr("Message")};
  return names.value(section);
}

} // namespace trainyard::gui
