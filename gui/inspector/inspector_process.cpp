// SPDX-License-Identifier: Apache-2.0
#include "gui/inspector/inspector_process.hpp"

#include "gui/core/places.hpp"

#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>

namespace trainyard::gui {

InspectorProcess::InspectorProcess(QObject* parent) : QObject{parent}
{
  connect(&process_, &QProcess::readyReadStandardOutput, this, &InspectorProcess::readLines);
  connect(&process_, &QProcess::errorOccurred, this, [this](QProcess::ProcessError error) {
    if (error != QProcess::FailedToStart)
      return;
    busy_ = false;
    message_ = tr("simrun could not be started: %1").arg(process_.errorString());
    emit changed();
  });
  connect(&process_, &QProcess::finished, this, [this](int code, QProcess::ExitStatus status) {
    readLines();
    busy_ = false;
    const QString words = QString::fromUtf8(process_.readAllStandardError()).trimmed();
    if (!std::exchange(stopping_, false)) {
      if (status == QProcess::CrashExit)
        message_ = tr("simrun stopped unexpectedly (%1)").arg(process_.errorString());
      else if (code != 0)
        message_ = words.isEmpty() ? tr("simrun ended with code %1").arg(code) : words;
    }
    emit changed();
  });
}

InspectorProcess::~InspectorProcess()
{
  end_unheard(process_, *this);
}

void InspectorProcess::start(const QString& text, const QString& working_folder, int steps, const QString& policy,
                             int point)
{
  stop();
  state_ = {};
  pending_.clear();
  message_.clear();
  const QString program = simrun_program();
  if (program.isEmpty()) {
    message_ = tr("the program simrun was not found in the folder of simgui or on the PATH; install it, or set "
                  "TRAINYARD_SIMRUN to its path");
    emit changed();
    return;
  }
  const QString file = state_folder(QStringLiteral("inspector")) + QStringLiteral("/scenario.yaml");
  QFile out{file};
  const QByteArray bytes = text.toUtf8();
  if (!out.open(QIODevice::WriteOnly) || out.write(bytes) != bytes.size()) {
    message_ = tr("%1 cannot be written: %2").arg(file, out.errorString());
    emit changed();
    return;
  }
  out.close();
  busy_ = true;
  process_.setWorkingDirectory(working_folder);
  QStringList arguments{QStringLiteral("inspect"),       file,
                        QStringLiteral("--steps"),       QString::number(steps),
                        QStringLiteral("--color=never"), QStringLiteral("--quiet")};
  if (!policy.isEmpty())
    arguments << QStringLiteral("--policy") << policy;
  if (point >= 0)
    arguments << QStringLiteral("--point") << QString::number(point);
  policies_.clear();
  points_.clear();
  point_ = -1;
  process_.start(program, arguments);
  emit changed();
}

void InspectorProcess::stop()
{
  if (!isAlive())
    return;
  stopping_ = true;
  process_.kill();
  process_.waitForFinished(1000);
}

void InspectorProcess::step(int instants)
{
  send("{\"do\":\"step\",\"count\":" + QByteArray::number(std::max(1, instants)) + "}\n", true);
}

void InspectorProcess::runUntil(double seconds)
{
  send("{\"do\":\"run_until\",\"time_s\":" + QByteArray::number(seconds, 'g', 17) + "}\n", true);
}

void InspectorProcess::pause()
{
  send("{\"do\":\"pause\"}\n", false);
}

void InspectorProcess::send(const QByteArray& command, bool moves)
{
  if (!isAlive() || (moves && (busy_ || state_.ended)) || (!moves && !busy_))
    return;
  busy_ = true;
  process_.write(command);
  emit changed();
}

void InspectorProcess::readLines()
{
  pending_ += process_.readAllStandardOutput();
  bool any = false;
  for (qsizetype end = pending_.indexOf('\n'); end >= 0; end = pending_.indexOf('\n')) {
    const QJsonObject line = QJsonDocument::fromJson(pending_.left(end)).object();
    pending_.remove(0, end + 1);
    const QString event = line.value(QLatin1String("event")).toString();
    if (event == QLatin1String("ready")) {
      const QString point = line.value(QLatin1String("point")).toString();
      for (const QJsonValue& name : line.value(QLatin1String("policies")).toArray())
        policies_ << name.toString();
      for (const QJsonValue& label : line.value(QLatin1String("labels")).toArray())
        points_ << label.toString();
      point_ = line.value(QLatin1String("number")).toInt(-1);
      message_ = point.isEmpty() ? line.value(QLatin1String("scenario")).toString() : point;
    } else if (event == QLatin1String("error")) {
      message_ = line.value(QLatin1String("message")).toString();
      busy_ = false;
    } else if (const auto state = inspector_state_of(line)) {
      state_ = *state;
      busy_ = false;
    }
    any = true;
  }
  if (any)
    emit changed();
}

} // namespace trainyard::gui
