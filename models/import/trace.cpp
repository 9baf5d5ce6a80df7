// SPDX-License-Identifier: Apache-2.0
#include "models/import/importer.hpp"
#include "models/job/traces/trace_importer.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace trainyard {
namespace {

const Registry<TraceImporter>::Entry* format_of(const InputFile& file)
{
  const std::string_view head = file.head().substr(0, 4096);
  for (const auto& [name, entry] : Registry<TraceImporter>::instance().entries())
    if (entry.create({})->recognises(head, file.path()))
      return &entry;
  return nullptr;
}

/// Job traces and lists of machines: all formats of `simrun list traces`. The scenario names the trace; its audit
/// becomes the report.
class Trace final : public Importer
{
public:
  bool recognises(const InputFile& file) const override { return format_of(file) != nullptr; }
  int rank() const override { return 10; }
  std::string description() const override { return "job trace or list of machines"; }

  void read(const InputFile& file, ImportContext& context) const override
  {
    Draft& draft = context.draft;
    TraceOptions options;
    const auto* entry = format_of(file);
    if (entry == nullptr) {
      context.report.error({file.name(), 1}, "not a job trace of a known format; simrun list traces shows the formats");
      return;
    }
    options.format = entry->name;
    options.throughputs = draft.throughputs;
    ImportedTrace trace;
    Registry<TraceImporter>::instance().create(options.format)->read(file.text(), file.path(), options, trace);
    if (!trace.workload.jobs.empty())
      draft.first_submission = std::ranges::min(trace.workload.jobs, {}, &TraceJob::submit).submit.value();
    sort_by_submission(trace.workload);
    if (!trace.measured_on.empty())
      context.report.assumed(fmt::format("run times are steps / throughput on {}", trace.measured_on),
                             "workload: {reference_gpu: TYPE} names another type", {file.name(), 0});
    const std::string description = Registry<TraceImporter>::instance().find(options.format)->description;
    context.report.files.back().description = description;
    if (!trace.machines.empty())
      add_machines(trace, file, context);
    if (!trace.workload.jobs.empty()) {
      int gpu_jobs = 0, fractions = 0, largest = 0;
      for (const TraceJob& job : trace.workload.jobs) {
        const std::string& account = trace.workload.teams.name(job.team);
        if (draft.owners.insert(account + "." + trace.workload.users.name(job.user)).second)
          draft.owners.insert(account);
        gpu_jobs += job.gpus > 0 ? 1 : 0;
        fractions += job.gpus == 1 && job.gpu_milli < 1000 ? 1 : 0;
        largest = std::max(largest, job.gpus);
      }
      context.report.understood(fmt::format("{} jobs, {} with GPUs{}, up to {} GPUs", trace.workload.size(), gpu_jobs,
                                            fractions > 0 ? fmt::format(" ({} with a part of a GPU)", fractions) : "",
                                            largest),
                                {file.name(), 0});
      if (!draft.trace_file.empty()) {
        context.report.ignored("a second trace", "a scenario has one; the first is used", {file.name(), 0});
        return;
      }
      draft.trace_file = name_for_scenario(file, context.options);
      draft.trace_format = options.format;
      if (draft.machines.empty())
        size_machines(trace.workload, largest, context);
      if (draft.question.empty())
        draft.question = "how long do the jobs of this trace wait, and what would shorten the wait?";
    }
    for (const TraceFinding& finding : trace.audit.findings())
      for (const std::int64_t row : finding.rows)
        context.report.assumed(
            fmt::format("{}{}", finding.what, finding.count > 1 ? fmt::format(" ({} rows)", finding.count) : ""),
            finding.consequence, {file.name(), static_cast<int>(row)});
  }

private:
  static void add_machines(const ImportedTrace& trace, const InputFile& file, ImportContext& context)
  {
    std::map<std::string, std::string> names;
    int racks = 1;
    for (const NodeShape& node : trace.machines)
      racks = std::max(racks, node.rack + 1);
    for (const NodeShape& node : trace.machines) {
      DraftMachines machine{.name = node.name, .note = file.name(), .host = true};
      const auto type = static_cast<std::size_t>(node.gpu_type);
      const std::string model = type < trace.gpu_types.size() ? trace.gpu_types[type] : std::string{};
      if (node.gpus > 0) {
        if (!names.contains(model))
          names[model] = model.empty() || model == "gpu"
                             ? context.unknown_gpu({file.name(), 0}, "the file does not name the GPU type")
                             : context.gpu(model, {file.name(), 0});
        machine.gpu = names[model];
        machine.gpus = node.gpus;
      }
      machine.cpu_cores = static_cast<double>(node.cpu_milli) / 1000;
      machine.memory_bytes = static_cast<double>(node.memory_mib) * 1048576;
      if (racks > 1)
        machine.parent = fmt::format("rack-{}", node.rack);
      context.draft.machines.push_back(std::move(machine));
    }
    for (int rack = 0; racks > 1 && rack < racks; ++rack) {
      context.draft.network.switches.push_back(fmt::format("rack-{}", rack));
      context.draft.network.wires.push_back({.from = fmt::format("rack-{}", rack), .to = "core", .count = 0});
    }
    if (racks > 1)
      context.draft.network.switches.emplace_back("core");
    int gpus = 0;
    for (const NodeShape& node : trace.machines)
      gpus += node.gpus;
    context.report.understood(fmt::format("{}, {} GPUs of {}", counted(trace.machines.size(), "machine"), gpus,
                                          counted(trace.gpu_types.size(), "type")),
                              {file.name(), 0});
  }

  /// No machines known: as many GPUs as the busiest moment of the trace held, on machines of eight.
  static void size_machines(const Workload& workload, int largest, ImportContext& context)
  {
    std::vector<std::pair<double, int>> changes;
    int cpu = 0, memory = 0;
    for (const TraceJob& job : workload.jobs) {
      changes.emplace_back(job.submit.value(), job.gpus);
      changes.emplace_back(job.submit.value() + job.duration.value(), -job.gpus);
      cpu = std::max(cpu, job.cpu_milli);
      memory = std::max(memory, job.memory_mib);
    }
    std::ranges::sort(changes);
    int busy = 0, most = 1;
    for (const auto& [when, change] : changes) {
      busy += change;
      most = std::max(most, busy);
    }
    const int per_machine = largest > 1 || most > 8 ? 8 : 1;
    const int wanted = std::max(std::min(most, 100'000), largest);
    const int count = context.options.nodes > 0 ? context.options.nodes : (wanted + per_machine - 1) / per_machine;
    DraftMachines machines{.name = "node", .count = count, .note = "assumed"};
    machines.gpu = context.unknown_gpu({}, "the trace names no machines");
    machines.gpus = per_machine;
    machines.cpu_cores = std::max(16 * per_machine, (cpu + 999) / 1000);
    machines.memory_bytes = std::max(64.0 * per_machine * 1073741824.0, static_cast<double>(memory) * 1048576);
    context.draft.machines.push_back(machines);
    context.report.assumed(
        fmt::format("{} with {}", counted(count, "machine"), counted(per_machine, "GPU")),
        context.options.nodes > 0
            ? "given by --nodes"
            : fmt::format("the jobs would hold {} GPUs at once if none waited; --nodes N sets another number", most));
  }
};

TY_REGISTER(Importer, Trace, "trace",
            "job traces (simrun list traces): SWF, sacct, lsb.acct, openb, Philly, Helios, Tiresias, Gavel…");

} // namespace
} // namespace trainyard
