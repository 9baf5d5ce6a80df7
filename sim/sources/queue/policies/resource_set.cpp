// SPDX-License-Identifier: Apache-2.0
#include "sim/sources/queue/policies/batsim_socket.hpp"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <stdexcept>

namespace trainyard {
namespace {

int resource_number(std::string_view text, std::string_view whole, int count)
{
  int number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size() || number < 0)
    throw std::invalid_argument{fmt::format("'{}' is no set of resources such as '0-3 5'", whole)};
  if (number >= count)
    throw std::invalid_argument{fmt::format("there is no resource {}; the last is {}", number, count - 1)};
  return number;
}

} // namespace

std::vector<int> resource_set(std::string_view text, int count)
{
  std::vector<int> numbers;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    const std::string_view part = text.substr(at, end - at);
    at = end + 1;
    if (part.empty())
      continue;
    const std::size_t dash = part.find('-');
    const int first = resource_number(part.substr(0, dash), text, count);
    const int last = dash == std::string_view::npos ? first : resource_number(part.substr(dash + 1), text, count);
    if (last < first)
      throw std::invalid_argument{fmt::format("'{}' is no set of resources: {} is before {}", text, last, first)};
    for (int number = first; number <= last; ++number)
      numbers.push_back(number);
  }
  std::ranges::sort(numbers);
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
  return numbers;
}

std::string resource_text(const std::vector<int>& sorted)
{
  std::string text;
  for (std::size_t from = 0, to = 0; from < sorted.size(); from = to + 1) {
    for (to = from; to + 1 < sorted.size() && sorted[to + 1] == sorted[to] + 1;)
      ++to;
    text += fmt::format("{}{}", text.empty() ? "" : " ", sorted[from]);
    if (to > from)
      text += fmt::format("-{}", sorted[to]);
  }
  return text;
}

} // namespace trainyard
