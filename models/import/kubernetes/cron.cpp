// SPDX-License-Identifier: Apache-2.0
#include "models/import/kubernetes/cron.hpp"

#include "models/core/text.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <set>
#include <sstream>
#include <string_view>

namespace trainyard {
namespace {

constexpr std::array<std::string_view, 12> months = {"jan", "feb", "mar", "apr", "may", "jun",
                                                     "jul", "aug", "sep", "oct", "nov", "dec"};
constexpr std::array<std::string_view, 7> days = {"sun", "mon", "tue", "wed", "thu", "fri", "sat"};
constexpr std::array<int, 12> month_lengths = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};

/// A number, or a name of months (from 1) or days (from 0).
std::optional<int> cron_number(const std::string& text, std::size_t field)
{
  if (field == 3)
    if (const auto found = std::ranges::find(months, text); found != months.end())
      return static_cast<int>(found - months.begin()) + 1;
  if (field == 4)
    if (const auto found = std::ranges::find(days, text); found != days.end())
      return static_cast<int>(found - days.begin());
  return as_number<int>(text);
}

/// "*/15", "8-18/2", "mon,wed": the values that match.
std::optional<std::set<int>> cron_field(const std::string& text, std::size_t field)
{
  static constexpr std::array<std::pair<int, int>, 5> limits = {{{0, 59}, {0, 23}, {1, 31}, {1, 12}, {0, 7}}};
  const auto [least, most] = limits.at(field);
  std::set<int> values;
  std::istringstream parts{text};
  for (std::string part; std::getline(parts, part, ',');) {
    int step = 1;
    const std::size_t slash = part.find('/');
    if (slash != std::string::npos) {
      const auto given = cron_number(part.substr(slash + 1), 0);
      if (!given || *given < 1)
        return std::nullopt;
      step = *given;
      part.erase(slash);
    }
    int from = least, to = field == 4 ? 6 : most;
    if (part != "*" && part != "?") {
      const std::size_t dash = part.find('-');
      const auto first = cron_number(part.substr(0, dash), field);
      const auto last = dash == std::string::npos ? first : cron_number(part.substr(dash + 1), field);
      if (!first || !last || *first < least || *last > most || *first > *last)
        return std::nullopt;
      from = *first;
      to = dash == std::string::npos && slash != std::string::npos ? most : *last;
    }
    for (int value = from; value <= to; value += step)
      values.insert(field == 4 && value == 7 ? 0 : value);
  }
  return values.empty() ? std::nullopt : std::optional{values};
}

} // namespace

std::optional<std::vector<double>> cron_times(const std::string& schedule, double until_s)
{
  std::string text;
  for (const char c : schedule)
    text += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  for (const auto& [name, meaning] : {std::pair{"@hourly", "0 * * * *"},
                                      {"@daily", "0 0 * * *"},
                                      {"@midnight", "0 0 * * *"},
                                      {"@weekly", "0 0 * * 0"},
                                      {"@monthly", "0 0 1 * *"},
                                      {"@yearly", "0 0 1 1 *"},
                                      {"@annually", "0 0 1 1 *"}})
    if (text == name)
      text = meaning;
  std::istringstream words{text};
  std::vector<std::string> fields;
  for (std::string word; words >> word;)
    fields.push_back(word);
  if (fields.size() != 5)
    return std::nullopt;
  std::array<std::set<int>, 5> match;
  for (std::size_t i = 0; i < 5; ++i) {
    const auto values = cron_field(fields[i], i);
    if (!values)
      return std::nullopt;
    match[i] = *values;
  }
  const auto open = [&](std::size_t i) { return fields[i].starts_with('*') || fields[i].starts_with('?'); };
  std::vector<double> times;
  int month = 0, day = 1;
  for (int date = 0; date < 365 && date * 86400.0 < until_s; ++date) {
    const bool by_month_day = match[2].contains(day),
               by_week_day = match[4].contains((date + 1) % 7); // day 0 is a Monday
    const bool today = open(2) || open(4) ? by_month_day && by_week_day : by_month_day || by_week_day;
    if (today && match[3].contains(month + 1))
      for (const int hour : match[1])
        for (const int minute : match[0])
          if (const double time = date * 86400.0 + hour * 3600.0 + minute * 60.0; time < until_s)
            times.push_back(time);
    if (++day > month_lengths.at(static_cast<std::size_t>(month))) {
      day = 1;
      ++month;
    }
  }
  return times;
}

} // namespace trainyard
