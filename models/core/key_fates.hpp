// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <span>
#include <string_view>

namespace trainyard {

/// Keys of a format and why a reader does not use them (`used_key`: it does): names with blanks between them, where a
/// star stands for any end.
struct KeyFate {
  std::string_view keys;
  std::string_view why;
};

/// Of keys that the reader uses.
inline constexpr std::string_view used_key;
/// Of keys that say nothing of time and memory: paths, logs, seeds, learning rates.
inline constexpr std::string_view harmless_key = "does not decide how long a step takes here";
/// Of keys that no list names.
inline constexpr std::string_view unknown_key =
    "is not known here: if it changes time or memory of a step, the scenario does not show it";

/// What the first of @p fates that names @p key says; @p otherwise where none does.
constexpr std::string_view fate_of(std::string_view key, std::span<const KeyFate> fates,
                                   std::string_view otherwise = unknown_key)
{
  for (const KeyFate& fate : fates)
    for (std::size_t at = 0; at < fate.keys.size();) {
      const std::size_t end = fate.keys.find(' ', at) < fate.keys.size() ? fate.keys.find(' ', at) : fate.keys.size();
      const std::string_view name = fate.keys.substr(at, end - at);
      if (name == key || (name.ends_with('*') && key.starts_with(name.substr(0, name.size() - 1))))
        return fate.why;
      at = end + 1;
    }
  return otherwise;
}

} // namespace trainyard
