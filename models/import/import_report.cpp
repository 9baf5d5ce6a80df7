// SPDX-License-Identifier: Apache-2.0
#include "models/import/import_report.hpp"

#include "models/core/json.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace trainyard {
namespace {

constexpr std::size_t most_places = 12;  // shown per entry on the terminal
constexpr std::size_t most_entries = 60; // shown per list on the terminal

/// "compose.yml:14, 25 and 3 more; other.yml:2"; where there is one file only, "line 14, 25".
std::string places_text(const std::vector<ImportPlace>& places, bool one_file)
{
  std::string text;
  std::string lines;
  if (one_file) {
    std::size_t count = 0;
    for (const ImportPlace& place : places)
      if (place.line > 0 && ++count <= most_places)
        lines += fmt::format("{}{}", lines.empty() ? "" : ", ", place.line);
    if (count > most_places)
      lines += fmt::format(" and {} more", count - most_places);
    return lines.empty() ? lines : (count > 1 ? "lines " : "line ") + lines;
  }
  std::string file;
  std::size_t shown = 0;
  for (const ImportPlace& place : places) {
    if (place.file.empty())
      continue;
    if (shown == most_places) {
      text += fmt::format(" and {} more", places.size() - shown);
      break;
    }
    if (place.file != file || place.line == 0)
      text += (text.empty() ? "" : "; ") + to_text(place);
    else
      text += fmt::format(", {}", place.line);
    file = place.file;
    ++shown;
  }
  return text;
}

std::string list_text(const std::string& title, const std::vector<ImportEntry>& list, bool one_file)
{
  std::string text;
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (i == most_entries) {
      text += fmt::format("  {:<11} {} more entries; --json lists all\n", "", list.size() - i);
      break;
    }
    const std::string places = places_text(list[i].places, one_file);
    text += fmt::format("  {:<11} {}{}{}\n", i == 0 ? title : "", list[i].what,
                        list[i].why.empty() ? "" : ": " + list[i].why, places.empty() ? "" : " (" + places + ")");
  }
  return text;
}

Json list_json(const std::vector<ImportEntry>& list)
{
  Json json = Json::array();
  for (const ImportEntry& entry : list) {
    Json item = Json::object();
    item.add("what", entry.what);
    if (!entry.why.empty())
      item.add("why", entry.why);
    Json places = Json::array();
    for (const ImportPlace& place : entry.places) {
      if (place.file.empty())
        continue;
      Json where = Json::object();
      where.add("file", place.file);
      if (place.line > 0)
        where.add("line", place.line);
      places.items.push_back(std::move(where));
    }
    item.add("places", std::move(places));
    json.items.push_back(std::move(item));
  }
  return json;
}

} // namespace

std::string clean_text(const std::string& text)
{
  std::string result;
  for (std::size_t i = 0; i < text.size();) {
    const auto byte = [&](std::size_t k) { return k < text.size() ? static_cast<unsigned char>(text[k]) : 0U; };
    const unsigned lead = byte(i);
    const std::size_t length = lead < 0x80                   ? 1
                               : lead >= 0xC2 && lead < 0xE0 ? 2
                               : lead >= 0xE0 && lead < 0xF0 ? 3
                               : lead >= 0xF0 && lead < 0xF5 ? 4
                                                             : 0;
    bool sound = length > 0 && (lead >= 0x20 || lead == '\n') && lead != 0x7f;
    for (std::size_t k = 1; k < length; ++k)
      sound = sound && (byte(i + k) & 0xC0U) == 0x80U;
    const unsigned second = byte(i + 1); // no overlong forms, surrogates, C1 control characters, or beyond U+10FFFF
    sound = sound && !(lead == 0xE0 && second < 0xA0) && !(lead == 0xED && second >= 0xA0) &&
            !(lead == 0xF0 && second < 0x90) && !(lead == 0xF4 && second >= 0x90) && !(lead == 0xC2 && second < 0xA0);
    sound = sound &&
            !(lead == 0xEF && ((second == 0xBB && byte(i + 2) == 0xBF) || (second == 0xBF && byte(i + 2) >= 0xBE)));
    result += sound ? text.substr(i, length) : "?";
    i += sound ? length : 1;
  }
  return result;
}

std::string to_text(const ImportPlace& place)
{
  return place.line > 0 ? fmt::format("{}:{}", place.file, place.line) : place.file;
}

void ImportReport::List::add(const std::string& what, const std::string& why, const ImportPlace& place)
{
  const auto [found, fresh] = known.try_emplace({what, why}, list.size());
  if (fresh)
    list.push_back({clean_text(what), clean_text(why), {}});
  std::vector<ImportPlace>& places = list[found->second].places;
  if (places.empty() || !(places.back() == place))
    places.push_back(place);
}

void ImportReport::understood(const std::string& what, const ImportPlace& place)
{
  understood_.add(what, "", place);
}

void ImportReport::assumed(const ReportText& what, const ReportText& why, const ImportPlace& place)
{
  assumed_.add(what.text, why.text, place);
}

void ImportReport::ignored(const ReportText& what, const ReportText& why, const ImportPlace& place)
{
  ignored_.add(what.text, why.text, place);
}

void ImportReport::error_at_column(const ImportPlace& place, int column, const std::string& message,
                                   std::string_view source_line)
{
  faults.error({place.file, place.line, column}, message, source_line);
}

void ImportReport::warning(const ImportPlace& place, const std::string& message)
{
  faults.warning({place.file, place.line, 0}, message);
}

std::string report_text(const ImportReport& report)
{
  std::string text;
  for (const ImportedFile& file : report.files)
    text += fmt::format("{}: {}\n", file.file, file.description);
  const bool one_file = report.files.size() == 1;
  text += list_text("understood", report.understood(), one_file);
  text += list_text("assumed", report.assumed(), one_file);
  return text + list_text("ignored", report.ignored(), one_file);
}

std::string report_json(const ImportReport& report, const std::string& scenario_file)
{
  Json json = Json::object();
  json.add("schema_version", 1);
  json.add("kind", "import");
  if (!scenario_file.empty())
    json.add("scenario", scenario_file);
  Json files = Json::array();
  for (const ImportedFile& file : report.files) {
    Json item = Json::object();
    item.add("file", file.file);
    item.add("format", file.format);
    item.add("description", file.description);
    files.items.push_back(std::move(item));
  }
  json.add("files", std::move(files));
  json.add("understood", list_json(report.understood()));
  json.add("assumed", list_json(report.assumed()));
  json.add("ignored", list_json(report.ignored()));
  Json faults = Json::array();
  for (const Diagnostic& fault : report.faults.sorted()) {
    Json item = Json::object();
    item.add("severity", fault.severity == Severity::error     ? "error"
                         : fault.severity == Severity::warning ? "warning"
                                                               : "note");
    item.add("message", fault.message);
    item.add("file", fault.where.file);
    item.add("line", fault.where.line);
    item.add("column", fault.where.column);
    faults.items.push_back(std::move(item));
  }
  json.add("faults", std::move(faults));
  return json_text(json) + "\n";
}

} // namespace trainyard
