// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <QString>

namespace trainyard::gui {

/// What holds a job back, as simrun writes it, in the language of the window; a sentence of another form stays as it
/// is.
QString bottleneck_words(const QString& sentence);

} // namespace trainyard::gui
