// SPDX-License-Identifier: Apache-2.0
#include "models/cluster/numbers.hpp"

#include <charconv>

namespace trainyard {

std::optional<std::vector<int>> numbers_in(const std::string& text)
{
  const std::string separators = " ,x";
  std::vector<int> result;
  std::size_t at = text.find_first_not_of(separators);
  while (at != std::string::npos) {
    const std::size_t end = std::min(text.find_first_of(separators, at), text.size());
    int value = 0;
    const auto [stop, error] = std::from_chars(text.data() + at, text.data() + end, value);
    if (error != std::errc{} || stop != text.data() + end || value < 1 || value > 1'000'000)
      return std::nullopt;
    result.push_back(value);
    at = text.find_first_not_of(separators, end);
  }
  return result;
}

} // namespace trainyard
