// SPDX-License-Identifier: Apache-2.0
#include "models/core/diagnostics.hpp"
#include "models/scenario/document.hpp"
#include "sim/export/exporter.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace trainyard {

std::vector<std::vector<std::string>> result_table(const std::filesystem::path& folder, const std::string& file,
                                                   const std::vector<std::string>& columns)
{
  std::error_code error;
  if (!std::filesystem::exists(folder / file, error))
    throw InputError{
        fmt::format("'{}' has no {}: this export needs the results of another kind of run", folder.string(), file)};
  const std::string text = read_text_file(folder / file, 1U << 30U);
  std::vector<std::vector<std::string>> rows;
  std::vector<std::size_t> wanted;
  bool head = true;
  std::vector<std::string> cells(1);
  bool quoted = false;
  const auto finish = [&] {
    if (head) {
      for (const std::string& column : columns) {
        const auto found = std::ranges::find(cells, column);
        if (found == cells.end())
          throw InputError{fmt::format("{} has no column '{}'", (folder / file).string(), column)};
        wanted.push_back(static_cast<std::size_t>(found - cells.begin()));
      }
      head = false;
    } else if (cells.size() > 1) {
      std::vector<std::string> row;
      for (const std::size_t i : wanted)
        row.push_back(i < cells.size() ? cells[i] : "");
      rows.push_back(std::move(row));
    }
    cells.assign(1, "");
  };
  for (const char c : text)
    if (c == '"')
      quoted = !quoted;
    else if (c == ',' && !quoted)
      cells.emplace_back();
    else if (c == '\n' && !quoted)
      finish();
    else if (c != '\r')
      cells.back() += c;
  if (cells.size() > 1)
    finish();
  return rows;
}

} // namespace trainyard
