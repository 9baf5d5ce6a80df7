// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/core/instant.hpp"
#include "models/results/telling.hpp"

#include <filesystem>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace trainyard {

/// A row of a table that a run wrote. Throws InputError where the table has no such column.
struct ResultRow {
  const std::filesystem::path& file;
  const std::vector<std::string>& columns;
  std::span<const std::string_view> cells;

  std::string cell(std::string_view column) const;
  /// @p missing: of an empty cell.
  double number(std::string_view column, double missing = 0) const;
  Instant time(std::string_view column, Instant missing = {}) const;
};

/// A folder with the results of a run.
struct WrittenRun {
  /// Throws InputError where its summary is not that of a complete run.
  WrittenRun(std::filesystem::path folder); // NOLINT(google-explicit-constructor): a folder is named by its path

  std::filesystem::path path;
  nlohmann::ordered_json summary;

  std::string words(const char* key) const { return summary.value(key, ""); }
  /// "NAME: DESCRIPTION" of its scenario.
  std::string heading() const;
  /// The rows of one of its tables, "waits.csv".
  void for_each_row(const char* table, const std::function<void(const ResultRow&)>& visit) const;
  /// The message that a cell of a table shows in words; the words alone where the run told none.
  Message said(const std::string& words) const;

private:
  mutable std::map<std::string, Message> messages_; // by their words; read when one is asked for
};

/// Those that answer, below a blank line.
void tell_answers(const Messages& found, Telling& told);
/// What a run found is told again: its answers, a line each.
void tell_answers(const WrittenRun& run, Telling& told);
/// What it warned of, a line each.
void tell_warnings(const WrittenRun& run, Telling& told);

} // namespace trainyard
