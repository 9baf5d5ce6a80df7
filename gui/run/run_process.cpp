#include "gui/run/run_process.hpp"

#include "gui/core/places.hpp"

#include <QJsonDocument>

namespace trainyard::gui {

RunProcess::RunProcess(QObject* parent) : QObject{parent}
{
  kill_timer_.setSingleShot(true);
  kill_timer_.setInterval(120);
  connect(&kill_timer_, &QTimer::timeout, &process_, &QProcess::kill);
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
  process_.disconnect(this);
  if (process_.state() != QProcess::NotRunning) {
    process_.kill();
    process_.waitForFinished(1000);
  }
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
    messages_ = tr("the program simrun was not found beside simgui or on the PATH; install it, or set TRAINYARD_SIMRUN to its place");
    QTimer::singleShot(0, this, [this] { conclude(State::failed); });
    return;
  }
  process_.setWorkingDirectory(working_folder);
  process_.start(program, arguments);
}

void RunProcess::cancel()
{
  if (state_ != State::running)
    return;
  cancelling_ = true;
  process_.terminate();
  kill_timer_.start();
}

void RunProcess::readErrors()
{
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
  if (process_.exitStatus() == QProcess::CrashExit) {
    messages_ += tr("simrun stopped unexpectedly (%1)").arg(process_.errorString());
    return conclude(State::failed);
  }
  conclude(process_.exitCode() == 0 || process_.exitCode() == 3 || process_.exitCode() == 4 ? State::done : State::failed);
}

void RunProcess::conclude(State state)
{
  if (state_ != State::running)
    return;
  state_ = state;
  emit finished();
}

} // namespace trainyard::gui
