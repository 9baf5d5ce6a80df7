// SPDX-License-Identifier: Apache-2.0
#include "gui/core/rate_text.hpp"

namespace trainyard::gui {

QString rate_text(double bytes_per_second)
{
  const double bits = bytes_per_second * 8;
  if (bits >= 1e12)
    return QStringLiteral("%1 Tbit/s").arg(bits / 1e12, 0, 'g', 4);
  if (bits >= 1e9)
    return QStringLiteral("%1 Gbit/s").arg(bits / 1e9, 0, 'g', 4);
  return QStringLiteral("%1 Mbit/s").arg(bits / 1e6, 0, 'g', 4);
}

} // namespace trainyard::gui
