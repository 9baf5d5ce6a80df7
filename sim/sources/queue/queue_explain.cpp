// SPDX-License-Identifier: Apache-2.0
// Why a job waited, read back from jobs.csv, waits.csv and runs.csv of a results folder.
#include "models/core/closest.hpp"
#include "models/core/figure_text.hpp"
#include "models/core/text.hpp"
#include "models/job/traces/trace_importer.hpp"
#include "sim/cluster/clock.hpp"
#include "sim/sources/queue/queue_report.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fstream>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>

namespace trainyard {
namespace {

constexpr std::size_t most_lines = 20;

std::string file_text(const std::filesystem::path& path)
{
  std::ifstream in{path, std::ios::binary};
  if (!in)
    throw InputError{fmt::format("'{}' is missing: workloads of more than {} jobs have no rows for single jobs",
                                 path.string(), most_listed_jobs)};
  return {std::istreambuf_iterator<char>{in}, {}};
}

/// GPUs of the cluster; none where the summary does not say.
double gpus_in(const std::filesystem::path& folder)
{
  std::ifstream in{folder / "summary.json", std::ios::binary};
  const auto summary = nlohmann::ordered_json::parse(in, nullptr, false);
  return summary.is_object() ? summary.value("gpus", 0.0) : 0;
}

/// The job under one policy.
struct Found {
  std::string point, policy, gpus, head;
  Instant submit, start{-1}, end{-1};
};

struct Wait {
  Instant from, to, planned{-1};
  std::string reason, blocker;
  int free = 0;
};

/// Machines that were down for some time; of this job's point and policy.
struct Down {
  std::string failure, nodes;
  Instant from, to = end_of_time;
};

/// Of a column in seconds; @p missing where its cell is empty.
Instant time_in(const TraceTable& row, const char* column, Instant missing = {})
{
  const std::optional<double> time = row.number(column);
  return time ? Instant{Seconds{*time}} : missing;
}

/// A limit of a batch system.
bool is_limit(const std::string& reason)
{
  static const std::set<std::string> limits = [] {
    std::set<std::string> all;
    for (WaitReason limit = WaitReason::qos_group_jobs; is_batch_limit(limit);
         limit = static_cast<WaitReason>(static_cast<int>(limit) + 1))
      all.insert(to_text(limit));
    return all;
  }();
  return limits.contains(reason);
}

/// The GPUs were free; the policy did not start the job.
bool held_back(const std::string& reason)
{
  static const std::set<std::string> by_rule = {to_text(WaitReason::behind_head), to_text(WaitReason::reservation),
                                                to_text(WaitReason::lower_rank),  to_text(WaitReason::quota),
                                                to_text(WaitReason::locality),    to_text(WaitReason::next_decision)};
  return is_limit(reason) || by_rule.contains(reason);
}

bool too_few(const std::string& reason)
{
  return reason == to_text(WaitReason::gpus) || reason == to_text(WaitReason::fragmented) ||
         reason == to_text(WaitReason::gpu_type);
}

std::vector<Found> find_job(const TraceTable& table, const std::string& name,
                            std::map<std::string, std::string>& gpus_of, std::map<std::string, Instant>& submitted)
{
  std::vector<Found> found;
  std::vector<std::string> known;
  TraceTable jobs = table;
  TraceAudit audit;
  jobs.for_each(audit, [&](std::int64_t) {
    gpus_of.emplace(jobs.cell("job"), jobs.cell("gpus"));
    submitted.emplace(jobs.cell("job"), time_in(jobs, "submit_s"));
    if (jobs.cell("job") != name) {
      if (known.size() < 100'000)
        known.emplace_back(jobs.cell("job"));
      return;
    }
    Found one;
    one.point = jobs.cell("point");
    one.policy = jobs.cell("policy");
    one.gpus = jobs.cell("gpus");
    one.submit = time_in(jobs, "submit_s");
    one.start = time_in(jobs, "start_s", one.start);
    one.end = time_in(jobs, "end_s", one.end);
    one.head = fmt::format("job {} ({} GPUs{}{}) under {}{}: submitted at {}", name, one.gpus,
                           jobs.cell("user").empty() ? "" : fmt::format(", {}", jobs.cell("user")),
                           jobs.cell("team").empty() ? "" : fmt::format(", {}", jobs.cell("team")), one.policy,
                           one.point.empty() ? "" : " at " + one.point, clock_text(one.submit));
    if (one.start >= Instant{0})
      one.head += one.start > one.submit ? fmt::format(", started at {}, {} later", clock_text(one.start),
                                                       time_text(seconds(one.start - one.submit)))
                                         : ", started at once";
    else if (jobs.cell("state") != "withdrawn")
      one.head += fmt::format(", never started: {}", jobs.cell("reason"));
    if (jobs.cell("state") == "withdrawn")
      one.head += is_limit(std::string{jobs.cell("reason")})
                      ? fmt::format(", refused when it was submitted: {}", jobs.cell("reason"))
                      : ", taken back before it ended";
    if (one.end >= Instant{0})
      one.head += fmt::format(", finished at {}", clock_text(one.end));
    if (const auto stops = jobs.number("preemptions"); stops && *stops > 0)
      one.head += fmt::format(", stopped {:g} times", *stops);
    if (const auto deaths = jobs.number("out_of_memory"); deaths && *deaths > 0)
      one.head += fmt::format(", ran out of GPU memory {:g} times", *deaths);
    if (one.end < Instant{0} && one.start >= Instant{0} && !jobs.cell("reason").empty())
      one.head += fmt::format(", never finished: {}", jobs.cell("reason"));
    found.push_back(one);
  });
  if (found.empty())
    throw InputError{fmt::format("there is no job '{}' in this run{}", name, did_you_mean(name, known))};
  return found;
}

std::vector<Wait> waits_of(const TraceTable& table, const Found& job, const std::string& name)
{
  std::vector<Wait> list;
  TraceTable waits = table;
  TraceAudit audit;
  waits.for_each(audit, [&](std::int64_t) {
    if (waits.cell("job") != name || waits.cell("policy") != job.policy || waits.cell("point") != job.point)
      return;
    Wait one;
    one.from = time_in(waits, "from_s");
    one.to = time_in(waits, "to_s");
    one.planned = time_in(waits, "planned_start_s", one.planned);
    one.reason = waits.cell("reason");
    one.blocker = waits.cell("blocker");
    one.free = waits.whole("free_gpus").value_or(0);
    list.push_back(std::move(one));
  });
  return list;
}

/// The rows of a table of the folder; nothing where an older run did not write it.
void for_each_row(const std::filesystem::path& file, const std::vector<std::string>& columns, const Found& job,
                  const std::function<void(TraceTable&)>& visit)
{
  if (!std::filesystem::exists(file))
    return;
  const std::string text = file_text(file);
  TraceTable table{text, file, columns};
  TraceAudit audit;
  table.for_each(audit, [&](std::int64_t) {
    if (table.cell("policy") == job.policy && table.cell("point") == job.point)
      visit(table);
  });
}

std::vector<Down> machines_down(const std::filesystem::path& folder, const Found& job)
{
  std::vector<Down> list;
  for_each_row(folder / "failures.csv", {"policy", "failure", "from_s", "nodes"}, job, [&](TraceTable& row) {
    if (row.cell("nodes").empty())
      return;
    Down& down = list.emplace_back();
    down.failure = row.cell("failure");
    down.nodes = row.cell("nodes");
    down.from = time_in(row, "from_s");
    down.to = time_in(row, "to_s", down.to);
  });
  return list;
}

/// Who stopped the job: failures, and the jobs that it was stopped for.
std::string interruptions(const std::filesystem::path& folder, const Found& job, const std::string& name)
{
  std::vector<std::string> lines;
  for_each_row(folder / "events.csv", {"policy", "time_s", "event", "job"}, job, [&](TraceTable& row) {
    if (row.cell("job") != name)
      return;
    const std::string when = clock_text(time_in(row, "time_s"));
    if (row.cell("event") == "interrupted")
      lines.push_back(fmt::format("  at {} a failure stopped it: {}\n", when, row.cell("cause")));
    else if (row.cell("event") == "preempted")
      lines.push_back(row.cell("cause") == "policy"
                          ? fmt::format("  at {} the policy stopped it; nobody got its GPUs at once\n", when)
                          : fmt::format("  at {} it was stopped for {}\n", when, row.cell("cause")));
  });
  std::string text;
  for (std::size_t i = 0; i < std::min(lines.size(), most_lines); ++i)
    text += lines[i];
  if (lines.size() > most_lines)
    text += fmt::format("  … stopped {} more times, see events.csv\n", lines.size() - most_lines);
  return text;
}

/// "; down meanwhile: n-0 n-1 (rack 0, from 00:10:00 to 00:40:00)"
std::string down_text(const std::vector<Down>& all, const Wait& wait)
{
  constexpr int most = 3;
  std::string text;
  int told = 0, more = 0;
  for (const Down& down : all) {
    if (down.from >= wait.to || down.to <= wait.from)
      continue;
    if (++told > most) {
      ++more;
      continue;
    }
    text += fmt::format("{}{} ({}{} {}{})", text.empty() ? "; down meanwhile: " : ", ", down.nodes,
                        down.failure == down.nodes ? "" : down.failure + ", ", is_finite(down.to) ? "from" : "since",
                        clock_text(down.from), is_finite(down.to) ? " to " + clock_text(down.to) : "");
  }
  return more > 0 ? fmt::format("{} and {} more in failures.csv", text, more) : text;
}

std::string line_of(const Wait& wait, const Found& job, const std::map<std::string, std::string>& gpus_of,
                    const std::vector<Down>& down)
{
  std::string text = fmt::format("  from {} to {} ({}): {}", clock_text(wait.from), clock_text(wait.to),
                                 time_text(seconds(wait.to - wait.from)), wait.reason);
  if (wait.reason == to_text(WaitReason::cpu) || wait.reason == to_text(WaitReason::memory))
    text += down_text(down, wait);
  if (too_few(wait.reason))
    text += fmt::format(" ({} needed, {} free)", job.gpus, wait.free) + down_text(down, wait);
  if (!wait.blocker.empty()) {
    const auto gpus = gpus_of.find(wait.blocker);
    text += fmt::format(": job {}", wait.blocker);
    if (gpus != gpus_of.end())
      text += fmt::format(", which needs {} GPUs", gpus->second);
    if (!too_few(wait.reason))
      text += fmt::format(" ({} free)", wait.free);
  }
  if (wait.planned >= Instant{0})
    text += fmt::format("; planned to start at {}", clock_text(wait.planned));
  return text;
}

/// The main reason of its waiting, and when it could have started.
std::string verdict(const std::vector<Wait>& waits, const Found& job)
{
  std::map<std::pair<std::string, std::string>, Instant> waited;
  Instant all, could{-1};
  for (const Wait& wait : waits) {
    waited[{wait.reason, wait.blocker}] += wait.to - wait.from;
    all += wait.to - wait.from;
    if (could < Instant{0} && held_back(wait.reason) && (job.start < Instant{0} || wait.from < job.start))
      could = wait.from;
  }
  if (all <= Instant{0})
    return {};
  const auto worst = std::ranges::max_element(waited, {}, [](const auto& entry) { return entry.second; });
  std::string text = fmt::format("  mostly ({} of its waiting): {}{}\n", percent_text(worst->second / all),
                                 worst->first.first, worst->first.second.empty() ? "" : ", job " + worst->first.second);
  if (could >= Instant{0})
    text += fmt::format(
        "  it could have started at {}{}: enough GPUs were free then, but the policy did not start it\n",
        clock_text(could), job.start > could ? fmt::format(", {} earlier", time_text(seconds(job.start - could))) : "");
  else if (job.start >= Instant{0})
    text += "  it could not have started earlier: no earlier decision had enough free GPUs for it\n";
  return text;
}

/// Jobs submitted later that ran while it waited, and when it could have started without them. GPUs are counted,
/// wherever they are.
std::string passed_by(const TraceTable& table, const Found& job, const std::map<std::string, Instant>& submitted,
                      double total_gpus)
{
  struct Stay {
    Instant from, to;
    double gpus;
  };
  const Instant until = job.start >= Instant{0} ? job.start : end_of_time;
  const double wanted = cell_number(job.gpus).value_or(0);
  std::set<std::string> later;
  std::vector<Stay> earlier;
  TraceTable runs = table;
  TraceAudit audit;
  runs.for_each(audit, [&](std::int64_t) {
    if (runs.cell("policy") != job.policy || runs.cell("point") != job.point)
      return;
    const Instant from = time_in(runs, "from_s"), to = time_in(runs, "to_s");
    if (from >= until || to <= job.submit)
      return;
    const auto known = submitted.find(std::string{runs.cell("job")});
    if (known == submitted.end() || known->second <= job.submit)
      earlier.push_back({from, to, runs.number("gpus").value_or(0)});
    else
      later.insert(known->first);
  });
  if (later.empty())
    return {};
  std::vector<Instant> moments{job.submit};
  for (const Stay& stay : earlier)
    if (stay.to > job.submit && stay.to < until)
      moments.push_back(stay.to);
  std::ranges::sort(moments);
  std::string text = fmt::format("  {} submitted after it {} on GPUs while it waited",
                                 later.size() == 1 ? "1 job that was" : fmt::format("{} jobs that were", later.size()),
                                 later.size() == 1 ? "was" : "were");
  for (const Instant moment : moments) {
    double used = 0;
    for (const Stay& stay : earlier)
      used += stay.from <= moment && moment < stay.to ? stay.gpus : 0;
    if (total_gpus - used < wanted)
      continue;
    if (until - moment < 1_s)
      break;
    return text + fmt::format("; without {} {} GPUs would have been free at {}{}\n", later.size() == 1 ? "it" : "them",
                              job.gpus, clock_text(moment),
                              job.start >= Instant{0}
                                  ? fmt::format(", {} earlier", time_text(seconds(job.start - moment)))
                                  : "");
  }
  return text +
         fmt::format("; without {} it would not have started earlier either\n", later.size() == 1 ? "it" : "them");
}

/// The jobs that slowed it while it ran, and over which link.
std::string neighbours(const TraceTable& table, const Found& job, const std::string& name)
{
  std::map<std::pair<std::string, std::string>, Instant> lost; // work lost to it
  TraceTable runs = table;
  TraceAudit audit;
  runs.for_each(audit, [&](std::int64_t) {
    if (runs.cell("job") != name || runs.cell("policy") != job.policy || runs.cell("point") != job.point ||
        runs.cell("neighbour").empty())
      return;
    lost[{std::string{runs.cell("neighbour")}, std::string{runs.cell("link")}}] +=
        (time_in(runs, "to_s") - time_in(runs, "from_s")) *
        (1 - runs.number("speed").value_or(1) / std::max(1e-12, runs.number("alone").value_or(1)));
  });
  std::string text;
  for (const auto& [who, work] : lost)
    text += fmt::format("  it lost {2} because it shared {1} with job {0}\n", who.first, who.second,
                        time_text(seconds(work)));
  return text;
}

} // namespace

std::string explain_queue(const std::filesystem::path& folder, const std::string& what, const std::string& name)
{
  if (what.empty()) {
    const auto summary = nlohmann::ordered_json::parse(file_text(folder / "summary.json"), nullptr, false);
    return fmt::format("{}\n{}\n{}\n\nto see why a job waited: simrun explain job NAME {}\n",
                       heading(summary.value("scenario", ""), summary.value("description", "")),
                       summary.value("notes", ""), summary.value("advice", ""), folder.string());
  }
  if (what != "job")
    throw InputError{fmt::format("a queue has jobs, but no '{}'; write simrun explain job NAME FOLDER", what)};
  const std::string jobs_file = file_text(folder / "jobs.csv"), waits_file = file_text(folder / "waits.csv"),
                    runs_file = file_text(folder / "runs.csv");
  const TraceTable jobs{jobs_file, folder / "jobs.csv", {"policy", "job", "submit_s", "start_s"}};
  const TraceTable waits{waits_file, folder / "waits.csv", {"policy", "job", "from_s", "to_s", "reason"}};
  const TraceTable runs{runs_file, folder / "runs.csv", {"policy", "job", "from_s", "to_s", "speed"}};
  std::map<std::string, std::string> gpus_of;
  std::map<std::string, Instant> submitted;
  const double total_gpus = gpus_in(folder);
  std::string text;
  for (const Found& job : find_job(jobs, name, gpus_of, submitted)) {
    text += job.head + "\n" + interruptions(folder, job, name);
    const std::vector<Down> down = machines_down(folder, job);
    const std::vector<Wait> list = waits_of(waits, job, name);
    for (std::size_t i = 0; i < std::min(list.size(), most_lines); ++i)
      text += line_of(list[i], job, gpus_of, down) + "\n";
    if (list.size() > most_lines)
      text += fmt::format("  … {} more in waits.csv\n", list.size() - most_lines);
    text += verdict(list, job);
    if (total_gpus > 0 && !list.empty() && list.front().from < (job.start >= Instant{0} ? job.start : job.submit + 1_s))
      text += passed_by(runs, job, submitted, total_gpus);
    text += neighbours(runs, job, name) + "\n";
  }
  return text;
}

} // namespace trainyard
