// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <QString>

namespace trainyard::gui {

/// A key of a scenario in words: "batch_per_gpu" is "Batch per GPU".
QString key_words(const QString& key);

} // namespace trainyard::gui
