// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace trainyard {

/// What stands between the separators; also nothing, so that there is one part more than separators.
inline std::vector<std::string> split(std::string_view text, char separator)
{
  std::vector<std::string> parts(1);
  for (const char c : text)
    if (c == separator)
      parts.emplace_back();
    else
      parts.back() += c;
  return parts;
}

/// Before and behind the first @p mark; behind is empty where there is none.
inline std::pair<std::string, std::string> cut(std::string_view text, char mark)
{
  const std::size_t at = std::min(text.find(mark), text.size());
  return {std::string{text.substr(0, at)}, std::string{text.substr(std::min(at + 1, text.size()))}};
}

/// Where @p name stands among @p names; added at their end where it is not among them.
inline int index_among(std::vector<std::string>& names, std::string_view name)
{
  const auto found = std::ranges::find(names, name);
  const auto at = static_cast<int>(found - names.begin());
  if (found == names.end())
    names.emplace_back(name);
  return at;
}

} // namespace trainyard
