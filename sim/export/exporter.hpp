// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/core/csv.hpp"
#include "models/core/registry.hpp"
#include "models/hardware/catalogue.hpp"
#include "models/scenario/scenario.hpp"

#include <filesystem>
#include <functional>
#include <set>
#include <string>
#include <vector>

namespace trainyard {

/// What is exported: a checked scenario, a results folder, or both (the folder holds its scenario).
struct ExportInput {
  const Scenario* scenario = nullptr;
  const Catalogue& catalogue;
  std::filesystem::path results; // empty: none
  std::string policy;            // of a queue run: which one; empty = the first
};

/// One of several files; its text is made when it is written, so that one at a time lies in memory.
struct ExportFile {
  std::string name;
  std::function<std::string()> text;
};

struct ExportText {
  std::string text;
  std::vector<std::string> notes; // what the other format cannot express
  std::vector<ExportFile> files;  // of formats that are a folder; `text` is then what is said on the screen
};

/// A format of another tool that is written; one file each.
class Exporter
{
public:
  virtual ~Exporter() = default;
  /// Throws InputError, with the way out, if the input does not have what the format needs.
  virtual ExportText write(const ExportInput& input) const = 0;
};

/// A CSV file of a results folder. Throws InputError where the file, or one of @p columns, is not there.
CsvTable result_table(const std::filesystem::path& folder, const std::string& file,
                      const std::vector<std::string>& columns);

/// Names as Kubernetes and Docker allow them: lower case, digits and hyphens, no two of them the same.
class ManifestNames
{
public:
  /// For the name @p text; where it has to change, @p notes say so.
  std::string of(const std::string& text, std::vector<std::string>& notes);

private:
  std::set<std::string> taken_;
};

/// Parameter servers of a job; 0: all-reduce.
int servers_of(const JobSpec& job);
/// Whether the job computes on GPUs.
bool on_gpus(const JobSpec& job);

} // namespace trainyard
