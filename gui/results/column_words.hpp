// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <QString>

namespace trainyard::gui {

/// The title of a column, "queueing delay", in the language of the window; one without a text there stays English.
QString column_words(const QString& title);

} // namespace trainyard::gui
