// SPDX-License-Identifier: Apache-2.0
// Jobs of `scontrol show job`. Source: scontrol(1), "JOBS - SPECIFICATIONS FOR SHOW COMMAND"; sbatch(1), --constraint.
#include "models/import/slurm_jobs.hpp"

#include "models/core/pieces.hpp"
#include "models/core/slurm_time.hpp"
#include "models/core/text.hpp"
#include "models/import/hostlist.hpp"
#include "models/import/yaml_documents.hpp"
#include "models/job/traces/slurm_tres.hpp"
#include "models/job/traces/trace_importer.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <optional>
#include <set>
#include <tuple>

namespace trainyard {
namespace {

constexpr std::size_t most_copies = 100'000; // of a listed job

/// What the job holds or, while it waits, asks for; false where it cannot be read. Slurm before 21.08 prints TRES.
bool read_resources(const SlurmLine& record, DraftQueueJob& job, const ImportPlace& place, ImportContext& context)
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
                           "slices count by their compute slices; what does not fit on one takes whole ones", place);
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
void read_array(const SlurmLine& record, DraftQueueJob& job)
{
  const std::string tasks = record.value("arraytaskid");
  if (tasks.empty())
    return;
  const std::string list = tasks.substr(0, tasks.find('%'));
  if (const auto names = expand_hostlist("t[" + list + "]"); names && names->size() > 1)
    job.copies = static_cast<int>(std::min<std::size_t>(names->size(), most_copies));
  else
    job.name += "_" + list;
  const std::string of_list = tasks.size() > list.size() ? tasks.substr(list.size() + 1) : std::string{};
  if (const double most = number_of(record.value("arraytaskthrottle"), number_of(of_list, 0));
      job.copies > 1 && most > 0)
    job.array_limit = static_cast<int>(std::min(most, 1e5));
}

/// Why a job that waits never starts by itself; empty: it does.
std::string held_by(const SlurmLine& record)
{
  const std::string reason = record.value("reason");
  if (reason.starts_with("JobHeld") || reason == "DependencyNeverSatisfied")
    return reason;
  const bool later = reason == "Dependency" || reason == "BeginTime"; // its priority is not worked out yet
  return record.value("priority") == "0" && !later ? "Priority=0" : "";
}

/// What else a job may ask for.
void tell_rest(const SlurmLine& record, const ImportPlace& place, ImportReport& report)
{
  for (const auto& [key, why] :
       {std::pair{"Licenses", "licenses are not counted"},
        std::pair{"Contiguous", "machines of a job need not be neighbours"},
        std::pair{"ReqNodeList", "a job cannot ask for single machines beside others"},
        std::pair{"Deadline", "jobs are not removed before they start"},
        std::pair{"TimeMin", "jobs keep their time limit"}, std::pair{"BurstBuffer", "storage is not counted"}})
    if (const std::string value = slurm_value(record, lower_case(key)); !value.empty() && value != "0")
      report.ignored({"{} of jobs", key}, why, place);
  if (record.value("partition").find(',') != std::string::npos)
    report.assumed("jobs of several partitions wait in the first of them", "a job of a scenario has one queue", place);
}

/// Whether a machine with these features is what "a100&ib|h100" asks for; nothing where the text asks for more than
/// that, as counts and choices in brackets.
std::optional<bool> has_features(const std::set<std::string>& features, const std::string& wanted)
{
  if (wanted.find_first_of("[]()*!") != std::string::npos)
    return std::nullopt;
  std::string text = wanted;
  std::ranges::replace(text, ',', '&');
  return std::ranges::any_of(split(text, '|'), [&](const std::string& all) {
    return std::ranges::all_of(split(all, '&'), [&](const std::string& one) { return features.contains(one); });
  });
}

} // namespace

/// The newest time that a record names.
void SlurmJobs::note_now(const SlurmLine& record)
{
  for (const char* key : {"submittime", "lastschedeval"})
    now_ = std::max(now_, cell_time(slurm_value(record, key)).value_or(0));
  if (record.value("jobstate") == "RUNNING")
    if (const auto start = cell_time(record.value("starttime")), ran = slurm_time(record.value("runtime"));
        start && ran)
      now_ = std::max(now_, *start + *ran);
}

void SlurmJobs::read(const SlurmLine& record, const ImportPlace& place, ImportContext& context)
{
  const std::string state = record.value("jobstate");
  const bool runs = state == "RUNNING" || state == "CONFIGURING";
  note_now(record);
  if (!runs && state != "PENDING") {
    context.report.ignored({"jobs in state {}", state}, "the jobs are those that wait and run", place);
    return;
  }
  const auto submit = cell_time(record.value("submittime"));
  const auto limit = slurm_time(slurm_value(record, "timelimit"), 60);
  if (!submit || !limit || *limit <= 0) {
    context.report.ignored("jobs without SubmitTime or TimeLimit", "when they end is not known", place);
    return;
  }
  Job one{.place = place, .runs = runs};
  DraftQueueJob& job = one.job;
  job.name = record.values.front().second;
  job.submit_s = *submit;
  job.duration_s = *limit;
  if (!read_resources(record, job, place, context))
    return;
  const double begun = cell_time(slurm_value(record, "starttime")).value_or(*submit);
  one.end = cell_time(slurm_value(record, "endtime")).value_or(begun + *limit);
  one.eligible = cell_time(slurm_value(record, "eligibletime")).value_or(0);
  one.priority = number_of(record.value("priority"), 0);
  one.held = runs ? "" : held_by(record);
  one.hosts = runs ? slurm_value(record, "nodelist") : "";
  one.features = runs ? "" : slurm_value(record, "features");
  one.excluded = runs ? "" : slurm_value(record, "excnodelist");
  const std::string user = record.value("userid");
  job.user = user.substr(0, user.find('('));
  job.team = slurm_value(record, "account");
  job.queue = slurm_value(record, "partition");
  job.queue = job.queue.substr(0, job.queue.find(','));
  job.qos = slurm_value(record, "qos");
  job.reservation = slurm_value(record, "reservation");
  job.whole = record.value("oversubscribe") == "NO"; // --exclusive; without it OK
  const std::string dependency = slurm_value(record, "dependency");
  for (const std::string& word : dependency.empty() ? std::vector<std::string>{} : split_hostlist(dependency))
    if (const std::size_t colon = word.find(':'); colon != std::string::npos) // "afterok:12(unfulfilled),…"
      job.after +=
          (job.after.empty() ? "" : " ") + word.substr(colon + 1, word.find_first_of("_(+", colon) - colon - 1);
  read_array(record, job);
  job.note = to_text(place);
  if (!runs)
    tell_rest(record, place, context.report);
  jobs_.push_back(std::move(one));
}

/// Jobs that are held, and those that wait for them.
void SlurmJobs::leave_out_held(ImportReport& report)
{
  std::set<std::string> held;
  const auto waits_for = [&](const Job& one) {
    const std::vector<std::string> names = split(one.job.after, ' ');
    const auto found = std::ranges::find_if(names, [&](const std::string& name) { return held.contains(name); });
    return found == names.end() ? std::string{} : *found;
  };
  const auto leave = [&](Job& one) {
    const std::string before = waits_for(one);
    if (one.held.empty() && before.empty())
      return false;
    report.ignored("job " + one.job.name,
                   one.held.empty() ? fmt::format("never starts: it waits for job {}, which is held", before)
                                    : fmt::format("never starts: it is held ({})", one.held),
                   one.place);
    held.insert(one.job.name);
    return true;
  };
  while (std::erase_if(jobs_, leave) > 0) {
  }
}

/// Gives a job that runs its machines; false where none of them is there.
bool SlurmJobs::hold_hosts(Job& one, ImportContext& context)
{
  DraftQueueJob& job = one.job;
  job.runs = true;
  const std::vector<DraftMachines>& machines = context.draft.machines;
  if (one.hosts.empty() || machines.empty())
    return true;
  job.hosts = slurm_hosts(one.hosts, one.place, context.report);
  const auto all = static_cast<int>(job.hosts.size());
  std::erase_if(job.hosts, [&](const std::string& host) {
    return std::ranges::find(machines, host, &DraftMachines::name) == machines.end();
  });
  const auto there = static_cast<int>(job.hosts.size());
  if (there < all)
    context.report.ignored({"{} of job {}", there == 0 ? "all" : counted(all - there, "machine"), job.name},
                           {"it runs on {}, of which {} there: the others are in no file or take no jobs", one.hosts,
                            there == 0   ? "none is"
                            : there == 1 ? "1 is"
                                         : fmt::format("{} are", there)},
                           one.place);
  if (there == 0)
    gone_.push_back({job.name, one.end});
  if (there < all && all > 0) {
    job.gpus = job.gpus * there / all;
    job.tasks = job.tasks * there / all;
  }
  return there > 0;
}

/// Gives a job that waits the machines with its features that it does not exclude; false where there are none.
bool SlurmJobs::narrow(Job& one, ImportContext& context) const
{
  ImportReport& report = context.report;
  const Draft& draft = context.draft;
  if (one.features.empty() && one.excluded.empty())
    return true;
  if (draft.machines.empty()) {
    report.ignored("Features and ExcNodeList of jobs", "no machine is in the files; give scontrol show node too",
                   one.place);
    return true;
  }
  const std::vector<std::string> excluded =
      one.excluded.empty() ? std::vector<std::string>{} : slurm_hosts(one.excluded, one.place, report);
  const bool readable = has_features({}, one.features).has_value();
  if (!one.features.empty() && (draft.batch.features.empty() || !readable))
    report.ignored({"Features={} of jobs", one.features},
                   readable ? "no file says which features the machines have; give scontrol show node too"
                            : "counts and choices of features are not modelled: any machine will do",
                   one.place);
  const bool choose = !one.features.empty() && !draft.batch.features.empty() && readable;
  std::vector<std::string> open;
  for (const DraftMachines& machine : draft.machines) {
    const auto features = draft.batch.features.find(machine.name);
    const std::set<std::string> none;
    if (std::ranges::find(excluded, machine.name) == excluded.end() &&
        (!choose || *has_features(features == draft.batch.features.end() ? none : features->second, one.features)))
      open.push_back(machine.name);
  }
  if (open.empty()) {
    report.ignored("job " + one.job.name, "never starts: no machine has its Features, or it excludes those that have",
                   one.place);
    return false;
  }
  if (choose)
    report.understood(one.place, "machines with the features {}", one.features);
  if (!excluded.empty())
    report.understood(one.place, "machines but {}", one.excluded);
  if (open.size() < draft.machines.size())
    one.job.hosts = std::move(open);
  return true;
}

/// Time 0 is now. What runs is there first, whatever the policy makes of equal times.
void SlurmJobs::set_times(ImportContext& context)
{
  ImportReport& report = context.report;
  const bool any_runs = std::ranges::any_of(jobs_, &Job::runs);
  for (Job& one : jobs_) {
    DraftQueueJob& job = one.job;
    if (one.runs) {
      job.submit_s = 0;
      job.duration_s = std::max(1.0, one.end - now_);
      report.understood("jobs that run, for what is left of their time limit", one.place);
      continue;
    }
    job.submit_s = any_runs ? 1 : 0;
    report.understood("jobs that wait, as long as their time limit", one.place);
    if (one.eligible > now_) {
      job.submit_s = one.eligible - now_;
      report.understood("jobs that may not start before their EligibleTime come then", one.place);
    }
  }
  const auto date = static_cast<std::time_t>(now_);
  report.assumed({"time 0 is {:%FT%T}{}", fmt::gmtime(date),
                  any_runs ? ", when jobs run; a second later those that wait are submitted" : ""},
                 "it is the newest time of the jobs' records; those that wait stand by Priority, then SubmitTime, and "
                 "their age begins there");
}

/// Who has ended is waited for no longer; who runs elsewhere, until it ends.
void SlurmJobs::forget_ended()
{
  std::set<std::string> names;
  for (const Job& one : jobs_)
    names.insert(one.job.name);
  for (Job& one : jobs_) {
    std::string kept;
    for (const std::string& word : split(one.job.after, ' ')) {
      if (names.contains(word))
        kept += (kept.empty() ? "" : " ") + word;
      if (const auto gone = std::ranges::find(gone_, word, &Gone::name); gone != gone_.end())
        one.job.submit_s = std::max(one.job.submit_s, gone->end - now_);
    }
    one.job.after = kept;
  }
}

void SlurmJobs::finish(ImportContext& context)
{
  Draft& draft = context.draft;
  leave_out_held(context.report);
  std::erase_if(jobs_, [&](Job& one) { return !(one.runs ? hold_hosts(one, context) : narrow(one, context)); });
  std::ranges::stable_sort(jobs_, {}, [](const Job& one) {
    return one.runs ? std::tuple{0, 0.0, one.submitted()} : std::tuple{1, -one.priority, one.submitted()};
  });
  set_times(context);
  forget_ended();
  for (const Job& one : jobs_)
    draft.queue_jobs.push_back(one.job);
  draft.first_submission = now_;
  if (!jobs_.empty())
    draft.ask("when do the jobs that wait on this Slurm cluster start?");
}

} // namespace trainyard
