// SPDX-License-Identifier: Apache-2.0
#include "gui/document/checker.hpp"

#include "gui/core/places.hpp"
#include "gui/document/scenario_document.hpp"

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QJsonArray>
#include <QJsonDocument>
#include <QTemporaryDir>

namespace trainyard::gui {

QVector<Problem> problems_of(const QByteArray& output, const QString& file)
{
  QVector<Problem> list;
  const QJsonArray problems = QJsonDocument::fromJson(output).object().value(QLatin1String("problems")).toArray();
  for (const auto& each : problems) {
    const QJsonObject one = each.toObject();
    const auto words = [&](const char* key) { return one.value(QLatin1String(key)).toString(); };
    const bool here = file.isEmpty() || QFileInfo{words("file")}.fileName() == QFileInfo{file}.fileName();
    const auto place = [&](const char* key) { return here ? one.value(QLatin1String(key)).toInt() : 0; };
    list.push_back({words("severity") == QLatin1String("error")  ? Problem::Severity::error
                    : words("severity") == QLatin1String("note") ? Problem::Severity::note
                                                                 : Problem::Severity::warning,
                    place("line"), place("column"), words("text"), one.value(QLatin1String("message")).toObject()});
  }
  return list;
}

Checker::Checker(ScenarioDocument& document, QObject* parent) : QObject{parent}, document_{document}
{
  timer_.setSingleShot(true);
  timer_.setInterval(250);
  limit_.setSingleShot(true);
  limit_.setInterval(20'000);
  connect(&document_, &ScenarioDocument::textChanged, this, [this] { timer_.start(); });
  connect(&document_, &ScenarioDocument::opened, this, [this] {
    again_ = process_.state() != QProcess::NotRunning; // messages about another text do not belong to this one
    problems_.clear();
    emit checked();
  });
  connect(&timer_, &QTimer::timeout, this, &Checker::start);
  connect(&limit_, &QTimer::timeout, &process_, &QProcess::kill);
  connect(&process_, &QProcess::finished, this, &Checker::finished);
  connect(&process_, &QProcess::errorOccurred, this, [this](QProcess::ProcessError error) {
    if (error == QProcess::FailedToStart) {
      problems_ = {{Problem::Severity::error, 0, 0,
                    tr("simrun could not be started, so nothing is checked: %1").arg(process_.errorString())}};
      emit checked();
    }
  });
}

Checker::~Checker()
{
  end_unheard(process_, *this);
  if (!checked_file_.isEmpty())
    QFile::remove(checked_file_);
}

void Checker::start()
{
  if (process_.state() != QProcess::NotRunning) {
    again_ = true;
    return;
  }
  if (document_.text().trimmed().isEmpty()) {
    problems_.clear();
    if (!document_.file().isEmpty()) // else nothing is open
      problems_.push_back({Problem::Severity::error, 1, 1,
                           tr("the file is empty; File > New gives a scenario that runs, to start from")});
    emit checked();
    return;
  }
  const QString program = simrun_program();
  if (program.isEmpty()) {
    problems_ = {{Problem::Severity::error, 0, 0,
                  tr("the program simrun was not found in the folder of simgui or on the PATH, so nothing can be "
                     "checked or run")}};
    emit checked();
    return;
  }
  // Beside the file where that is possible, so that relative names of traces and profiles hold.
  QString folder;
  if (!document_.file().isEmpty() && QFileInfo{QFileInfo{document_.file()}.absolutePath()}.isWritable())
    folder = QFileInfo{document_.file()}.absolutePath();
  if (folder.isEmpty()) {
    if (!folder_)
      folder_ = std::make_unique<QTemporaryDir>();
    folder = folder_->path();
  }
  checked_file_ = folder + QStringLiteral("/.") + QFileInfo{document_.title()}.completeBaseName() +
                  QStringLiteral(".simgui-check.yaml");
  QFile file{checked_file_};
  if (!file.open(QIODevice::WriteOnly) || file.write(document_.text().toUtf8()) < 0) {
    problems_ = {{Problem::Severity::error, 0, 0,
                  tr("nothing was checked, because %1 cannot be written: %2").arg(checked_file_, file.errorString())}};
    emit checked();
    return;
  }
  file.close();
  process_.setWorkingDirectory(document_.folder());
  process_.setProgram(program);
  process_.setArguments({QStringLiteral("check"), checked_file_, QStringLiteral("--json")});
  process_.setProcessChannelMode(QProcess::SeparateChannels);
  process_.start();
  limit_.start();
}

void Checker::finished()
{
  limit_.stop();
  QFile::remove(checked_file_);
  if (again_) {
    again_ = false;
    timer_.start();
    return;
  }
  problems_ = problems_of(process_.readAllStandardOutput(), checked_file_);
  if (const QString fault = QString::fromUtf8(process_.readAllStandardError()).trimmed();
      problems_.isEmpty() && process_.exitCode() != 0 && !fault.isEmpty())
    problems_.push_back({Problem::Severity::error, 0, 0, fault});
  if (process_.exitStatus() == QProcess::CrashExit)
    problems_.push_back(
        {Problem::Severity::error, 0, 0, tr("the checker stopped unexpectedly or took longer than 20 seconds")});
  emit checked();
}

} // namespace trainyard::gui
