// SPDX-License-Identifier: Apache-2.0
// lsb.acct of LSF and OpenLava: a record JOB_FINISH for each job that has ended, fields separated by blanks, texts in
// quotes with "" for a quote. Source: IBM Spectrum LSF, lsb.acct(5); OpenLava, lsb.acct(5).
#include "models/job/traces/trace_importer.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <set>

namespace trainyard {
namespace {

/// The fields of a record. Quotes are taken away.
std::vector<std::string> fields_of(std::string_view line)
{
  std::vector<std::string> fields;
  for (std::size_t at = line.find_first_not_of(' '); at < line.size(); at = line.find_first_not_of(' ', at)) {
    std::string& field = fields.emplace_back();
    if (line[at] != '"') {
      const std::size_t end = std::min(line.find(' ', at), line.size());
      field = line.substr(at, end - at);
      at = end;
      continue;
    }
    for (++at; at < line.size(); ++at) {
      if (line[at] != '"')
        field += line[at];
      else if (at + 1 < line.size() && line[at + 1] == '"')
        field += line[++at];
      else
        break;
    }
    ++at;
  }
  return fields;
}

/// GPUs of each host that a resource requirement reserves: "rusage[ngpus_physical=2.00]"; 0 where it names none.
double gpus_of_requirement(std::string_view text)
{
  for (const std::string_view key : {"ngpus_physical=", "ngpus_excl_p=", "ngpus_shared=", "ngpus=", "gpus=", "gpu="})
    if (const std::size_t at = text.find(key); at != std::string_view::npos && at > 0 &&
                                               std::string_view{"[,: "}.find(text[at - 1]) != std::string_view::npos) {
      const std::size_t from = at + key.size();
      const std::size_t end = std::min(text.find_first_not_of("0123456789.", from), text.size());
      return std::clamp(cell_number(text.substr(from, end - from)).value_or(0), 0.0, 1e6);
    }
  return 0;
}

/// What a record says, once its lists of hosts are counted.
struct FinishedJob {
  double ended = 0, submitted = 0, started = 0;
  double processors = 0;
  std::string id, user, queue, name, project;
  int hosts = 0;
  double gpus = 0; // of each host
  bool failed = false;
};

/// Nothing where fields are missing or are no numbers.
std::optional<FinishedJob> finished_job(const std::vector<std::string>& fields)
{
  constexpr std::size_t asked_hosts = 22, usage = 19; // where the first list begins; numbers of the usage
  if (fields.size() <= asked_hosts + 1)
    return std::nullopt;
  const auto number = [&](std::size_t at) {
    return at < fields.size() ? cell_number(fields[at]).value_or(std::nan("")) : std::nan("");
  };
  FinishedJob job{.ended = number(2), .submitted = number(7), .started = number(10), .processors = number(6)};
  job.id = fields[3];
  job.user = fields[11];
  job.queue = fields[12];
  const double asked = number(asked_hosts);
  if (!(asked >= 0 && asked < 1e6))
    return std::nullopt;
  std::size_t at = asked_hosts + 1 + static_cast<std::size_t>(asked);
  const double listed = number(at++);
  if (!(listed >= 0 && listed < 1e6 && at + static_cast<std::size_t>(listed) < fields.size()))
    return std::nullopt;
  std::set<std::string> hosts; // once for each slot, or "8*host"
  for (const std::size_t end = at + static_cast<std::size_t>(listed); at < end; ++at)
    hosts.insert(fields[at].substr(fields[at].find('*') + 1));
  job.hosts = static_cast<int>(hosts.size());
  job.failed = fields[at] != "64"; // jStatus: 64 done, 32 exited
  at += 2;
  if (at < fields.size())
    job.name = fields[at];
  const std::size_t project = at + 2 + usage + 1, index = project + 5;
  if (project < fields.size())
    job.project = fields[project];
  if (const double element = number(index); element > 0)
    job.id += fmt::format("[{:g}]", element);
  for (std::size_t i = fields.size(); i-- > index && job.gpus == 0 && i > 13;) // effective requirement, of LSF 10
    if (fields[i].find("rusage[") != std::string::npos)
      job.gpus = gpus_of_requirement(fields[i]);
  if (job.gpus == 0)
    job.gpus = gpus_of_requirement(fields[13]);
  const bool good = plausible_time(job.ended) && plausible_time(job.submitted) && plausible_time(job.started) &&
                    job.processors >= 0 && job.processors <= 1e6;
  return good ? std::optional{job} : std::nullopt;
}

class LsfAcct final : public TraceImporter
{
public:
  bool recognises(std::string_view head, const std::filesystem::path&) const override
  {
    return head.starts_with("\"JOB_FINISH\" ") || head.find("\n\"JOB_FINISH\" ") != std::string_view::npos;
  }

  void read(std::string_view text, const std::filesystem::path& file, const TraceOptions&,
            ImportedTrace& trace) const override
  {
    for_each_line(text, [&](std::string_view line, std::int64_t row) {
      if (line.find_first_not_of(" \t") == std::string_view::npos || line.starts_with('#'))
        return;
      count_row(trace.audit, file);
      if (!line.starts_with("\"JOB_FINISH\" "))
        return trace.audit.add("record of another kind than JOB_FINISH", "left out", row);
      const std::optional<FinishedJob> job = finished_job(fields_of(line));
      if (!job)
        trace.audit.add("record JOB_FINISH that cannot be read", "left out", row);
      else if (job->started == 0)
        trace.audit.add("job that never started", "left out: it has no run time", row);
      else if (job->ended < job->started || job->started < job->submitted)
        trace.audit.add("job that ends before it starts, or starts before its submission", "left out", row);
      else
        add(*job, row, trace);
    });
    if (std::ranges::none_of(trace.workload.jobs, [](const TraceJob& job) { return job.gpus > 0; }))
      trace.audit.add("no job names GPUs in its resource requirement", "all jobs are kept without GPUs", 1);
  }

private:
  static void add(const FinishedJob& record, std::int64_t row, ImportedTrace& trace)
  {
    Workload& workload = trace.workload;
    if (record.failed)
      trace.audit.add("job that ended as EXIT", "kept with its run time", row);
    trace.audit.add("job without a time limit", "its run time is used as the user's estimate", row);
    const int hosts = std::max(1, record.hosts);
    TraceJob job;
    job.submit = Seconds{record.submitted};
    job.duration = job.estimate = Seconds{record.ended - record.started};
    job.gpus = static_cast<int>(std::min(std::ceil(record.gpus) * hosts, 1e6));
    job.tasks = hosts;
    job.cpu_milli = static_cast<int>(std::min(record.processors / hosts * 1000, 2e9));
    job.user = workload.users.index_of(record.user);
    job.team = workload.teams.index_of(record.project);
    job.queue = workload.queues.index_of(record.queue);
    job.row = row;
    trace.waits.emplace_back(row, Seconds{record.started - record.submitted});
    workload.jobs.push_back(job);
    workload.job_names.push_back(record.id);
  }
};

TY_REGISTER(TraceImporter, LsfAcct, "lsf-acct",
            "accounting of LSF and OpenLava: lsb.acct, its records JOB_FINISH (GPUs by rusage[ngpus_physical=…])");

} // namespace
} // namespace trainyard
