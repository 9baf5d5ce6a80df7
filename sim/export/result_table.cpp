// SPDX-License-Identifier: Apache-2.0
#include "models/core/diagnostics.hpp"
#include "models/core/text.hpp"
#include "sim/export/exporter.hpp"

#include <algorithm>
#include <cctype>
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

std::string ManifestNames::of(const std::string& text, std::vector<std::string>& notes)
{
  std::string name;
  for (const char c : text)
    name += std::isalnum(static_cast<unsigned char>(c)) != 0
                ? static_cast<char>(std::tolower(static_cast<unsigned char>(c)))
                : '-';
  while (!name.empty() && name.front() == '-')
    name.erase(name.begin());
  name.resize(std::min<std::size_t>(name.size(), 50));
  while (!name.empty() && name.back() == '-')
    name.pop_back();
  const std::string start = name.empty() ? "unnamed" : name;
  name = start;
  for (int number = 2; !taken_.insert(name).second; ++number)
    name = fmt::format("{}-{}", start, number);
  if (start != lower_case(text))
    notes.push_back(fmt::format("the name '{}': it is '{}' there", text, name));
  return name;
}

int servers_of(const JobSpec& job)
{
  return job.training.settings.integer("servers", 0);
}

bool on_gpus(const JobSpec& job)
{
  return job.training.settings.text("device", "gpu") == "gpu";
}

} // namespace trainyard
