// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <QString>

namespace trainyard::gui {

/// "25 Gbit/s"
QString rate_text(double bytes_per_second);

} // namespace trainyard::gui
