// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/readers.hpp"

#include "models/core/csv.hpp"
#include "models/core/data_folder.hpp"
#include "models/core/diagnostics.hpp"
#include "models/core/pattern.hpp"
#include "models/cost/nccl_tests.hpp"
#include "models/cost/profile.hpp"
#include "models/dnn/builder.hpp"
#include "models/dnn/hugging_face.hpp"
#include "models/hardware/catalogue.hpp"
#include "models/import/importer.hpp"
#include "models/job/batch_goodput.hpp"
#include "models/job/throughput_table.hpp"
#include "models/job/traces/trace_importer.hpp"
#include "models/scenario/document.hpp"
#include "sim/report/files.hpp"
#include "sim/report/report_document.hpp"
#include "sim/sources/queue/scheduling.hpp"
#include "sim/sources/scenario_runner.hpp"
#include "sim/study/measures.hpp"
#include "sim/study/point_evaluator.hpp"
#include "sim/study/score_mapping.hpp"
#include "sim/study/sweep.hpp"
#include "sim/study/sweep_database.hpp"
#include "tests/fuzz/load_anything.hpp"
#ifdef TRAINYARD_FUZZ_QT
#include "gui/results/results.hpp"
#endif

#include <nlohmann/json.hpp>
#include <unistd.h>
#ifdef TRAINYARD_ZMQ
#include <zmq.hpp>
#endif

#include <algorithm>
#include <atomic>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <thread>

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
                                      {"sbatch", "launch"},
                                      {"nemo", "launch"},
                                      {"maxtext", "launch"},
                                      {"aicb", "launch"},
                                      {"trace", "traces"}})
    if (format.starts_with(start))
      return {all + folder};
  return {all};
}

#ifdef TRAINYARD_ZMQ
/// A queue whose scheduler answers with the lines of @p bytes, and then with nothing to do.
void ask_scheduler(const std::string& bytes)
{
  zmq::context_t context;
  zmq::socket_t socket{context, zmq::socket_type::rep};
  socket.set(zmq::sockopt::rcvtimeo, 20);
  socket.set(zmq::sockopt::linger, 0);
  socket.bind("tcp://127.0.0.1:*");
  struct Answers { // its thread ends before the socket
    std::atomic<bool> stop = false;
    std::thread thread;
    ~Answers()
    {
      stop = true;
      thread.join();
    }
  } answers;
  answers.thread = std::thread{[&] {
    std::istringstream lines{bytes};
    while (!answers.stop) {
      zmq::message_t message;
      if (!socket.recv(message))
        continue;
      std::string line;
      if (!std::getline(lines, line))
        line = R"({"now": 0, "events": []})";
      socket.send(zmq::buffer(line), zmq::send_flags::none);
    }
  }};
  Workload workload;
  for (int i = 0; i < 3; ++i) {
    TraceJob job;
    job.submit = Seconds{1.0 * i};
    job.duration = job.estimate = Seconds{100};
    job.gpus = 2;
    workload.jobs.push_back(job);
  }
  Settings settings;
  settings.set("endpoint", socket.get(zmq::sockopt::last_endpoint));
  settings.set("timeout", 5.0);
  const auto policy = Registry<QueuePolicy>::instance().create("batsim", settings);
  static_cast<void>(simulate_queue(workload, ClusterShape::pool(4), *policy));
}
#endif

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
                    static_cast<void>(merge_sweeps({scratch.file()}, scratch.folder() / "merged.sqlite"));
                  }});
  list.push_back({"explain", {"tests/data/fuzz"}, [](const std::string& bytes) {
                    const ScratchFile scratch{"summary.json", bytes};
                    const auto json = nlohmann::json::parse(bytes, nullptr, false);
                    if (!json.is_object() || !json.contains("kind") || !json["kind"].is_string())
                      return;
                    try {
                      if (const ScenarioRunner* runner = runner_of_kind(json["kind"].get<std::string>()))
                        static_cast<void>(runner->explain(scratch.folder(), "", ""));
                    } catch (const nlohmann::json::exception& refused) { // as simrun explain
                      throw std::runtime_error{refused.what()};
                    }
                    static_cast<void>(measured_of_summary(json));
                  }});
  list.push_back({"outcome", {"tests/data/fuzz"}, [](const std::string& bytes) {
                    static_cast<void>(to_json_line(outcome_of_json(bytes)));
                  }});
  list.push_back({"layers", {"tests/data"}, [](const std::string& bytes) {
                    const ScratchFile scratch{"layers.csv", bytes};
                    try {
                      static_cast<void>(build_dnn(scratch.file().string()));
                    } catch (const std::invalid_argument& refused) {
                      throw std::runtime_error{refused.what()};
                    }
                  }});
  list.push_back({"step_profiles", {"tests/data"}, [](const std::string& bytes) {
                    const ScratchFile scratch{"placements.csv", bytes};
                    try {
                      static_cast<void>(read_step_profiles(scratch.file()));
                    } catch (const std::invalid_argument& refused) {
                      throw std::runtime_error{refused.what()};
                    }
                  }});
  list.push_back({"throughputs", {"tests/data"}, [](const std::string& bytes) {
                    static_cast<void>(read_throughputs(InputFile{"any.json", bytes}));
                  }});
  list.push_back({"nccl_tests", {"tests/data/samples/nccl"}, [](const std::string& bytes) {
                    static_cast<void>(read_nccl_tests(bytes, "any.txt"));
                  }});
  list.push_back({"pattern", {"tests/data/samples/k8s"}, [](const std::string& bytes) {
                    try {
                      static_cast<void>(Pattern{bytes}.in(bytes));
                    } catch (const std::invalid_argument& refused) {
                      throw std::runtime_error{refused.what()};
                    }
                  }});
#ifdef TRAINYARD_ZMQ
  list.push_back({"scheduler", {"tests/data/samples/batsim"}, ask_scheduler});
#endif
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
  for (ForeignReader& reader : list) // what was found once
    if (const std::string found = "tests/fuzz/corpus/" + reader.name; fs::is_directory(data_folder() / found))
      reader.seeds.push_back(found);
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
