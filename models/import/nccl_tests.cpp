// SPDX-License-Identifier: Apache-2.0
#include "models/core/json.hpp"
#include "models/import/importer.hpp"
#include "models/import/yaml_documents.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sstream>

namespace trainyard {
namespace {

struct Row {
  double bytes = 0;
  double microseconds = 0;
};

struct Run {
  std::string test;                 // all_reduce_perf
  std::map<std::string, int> hosts; // GPUs of each
  std::string device;
  std::vector<Row> rows;
  int line = 1;
  int not_usable = 0;
};

std::vector<std::string> words(const std::string& line)
{
  std::vector<std::string> list;
  std::istringstream stream{line};
  for (std::string word; stream >> word;)
    list.push_back(word);
  return list;
}

/// Output of nccl-tests, text and JSON version 3. Source: NVIDIA/nccl-tests, src/common.cu and doc/PERFORMANCE.md.
class NcclTests final : public Importer
{
public:
  bool recognises(const InputFile& file) const override
  {
    const std::string_view head = file.head();
    return (head.find("algbw") != std::string_view::npos && head.find("busbw") != std::string_view::npos) ||
           (head.find("\"nccl_version\"") != std::string_view::npos &&
            head.find("\"results\"") != std::string_view::npos);
  }
  std::string description() const override { return "nccl-tests output"; }

  void read(const InputFile& file, ImportContext& context) const override
  {
    const std::string text = file.text();
    const Run run =
        text.find_first_not_of(" \t\r\n") != std::string::npos && text[text.find_first_not_of(" \t\r\n")] == '{'
            ? from_json(text, file, context)
            : from_text(text);
    const ImportPlace place{file.name(), run.line};
    if (run.rows.empty()) {
      context.report.error(place, "the output has no measured size");
      return;
    }
    context.report.understood(fmt::format("{}: {}", run.test.empty() ? "a collective" : run.test,
                                          counted(static_cast<long long>(run.rows.size()), "size")),
                              place);
    if (run.not_usable > 0)
      context.report.ignored(counted(run.not_usable, "row") + " without a time", "null or not measured", place);
    int gpus = 0, most = 0;
    for (const auto& [host, count] : run.hosts) {
      gpus += count;
      most = std::max(most, count);
    }
    if (gpus == 0) {
      gpus = most = 2;
      context.report.assumed("2 GPUs in one machine", "the output lists no devices", place);
    } else {
      context.report.understood(
          fmt::format("{} on {}", counted(gpus, "GPU"), counted(static_cast<long long>(run.hosts.size()), "machine")),
          place);
    }
    DraftMachines machine{.name = "node",
                          .count = std::max<int>(1, static_cast<int>(run.hosts.size())),
                          .gpus = std::clamp(most, 1, 64),
                          .note = to_text(place)};
    machine.gpu = run.device.empty() ? context.unknown_gpu(place, "the output does not name a device")
                                     : context.gpu(run.device, place);
    context.draft.machines.push_back(std::move(machine));
    const bool all_reduce = run.test.empty() || run.test.find("all_reduce") != std::string::npos;
    if (!all_reduce)
      context.report.assumed("the job does all-reduces of the same sizes",
                             fmt::format("{} is not a training step of its own", run.test), place);
    std::vector<std::string> sizes;
    for (const Row& row : run.rows)
      if (row.bytes >= 4 && sizes.size() < 60)
        sizes.push_back(fmt::format("{:.0f}", row.bytes / 4));
    DraftJob job{.name = "all_reduce",
                 .model = fmt::format("{{name: one_tensor, elements: {}}}", sizes.empty() ? "1" : sizes.back()),
                 .batch_per_gpu = 1,
                 .workers = gpus,
                 .note = to_text(place)};
    job.training = "collective: auto";
    context.draft.jobs.push_back(std::move(job));
    if (sizes.size() > 1)
      context.draft.grid.emplace_back("jobs.0.model.elements", fmt::format("[{}]", fmt::join(sizes, ", ")));
    context.draft.fidelity = "closed_form";
    const auto largest = std::ranges::max_element(run.rows, {}, &Row::bytes);
    context.draft.remarks.push_back(fmt::format("measured: {:.0f} bytes in {:g} us (algorithm bandwidth {:.3g} GB/s)",
                                                largest->bytes, largest->microseconds,
                                                largest->bytes / largest->microseconds / 1000));
    context.report.ignored("the measured times", "they are a calibration: simcal import reads them", place);
    if (context.draft.question.empty())
      context.draft.question =
          "how long do these collectives take here, compared with the measured times in the comments?";
  }

private:
  static Run from_text(const std::string& text)
  {
    Run run;
    std::istringstream stream{text};
    int number = 0;
    for (std::string line; std::getline(stream, line);) {
      ++number;
      const std::vector<std::string> row = words(line);
      if (row.empty())
        continue;
      if (row[0].starts_with("#")) {
        for (std::size_t i = 0; i + 1 < row.size(); ++i)
          if (row[i] == "on" && row[1] == "Rank")
            ++run.hosts[row[i + 1]];
        if (row.size() > 2 && row[1] == "Rank") {
          const std::size_t bracket = line.find(']');
          if (bracket != std::string::npos && run.device.empty()) {
            const std::vector<std::string> name = words(line.substr(bracket + 1));
            run.device = fmt::format("{}", fmt::join(name, " "));
          }
        }
        if (const std::size_t end = line.find("concluded:"); end != std::string::npos)
          run.test = words(line.substr(end + 10)).empty() ? "" : words(line.substr(end + 10)).front();
        continue;
      }
      const double bytes = number_of(row[0], -1);
      if (bytes < 0 || row.size() < 6)
        continue;
      const double out = number_of(row[5], -1), in = row.size() > 9 ? number_of(row[9], -1) : -1;
      const double time = out > 0 ? out : in;
      if (run.rows.empty())
        run.line = number;
      if (time > 0 && time < 1e12 && bytes > 0)
        run.rows.push_back({bytes, time});
      else
        ++run.not_usable;
    }
    if (run.device == "Example GPU")
      run.device.clear();
    return run;
  }

  static Run from_json(const std::string& text, const InputFile& file, ImportContext& context)
  {
    Run run;
    const Json json = parse_json(text, file.name());
    if (const Json* version = json.find("version"); version == nullptr || version->value != 3)
      context.report.warning({file.name(), version == nullptr ? 1 : version->line},
                             "the version of this JSON is not 3; it is read as 3");
    if (const Json* words_of = json.find("args"); words_of != nullptr && !words_of->items.empty())
      run.test = words_of->items.front().string;
    if (const Json* env = json.find("env"); env != nullptr)
      context.report.ignored("env", "environment variables are never stored", {file.name(), env->line});
    if (const Json* config = json.find("config"); config != nullptr)
      if (const Json* devices = config->find("devices"); devices != nullptr)
        for (const Json& device : devices->items) {
          if (const Json* host = device.find("hostname"); host != nullptr)
            ++run.hosts[host->string];
          if (const Json* name = device.find("device_info"); name != nullptr)
            run.device = name->string == "Example GPU" ? "" : name->string;
        }
    if (const Json* results = json.find("results"); results != nullptr) {
      run.line = results->line;
      for (const Json& result : results->items) {
        const Json* size = result.find("size");
        double time = -1;
        for (const char* place : {"in_place", "out_of_place"})
          if (const Json* one = result.find(place); one != nullptr)
            if (const Json* value = one->find("time"); value != nullptr && value->value > 0)
              time = value->value;
        if (size != nullptr && size->value > 0 && time > 0)
          run.rows.push_back({size->value, time});
        else
          ++run.not_usable;
      }
    }
    return run;
  }
};

TY_REGISTER(Importer, NcclTests, "nccl-tests",
            "nccl-tests output, text or JSON: sizes, devices; the times themselves go to simcal");

} // namespace
} // namespace trainyard
