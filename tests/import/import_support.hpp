// SPDX-License-Identifier: Apache-2.0
// What the tests of importers share.
#pragma once

#include "models/core/data_folder.hpp"
#include "models/hardware/catalogue.hpp"
#include "models/import/importer.hpp"
#include "sim/run/simulate.hpp"

#include <string>
#include <utility>
#include <vector>

namespace trainyard::tests {

inline const Catalogue& catalogue()
{
  static const Catalogue all = load_catalogue(data_folder());
  return all;
}

// Imports texts, each under its name.
inline ImportResult import_texts(const std::vector<std::pair<std::string, std::string>>& texts,
                                 const ImportOptions& options = {})
{
  std::vector<InputFile> files;
  for (const auto& [name, text] : texts)
    files.emplace_back(name, text);
  return import_files(files, options, catalogue());
}

// The text of an entry's list that contains @p words, or an empty string; for assertions that say what is missing.
inline const ImportEntry* find_entry(const std::vector<ImportEntry>& list, const std::string& words)
{
  for (const ImportEntry& entry : list)
    if ((entry.what + ": " + entry.why).find(words) != std::string::npos)
      return &entry;
  return nullptr;
}

inline std::vector<int> lines_of(const ImportEntry* entry)
{
  std::vector<int> lines;
  if (entry != nullptr)
    for (const ImportPlace& place : entry->places)
      lines.push_back(place.line);
  return lines;
}

// Errors that `simrun check` has for the imported scenario; empty where it accepts it.
inline std::string check_errors(const ImportResult& result)
{
  Diagnostics faults;
  const Document document = parse_document(result.yaml, "imported.yaml", faults);
  std::string text;
  if (!faults.has_errors())
    static_cast<void>(check_points(document, faults));
  for (const Diagnostic& fault : faults.sorted())
    if (fault.severity == Severity::error)
      text += format(fault);
  return text;
}

} // namespace trainyard::tests
