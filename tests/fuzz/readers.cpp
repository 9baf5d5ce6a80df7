// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/readers.hpp"

#include "models/core/csv.hpp"
#include "models/core/data_folder.hpp"
#include "models/core/diagnostics.hpp"
#include "models/cost/profile.hpp"
#include "models/dnn/hugging_face.hpp"
#include "models/hardware/catalogue.hpp"
#include "models/import/importer.hpp"
#include "models/job/traces/trace_importer.hpp"
#include "models/scenario/document.hpp"
#include "sim/report/files.hpp"
#include "sim/report/report_document.hpp"
#include "sim/study/point_evaluator.hpp"
#include "sim/study/score_mapping.hpp"
#include "sim/study/sweep_database.hpp"
#include "tests/fuzz/load_anything.hpp"
#ifdef TRAINYARD_FUZZ_QT
#include "gui/results/results.hpp"
#endif

#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <stdexcept>

namespace trainyard::tests {
namespace {

namespace fs = std::filesystem;

const Catalogue& catalogue()
{
  static const Catalogue all = load_catalogue(data_folder());
  return all;
}

/// The bytes as a file, for readers that want a path; in memory where the system has such a folder. The file goes with
/// the object.
class ScratchFile
{
public:
  ScratchFile(const std::string& name, const std::string& bytes)
      : folder_{(fs::is_directory("/dev/shm") ? fs::path{"/dev/shm"} : fs::temp_directory_path()) /
                ("trainyard-fuzz-" + std::to_string(::getpid()))},
        file_{folder_ / name}
  {
    fs::create_directories(folder_);
    std::ofstream{file_, std::ios::binary} << bytes;
  }
  ~ScratchFile()
  {
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
  }
  ScratchFile(const ScratchFile&) = delete;
  ScratchFile& operator=(const ScratchFile&) = delete;
  const fs::path& file() const { return file_; }
  const fs::path& folder() const { return folder_; }

private:
  fs::path folder_;
  fs::path file_;
};

void import_bytes(const std::string& format, const std::string& bytes)
{
  ImportOptions options;
  options.format = format;
  const ImportResult result = import_files(
      std::vector{InputFile{"any" + std::string{format == "onnx" ? ".onnx" : ""}, bytes}}, options, catalogue());
  static_cast<void>(report_text(result.report));
  static_cast<void>(report_json(result.report, "any.yaml"));
}

/// Where samples of an importer lie, for those that have a folder of their own.
std::vector<std::string> import_seeds(const std::string& format)
{
  const std::string all = "tests/data/samples/";
  for (const auto& [start, folder] : {std::pair{"slurm", "slurm"},
                                      {"lsf", "lsf"},
                                      {"compose", "compose"},
                                      {"docker", "compose"},
                                      {"kubernetes", "k8s"},
                                      {"chakra", "chakra"},
                                      {"nccl", "nccl"},
                                      {"nvidia", "topo"},
                                      {"simgrid", "topo"},
                                      {"astra", "topo"},
                                      {"batsim", "batsim"},
                                      {"megatron", "launch"},
                                      {"deepspeed", "launch"},
                                      {"torchtitan", "launch"},
                                      {"aicb", "launch"},
                                      {"trace", "traces"}})
    if (format.starts_with(start))
      return {all + folder};
  return {all};
}

std::vector<ForeignReader> all_readers()
{
  std::vector<ForeignReader> list;
  for (const std::string& format : Registry<Importer>::instance().names())
    list.push_back({"import_" + format, import_seeds(format),
                    [format](const std::string& bytes) { import_bytes(format, bytes); }});
  for (const std::string& format : Registry<TraceImporter>::instance().names())
    list.push_back({"trace_" + format,
                    {"tests/data/samples/traces", "tests/data/samples/slurm", "tests/data/samples/lsf",
                     "tests/data/samples/swf", "scenarios/traces"},
                    [format](const std::string& bytes) {
                      const ScratchFile scratch{"trace", bytes};
                      TraceOptions options;
                      options.format = format;
                      static_cast<void>(import_trace(scratch.file(), options).audit.text());
                    }});
  list.push_back({"model_config", {"tests/data/samples/launch"}, [](const std::string& bytes) {
                    static_cast<void>(read_hugging_face(bytes, "config.json").transformer.parameters());
                  }});
  list.push_back({"scenario", {"scenarios"}, [](const std::string& bytes) { load_anything(bytes); }});
  list.push_back({"calibration", {"results/calibration", "results/testbed"}, [](const std::string& bytes) {
                    static_cast<void>(parse_profile(bytes, "any.json"));
                  }});
  list.push_back({"manifest", {"tests/data/fuzz"}, [](const std::string& bytes) {
                    static_cast<void>(read_manifest(bytes, "any.json"));
                  }});
  list.push_back({"summary", {"tests/data/fuzz"}, [](const std::string& bytes) {
                    static_cast<void>(read_summary(bytes, "any.json"));
                  }});
  list.push_back({"results_folder", {"tests/data/fuzz"}, [](const std::string& bytes) {
                    const ScratchFile scratch{"summary.json", bytes};
                    static_cast<void>(report_html(report_of(scratch.folder())));
                  }});
  list.push_back({"study_folder", {"tests/data/fuzz"}, [](const std::string& bytes) {
                    const ScratchFile scratch{"manifest.json", bytes};
                    static_cast<void>(report_html(report_of(scratch.folder())));
                  }});
  list.push_back({"sweep_database", {"tests/data/fuzz"}, [](const std::string& bytes) {
                    const ScratchFile scratch{"sweep.sqlite", bytes};
                    read_sweep(scratch.file(), [](const SweepRow&) {});
                    static_cast<void>(report_html(report_of(scratch.file())));
                  }});
  list.push_back({"score_table", {"results/published", "tests/data"}, [](const std::string& bytes) {
                    static_cast<void>(parse_csv(bytes, "any.csv"));
                  }});
  list.push_back({"score_mapping", {"results/published", "tests/data"}, [](const std::string& bytes) {
                    Diagnostics faults;
                    const Document document = parse_document(bytes, "any.yaml", faults);
                    if (!faults.has_errors())
                      static_cast<void>(read_score_mapping(document, faults));
                    faults.throw_if_errors();
                  }});
  list.push_back({"prices", {"models/hardware/catalogue/prices"}, [](const std::string& bytes) {
                    const ScratchFile scratch{"prices.yaml", bytes};
                    static_cast<void>(read_prices(scratch.file(), catalogue()));
                  }});
#ifdef TRAINYARD_FUZZ_QT
  list.push_back({"gui_trace", {"tests/data/fuzz"}, [](const std::string& bytes) {
                    const ScratchFile scratch{"trace.json.gz", bytes}; // plain or gzip: its bytes tell
                    static_cast<void>(gui::read_trace(QString::fromStdString(scratch.file().string()), 16U << 20U));
                  }});
#endif
  std::ranges::sort(list, {}, &ForeignReader::name);
  return list;
}

} // namespace

const std::vector<ForeignReader>& foreign_readers()
{
  static const std::vector<ForeignReader> readers = all_readers();
  return readers;
}

std::vector<fs::path> seed_files(const ForeignReader& reader, std::uintmax_t largest)
{
  std::vector<fs::path> files;
  std::error_code error;
  for (const std::string& seed : reader.seeds)
    for (fs::recursive_directory_iterator entry{data_folder() / seed, error}, end; !error && entry != end;
         entry.increment(error))
      if (entry->is_regular_file(error) && entry->file_size(error) <= largest && entry->path().extension() != ".md" &&
          entry->path().extension() != ".png")
        files.push_back(entry->path());
  std::ranges::sort(files);
  return files;
}

bool refuses(const ForeignReader& reader, const std::string& bytes)
{
  try {
    reader.read(bytes);
    return false;
  } catch (const std::runtime_error& refused) { // InputError is one
    return std::string{refused.what()}.empty() ? throw std::logic_error{reader.name + " refuses without a message"}
                                               : true;
  }
}

} // namespace trainyard::tests
