// SPDX-License-Identifier: Apache-2.0
#include "gui/run/run_process.hpp"

#include "gui/core/places.hpp"

#include <QFile>
#include <QJsonDocument>

namespace trainyard::gui {
namespace {

/// Clock ticks of processor time that a process and its children have used; they change while anything is computed.
qint64 processor_ticks(qint64 pid, int depth = 0)
{
  const QString place = QStringLiteral("/proc/%1").arg(pid);
  QFile stat{place + QStringLiteral("/stat")};
  if (depth > 4 || !stat.open(QIODevice::ReadOnly))
    return 0;
  const QByteArray text = stat.readAll();
  const QList<QByteArray> fields = text.mid(text.lastIndexOf(')') + 2).split(' ');
  qint64 ticks = fields.value(11).toLongLong() + fields.value(12).toLongLong();
  QFile children{place + QStringLiteral("/task/%1/children").arg(pid)};
  if (children.open(QIODevice::ReadOnly))
    for (const QByteArray& child : children.readAll().split(' '))
      if (!child.trimmed().isEmpty())
        ticks += processor_ticks(child.trimmed().toLongLong(), depth + 1);
  return ticks;
}

} // namespace

RunProcess::RunProcess(QObject* parent) : QObject{parent}
{
  kill_timer_.setSingleShot(true);
  kill_timer_.setInterval(120);
  connect(&kill_timer_, &QTimer::timeout, &process_, &QProcess::kill);
  life_timer_.setInterval(500);
  connect(&life_timer_, &QTimer::timeout, this, &RunProcess::lookForLife);
  connect(&process_, &QProcess::readyReadStandardError, this, &RunProcess::readErrors);
  connect(&process_, &QProcess::readyReadStandardOutput, this, [this] { output_ += process_.readAllStandardOutput(); });
  connect(&process_, &QProcess::finished, this, &RunProcess::ended);
  connect(&process_, &QProcess::errorOccurred, this, [this](QProcess::ProcessError error) {
    if (error != QProcess::FailedToStart || state_ != State::running)
      return;
    messages_ = tr("simrun could not be started: %1").arg(process_.errorString());
    conclude(State::failed);
  });
}

RunProcess::~RunProcess()
{
  end_unheard(process_, *this);
}

void RunProcess::start(const QStringList& arguments, const QString& working_folder)
{
  output_.clear();
  pending_.clear();
  messages_.clear();
  cancelling_ = false;
  state_ = State::running;
  clock_.start();
  const QString program = simrun_program();
  if (program.isEmpty()) {
    messages_ = tr("the program simrun was not found in the folder of simgui or on the PATH; install it, or set "
                   "TRAINYARD_SIMRUN to its path");
    QTimer::singleShot(0, this, [this] { conclude(State::failed); });
    return;
  }
  hung_ = false;
  processor_ticks_ = 0;
  silent_.start();
  process_.setWorkingDirectory(working_folder);
  process_.start(program, arguments);
  if (silence_limit_ms_ > 0)
    life_timer_.start();
}

void RunProcess::cancel()
{
  if (state_ != State::running)
    return;
  cancelling_ = true;
  process_.terminate();
  kill_timer_.start();
}

void RunProcess::lookForLife()
{
  if (state_ != State::running)
    return life_timer_.stop();
  const qint64 ticks = processor_ticks(process_.processId());
  if (ticks != processor_ticks_) {
    processor_ticks_ = ticks;
    silent_.restart();
  }
  if (silent_.elapsed() < silence_limit_ms_)
    return;
  hung_ = true;
  life_timer_.stop();
  process_.kill();
}

void RunProcess::readErrors()
{
  silent_.restart();
  pending_ += process_.readAllStandardError();
  for (;;) {
    const qsizetype end = pending_.indexOf('\n');
    if (end < 0)
      break;
    const QByteArray line = pending_.left(end);
    pending_.remove(0, end + 1);
    const QJsonObject event = line.startsWith('{') ? QJsonDocument::fromJson(line).object() : QJsonObject{};
    if (event.isEmpty()) {
      if (messages_.size() < 100'000)
        messages_ += QString::fromUtf8(line) + QLatin1Char('\n');
    } else if (event.value(QLatin1String("event")).toString() == QLatin1String("progress")) {
      emit progressed(event.value(QLatin1String("done")).toInt(), event.value(QLatin1String("total")).toInt(),
                      event.value(QLatin1String("left_s")).toDouble(), event.value(QLatin1String("point")).toString());
    } else {
      emit eventReceived(event);
    }
  }
}

void RunProcess::ended()
{
  kill_timer_.stop();
  readErrors();
  output_ += process_.readAllStandardOutput();
  if (cancelling_)
    return conclude(State::cancelled);
  if (hung_) {
    messages_ +=
        tr("simrun printed nothing for %1 s and used no processor time, so it was stopped. The scenario is unchanged.")
            .arg(silence_limit_ms_ / 1000);
    return conclude(State::failed);
  }
  if (process_.exitStatus() == QProcess::CrashExit) {
    messages_ += tr("simrun stopped unexpectedly (%1)").arg(process_.errorString());
    return conclude(State::failed);
  }
  conclude(process_.exitCode() == 0 || process_.exitCode() == 3 || process_.exitCode() == 4 ? State::done
                                                                                            : State::failed);
}

void RunProcess::conclude(State state)
{
  if (state_ != State::running)
    return;
  state_ = state;
  life_timer_.stop();
  emit finished();
}

} // namespace trainyard::gui
