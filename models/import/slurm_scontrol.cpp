// SPDX-License-Identifier: Apache-2.0
#include "models/core/slurm_time.hpp"
#include "models/core/text.hpp"
#include "models/import/batch_draft.hpp"
#include "models/import/hostlist.hpp"
#include "models/import/slurm_parts.hpp"
#include "models/import/yaml_documents.hpp"
#include "models/job/traces/slurm_tres.hpp"
#include "models/job/traces/trace_importer.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <sstream>

namespace trainyard {
namespace {

/// Records of `scontrol show`: each begins at the left edge with Key=Value, more follow in indented lines. A value may
/// hold blanks.
std::vector<SlurmLine> read_records(const std::string& text)
{
  std::vector<SlurmLine> records;
  std::istringstream stream{text};
  std::string row;
  for (int number = 1; std::getline(stream, row); ++number) {
    if (row.empty() || row == "\r")
      continue;
    const bool begins = row.front() != ' ' && row.front() != '\t';
    if (begins)
      records.push_back({number, {}});
    else if (records.empty())
      continue;
    auto& values = records.back().values;
    std::istringstream words{row};
    for (std::string word; words >> word;)
      if (const std::size_t equals = word.find('='); equals != std::string::npos)
        values.emplace_back(lower_case(word.substr(0, equals)), word.substr(equals + 1));
      else if (!values.empty())
        values.back().second += " " + word;
  }
  std::erase_if(records, [](const SlurmLine& record) { return record.values.empty(); });
  return records;
}

constexpr std::size_t most_copies = 100'000; // of a listed job

/// Parts of a list with commas; none of an empty one.
std::vector<std::string> list_of(const std::string& text)
{
  return text.empty() ? std::vector<std::string>{} : split_hostlist(text);
}

/// `scontrol show partition`, `node`, `reservation`, `job`, each or all in one file. Source: scontrol(1).
class Scontrol final : public Importer
{
public:
  bool recognises(const InputFile& file) const override
  {
    return (file.has("PartitionName=") && file.has("AllocNodes=")) ||
           (file.has("NodeName=") && file.has("CPUAlloc=")) ||
           (file.has("ReservationName=") && file.has("StartTime=")) || (file.has("JobId=") && file.has("JobState="));
  }
  int rank() const override { return 1; }
  std::string description() const override { return "Slurm's present state: scontrol show"; }

  void read(const InputFile& file, ImportContext& context) const override
  {
    std::map<std::string, std::size_t> index = slurm_index(context.draft);
    for (const SlurmLine& record : read_records(file.text())) {
      const ImportPlace place{file.name(), record.line};
      const std::string& key = record.values.front().first;
      if (key == "partitionname")
        read_slurm_partition(record, {}, place, context);
      else if (key == "nodename")
        read_node(record, place, context, index);
      else if (key == "reservationname")
        read_reservation(record, place, context);
      else if (key == "jobid")
        read_job(record, place, context);
      else
        context.report.ignored(record.values.front().first, "only partitions, nodes, reservations and jobs are read",
                               place);
    }
    if (context.draft.orchestrator.empty()) {
      context.draft.orchestrator = "slurm";
      context.draft.orchestrator_note = file.name();
    }
  }

  void finish(ImportContext& context) const override
  {
    Draft& draft = context.draft;
    if (draft.queue_jobs.empty())
      return;
    if (!draft.trace_file.empty()) {
      context.report.ignored(counted(draft.queue_jobs.size(), "job") + " of scontrol show job",
                             "the jobs are those of the accounting file");
      draft.queue_jobs.clear();
      return;
    }
    give_whole_machines(context);
    draft.first_submission = std::ranges::min(draft.queue_jobs, {}, &DraftQueueJob::submit_s).submit_s;
    std::set<std::string> names;
    for (DraftQueueJob& job : draft.queue_jobs) {
      job.submit_s -= draft.first_submission;
      names.insert(job.name);
    }
    for (DraftQueueJob& job : draft.queue_jobs) { // who has ended is waited for no longer
      std::string kept;
      std::istringstream words{job.after};
      for (std::string word; words >> word;)
        if (names.contains(word))
          kept += (kept.empty() ? "" : " ") + word;
      job.after = kept;
    }
    draft.ask("when do the jobs that wait on this Slurm cluster start?");
  }

private:
  static void read_node(const SlurmLine& record, const ImportPlace& place, ImportContext& context,
                        std::map<std::string, std::size_t>& index)
  {
    SlurmLine line{record.line, {record.values.front()}};
    for (const auto& [from, to] : {std::pair{"cputot", "cpus"}, std::pair{"realmemory", "realmemory"},
                                   std::pair{"gres", "gres"}, std::pair{"state", "state"}})
      if (const std::string value = slurm_value(record, from); !value.empty())
        line.values.emplace_back(to, value);
    // Equal machines become a group, so their lines are not told.
    read_slurm_nodes(line, {}, {place.file, 0}, context, index, true);
  }

  static void read_reservation(const SlurmLine& record, const ImportPlace& place, ImportContext& context)
  {
    BatchReservation reservation;
    reservation.name = record.values.front().second;
    const auto start = cell_time(record.value("starttime")), end = cell_time(record.value("endtime"));
    if (!start || !end || *end <= *start) {
      context.report.error(place, "reservation '{}' has no StartTime before an EndTime", reservation.name);
      return;
    }
    reservation.start = Seconds{*start};
    reservation.length = Seconds{*end - *start};
    if (const std::string nodes = slurm_value(record, "nodes"); !nodes.empty())
      reservation.nodes = slurm_hosts(nodes, place, context.report);
    reservation.users = list_of(slurm_value(record, "users"));
    reservation.accounts = list_of(slurm_value(record, "accounts"));
    const std::string flags = record.value("flags");
    for (const char* repeats : {"HOURLY", "DAILY", "WEEKLY", "WEEKDAY", "WEEKEND"})
      if (flags.find(repeats) != std::string::npos)
        context.report.ignored({"reservations that repeat ({})", repeats},
                               "only the one that the file gives; write the others below it", place);
    context.report.understood("reservation " + reservation.name, place);
    put_rule(context.draft.batch.rules.reservations, std::move(reservation));
  }

  static void read_job(const SlurmLine& record, const ImportPlace& place, ImportContext& context)
  {
    const std::string state = record.value("jobstate"), id = record.values.front().second;
    const auto submit = cell_time(record.value("submittime"));
    const auto limit = slurm_time(slurm_value(record, "timelimit"), 60), ran = slurm_time(record.value("runtime"));
    if (state != "PENDING" && state != "RUNNING") {
      context.report.ignored("jobs that have ended", "the jobs are those that wait and run", place);
      return;
    }
    if (!submit || !limit || *limit <= 0) {
      context.report.ignored("jobs without SubmitTime or TimeLimit", "when they end is not known", place);
      return;
    }
    DraftQueueJob job;
    job.name = id;
    job.submit_s = *submit;
    job.duration_s = *limit;
    if (state == "RUNNING" && ran) // it began so long ago, and may run until its limit
      if (const auto start = cell_time(record.value("starttime")))
        job.submit_s = *start;
    if (!read_resources(record, job, place, context))
      return;
    const std::string user = record.value("userid");
    job.user = user.substr(0, user.find('('));
    job.team = slurm_value(record, "account");
    job.queue = slurm_value(record, "partition");
    job.queue = job.queue.substr(0, job.queue.find(','));
    job.qos = slurm_value(record, "qos");
    job.reservation = slurm_value(record, "reservation");
    job.priority = 0;
    job.whole = record.value("oversubscribe") == "NO";                         // --exclusive; without it OK
    for (const std::string& word : list_of(slurm_value(record, "dependency"))) // "afterok:12(unfulfilled),…"
      if (const std::size_t colon = word.find(':'); colon != std::string::npos)
        job.after +=
            (job.after.empty() ? "" : " ") + word.substr(colon + 1, word.find_first_of("_(+", colon) - colon - 1);
    read_array(record, job);
    job.note = to_text(place);
    context.report.understood(state == "RUNNING" ? "jobs that run, from their start until their time limit"
                                                 : "jobs that wait, as long as their time limit",
                              place);
    context.draft.queue_jobs.push_back(std::move(job));
  }

  /// What the job holds or, while it waits, asks for; false where it cannot be read. Slurm before 21.08 prints TRES.
  static bool read_resources(const SlurmLine& record, DraftQueueJob& job, const ImportPlace& place,
                             ImportContext& context)
  {
    std::string text;
    for (const char* key : {"alloctres", "reqtres", "tres"})
      if (text.empty())
        text = slurm_value(record, key);
    SlurmTres tres = slurm_tres(text);
    const int nodes = std::max(1, static_cast<int>(std::clamp(number_of(record.value("numnodes"), 1), 1.0, 1e6)));
    if (text.empty()) {
      tres.cpu = std::clamp(number_of(record.value("numcpus"), 0), 0.0, 1e7);
      context.report.assumed("jobs without AllocTRES, ReqTRES and TRES hold no GPUs",
                             "scontrol does not say what they hold; NumCPUs counts", place);
    }
    if (!(tres.gpus >= 0 && tres.gpus <= 1e6 && tres.cpu >= 0 && tres.cpu <= 1e7)) {
      context.report.ignored("jobs whose resources cannot be read", {"they are '{}'", text}, place);
      return false;
    }
    tres.nodes = nodes;
    const SlurmGpus held = slurm_gpus(tres);
    job.gpus = held.gpus;
    job.gpu_milli = held.milli;
    if (held.slices > 0)
      context.report.assumed("jobs on MIG slices hold the part of a GPU that these are, or whole GPUs",
                             "slices count by their compute slices; what does not fit on one GPU takes whole ones",
                             place);
    if (tres.shards > 0 && tres.gpus == 0)
      context.report.assumed("jobs on shares of GPUs (gres/shard) hold no GPUs",
                             "scontrol does not say how many shares a GPU has", place);
    if (!tres.type.empty())
      job.gpu_type = context.gpu(tres.type, place);
    else if (!tres.cut_type.empty())
      job.gpu_type = context.gpu(tres.cut_type, place, mig_memory(tres.slices.front().first));
    job.tasks = job.gpus == 0 || job.gpus % nodes == 0 ? nodes : 0;
    const int parts = std::max(1, job.tasks);
    job.cpu_milli = static_cast<int>(std::min(tres.cpu / parts * 1000, 2e9));
    job.memory_mib = static_cast<int>(std::clamp(tres.memory_mib / parts, 0.0, 2e9));
    return true;
  }

  /// "ArrayTaskId=3-9%2": those that wait stand in one record.
  static void read_array(const SlurmLine& record, DraftQueueJob& job)
  {
    const std::string tasks = record.value("arraytaskid");
    if (tasks.empty())
      return;
    const std::string list = tasks.substr(0, tasks.find('%'));
    if (const auto names = expand_hostlist("t[" + list + "]"); names && names->size() > 1)
      job.copies = static_cast<int>(std::min<std::size_t>(names->size(), most_copies));
    else
      job.name += "_" + list;
    if (const double most = number_of(record.value("arraytaskthrottle"), 0); job.copies > 1 && most > 0)
      job.array_limit = static_cast<int>(std::min(most, 1e5));
  }
};

TY_REGISTER(Importer, Scontrol, "scontrol", "Slurm's present state: scontrol show partition, node, reservation, job");

} // namespace
} // namespace trainyard
