// SPDX-License-Identifier: Apache-2.0
// A queue as it stands: squeue's table (on the screen, or with | between columns) or rows of sacct -P in state PENDING
// and RUNNING. Source: squeue(1), sacct(1).
#include "models/core/diagnostics.hpp"
#include "models/core/pieces.hpp"
#include "models/core/slurm_time.hpp"
#include "models/core/text.hpp"
#include "models/job/traces/slurm_tres.hpp"
#include "models/job/traces/trace_importer.hpp"
#include "sim/study/replay.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <fmt/format.h>
#include <initializer_list>
#include <map>
#include <set>

namespace trainyard {
namespace {

constexpr const char* squeue_command = "squeue -o '%i|%u|%T|%M|%l|%D|%C|%b|%V|%S'";

/// One row by the names of its columns, in small letters.
using NamedCells = std::map<std::string, std::string>;

/// Cells of a line: between |, or words; the last column has the rest ("(Nodes required are DOWN)").
std::vector<std::string> cells_of(std::string_view line, bool bars, std::size_t columns)
{
  std::vector<std::string> cells;
  if (!bars) {
    const std::vector<std::string_view> words = blank_separated(line);
    for (std::size_t i = 0; i < words.size(); ++i)
      if (columns == 0 || i < columns)
        cells.emplace_back(words[i]);
      else
        cells.back() += fmt::format(" {}", words[i]);
    return cells;
  }
  for (std::size_t begin = 0; begin <= line.size();) {
    const std::size_t end = std::min(line.find('|', begin), line.size());
    cells.emplace_back(trimmed(line.substr(begin, end - begin)));
    begin = end + 1;
  }
  return cells;
}

/// The first of the columns that says something.
std::string first_of(const NamedCells& cells, std::initializer_list<const char*> names)
{
  for (const char* name : names)
    if (const auto found = cells.find(name); found != cells.end() && !found->second.empty() && found->second != "N/A")
      return found->second;
  return {};
}

std::optional<double> whole(const std::string& text)
{
  return text.empty() ? std::nullopt : cell_number(text);
}

/// "gres/gpu:a100:4", "gres:gpu:4", "gres/gpu=8": the number behind the last : or = after "gpu"; -1: none.
int gpus_in(const std::string& text)
{
  const std::size_t gpu = text.find("gpu");
  if (gpu == std::string::npos)
    return -1;
  const std::size_t end = std::min(text.find_first_of(",(", gpu), text.size());
  const std::size_t at = text.find_last_of(":=", end - 1);
  if (at == std::string::npos || at < gpu)
    return 1; // "gpu" alone is one of them
  return static_cast<int>(whole(text.substr(at + 1, end - at - 1)).value_or(-1));
}

/// GPUs of the job; below 0: the row does not say.
int gpus_of(const NamedCells& cells)
{
  if (const std::string tres = first_of(cells, {"alloctres", "reqtres", "tres_alloc", "tres"}); !tres.empty())
    return gpus_in(tres);
  if (const std::string gres = first_of(cells, {"tres_per_node", "gres"}); !gres.empty()) {
    const int each = gpus_in(gres);
    return each < 0 ? each : each * static_cast<int>(whole(first_of(cells, {"nodes", "nnodes"})).value_or(1));
  }
  return -1;
}

/// Tasks of "7_[1-200%5]": 200, of which 5 may run at once. A list that squeue has cut ("7_[1-9,12,...]") gives what it
/// shows.
void set_tasks(QueueNow::Job& job, std::vector<std::string>& assumed)
{
  constexpr int most = 1000;
  const std::size_t open = job.name.find("_[");
  if (open == std::string::npos)
    return;
  std::string_view list = std::string_view{job.name}.substr(open + 2);
  list = list.substr(0, list.find(']'));
  if (const std::size_t at = list.find('%'); at != std::string_view::npos) {
    job.at_once = as_number<int>(list.substr(at + 1)).value_or(0);
    list = list.substr(0, at);
  }
  double tasks = 0;
  bool cut = false;
  for (std::size_t from = 0; from <= list.size();) {
    const std::size_t end = std::min(list.find(',', from), list.size());
    const std::string_view one = list.substr(from, end - from);
    from = end + 1;
    const std::size_t dash = one.find('-'), colon = one.find(':');
    const auto first = as_number<int>(one.substr(0, dash));
    const auto last = dash == std::string_view::npos ? first : as_number<int>(one.substr(dash + 1, colon - dash - 1));
    const auto step = colon == std::string_view::npos ? std::optional{1} : as_number<int>(one.substr(colon + 1));
    if (first && last && step && *step > 0 && *last >= *first)
      tasks += std::floor((*last - *first) / *step) + 1;
    else
      cut = true;
  }
  job.tasks = static_cast<int>(std::clamp(tasks, 1.0, 1.0 * most));
  assumed.push_back(fmt::format("{} is {}{}{}", job.name, counted(job.tasks, "task"),
                                job.at_once > 0 ? fmt::format(", {} at a time", job.at_once) : "",
                                cut            ? "; its list is cut, so there may be more (squeue --array lists all)"
                                : tasks > most ? fmt::format(": of {:.0f} the first {} count", tasks, most)
                                               : ""));
}

/// Whether a job waits for something else than the machine. Source: squeue(1), "JOB REASON CODES".
std::string held_for(const NamedCells& cells)
{
  std::string reason = first_of(cells, {"reason", "nodelist(reason)"});
  std::erase_if(reason, [](char c) { return c == '(' || c == ')'; });
  for (const char* held : {"JobHeld", "JobHoldMaxRequeue", "Dependency", "BeginTime", "BadConstraints",
                           "PartitionTimeLimit", "PartitionNodeLimit"})
    if (reason.starts_with(held))
      return reason;
  return {};
}

/// States of jobs that neither wait nor have ended, in squeue's short form and whole.
bool may_hold_gpus(const std::string& state)
{
  const std::set<std::string> states = {"CG", "COMPLETING", "S",         "SUSPENDED", "ST",       "STOPPED",
                                        "SO", "STAGE_OUT",  "SIGNALING", "SI",        "RESIZING", "RS"};
  return states.contains(state);
}

} // namespace

QueueNow read_queue_now(std::string_view text, const std::string& file)
{
  QueueNow queue;
  std::vector<std::string> head;
  bool bars = false, times_known = true;
  std::vector<std::pair<double, std::size_t>> submits; // since 1970, job
  double now = 0;
  std::vector<int> gpus, cpus;
  int rows = 0;
  std::map<std::string, int> left_out;
  const auto wrong = [&](std::int64_t number, const std::string& what) {
    return InputError{fmt::format("{}:{}: {}; {} writes what is needed", file, number, what, squeue_command)};
  };
  for_each_line(text, [&](std::string_view line, std::int64_t number) {
    if (trimmed(line).empty())
      return;
    if (head.empty()) {
      bars = line.find('|') != std::string_view::npos;
      head = cells_of(line, bars, 0);
      for (std::string& name : head)
        std::ranges::transform(name, name.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
      const auto has = [&](const char* name) { return std::ranges::find(head, name) != head.end(); };
      if (!has("jobid") || !(has("st") || has("state")))
        throw wrong(number, "the first line has no columns JOBID and STATE, so this is no queue of squeue or sacct -P");
      return;
    }
    const std::vector<std::string> row = cells_of(line, bars, head.size());
    if (row.size() != head.size())
      throw wrong(number, fmt::format("the row has {}, the head {}", counted(row.size(), "column"), head.size()));
    NamedCells cells;
    for (std::size_t i = 0; i < head.size(); ++i)
      cells.emplace(head[i], row[i]);
    const std::string state = first_of(cells, {"state", "st"}), id = first_of(cells, {"jobid"});
    const bool runs = state == "R" || state == "CF" || state.starts_with("RUNNING") || state == "CONFIGURING";
    ++rows;
    if (id.substr(0, id.find('[')).find('.') != std::string::npos) // a step
      return;
    if (!runs && state != "PD" && !state.starts_with("PENDING")) {
      if (may_hold_gpus(state))
        ++left_out[fmt::format("{}, which may hold GPUs that count as free", state)];
      return;
    }
    if (const std::string reason = held_for(cells); !runs && !reason.empty()) {
      ++left_out["pending with the reason " + reason];
      return;
    }
    QueueNow::Job job{.name = id, .user = first_of(cells, {"user"})};
    const auto limit = whole(first_of(cells, {"timelimitraw"}));
    job.limit = limit ? *limit * 60 : slurm_time(first_of(cells, {"time_limit", "timelimit"}), 60).value_or(0);
    if (runs) {
      auto ran = slurm_time(first_of(cells, {"time", "elapsed", "elapsedraw"}));
      if (const auto left = slurm_time(first_of(cells, {"time_left"})); !ran && left && job.limit > 0)
        ran = job.limit - *left;
      if (!ran)
        throw wrong(number, fmt::format("job {} runs, but no column TIME or Elapsed says for how long", id));
      job.ran = std::max(0.0, *ran);
      if (const auto start = cell_time(first_of(cells, {"start_time", "start"})))
        now = std::max(now, *start + *job.ran);
    } else if (const auto submit = cell_time(first_of(cells, {"submit_time", "submit"}))) {
      submits.emplace_back(*submit, queue.jobs.size());
    } else {
      times_known = false;
    }
    gpus.push_back(gpus_of(cells));
    cpus.push_back(static_cast<int>(whole(first_of(cells, {"cpus", "alloccpus", "reqcpus", "ncpus"})).value_or(-1)));
    queue.jobs.push_back(std::move(job));
  });
  if (head.empty())
    throw InputError{fmt::format("'{}' is empty; {} writes a queue", file, squeue_command)};
  for (const auto& [what, jobs] : left_out)
    queue.assumed.push_back(fmt::format("left out: {} {}", counted(jobs, "job"), what));
  if (queue.jobs.empty() && (rows == 0 || !left_out.empty())) {
    queue.assumed.push_back(fmt::format("nobody {}runs or waits in '{}'", left_out.empty() ? "" : "else ", file));
    return queue;
  }
  if (queue.jobs.empty())
    throw InputError{fmt::format("'{}' has no job that is PENDING or RUNNING", file)};
  const bool counts_gpus = std::ranges::any_of(gpus, [](int count) { return count > 0; });
  std::vector<int>& sizes = counts_gpus ? gpus : cpus;
  if (std::ranges::none_of(sizes, [](int count) { return count > 0; }))
    throw wrong(1, "no column says how many GPUs or CPUs the jobs ask for");
  for (const auto& [submit, job] : submits)
    queue.jobs[job].waited = now > 0 ? std::max(0.0, now - submit) : 0;
  int limitless = 0, without = 0;
  std::vector<QueueNow::Job> kept;
  for (std::size_t i = 0; i < queue.jobs.size(); ++i) {
    QueueNow::Job& job = queue.jobs[i];
    job.gpus = sizes[i];
    if (!job.ran)
      set_tasks(job, queue.assumed);
    without += job.gpus < 1 ? 1 : 0;
    limitless += job.gpus > 0 && job.limit <= 0 ? 1 : 0;
    if (job.gpus > 0)
      kept.push_back(std::move(job));
  }
  queue.jobs = std::move(kept);
  if (!counts_gpus)
    queue.assumed.emplace_back("no job names GPUs: processors (CPUS) count");
  if (without > 0)
    queue.assumed.push_back(
        fmt::format("left out: {} without {}", counted(without, "job"), counts_gpus ? "GPUs" : "CPUs"));
  if (limitless > 0)
    queue.assumed.push_back(fmt::format("{} without a time limit: the longest of the log", counted(limitless, "job")));
  if (!times_known || (now <= 0 && !submits.empty()))
    queue.assumed.emplace_back("how long jobs have waited is not known (columns SUBMIT_TIME, and START_TIME of running "
                               "jobs): they queue in the order of the file");
  return queue;
}

} // namespace trainyard
