// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <map>
#include <string>
#include <string_view>

namespace trainyard {

/// As did_you_mean() of names; where no name is like @p word, those whose description has it: "tiresias" of "gittins".
std::string did_you_mean(std::string_view word, const std::map<std::string, std::string>& described);

/// Names and descriptions of a registry's entries, or of anything else that has both.
template <class Entries>
std::map<std::string, std::string> descriptions_of(const Entries& entries)
{
  std::map<std::string, std::string> result;
  for (const auto& [name, entry] : entries)
    result.emplace(name, entry.description);
  return result;
}

} // namespace trainyard
