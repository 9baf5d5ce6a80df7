// SPDX-License-Identifier: Apache-2.0
#include "models/core/diagnostics.hpp"
#include "sim/export/exporter.hpp"

#include <fmt/format.h>

namespace trainyard {

CsvTable result_table(const std::filesystem::path& folder, const std::string& file,
                      const std::vector<std::string>& columns)
{
  std::error_code error;
  if (!std::filesystem::exists(folder / file, error))
    throw InputError{
        fmt::format("'{}' has no {}: this export needs the results of another kind of run", folder.string(), file)};
  CsvTable table = read_csv(folder / file);
  for (const std::string& column : columns)
    if (!table.column(column))
      throw InputError{fmt::format("'{}' has no column '{}': this export needs the results of another kind of run",
                                   (folder / file).string(), column)};
  return table;
}

} // namespace trainyard
