// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cctype>
#include <charconv>
#include <concepts>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace trainyard {

/// The number that a text is as a whole, without blanks and units: "8", "-1.5e3"; nothing where it is none, or too
/// large for @p T.
template <class T>
std::optional<T> as_number(std::string_view text)
{
  T value{};
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
  return status == std::errc{} && end == text.data() + text.size() ? std::optional{value} : std::nullopt;
}

/// The same of a whole number of at least 0.
inline std::optional<int> as_index(std::string_view text)
{
  const std::optional<int> value = as_number<int>(text);
  return value && *value >= 0 ? value : std::nullopt;
}

/// Without blanks, tabs and carriage returns at its ends.
inline std::string_view trimmed(std::string_view text)
{
  const std::size_t first = text.find_first_not_of(" \t\r");
  return first == std::string_view::npos ? std::string_view{}
                                         : text.substr(first, text.find_last_not_of(" \t\r") + 1 - first);
}

/// In small letters (ASCII).
inline std::string lower_case(std::string_view text)
{
  std::string result{text};
  std::ranges::transform(result, result.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return result;
}

/// "1 machine", "3 switches".
template <std::integral Count>
std::string counted(Count count, const std::string& one)
{
  return std::to_string(count) + " " + one +
         (count == Count{1}                           ? ""
          : one.ends_with("ch") || one.ends_with("x") ? "es"
                                                      : "s");
}

/// The first line of an answer: the name, and the question where one is given: "name: question".
inline std::string heading(std::string name, const std::string& question)
{
  return question.empty() ? name : name + ": " + question;
}

/// What stands between white space.
inline std::vector<std::string> words_of(std::string_view line)
{
  std::vector<std::string> list;
  std::istringstream stream{std::string{line}};
  for (std::string word; stream >> word;)
    list.push_back(word);
  return list;
}

} // namespace trainyard
