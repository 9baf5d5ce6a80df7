// SPDX-License-Identifier: Apache-2.0
#include "models/job/traces/json_entries.hpp"

#include "models/core/diagnostics.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace trainyard {

void for_each_json_entry(std::string_view text, const std::filesystem::path& file,
                         const std::function<void(const nlohmann::json&, std::int64_t)>& entry)
{
  using Event = nlohmann::json::parse_event_t;
  if (text.find_first_not_of(" \t\r\n") == std::string_view::npos || text[text.find_first_not_of(" \t\r\n")] != '[')
    throw InputError{fmt::format("trace '{}' is not a JSON list of jobs", file.string())};
  std::int64_t number = 0;
  // An element that is complete is handed over and then discarded, so that the list itself stays empty.
  const auto element = [&](int depth, Event event, nlohmann::json& parsed) {
    if (depth != 1 || (event != Event::object_end && event != Event::array_end && event != Event::value))
      return true;
    entry(parsed, ++number);
    return false;
  };
  try {
    [[maybe_unused]] const nlohmann::json emptied = nlohmann::json::parse(text, element);
  } catch (const nlohmann::json::parse_error& fault) {
    const auto at = std::min<std::size_t>(fault.byte > 0 ? fault.byte - 1 : 0, text.size());
    const auto line = 1 + std::ranges::count(text.substr(0, at), '\n');
    throw InputError{fmt::format(
        "trace '{}', line {}: not a JSON list of jobs, or cut off: {} jobs could be read, up to byte {} of {}",
        file.string(), line, number, at, text.size())};
  } catch (const nlohmann::json::out_of_range&) { // the only one while parsing: a number beyond the range of double
    throw InputError{
        fmt::format("trace '{}', job {}: a number is too large (above 1.8e308)", file.string(), number + 1)};
  }
}

} // namespace trainyard
