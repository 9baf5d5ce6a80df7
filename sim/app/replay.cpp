// SPDX-License-Identifier: Apache-2.0
#include "sim/study/replay.hpp"
#include "models/core/data_folder.hpp"
#include "models/core/diagnostics.hpp"
#include "models/core/quantity_text.hpp"
#include "models/core/text.hpp"
#include "models/import/importer.hpp"
#include "models/scenario/sections/workload.hpp"
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
  std::vector<ReplayModel> own;
  int without_wait = 0, without_time = 0, too_large = 0;
};

ImportedLog imported(const std::vector<fs::path>& files, const Arguments& arguments)
{
  const Catalogue catalogue = load_catalogue(data_folder());
  ImportOptions options;
  options.format = arguments.value("--format", "auto");
  options.nodes = static_cast<int>(arguments.whole_number("--nodes", 0, 1, 1'000'000));
  options.name = files.front().stem().stem().string();
  options.folder = fs::current_path();
  const ImportResult result = import_in_child(files, [&] { return import_files(files, options, catalogue); });
  if (result.yaml.empty() || result.report.faults.has_errors()) {
    print_diagnostics(result.report.faults.sorted(), arguments);
    throw InputError{"the files could not be read as a log; simrun list formats shows the formats"};
  }
  ImportedLog log;
  log.yaml = result.yaml;
  Diagnostics diagnostics;
  const Document document = parse_document(result.yaml, "the imported scenario", diagnostics);
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
    if (job.gpus < 1)
      continue;
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
      first = job.submit.value();
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
  if (log.queue.waits.empty())
    throw InputError{fmt::format("no job of {} says when it started, so there are no waits to compare with; "
                                 "simrun import makes a scenario that predicts them",
                                 point.workload->size())};
  return log;
}

/// The imported scenario with the policy that explains the log best, and what was found, as comments.
std::string explained(const ImportedLog& log, const Replay& replay)
{
  const ReplayModel& best = replay.chosen.front();
  std::string text = fmt::format("# Made by `simrun replay`. The log's first half fits best to {} on {:.0f} % of the "
                                 "machine: lower cluster.nodes.0.count by the rest, if you see why.\n",
                                 best.policy, 100 * best.usable);
  for (const LogFinding& finding : replay.findings)
    text += fmt::format("# {}: {}\n", finding.what, finding.evidence);
  text += log.yaml;
  const std::string assumed = "\n  policy: easy_backfill\n";
  if (const auto at = text.find(assumed); at != std::string::npos && best.settings == Settings{})
    text.replace(at, assumed.size(), fmt::format("\n  policy: {}\n", best.policy));
  return text;
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
  const ImportedLog log = imported(files, arguments);
  for (const auto& [jobs, why] : {std::pair{log.without_wait, "start is not known or lies before the submission"},
                                  std::pair{log.without_time, "run time is not known, zero, or ends before it starts"}})
    if (jobs > 0)
      print_note(fmt::format("left out: {} whose {}", counted(jobs, "job"), why), arguments);
  if (log.too_large > 0)
    print_note(fmt::format("{} held more than the machine's {} GPUs; the replay gives them the whole machine. --gpus N "
                           "sets another size",
                           counted(log.too_large, "job"), log.queue.gpus),
               arguments);
  options.own = log.own;
  Progress progress{arguments};
  options.progress = [&](std::size_t done, std::size_t total, const std::string& what) {
    progress.report(done, total, what);
  };
  const Replay result = replay_log(log.queue, options);
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
        write_file(into / "scenario.yaml", explained(log, result));
        plot_replay(result, name, (into / "weeks").string());
      },
      [](const fs::path&) { return "jobs.csv, weeks.csv, weeks.svg, standstills.csv, scenario.yaml"; });
  return done;
}

std::vector<Option> replay_options()
{
  std::vector<Option> list = {
      {"LOG", "", "LOG", "a log that says when jobs started, with files of its cluster (slurm.conf …)", "file", true,
       true},
      {"--predict", "", "TIME", "also the waits of so much time after the log, by class: 7 d"},
      {"--gpus", "", "N", "GPUs (processors) of the machine, if the log's head and record do not tell"},
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
      {"simrun replay sacct.psv slurm.conf --predict '7 d'", "and predict the waits of the next week"}},
     replay});

} // namespace
} // namespace trainyard::app
