// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <QIcon>

namespace trainyard::gui {

/// A drawn picture of the program's own: "open", "save", "new", "run", "stop", "undo", "redo", "link", "layout",
/// "export", "network", "queue", "services", "clock". Sharp at any size, in the colours of the theme at the time.
QIcon drawn_icon(const QString& name);

} // namespace trainyard::gui
