// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <QString>
#include <QStringList>

namespace trainyard::gui {

/// The simrun program: $TRAINYARD_SIMRUN, else beside simgui, else on the PATH; empty where there is none.
QString simrun_program();

/// The shipped scenario files, absolute, by name.
QStringList example_files();

/// Folder for what the program keeps between starts (recovered texts, positions on the canvas); made where missing.
QString state_folder(const QString& part);

} // namespace trainyard::gui
