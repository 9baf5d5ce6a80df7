// SPDX-License-Identifier: Apache-2.0
// A log that says when each job really started, as the judge: which queue explains its waits, and how far it is off.
#pragma once
#include "models/core/registry.hpp"
#include "models/hardware/catalogue.hpp"
#include "models/job/workload.hpp"
#include "models/results/telling.hpp"
#include "models/scenario/document.hpp"
#include "models/scenario/sections/scheduling.hpp"

#include <cstddef>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace trainyard {

/// What a log says. Times in s since its first submission.
struct RecordedQueue {
  Workload workload;         // jobs with a known wait, in order of submission
  std::vector<double> waits; // of each, s
  int gpus = 0;              // of the machine
  bool limits = true;        // whether users asked for times
  double origin = 0;         // s from the first submission of the scenario to that of these jobs

  double submit(std::size_t i) const { return workload.jobs[i].submit.value(); }
  double start(std::size_t i) const { return submit(i) + waits[i]; }
  double end(std::size_t i) const { return start(i) + workload.jobs[i].duration.value(); }
};

/// A finding in the log, with its evidence, and what a scenario says instead: entries of a key of `scheduling.site`.
struct LogFinding {
  std::string what, evidence;
  std::string key{};
  std::vector<std::string> entries{};
  std::optional<SiteRules::UserLimit> limit{}; // of `user_limits`
};

/// No job starts although each that waits would fit into what is free, which is more than half of the machine.
struct Standstill {
  double from = 0, until = 0;
  int gpus = 0; // what the smallest of them asks for
};

/// One way to predict: the policy on a share of the machine, from the state of the record at the beginning of each
/// week, and a share of last week's mean of the same class.
struct ReplayModel {
  std::string policy;
  Settings settings = {};
  double usable = 1;    // share of the machine that jobs get
  double last_week = 0; // share of that mean; the rest is the replay's wait
  double error = 0;     // of weeks, in the first half
  SiteRules site = {};  // limits of users that the first half shows; else nothing
};

/// Differences of a prediction from the record, over jobs after the first week.
struct ReplayError {
  int jobs = 0, weeks = 0;
  double real_mean = 0, mean = 0;
  double real_median = 0, median = 0, real_p90 = 0, p90 = 0, real_p95 = 0, p95 = 0;
  double week = 0; // sum over weeks of |difference of the sums| / sum; weeks of 30 jobs and more; NaN: nobody waited
  double cls = 0;  // the same over classes of size x limit
  double rank = 0; // Spearman's of jobs
  double bias() const { return real_mean > 0 ? mean / real_mean : std::numeric_limits<double>::quiet_NaN(); }
};

struct ReplayWeek {
  int number = 0, jobs = 0;
  bool second_half = false;
  double real = 0, predicted = 0, last_week = 0, replay = 0; // mean waits, s
  double low = 0, high = 0;                                  // 80 % interval of the mean; 0, 0: nothing known yet
  int most_busy = 0;                                         // GPUs
  std::string note;
};

/// A class of jobs by share of the machine and limit, a queue: its mean waits in the second half.
struct ReplayGroup {
  std::string by, name;
  int jobs = 0;
  double real = 0, predicted = 0, last_week = 0;
};

/// A change of the explained past: the same work under scenario.yaml and under the changed one, over the second half.
struct WhatIf {
  struct Figure {
    std::string name; // "mean", "p90", or a class of jobs (its mean)
    int jobs = 0;
    double real = 0, before = 0, after = 0; // s
    double low = 0, high = 0;               // 80 % interval of after - before; weeks resampled
  };
  std::string change;
  int weeks = 0, never = 0; // jobs that start under only one of both
  std::vector<Figure> figures;
  bool shown = false; // mean: the interval is on one side of 0, and the change larger than the replay's own error
};

/// A queue as it stands; s.
struct QueueNow {
  struct Job {
    std::string name, user;
    int gpus = 0;
    double limit = 0;            // 0: not known
    std::optional<double> ran{}; // of a running job
    double waited = 0;           // of a pending one
    int tasks = 1;               // of a pending job array; the start asked for is that of the first
    int at_once = 0;             // of them may run; 0: all
  };
  std::vector<Job> jobs;            // in the order of the file
  std::vector<std::string> assumed; // what the file does not say
};

/// When a pending job starts, from now; s.
struct StartForecast {
  std::string name;
  int gpus = 0;
  double limit = 0, low = 0, p50 = 0, high = 0; // 80 % interval; infinity: later than is simulated
  int tasks = 1;                                // of a job array
};

struct ReplayForecast {
  std::string name; // class
  int jobs = 0;     // expected
  double p50 = 0, p90 = 0, last_week_p50 = 0;
};

/// How often a bound holds that nine jobs of ten should start within, over jobs of the second half.
struct WaitBound {
  std::string name;
  int jobs = 0;
  double held = 0;             // share of the jobs
  double median = 0, mean = 0; // of the bounds, s
};

struct Replay {
  std::vector<LogFinding> findings;
  std::vector<Standstill> standstills;
  double room_share = 0, replay_room_share = 0;
  std::vector<ReplayModel> tried; // best of the first half first
  std::vector<ReplayModel> chosen,
      latest; // by the first half, by the last weeks; the mean of up to five is a prediction
  std::vector<double> predicted, fixed, last_week, replay; // by job, s; below 0: none. `fixed`: of `chosen`
  std::vector<double> bound, qbets;                        // by job, s; below 0: none
  std::vector<WaitBound> bounds;
  std::vector<std::pair<std::string, ReplayError>> second_half, first_half; // predictor and its baselines
  std::vector<ReplayWeek> weeks;
  std::vector<ReplayGroup> groups;
  double held = -1; // share of the second half's weeks whose mean lies in its interval; below 0: no intervals
  int judged = 0;   // those weeks
  std::vector<ReplayForecast> forecast;
  std::vector<double> scenario; // waits of the run of scenario.yaml by job, s; below 0: none
  std::vector<WhatIf> what_if;
  std::vector<StartForecast> starts; // the submitted job, then those that are pending
  std::vector<std::string> of_queue; // what was assumed for them
};

struct ReplayOptions {
  std::vector<ReplayModel> own; // the site's own rules, if its files say them
  double predict = 0;           // s after the last submission; 0: nothing
  std::function<void(std::size_t, std::size_t, const std::string&)> progress = {};
};

/// Each week of the second half is predicted by the models that the 13 weeks before it choose; those that the first
/// half chooses are told beside them. Throws InputError where no job has a wait, or the log is shorter than three
/// weeks.
Replay replay_log(const RecordedQueue& log, const ReplayOptions& options);

/// The imported scenario with the policy, the part of the machine and the findings that explain the first half best in
/// one run, findings that do not as comments. Fills `scenario` and its row of the tables.
std::string explained_scenario(const RecordedQueue& log, const std::string& imported, const Catalogue& catalogue,
                               Replay& replay);
/// Waits of the log's jobs under a scenario of the same log, by job, s; below 0: it does not start. Throws InputError.
std::vector<double> scenario_waits(const RecordedQueue& log, const Document& scenario, const Catalogue& catalogue);
/// @p after: waits under the changed scenario.
WhatIf what_if(const RecordedQueue& log, const Replay& replay, const std::string& change,
               const std::vector<double>& after);
/// squeue's table, or rows of sacct -P. Throws InputError for a text that is neither, with the line.
QueueNow read_queue_now(std::string_view text, const std::string& file);
/// Fills `starts`: 200 futures from the queue as it stands, with run times of the log's class drawn as shares of their
/// limits, and work like that of the last four weeks. Throws InputError where the queue does not fit to the log.
void add_starts(const RecordedQueue& log, const QueueNow& queue, const QueueNow::Job& submitted, Replay& replay);

std::string class_text(int cls);
int class_of(const RecordedQueue& log, std::size_t job);
int class_of(const RecordedQueue& log, int gpus, double limit);

Telling replay_told(const RecordedQueue& log, const Replay& replay, const std::string& name);
/// Errors of both halves by predictor, and what the log shows.
nlohmann::ordered_json replay_json(const Replay& replay);
std::string replay_jobs_csv(const RecordedQueue& log, const Replay& replay);
std::string replay_weeks_csv(const Replay& replay);
std::string standstills_csv(const Replay& replay);
std::string starts_csv(const Replay& replay);
/// Weekly means of record, prediction with its interval, and last week.
bool plot_replay(const Replay& replay, const std::string& name, const std::string& path);
/// Recorded and predicted wait of each job of the second half.
bool plot_replay_jobs(const RecordedQueue& log, const Replay& replay, const std::string& name, const std::string& path);

} // namespace trainyard
