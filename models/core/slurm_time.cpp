// SPDX-License-Identifier: Apache-2.0
#include "models/core/slurm_time.hpp"

#include "models/core/text.hpp"

#include <algorithm>
#include <cmath>

namespace trainyard {

std::optional<double> slurm_time(std::string_view text, double of_a_number)
{
  double days = 0;
  const std::size_t dash = text.find('-');
  if (dash != std::string_view::npos) {
    const auto number = as_number<double>(trimmed(text.substr(0, dash)));
    if (!number || !std::isfinite(*number))
      return std::nullopt;
    days = *number;
    text = text.substr(dash + 1);
  }
  double seconds = 0;
  int parts = 0;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t colon = std::min(text.find(':', at), text.size());
    const auto number = as_number<double>(trimmed(text.substr(at, colon - at)));
    if (!number || !std::isfinite(*number) || *number < 0)
      return std::nullopt;
    seconds = seconds * 60 + *number;
    ++parts;
    at = colon + 1;
  }
  if (parts > 3)
    return std::nullopt;
  if (dash != std::string_view::npos)
    seconds *= parts == 1 ? 3600 : parts == 2 ? 60 : 1;
  else if (parts == 1)
    seconds *= of_a_number;
  return days * 86400 + seconds;
}

} // namespace trainyard
