// SPDX-License-Identifier: Apache-2.0
#include "models/import/importer.hpp"
#include "models/job/traces/trace_importer.hpp"
#include "models/results/verdict.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <functional>
#include <map>
#include <set>
#include <unordered_map>

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
      context.report.assumed({"run times are steps / throughput on {}", trace.measured_on},
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
      context.report.understood({file.name(), 0}, "{} jobs, {} with GPUs{}, up to {} GPUs", trace.workload.size(),
                                gpu_jobs, fractions > 0 ? fmt::format(" ({} with a part of a GPU)", fractions) : "",
                                largest);
      if (!draft.trace_file.empty()) {
        context.report.ignored("a second trace", "a scenario has one; the first is used", {file.name(), 0});
        return;
      }
      draft.trace_file = name_for_scenario(file, context.options);
      draft.trace_format = options.format;
      draft.ask("how long do the jobs of this trace wait, and what would shorten the wait?");
    }
    for (const TraceFinding& finding : trace.audit.findings())
      for (const std::int64_t row : finding.rows)
        context.report.assumed(
            {"{}{}", finding.what, finding.count > 1 ? fmt::format(" ({} rows)", finding.count) : ""},
            finding.consequence, {file.name(), static_cast<int>(row)});
    if (draft.trace_file == name_for_scenario(file, context.options) && !trace.workload.jobs.empty())
      jobs_ = std::move(trace);
  }

  /// The machines of jobs are known, or not, when every file has been read, in any order.
  void finish(ImportContext& context) const override
  {
    Draft& draft = context.draft;
    if (jobs_.workload.jobs.empty())
      return;
    if (draft.machines.empty()) {
      const std::size_t types = jobs_.workload.gpu_types.size();
      for (std::size_t type = 0; type < std::max<std::size_t>(types, 1); ++type) { // jobs of any type are of the first
        ImportedTrace some = jobs_;
        std::erase_if(some.workload.jobs, [&](const TraceJob& job) {
          return types > 1 && static_cast<std::size_t>(std::max(job.gpu_type, 0)) != type;
        });
        if (some.workload.jobs.empty())
          continue;
        some.head_gpus = types > 1 ? 0 : some.head_gpus;
        const auto largest = std::ranges::max(some.workload.jobs, {}, &TraceJob::gpus).gpus;
        size_machines(some, largest, {jobs_.waits.begin(), jobs_.waits.end()}, context);
        DraftMachines& machines = draft.machines.back();
        if (types > 0 && context.options.gpu.empty())
          machines.gpu = context.gpu(jobs_.workload.gpu_types[type], {});
        if (types > 1)
          machines.name += fmt::format("-{}", type + 1);
      }
      draft.trace_pool = jobs_.head_gpus > 0;
    } else if (listed_.files.size() == 1 && listed_.machines == draft.machines.size() && asks_by_listed_names(draft)) {
      draft.machines_file = listed_.files.front();
      context.report.understood("machines as their file lists them: jobs ask for GPU types by its names");
    }
  }

private:
  // One importer reads all files of an import.
  mutable ImportedTrace jobs_;
  struct Listed {
    std::vector<std::string> files; // as the scenario names them
    std::size_t machines = 0;
    std::set<std::string> types; // of GPUs, as the files call them
  };
  mutable Listed listed_;

  /// Whether jobs ask for GPUs by names that the list of machines has and the catalogue has not.
  bool asks_by_listed_names(const Draft& draft) const
  {
    std::vector<std::string> asked = jobs_.workload.gpu_types;
    for (const NodeDemands& demands : jobs_.workload.demands)
      for (const std::string& label : demands.any_of)
        if (label.starts_with("gpu="))
          asked.push_back(label.substr(4));
    return std::ranges::any_of(asked, [&](const std::string& type) {
      return listed_.types.contains(type) &&
             std::ranges::find(draft.machines, type, &DraftMachines::gpu) == draft.machines.end();
    });
  }

  void add_machines(const ImportedTrace& trace, const InputFile& file, ImportContext& context) const
  {
    listed_.files.push_back(name_for_scenario(file, context.options));
    listed_.machines += trace.machines.size();
    listed_.types.insert(trace.gpu_types.begin(), trace.gpu_types.end());
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
    context.report.understood({file.name(), 0}, "{}, {} GPUs of {}", counted(trace.machines.size(), "machine"), gpus,
                              counted(trace.gpu_types.size(), "type"));
  }

  /// What jobs held at once, by time: of the record where it has starts, else as if no job waited.
  struct Busy {
    std::int64_t most = 1;
    std::int64_t usual = 1; // held at least for a thousandth of the time: what is above may be an error of the record
    bool recorded = false;
  };

  static Busy held_at_once(const Workload& workload, const std::unordered_map<std::int64_t, Instant>& waits,
                           std::int64_t (*part)(const TraceJob&))
  {
    Busy busy{.recorded = !waits.empty()};
    std::vector<std::pair<double, std::int64_t>> changes;
    for (const TraceJob& job : workload.jobs) {
      const auto wait = waits.find(job.row);
      if (busy.recorded && wait == waits.end())
        continue;
      const double start = job.submit.value() + (busy.recorded ? wait->second.value() : 0);
      changes.emplace_back(start, part(job));
      changes.emplace_back(start + job.duration.value(), -part(job));
    }
    std::ranges::sort(changes);
    std::map<std::int64_t, double, std::greater<>> time; // by what is held
    std::int64_t now = 0;
    for (std::size_t i = 0; i < changes.size(); ++i) {
      now += changes[i].second;
      busy.most = std::max(busy.most, now);
      if (i + 1 < changes.size())
        time[now] += changes[i + 1].first - changes[i].first;
    }
    const double span = changes.empty() ? 0 : changes.back().first - changes.front().first;
    double held = 0;
    for (const auto& [part_held, duration] : time) {
      held += duration;
      if (held >= span / 1000) {
        busy.usual = std::max<std::int64_t>(1, part_held);
        break;
      }
    }
    return busy;
  }

  /// No machines known: the head's number of processors; else what was busy at once, by the recorded starts where there
  /// are any.
  static void size_machines(const ImportedTrace& trace, int largest,
                            const std::unordered_map<std::int64_t, Instant>& waits, ImportContext& context)
  {
    constexpr std::int64_t most_gpus = 100'000;
    constexpr double far_above = 1.2; // a record of so much more than the head is no error of single rows
    const Busy busy = held_at_once(trace.workload, waits, [](const TraceJob& job) { return std::int64_t{job.gpus}; });
    const bool head_counts =
        trace.head_gpus > 0 && !(busy.recorded && static_cast<double>(busy.usual) > far_above * trace.head_gpus);
    const int wanted =
        head_counts ? trace.head_gpus
                    : std::max(static_cast<int>(std::min(busy.recorded ? busy.usual : busy.most, most_gpus)), largest);
    int on_one = 1; // GPUs that a job held there
    for (const TraceJob& job : trace.workload.jobs)
      if (job.tasks > 0)
        on_one = std::max(on_one, job.gpus / job.tasks);
    int per_machine = std::max(wanted > 8 || largest > 1 ? 8 : 1, on_one);
    while (per_machine > on_one && wanted % per_machine != 0 &&
           (head_counts || (busy.recorded && wanted < per_machine)))
      --per_machine;
    const int given = context.options.gpus_per_node;
    const int nodes = context.options.nodes > 0 ? context.options.nodes : head_counts ? trace.head_nodes : 0;
    if (given > 0 || (head_counts && nodes > 0 && wanted % nodes == 0 && wanted / nodes <= 32))
      per_machine = given > 0 ? given : wanted / nodes;
    const int count = context.options.nodes > 0 ? context.options.nodes : (wanted + per_machine - 1) / per_machine;
    DraftMachines machines{.name = "node", .count = count, .note = "assumed"};
    if (trace.workload.gpu_types.empty() || !context.options.gpu.empty())
      machines.gpu = context.unknown_gpu({}, trace.names_machines ? "the trace names machines, but not their GPUs"
                                                                  : "the trace names no machines");
    machines.gpus = per_machine;
    const auto held = [&](std::int64_t (*part)(const TraceJob&), int TraceJob::*of_task, std::int64_t usual) {
      std::int64_t task = 1;
      for (const TraceJob& job : trace.workload.jobs)
        task = std::max<std::int64_t>(task, job.*of_task);
      const Busy all = held_at_once(trace.workload, waits, part);
      const std::int64_t share = all.recorded ? (all.usual + count - 1) / count : 1; // of a machine
      return std::max(usual, (share + task - 1) / task * task);                      // whole tasks fit
    };
    const std::int64_t usual_milli = 16'000LL * per_machine, usual_mib = 65'536LL * per_machine;
    const std::int64_t milli =
        held([](const TraceJob& job) { return std::max(job.tasks, 1) * std::int64_t{job.cpu_milli}; },
             &TraceJob::cpu_milli, usual_milli);
    const std::int64_t mib =
        held([](const TraceJob& job) { return std::max(job.tasks, 1) * std::int64_t{job.memory_mib}; },
             &TraceJob::memory_mib, usual_mib);
    const std::int64_t cores = (milli + 999) / 1000;
    machines.cpu_cores = static_cast<double>(cores);
    machines.memory_bytes = static_cast<double>(mib) * 1048576;
    context.draft.machines.push_back(machines);
    if (milli > usual_milli || mib > usual_mib)
      context.report.assumed({"{} a machine", needs_text(0, milli, mib)}, "what the jobs ask for and held at once");
    const std::string other =
        fmt::format("{}{}; --nodes N sets another number",
                    on_one > 8 ? fmt::format(", and a job had {} GPUs of one machine", on_one) : "",
                    given > 0 ? "; --gpus-per-node is given" : "");
    if (trace.head_gpus > 0 && !head_counts)
      context.report.warning({},
                             fmt::format("the head of the log says {} GPUs, but jobs held {} at once for a thousandth "
                                         "of the time (at most {}): so many are taken; simrun replay --gpus N sets "
                                         "another number",
                                         trace.head_gpus, busy.usual, busy.most));
    context.report.assumed(
        {"{} with {}", counted(count, "machine"), counted(per_machine, "GPU")},
        context.options.nodes > 0 ? (given > 0 ? "given by --nodes and --gpus-per-node" : "given by --nodes")
        : head_counts             ? fmt::format("the head of the file says {}{}", trace.head_gpus, other)
        : busy.recorded
            ? fmt::format("the record never has more than {} GPUs busy at once, and {} for a thousandth of the "
                          "time{}",
                          busy.most, busy.usual, other)
            : fmt::format("the jobs would hold {} GPUs at once if none waited, and the file does not say when "
                          "they started, so nothing waits{}",
                          busy.most, other));
  }
};

TY_REGISTER(Importer, Trace, "trace",
            "job traces (simrun list traces): SWF, sacct, lsb.acct, openb, Philly, Helios, Tiresias, Gavel…");

} // namespace
} // namespace trainyard
