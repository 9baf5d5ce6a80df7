// SPDX-License-Identifier: Apache-2.0
#include "models/core/pieces.hpp"
#include "models/core/slurm_time.hpp"
#include "models/job/traces/slurm_tres.hpp"
#include "models/job/traces/trace_importer.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>
#include <set>
#include <string>

namespace trainyard {
namespace {

/// A time limit in seconds. A number alone is minutes, as in sbatch --time and in the column TimelimitRaw. Source:
/// sacct(1), "TimelimitRaw".
std::optional<double> time_limit(const TraceTable& table)
{
  const std::string_view text = table.cell("Timelimit");
  if (const auto minutes = text.empty() ? table.number("TimelimitRaw") : cell_number(text); minutes)
    return *minutes >= 0 ? std::optional{*minutes * 60} : std::nullopt;
  return slurm_time(text);
}

void set_gpus(TraceJob& job, const SlurmTres& use, std::int64_t row, TraceAudit& audit)
{
  const SlurmGpus held = slurm_gpus(use);
  job.gpus = held.gpus;
  job.gpu_milli = held.milli;
  if (use.shards > 0 && use.gpus == 0)
    audit.add("job on shares of GPUs (gres/shard)",
              "kept without GPUs: the accounting does not say how many shares a GPU has", row);
  if (held.slices > 0)
    audit.add("job on MIG slices",
              "they count by their compute slices of a GPU; what does not fit on one takes whole GPUs", row);
}

/// @p nodes: 0 where the row does not say; a job that few machines could hold alone may then lie on several.
void set_tasks(TraceJob& job, double nodes, std::int64_t row, TraceAudit& audit)
{
  constexpr int usual_machine = 8;
  const int parts = std::max(1, static_cast<int>(nodes));
  job.tasks = job.gpus == 0 || job.gpus % parts == 0 ? parts : 0;
  if (nodes >= 1 || job.gpus <= usual_machine)
    return;
  job.tasks = 0;
  audit.add(fmt::format("job of more than {} GPUs without a number of machines", usual_machine),
            "its GPUs may lie on any machines; node= in AllocTRES, or a column NNodes, says more", row);
}

/// What is to be known of a job whose record is not that of one whole run.
void note_kind(std::string_view id, std::string_view state, std::int64_t row, TraceAudit& audit)
{
  if (state.starts_with("RUNNING"))
    audit.add("job that was still running", "kept with its run time so far", row);
  if (id.find('+') != std::string_view::npos)
    audit.add("component of a heterogeneous job (with a + in its JobID)",
              "kept as a job of its own, which does not wait for the others", row);
  if (state.starts_with("REQUEUED"))
    audit.add("run of a job that was requeued", "kept as a job of its own, as is the run after it", row);
  for (const char* ended : {"NODE_FAIL", "TIMEOUT", "FAILED", "CANCELLED", "OUT_OF_MEMORY", "PREEMPTED", "BOOT_FAIL"})
    if (state.starts_with(ended))
      audit.add(fmt::format("job that ended as {}", ended), "kept with its run time", row);
}

/// What the job holds or asks for; Slurm before 20.11 has its GPUs in a column of their own.
SlurmTres tres_of(const TraceTable& table, const char* tres, const char* gres)
{
  const std::string text{table.cell(tres)};
  SlurmTres use = slurm_tres(text);
  if (text.find("gres/gpu") == std::string::npos)
    use = slurm_tres(tres_of_gres(table.cell(gres), use.nodes > 0 ? use.nodes : table.number("NNodes").value_or(1)) +
                     text);
  return use;
}

/// The character between the columns: sacct's own |, or that of another program.
char separator_of(std::string_view line)
{
  const std::size_t at = line.find_first_of("|,;\t");
  return at == std::string_view::npos ? '|' : line[at];
}

/// `sacct -X -P
/// --format=JobID,Submit,Start,End,Elapsed,AllocTRES,ReqTRES,State,User,Account,Partition,QOS,Priority,Timelimit`; the
/// columns may stand in any order, and more of them; ElapsedRaw and TimelimitRaw are read too. Source: sacct(1).
class Sacct final : public TraceImporter
{
  static constexpr const char* command =
      "sacct -X -P --format=JobID,User,Account,Partition,QOS,Submit,Start,End,ElapsedRaw,State,ReqTRES,AllocTRES,"
      "Timelimit";

  /// A head over dashes and columns of fixed width.
  static bool is_table(std::string_view text)
  {
    const std::size_t end = std::min(text.find('\n'), text.size());
    return text.find("JobID") < end && text.substr(end).starts_with("\n---");
  }

public:
  bool recognises(std::string_view head, const std::filesystem::path&) const override
  {
    const std::string_view line = head.substr(0, std::min(head.find('\n'), head.size()));
    const auto has = [&](std::string_view column) { return line.find(column) != std::string_view::npos; };
    return has("JobID") &&
           (is_table(head) ||
            (has("|") && (has("Submit") || has("Elapsed") || has("State") || has("AllocTRES") || has("Start"))) ||
            (has("State") && (has("Submit") || has("Elapsed")) &&
             line.find_first_of(",;\t") != std::string_view::npos));
  }

  void read(std::string_view text, const std::filesystem::path& file, const TraceOptions&,
            ImportedTrace& trace) const override
  {
    if (is_table(text))
      throw InputError{fmt::format("'{}' is sacct's table for the screen, whose columns are cut; write it with {}",
                                   file.string(), command)};
    const std::string_view head = text.substr(0, std::min(text.find('\n'), text.size()));
    const char separator = separator_of(head);
    const TraceTable plain{text, file, {}, separator};
    const bool raw = !plain.has("JobID") && plain.has("JobIDRaw");
    TraceTable table{text,
                     file,
                     {"JobID"},
                     separator,
                     raw ? std::map<std::string, std::string>{{"JobID", "JobIDRaw"}}
                         : std::map<std::string, std::string>{}};
    const bool has_both = table.has("Start") && table.has("End");
    if (!table.has("Elapsed") && !table.has("ElapsedRaw") && !has_both && table.has("Submit"))
      throw InputError{fmt::format("trace '{}' has no column 'Elapsed' or 'ElapsedRaw', the run time of the jobs, nor "
                                   "both 'Start' and 'End'",
                                   file.string())};
    std::vector<std::string> missing;
    for (const char* column : {"Submit", "Start", "State"})
      if (!table.has(column))
        missing.emplace_back(column);
    if (!table.has("Submit") || !table.has("State"))
      throw InputError{fmt::format("trace '{}' is of sacct without {}: add {} to --format, for example {}",
                                   file.string(), fmt::join(missing, " and "), missing.size() > 1 ? "them" : "it",
                                   command)};
    Workload& workload = trace.workload;
    std::set<std::string> clusters;
    table.for_each(trace.audit, [&](std::int64_t row) {
      if (const std::string_view cluster = table.cell("Cluster"); !cluster.empty())
        clusters.emplace(cluster);
      const std::string_view id = table.cell("JobID");
      if (id.find('.') != std::string_view::npos) {
        trace.audit.add("job step (with a dot in its JobID)",
                        "left out: its job is in the file; sacct -X leaves steps out", row);
        return;
      }
      const std::string_view state = table.cell("State");
      const auto submit = cell_time(table.cell("Submit"));
      auto elapsed = slurm_time(table.cell("Elapsed"));
      if (!elapsed)
        elapsed = table.number("ElapsedRaw");
      if (!submit || !plausible_time(*submit))
        return trace.audit.add("time of submission that cannot be read", "left out", row);
      if (state.starts_with("PENDING") || table.cell("Start") == "Unknown" || table.cell("Start") == "None") {
        trace.audit.add("job that never started", "left out: its run time is not known", row);
        return;
      }
      const auto start = cell_time(table.cell("Start"));
      const auto end = cell_time(table.cell("End"));
      if (!elapsed && start && end && *end >= *start)
        elapsed = *end - *start;
      if (start && end && *end < *start)
        return trace.audit.add("job that ends before it starts", "left out: one of both times is wrong", row);
      if (!elapsed || !plausible_time(*elapsed))
        return trace.audit.add("run time that cannot be read", "left out", row);
      note_kind(id, state, row, trace.audit);
      const SlurmTres held = tres_of(table, "AllocTRES", table.has("AllocGRES") ? "AllocGRES" : "ReqGRES");
      const SlurmTres wanted = tres_of(table, "ReqTRES", "ReqGRES");
      const bool given = held.cpu != 0 || held.gpus != 0 || held.nodes != 0;
      const SlurmTres& use = given ? held : wanted;
      TraceJob job;
      job.submit = Seconds{*submit};
      job.duration = Seconds{*elapsed};
      const auto limit = time_limit(table);
      job.estimate = limit ? Seconds{std::max(*limit, *elapsed)} : job.duration;
      if (!limit)
        trace.audit.add("job without a time limit", "its run time is used as the user's estimate", row);
      if (!(use.gpus >= 0 && use.gpus <= 1e6 && use.cpu >= 0 && use.cpu <= 1e7 && use.nodes >= 0 && use.nodes <= 1e6))
        return trace.audit.add("resources that cannot be read", "left out", row);
      set_gpus(job, use, row, trace.audit);
      set_tasks(job, use.nodes > 0 ? use.nodes : table.number("NNodes").value_or(0), row, trace.audit);
      const double cpu = use.cpu > 0 ? use.cpu : table.number("AllocCPUS").value_or(table.number("NCPUS").value_or(0));
      const int parts = std::max(1, job.tasks);
      job.cpu_milli = static_cast<int>(std::min(cpu / parts * 1000, 2e9));
      job.memory_mib = static_cast<int>(std::min(use.memory_mib / parts, 2e9));
      // Without what a job asked for, it is what it got.
      if (const std::string& type = table.has("ReqTRES") ? wanted.type : use.type; !type.empty() && job.gpus > 0)
        job.gpu_type = index_among(workload.gpu_types, type);
      job.user = workload.users.index_of(table.cell("User"));
      job.team = workload.teams.index_of(table.cell("Account"));
      job.queue = workload.queues.index_of(table.cell("Partition"));
      job.qos = static_cast<std::int16_t>(workload.qos.index_of(table.cell("QOS")));
      job.priority = static_cast<float>(table.number("Priority").value_or(0));
      job.row = row;
      if (start && plausible_time(*start - *submit))
        trace.waits.emplace_back(row, Seconds{*start - *submit});
      workload.jobs.push_back(job);
      workload.job_names.emplace_back(id);
    });
    if (separator != '|' && workload.jobs.empty() && !trace.audit.clean())
      throw InputError{fmt::format("trace '{}': no row can be read with '{}' between the columns, which cells like "
                                   "AllocTRES contain too; write it with {}, which puts | between them",
                                   file.string(), separator, command)};
    if (clusters.size() > 1)
      throw InputError{
          fmt::format("trace '{}' has jobs of {} clusters ({}), which wait for machines of their own: write "
                      "one of them with sacct --clusters={}, or keep its rows alone",
                      file.string(), clusters.size(), fmt::join(clusters, ", "), *clusters.begin())};
  }
};

TY_REGISTER(TraceImporter, Sacct, "sacct",
            "Slurm accounting: sacct -X -P, with ReqTRES/AllocTRES, time limits, accounts");

} // namespace
} // namespace trainyard
