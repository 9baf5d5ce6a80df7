// SPDX-License-Identifier: Apache-2.0
#pragma once
/// What tests of the whole window have in common: settings that nobody keeps, a session, a window, a folder, and simrun
/// as a command.
#include "gui/core/places.hpp"
#include "gui/core/theme.hpp"
#include "gui/windows/main_window.hpp"

#include <QApplication>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QProcess>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QTest>
#include <QUndoStack>

#include <memory>

namespace trainyard::gui::tests {

/// The text of a shipped scenario; empty where there is none of that name.
inline QString example_text(const QString& name)
{
  for (const QString& file : example_files())
    if (QFileInfo{file}.completeBaseName() == name)
      if (QFile in{file}; in.open(QIODevice::ReadOnly))
        return QString::fromUtf8(in.readAll());
  return {};
}

inline bool write_file(const QString& file, const QByteArray& bytes)
{
  QFile out{file};
  return out.open(QIODevice::WriteOnly) && out.write(bytes) == bytes.size();
}

/// What simrun prints; told as a warning where it fails.
inline QByteArray simrun_output(QStringList arguments)
{
  QProcess process;
  process.start(simrun_program(), arguments << QStringLiteral("--color=never") << QStringLiteral("--quiet"));
  if (!process.waitForFinished(60'000) || process.exitCode() != 0)
    qWarning("%s", process.readAllStandardError().constData());
  return process.readAllStandardOutput();
}

/// A window over a session of its own. Names the application, so that tests which run side by side do not share
/// settings.
struct WindowFixture {
  explicit WindowFixture(const char* name, const QSize& size = {1280, 800})
  {
    QStandardPaths::setTestModeEnabled(true);
    QCoreApplication::setOrganizationName(QStringLiteral("trainyard"));
    QCoreApplication::setApplicationName(QLatin1String(name));
    QDir{state_folder(QStringLiteral("recovery"))}.removeRecursively();
    QDir{state_folder(QStringLiteral("runs"))}.removeRecursively(); // of an earlier run of the tests
    apply_theme(*qobject_cast<QApplication*>(QCoreApplication::instance()), Theme::light);
    session = std::make_unique<Session>();
    session->settings.clear();
    window = std::make_unique<MainWindow>(*session);
    window->resize(size);
    window->show();
  }
  ~WindowFixture()
  {
    session->document.undoStack()->setClean();
    window.reset();
  }
  WindowFixture(const WindowFixture&) = delete;
  WindowFixture& operator=(const WindowFixture&) = delete;

  QTemporaryDir folder;
  std::unique_ptr<Session> session;
  std::unique_ptr<MainWindow> window;
};

} // namespace trainyard::gui::tests
