// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/core/input_file.hpp"
#include "models/core/key_fates.hpp"
#include "models/core/registry.hpp"
#include "models/hardware/catalogue.hpp"
#include "models/import/draft.hpp"
#include "models/import/import_report.hpp"

#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace trainyard {

struct MigProfile;

/// Options of the user, for values that the files do not give.
struct ImportOptions {
  std::string format = "auto"; // name of an importer
  std::string gpu;             // of the catalogue, if the files name none
  std::string model;           // of the catalogue, if the files name none
  std::string link;            // of the catalogue, if the files name none
  int batch_per_gpu = 0;
  int nodes = 0;         // machines, where the files list none
  int gpus_per_node = 0; // of these machines
  double duration_s = 0; // run time of what has none in the files; 0: the importer's own
  std::string name;
  std::filesystem::path folder; // folder of the scenario: names of traces are relative to it
};

/// Input and output of an importer.
struct ImportContext {
  Draft& draft;
  ImportReport& report;
  const Catalogue& catalogue;
  const ImportOptions& options;

  /// The GPU of the catalogue that @p text names ("a100", "NVIDIA-A100-SXM4-40GB", "V100M16"); @p memory_bytes > 0
  /// decides between cards that differ in memory. An ambiguous name is an assumption of the report; an unknown one too
  /// (the GPU of the options, or V100).
  std::string gpu(const std::string& text, const ImportPlace& place, double memory_bytes = 0) const;
  /// The GPU for machines whose files say nothing, or no more than what @p usual is the usual one of.
  std::string unknown_gpu(const ImportPlace& place, const std::string& why, const std::string& usual = "") const;
};

/// The GPU that slices of MIG are most likely cut from, by its memory.
std::string usual_mig_gpu(const MigProfile& profile);

/// Keys of a format with their fates, and a file in which one of them stands at "KEY": a test asks the reader for each.
struct KeyTable {
  std::string_view example;
  std::span<const KeyFate> keys;
};

/// One format of another tool in one source file: it recognises its files, and adds what it reads to the draft and the
/// report.
class Importer
{
public:
  virtual ~Importer() = default;
  /// Whether the head of a file looks like this format.
  virtual bool recognises(const InputFile& file) const = 0;
  /// Files of a lower rank are read first: machines before what completes them.
  virtual int rank() const { return 0; }
  /// "Slurm configuration: machines and partitions", for the report.
  virtual std::string description() const = 0;
  /// Errors go to the report; throws InputError only if nothing in the file can be read.
  virtual void read(const InputFile& file, ImportContext& context) const = 0;
  /// After the last file.
  virtual void finish(ImportContext&) const {}
  virtual std::vector<KeyTable> keys() const { return {}; }
};

struct ImportResult {
  Draft draft;
  ImportReport report;
  std::string yaml; // the scenario; empty where the files say nothing that could be simulated, an error of the report
};

/// Imports files, and folders (their files, not their sub-folders'); what none recognises is an error of the report
/// with the formats there are, or, for files of a folder, an ignored entry.
///
/// Throws InputError where no file could be read at all.
ImportResult import_files(std::span<const std::filesystem::path> paths, const ImportOptions& options,
                          const Catalogue& catalogue);
ImportResult import_files(const std::vector<InputFile>& files, const ImportOptions& options,
                          const Catalogue& catalogue);

/// The result of such an import of @p files, which runs in a child process with limits (read_in_child), without the
/// draft.
ImportResult import_in_child(const std::vector<std::filesystem::path>& files,
                             const std::function<ImportResult()>& import);

/// How the scenario names a file that it reads itself. It lies in the options' folder: relative where the file is below
/// it, else absolute.
std::string name_for_scenario(const InputFile& file, const ImportOptions& options);

/// The importer of a file; null where none recognises it.
const Registry<Importer>::Entry* importer_of(const InputFile& file);

/// Whether the head of a file is that of a scenario of Trainyard, by its top-level keys.
bool is_own_scenario(std::string_view head);

/// A commented scenario to fill in, with the line that gives editors the schema.
std::string blank_scenario();

/// Fills in what the files do not give; each value is an assumption of the report: machines for the tasks, the link,
/// model and batch of jobs, a job where there are machines only.
void complete(ImportContext& context);

} // namespace trainyard
