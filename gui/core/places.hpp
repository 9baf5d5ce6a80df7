// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <QProcess>
#include <QString>
#include <QStringList>

namespace trainyard::gui {

/// The simrun program: $TRAINYARD_SIMRUN, else beside simgui, else on the PATH; empty where there is none.
QString simrun_program();

/// The shipped scenario files, absolute, by name.
QStringList example_files();

/// Folder for what the program keeps between starts (recovered texts, positions on the canvas); made where missing.
QString state_folder(const QString& part);

/// Kills a process whose owner goes away; the owner hears no more of it.
inline void end_unheard(QProcess& process, const QObject& owner)
{
  process.disconnect(&owner);
  if (process.state() != QProcess::NotRunning) {
    process.kill();
    process.waitForFinished(1000);
  }
}

} // namespace trainyard::gui
