// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/core/diagnostics.hpp"
#include "models/core/text.hpp"

#include <fmt/format.h>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace trainyard {

/// A line of a file that was imported; line 0: the file as a whole.
struct ImportPlace {
  std::string file;
  int line = 0;

  bool operator==(const ImportPlace&) const = default;
};

/// "compose.yml:14", or "compose.yml" where the line is not known.
std::string to_text(const ImportPlace& place);

/// Text of another tool's file as UTF-8 without control characters except line ends; other bytes become '?'.
std::string clean_text(const std::string& text);

/// One thing that was understood, assumed or ignored; the same thing in several lines is one entry with several places.
struct ImportEntry {
  std::string what;
  std::string why; // of assumptions and of what is ignored
  std::vector<ImportPlace> places;
};

/// A file, and the format it was recognised as.
struct ImportedFile {
  std::string file;
  std::string format;      // name of the importer
  std::string description; // "docker-compose, version 2"
};

/// A text of the report, or one of fmt with its values: {"{} GPUs", 8}.
struct ReportText {
  std::string text;
  ReportText(std::string plain) : text{std::move(plain)} {}
  ReportText(std::string_view plain) : text{plain} {}
  ReportText(const char* plain) : text{plain} {}
  template <class First, class... More>
  ReportText(fmt::format_string<First, More...> format, First&& first, More&&... more)
      : text{fmt::format(format, std::forward<First>(first), std::forward<More>(more)...)}
  {
  }
};

/// The result of an import: every part of a file is understood, assumed or listed as ignored.
class ImportReport
{
public:
  void understood(const std::string& what, const ImportPlace& place = {});
  void assumed(const ReportText& what, const ReportText& why, const ImportPlace& place = {});
  void ignored(const ReportText& what, const ReportText& why, const ImportPlace& place = {});
  /// An error of the input; the parts around it may still have been read. @p column 0: not known.
  void error(const ImportPlace& place, const std::string& message) { error_at_column(place, 0, message); }
  void error_at_column(const ImportPlace& place, int column, const std::string& message,
                       std::string_view source_line = {});
  void warning(const ImportPlace& place, const std::string& message);

  // The same with a text of fmt and its values.
  template <class First, class... More>
  void understood(const ImportPlace& place, fmt::format_string<First, More...> what, First&& first, More&&... more)
  {
    understood(fmt::format(what, std::forward<First>(first), std::forward<More>(more)...), place);
  }
  template <class First, class... More>
  void error(const ImportPlace& place, fmt::format_string<First, More...> text, First&& first, More&&... more)
  {
    error(place, fmt::format(text, std::forward<First>(first), std::forward<More>(more)...));
  }
  template <class First, class... More>
  void warning(const ImportPlace& place, fmt::format_string<First, More...> text, First&& first, More&&... more)
  {
    warning(place, fmt::format(text, std::forward<First>(first), std::forward<More>(more)...));
  }

  const std::vector<ImportEntry>& understood() const { return understood_.list; }
  const std::vector<ImportEntry>& assumed() const { return assumed_.list; }
  const std::vector<ImportEntry>& ignored() const { return ignored_.list; }

  std::vector<ImportedFile> files;
  Diagnostics faults;

private:
  struct List {
    std::vector<ImportEntry> list;
    std::map<std::pair<std::string, std::string>, std::size_t> known;
    void add(const std::string& what, const std::string& why, const ImportPlace& place);
  };
  List understood_;
  List assumed_;
  List ignored_;
};

/// For the terminal: files, then the three lists, each entry with its places ("compose.yml:14, 25").
std::string report_text(const ImportReport& report);

/// One JSON document with `schema_version`; every place is {file, line}.
std::string report_json(const ImportReport& report, const std::string& scenario_file);

} // namespace trainyard
