// SPDX-License-Identifier: Apache-2.0
#include "models/import/hostlist.hpp"

#include "models/core/pieces.hpp"
#include "models/core/text.hpp"

#include <cctype>
#include <fmt/format.h>

namespace trainyard {
namespace {

struct Range {
  std::uint64_t first = 0;
  std::uint64_t last = 0;
  std::size_t width = 0;
};

/// "01-04,08" of a bracket.
std::optional<std::vector<Range>> ranges(std::string_view text)
{
  std::vector<Range> list;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t comma = std::min(text.find(',', at), text.size());
    const std::string_view item = text.substr(at, comma - at);
    const std::size_t dash = item.find('-');
    const std::string_view low = item.substr(0, dash);
    const auto first = as_number<std::uint64_t>(low);
    const auto last = dash == std::string_view::npos ? first : as_number<std::uint64_t>(item.substr(dash + 1));
    if (!first || !last || *last < *first)
      return std::nullopt;
    list.push_back({*first, *last, low.size()});
    at = comma + 1;
  }
  return list;
}

bool expand_one(std::string_view item, const std::string& before, std::size_t most, std::vector<std::string>& names)
{
  const std::size_t open = item.find('[');
  if (open == std::string_view::npos) {
    if (item.find(']') != std::string_view::npos || names.size() >= most)
      return false;
    names.push_back(before + std::string{item});
    return true;
  }
  const std::size_t close = item.find(']', open);
  if (close == std::string_view::npos)
    return false;
  const auto list = ranges(item.substr(open + 1, close - open - 1));
  if (!list)
    return false;
  for (const Range& range : *list)
    for (std::uint64_t i = range.first; i <= range.last; ++i) {
      const std::string here = before + std::string{item.substr(0, open)} + fmt::format("{:0{}}", i, range.width);
      if (!expand_one(item.substr(close + 1), here, most, names))
        return false;
    }
  return true;
}

/// "gpu007" as "gpu", 7, 3; no number at the end: width 0. Numbers of more than 15 digits stay text.
struct Name {
  std::string_view stem;
  std::uint64_t number = 0;
  std::size_t width = 0;
};

Name split(std::string_view text)
{
  std::size_t digits = 0;
  while (digits < text.size() && digits < 15 &&
         std::isdigit(static_cast<unsigned char>(text[text.size() - 1 - digits])) != 0)
    ++digits;
  if (digits == 0)
    return {text, 0, 0};
  return {text.substr(0, text.size() - digits), *as_number<std::uint64_t>(text.substr(text.size() - digits)), digits};
}

} // namespace

int array_elements(const std::string& list, int least)
{
  double sum = 0;
  for (const std::string& part : split(list, ',')) {
    const auto [range, each] = cut(part, ':');
    const auto [from, to] = cut(range, '-');
    const int first = as_index(from).value_or(-1), last = range == from ? first : as_index(to).value_or(-1);
    const int step = part == range ? 1 : as_index(each).value_or(0);
    if (first < least || last < first || step < 1)
      return 0;
    sum += (last - first) / step + 1;
  }
  return static_cast<int>(std::min(sum, 1e5));
}

std::vector<std::string> split_hostlist(std::string_view text)
{
  std::vector<std::string> items;
  std::string item;
  int depth = 0;
  for (const char c : text) {
    depth += c == '[' ? 1 : c == ']' ? -1 : 0;
    if (c == ',' && depth <= 0) {
      if (!item.empty())
        items.push_back(std::move(item));
      item.clear();
    } else {
      item += c;
    }
  }
  if (!item.empty())
    items.push_back(std::move(item));
  return items;
}

std::optional<std::vector<std::string>> expand_hostlist(std::string_view text, std::size_t most)
{
  std::vector<std::string> names;
  for (const std::string& item : split_hostlist(text))
    if (!expand_one(item, "", most, names))
      return std::nullopt;
  return names;
}

std::string compress_hostlist(const std::vector<std::string>& names)
{
  std::string text;
  for (std::size_t i = 0; i < names.size();) {
    const Name first = split(names[i]);
    std::string inside;
    std::size_t k = i;
    std::size_t parts = 0;
    while (k < names.size()) {
      const Name from = split(names[k]);
      if (from.width == 0 || from.stem != first.stem || from.width != first.width)
        break;
      std::size_t end = k;
      while (end + 1 < names.size()) {
        const Name next = split(names[end + 1]);
        if (next.stem != first.stem || next.width != first.width || next.number != split(names[end]).number + 1)
          break;
        ++end;
      }
      inside += fmt::format("{}{:0{}}", inside.empty() ? "" : ",", from.number, from.width);
      if (end > k)
        inside += fmt::format("-{:0{}}", split(names[end]).number, from.width);
      ++parts;
      k = end + 1;
    }
    text += text.empty() ? "" : ",";
    if (k == i) {
      text += names[i++];
      continue;
    }
    const bool single = parts == 1 && k == i + 1;
    text += single ? names[i] : fmt::format("{}[{}]", first.stem, inside);
    i = k;
  }
  return text;
}

} // namespace trainyard
