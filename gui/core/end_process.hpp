// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <QProcess>

namespace trainyard::gui {

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
