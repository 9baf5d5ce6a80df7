// SPDX-License-Identifier: Apache-2.0
#include "sim/study/replay.hpp"
#include "models/core/data_folder.hpp"
#include "models/core/diagnostics.hpp"
#include "models/core/quantity_text.hpp"
#include "models/core/text.hpp"
#include "models/import/importer.hpp"
#include "models/scenario/sections/workload.hpp"
#include "models/scenario/yaml_edit.hpp"
#include "sim/app/scenario_input.hpp"
#include "sim/app/study_input.hpp"
#include "sim/app/terminal.hpp"
#include "sim/report/document_head.hpp"
#include "sim/report/output_file.hpp"
#include "sim/run/simulate.hpp"
#include "sim/sources/queue/queue_point.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fmt/format.h>

namespace trainyard::app {
namespace {

namespace fs = std::filesystem;

/// The scenario that the importer makes of the files, and its queue.
struct ImportedLog {
  std::string yaml;
  RecordedQueue queue;
  Catalogue catalogue;
  std::vector<ReplayModel> own;
  int without_wait = 0, without_time = 0, without_gpus = 0, too_large = 0;
};

/// A clock that jumps far ahead makes weeks without jobs; one that is set back puts rows out of their order.
void check_clock(const ImportedLog& log, const Arguments& arguments)
{
  constexpr double day = 86400, longest_gap = 90 * day, hour = 3600;
  std::vector<std::pair<std::int64_t, double>> by_row;
  const std::vector<TraceJob>& jobs = log.queue.workload.jobs;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    const double gap = i == 0 ? 0 : (jobs[i].submit - jobs[i - 1].submit).value();
    if (gap > longest_gap)
      throw InputError{
          fmt::format("line {}: no job comes for {:.0f} days before this one; did a clock jump? --until '{:.0f} "
                      "d' replays the part before it, --from '{:.0f} d' that from it on",
                      jobs[i].row, gap / day, std::ceil((log.queue.origin + jobs[i - 1].submit.value()) / day),
                      std::floor((log.queue.origin + jobs[i].submit.value()) / day))};
    by_row.emplace_back(jobs[i].row, jobs[i].submit.value());
  }
  std::ranges::sort(by_row);
  int back = 0;
  std::size_t far = 0;
  for (std::size_t i = 1; i < by_row.size(); ++i)
    if (by_row[i - 1].second - by_row[i].second > hour) {
      ++back;
      far = far == 0 || by_row[i - 1].second - by_row[i].second > by_row[far - 1].second - by_row[far].second ? i : far;
    }
  if (back > 0 && static_cast<std::size_t>(back) < by_row.size() / 20) // a log in order of ends goes back all the time
    print_note(
        fmt::format("submissions go back by more than an hour in {}, most at line {}, by {:.1f} h: a clock that was "
                    "set back makes waits wrong there",
                    counted(back, "row"), by_row[far].first, (by_row[far - 1].second - by_row[far].second) / hour),
        arguments);
}

ImportedLog imported(const std::vector<fs::path>& files, const Arguments& arguments)
{
  ImportedLog log{.catalogue = load_catalogue(data_folder())};
  const Catalogue& catalogue = log.catalogue;
  ImportOptions options;
  options.format = arguments.value("--format", "auto");
  options.nodes = static_cast<int>(arguments.whole_number("--nodes", 0, 1, 1'000'000));
  options.name = files.front().stem().stem().string();
  options.folder = fs::current_path();
  const ImportResult result = import_in_child(files, [&] { return import_files(files, options, catalogue); });
  const auto never_started = std::ranges::find_if(result.report.assumed(), [](const ImportEntry& entry) {
    return entry.what.starts_with("job that never started");
  });
  if (result.yaml.empty() && never_started != result.report.assumed().end())
    throw InputError{fmt::format("no job of the log says when it started ({}), so there are no waits to compare with",
                                 never_started->what)};
  if (result.yaml.empty() || result.report.faults.has_errors()) {
    print_diagnostics(result.report.faults.sorted(), arguments);
    throw InputError{"the files could not be read as a log; simrun list formats shows the formats"};
  }
  print_diagnostics(result.report.faults.sorted(), arguments);
  for (const ImportEntry& entry : result.report.assumed())
    if (entry.why.starts_with("left out"))
      print_note(fmt::format("{}: {}", entry.what, entry.why), arguments);
  log.yaml = result.yaml;
  for (const char* option : {"--from", "--until"})
    if (const std::string time = arguments.value(option); !time.empty())
      log.yaml = applied(log.yaml, set_value_edit(log.yaml, fmt::format("workload.trace.{}", option + 2), time));
  Diagnostics diagnostics;
  const Document document = parse_document(log.yaml, "the imported scenario", diagnostics);
  const std::vector<CheckedPoint> points = check_points(document, catalogue, diagnostics);
  diagnostics.throw_if_errors();
  if (points.empty() || points.front().scenario.section<WorkloadSection>("workload") == nullptr)
    throw InputError{"the files name no jobs; give the log, too"};
  std::string notes;
  const QueuePoint point = prepare_queue(points.front(), catalogue, notes);
  log.queue.gpus = static_cast<int>(arguments.whole_number(
      "--gpus", static_cast<std::uint64_t>(std::max(1, point.shape.total_gpus())), 1, 100'000'000));
  log.queue.workload = *point.workload;
  std::vector<TraceJob> jobs;
  std::vector<std::string> names;
  double first = -1;
  bool limits = false;
  for (int i = 0; i < point.workload->size(); ++i) {
    TraceJob job = point.workload->job(JobId{i});
    const auto wait = point.recorded_waits.find(job.row);
    if (job.gpus < 1) {
      ++log.without_gpus;
      continue;
    }
    if (job.duration <= Instant{}) {
      ++log.without_time;
      continue;
    }
    if (wait == point.recorded_waits.end() || wait->second < Instant{}) {
      ++log.without_wait;
      continue;
    }
    log.too_large += job.gpus > log.queue.gpus ? 1 : 0;
    if (first < 0)
      first = log.queue.origin = job.submit.value();
    job.submit = Seconds{job.submit.value() - first};
    job.cpu_milli = job.memory_mib = job.tasks = job.demands = 0;
    job.gpu_type = -1;
    job.distinct_nodes = false;
    limits = limits || job.estimate != job.duration;
    names.push_back(point.workload->name(JobId{i}));
    log.queue.waits.push_back(wait->second.value());
    jobs.push_back(job);
  }
  log.queue.workload.jobs = std::move(jobs);
  log.queue.workload.job_names = std::move(names);
  log.queue.workload.dependencies.clear();
  log.queue.limits = limits;
  for (const NamedPart& policy : point.scheduling.policies)
    if (policy.name != "easy_backfill" && policy.name != "fifo")
      log.own.push_back({.policy = policy.name, .settings = policy.settings});
  if (point.workload->size() == 0)
    throw InputError{"--from and --until leave no job of the log"};
  if (log.queue.waits.empty() && log.without_gpus + log.without_time > 0)
    throw InputError{
        fmt::format("none of {} can be compared: {} without GPUs, {} without a run time, {} without a start",
                    counted(point.workload->size(), "job"), log.without_gpus, log.without_time, log.without_wait)};
  if (log.queue.waits.empty())
    throw InputError{fmt::format("no job of {} says when it started, so there are no waits to compare with; "
                                 "simrun import makes a scenario that predicts them",
                                 point.workload->size())};
  check_clock(log, arguments);
  return log;
}

/// "nodes=+2; policy=wfp": values of paths; a whole number with a sign is added to the one that the scenario has.
Document changed(const std::string& scenario, const std::string& change)
{
  Diagnostics faults;
  Document document = parse_document(scenario, "scenario.yaml", faults);
  faults.throw_if_errors();
  for (std::size_t from = 0; from <= change.size();) {
    const std::size_t end = std::min(change.find(';', from), change.size());
    const std::string_view one = trimmed(std::string_view{change}.substr(from, end - from));
    from = end + 1;
    const std::size_t equals = one.find('=');
    if (equals == std::string_view::npos || equals == 0)
      throw InputError{fmt::format("--what-if needs KEY=VALUE, not '{}'; for example 'nodes=+2', 'policy=wfp' or "
                                   "'scheduling.site.closed=[]'",
                                   one)};
    const std::string path = full_path(std::string{one.substr(0, equals)});
    std::string value{one.substr(equals + 1)};
    const DocumentNode* now = find_path(document.root, path);
    if (const std::optional<int> more = as_number<int>(value.starts_with('+') ? value.substr(1) : value);
        more && (value.starts_with('+') || value.starts_with('-'))) {
      const std::optional<int> old = now == nullptr ? std::nullopt : as_number<int>(now->text);
      if (!old || *old + *more < 0)
        throw InputError{fmt::format("--what-if {}: scenario.yaml says {} for {}, to which {} cannot be added", one,
                                     now == nullptr ? "nothing" : now->text, path, value)};
      value = std::to_string(*old + *more);
    }
    set_path(document, path, value);
  }
  return document;
}

/// "gpus=8, limit=4 h, user=ada"
QueueNow::Job submitted_job(const std::string& text)
{
  QueueNow::Job job{.name = "the submitted job"};
  for (std::size_t from = 0; from <= text.size();) {
    const std::size_t end = std::min(text.find(',', from), text.size());
    const std::string_view one = trimmed(std::string_view{text}.substr(from, end - from));
    from = end + 1;
    const std::size_t equals = one.find('=');
    const std::string key{one.substr(0, equals)};
    const std::string value{equals == std::string_view::npos ? "" : one.substr(equals + 1)};
    const QuantityText time = parse_quantity(value, QuantityKind::duration);
    if (const int gpus = as_number<int>(value).value_or(0); key == "gpus" && gpus > 0)
      job.gpus = gpus;
    else if (key == "limit" && time && time.value > 0)
      job.limit = time.value;
    else if (key == "user" && !value.empty())
      job.user = value;
    else
      throw InputError{
          fmt::format("--submit: '{}' is none of gpus=N, limit=TIME, user=NAME: 'gpus=8, limit=4 h'", one)};
  }
  if (job.gpus == 0)
    throw InputError{fmt::format("--submit: '{}' does not say how many GPUs: 'gpus=8, limit=4 h'", text)};
  return job;
}

int replay(const Arguments& arguments)
{
  std::vector<fs::path> files;
  for (const std::string& file : arguments.all("LOG"))
    files.emplace_back(file);
  const std::string name = as_folder(files.front().stem().stem().string());
  check_study_folder(arguments, "replays", name);
  ReplayOptions options;
  if (const std::string text = arguments.value("--predict"); !text.empty()) {
    const QuantityText time = parse_quantity(text, QuantityKind::duration);
    if (!time || time.value < 3600 || time.value > 28 * 86400)
      throw InputError{fmt::format("--predict: '{}' is not a time from 1 h to 28 d", text)};
    options.predict = time.value;
  }
  if (arguments.has("--pending") != arguments.has("--submit"))
    throw InputError{
        "--pending FILE gives the queue as it stands, and --submit 'gpus=8, limit=4 h' the job: give both"};
  QueueNow queue;
  QueueNow::Job submitted;
  if (const std::string file = arguments.value("--pending"); !file.empty()) {
    queue = read_queue_now(read_text_file(file, largest_document_bytes), file);
    submitted = submitted_job(arguments.value("--submit"));
  }
  const ImportedLog log = imported(files, arguments);
  for (const auto& [jobs, why] : {std::pair{log.without_wait, "start is not known or lies before the submission"},
                                  std::pair{log.without_time, "run time is not known, zero, or ends before it starts"}})
    if (jobs > 0)
      print_note(fmt::format("left out: {} whose {}", counted(jobs, "job"), why), arguments);
  if (log.without_gpus > 0)
    print_note(fmt::format("left out: {} without GPUs", counted(log.without_gpus, "job")), arguments);
  if (log.too_large > 0)
    print_note(fmt::format("{} held more than the machine's {} GPUs; the replay gives them the whole machine. --gpus N "
                           "sets another size",
                           counted(log.too_large, "job"), log.queue.gpus),
               arguments);
  options.own = log.own;
  Progress progress{arguments};
  options.progress = progress.reporter();
  Replay result = replay_log(log.queue, options);
  const std::string scenario = explained_scenario(log.queue, log.yaml, log.catalogue, result);
  for (const std::string& change : arguments.all("--what-if"))
    result.what_if.push_back(
        what_if(log.queue, result, change, scenario_waits(log.queue, changed(scenario, change), log.catalogue)));
  if (submitted.gpus > 0)
    add_starts(log.queue, queue, submitted, result);
  progress.clear();
  Telling told = replay_told(log.queue, result, name);
  nlohmann::ordered_json json = replay_json(result);
  json["told"] = told.json();
  tell_study(
      arguments, {"replays", name, "replay.txt", std::move(told), document_text(json)},
      [&](const fs::path& into) {
        write_file(into / "jobs.csv", replay_jobs_csv(log.queue, result));
        write_file(into / "weeks.csv", replay_weeks_csv(result));
        write_file(into / "standstills.csv", standstills_csv(result));
        write_file(into / "scenario.yaml", scenario);
        if (!result.starts.empty())
          write_file(into / "starts.csv", starts_csv(result));
        plot_replay(result, name, (into / "weeks").string());
        plot_replay_jobs(log.queue, result, name, (into / "waits").string());
      },
      [](const fs::path&) { return "jobs.csv, weeks.csv, weeks.svg, waits.svg, standstills.csv, scenario.yaml"; });
  return done;
}

std::vector<Option> replay_options()
{
  std::vector<Option> list = {
      {"LOG", "", "LOG", "a log that says when jobs started, with files of its cluster (slurm.conf …)", "file", true,
       true},
      {"--predict", "", "TIME", "also the waits of so much time after the log, by class: 7 d"},
      {"--what-if", "", "CHANGE",
       "also the difference that a change of the explained past makes: 'nodes=+2', 'policy=wfp; nodes=20'", "", false,
       true},
      {"--pending", "", "FILE", "the queue as it stands, for --submit: of squeue or sacct -P", "file"},
      {"--submit", "", "JOB", "also when this job would start in the queue of --pending: 'gpus=8, limit=4 h'"},
      {"--gpus", "", "N", "GPUs (processors) of the machine, if the log's head and record do not tell"},
      {"--from", "", "TIME", "only jobs submitted so long after the first or later: 30 d"},
      {"--until", "", "TIME", "only jobs submitted until then"},
      {"--nodes", "", "N", "number of machines, if the files list none"},
      {"--format", "", "NAME", "format of the files, if they are not recognised (simrun list formats)",
       "list formats"}};
  for (Option& option : study_output_options("comparison", "replays"))
    list.push_back(std::move(option));
  return list;
}

[[maybe_unused]] const bool replay_registered = register_command(
    {"replay",
     "how near predicted waits come to those of a real log",
     "Makes the machine from the log, finds standstills and limits, chooses on the log's first half the policy and the "
     "share of the\nmachine that explain its waits, and reports on the second half, beside FIFO and last week's means. "
     "Each week begins with the\njobs that ran and waited then.",
     replay_options(),
     {{"simrun replay KTH-SP2-1996-2.1-cln.swf.gz", "compare predicted waits with the recorded ones"},
      {"simrun replay sacct.psv slurm.conf --predict '7 d'", "and predict the waits of the next week"},
      {"simrun replay sacct.psv --what-if nodes=+2 --what-if policy=wfp", "and two changes, each by itself"},
      {"simrun replay sacct.psv --pending squeue.txt --submit 'gpus=8, limit=4 h'", "and when a new job would start"}},
     replay});

} // namespace
} // namespace trainyard::app
