// SPDX-License-Identifier: Apache-2.0
#include "models/cost/nccl_tests.hpp"
#include "models/import/importer.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>

namespace trainyard {
namespace {

class NcclTests final : public Importer
{
public:
  bool recognises(const InputFile& file) const override
  {
    return (file.has("algbw") && file.has("busbw")) || (file.has("\"nccl_version\"") && file.has("\"results\""));
  }
  std::string description() const override { return "nccl-tests output"; }

  void read(const InputFile& file, ImportContext& context) const override
  {
    const NcclTestsOutput run = read_nccl_tests(file.text(), file.name());
    if (run.json && run.version != 3)
      context.report.warning({file.name(), run.version_line}, "the version of this JSON is not 3; it is read as 3");
    if (run.environment_line > 0)
      context.report.ignored("env", "environment variables are never stored", {file.name(), run.environment_line});
    const ImportPlace place{file.name(), run.line};
    std::vector<std::pair<double, double>> measured; // bytes, microseconds
    int not_usable = 0;
    for (const NcclTestsRow& row : run.rows) {
      const double out = row.out_of_place_us.value_or(0), time = out > 0 ? out : row.in_place_us.value_or(0);
      if (row.bytes > 0 && time > 0 && time < 1e12)
        measured.emplace_back(row.bytes, time);
      else
        ++not_usable;
    }
    if (measured.empty()) {
      context.report.error(place, "the output has no measured size");
      return;
    }
    context.report.understood(place, "{}: {}", run.program.empty() ? "a collective" : run.program,
                              counted(measured.size(), "size"));
    if (not_usable > 0)
      context.report.ignored(counted(not_usable, "row") + " without a time", "null or not measured", place);
    std::map<std::string, int> hosts; // GPUs of each
    int gpus = static_cast<int>(run.hosts.size()), most = 0;
    for (const std::string& host : run.hosts)
      most = std::max(most, ++hosts[host]);
    if (gpus == 0) {
      gpus = most = 2;
      context.report.assumed("2 GPUs in one machine", "the output lists no devices", place);
    } else {
      context.report.understood(place, "{} on {}", counted(gpus, "GPU"), counted(hosts.size(), "machine"));
    }
    DraftMachines machine{.name = "node",
                          .count = std::max<int>(1, static_cast<int>(hosts.size())),
                          .gpus = std::clamp(most, 1, 64),
                          .note = to_text(place)};
    machine.gpu = run.device.empty() ? context.unknown_gpu(place, "the output does not name a device")
                                     : context.gpu(run.device, place);
    context.draft.machines.push_back(std::move(machine));
    const bool all_reduce = run.program.empty() || run.program.find("all_reduce") != std::string::npos;
    if (!all_reduce)
      context.report.assumed("the job does all-reduces of the same sizes",
                             {"{} is not a training step of its own", run.program}, place);
    std::vector<std::string> sizes;
    for (const auto& [bytes, microseconds] : measured)
      if (bytes >= 4 && sizes.size() < 60)
        sizes.push_back(fmt::format("{:.0f}", bytes / 4));
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
    const auto& [largest, time] = *std::ranges::max_element(measured, {}, &std::pair<double, double>::first);
    context.draft.remarks.push_back(fmt::format("measured: {:.0f} bytes in {:g} us (algorithm bandwidth {:.3g} GB/s)",
                                                largest, time, largest / time / 1000));
    context.report.ignored("the measured times", "they are a calibration: simcal import reads them", place);
    context.draft.ask("how long do these collectives take here, compared with the measured times in the comments?");
  }
};

TY_REGISTER(Importer, NcclTests, "nccl-tests",
            "nccl-tests output, text or JSON: sizes, devices; the times themselves go to simcal");

} // namespace
} // namespace trainyard
