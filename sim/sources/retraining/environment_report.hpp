// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/results/column.hpp"
#include "sim/cluster/clock.hpp"
#include "sim/sources/retraining/environment.hpp"
#include "sim/sources/scenario_runner.hpp"

#include <array>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace trainyard {

/// Times of which some had not ended when the run did.
struct CensoredTimes {
  std::vector<double> ended_s;
  std::vector<double> open_s; // so far

  /// Quantile by Kaplan and Meier (1958): open times count as long as they lasted. Infinity: not reached by so many.
  double quantile(double share) const;
  /// Mean with open times at what they have lasted: a lower bound.
  double mean_at_least() const;
};

/// What is measured over one run, or over several of the same scenario with other seeds.
struct EnvironmentMetrics {
  int needs = 0;
  int completions = 0;            // models deployed
  int starved = 0;                // models that were needed at least twice and never deployed
  std::array<int, 9> ends{};      // by RequestEnd
  CensoredTimes need_to_deployed; // by need: until a model on data at least so new serves
  CensoredTimes need_to_trained;  // by need: until such a model is trained and saved
  double stale_share = 0;         // of time, mean over models
  double data_age_periods = 0;   // time mean of the age of the serving models\' data over stale_after, mean over models
  std::optional<double> quality; // of the serving models, mean over time, then over models that have a curve
  std::optional<double> lowest_quality; // of any of them, at any time
  double gpu_hours = 0;
  double wasted_gpu_hours = 0;
  double redone_gpu_hours = 0;
  double utilisation = 0;
  double makespan_s = 0;             // first need to the end of the last training
  std::array<double, 9> segment_s{}; // mean over deployed requests
  std::int64_t messages = 0;
  std::int64_t lost_messages = 0;
};

EnvironmentMetrics environment_metrics(std::span<const EnvironmentResult> runs);

/// From when to when a model serves with data older than it should: in order, without overlaps, within the run.
std::vector<std::pair<Instant, Instant>> stale_times(const EnvironmentResult& result, int model);

/// Mean of paired differences and half of its 95 % interval (Student's t); 0 and infinity for fewer than two pairs.
struct PairedDifference {
  double mean = 0;
  double half_width = 0;
};
PairedDifference paired_difference(std::span<const double> a, std::span<const double> b);

inline constexpr Sentence<std::string> at_point{"retraining.at_point", " at {point}"};

/// One planner and one policy for duplicates at one point of the scenario, once per seed.
struct EnvironmentRunSet {
  std::string point;
  std::string title; // its difference from the others: label, point, or both
  std::string label; // "replace", "genetic", "replace, fifo"
  std::string planner;
  std::string duplicates;
  std::vector<EnvironmentResult> runs;
  EnvironmentMetrics metrics;
  std::vector<double> trained_mean_s; // need to end of training, per seed
  double optimal_makespan_s = 0;      // the best possible for the planner's first queue of 2 to 8 trainings
};

/// A need that can never be met, or a model that was needed again and again and never deployed; else empty.
std::string unfinished(const EnvironmentRunSet& set);

/// The columns of metrics.csv, and the figures of a policy in summary.json.
const std::vector<ResultColumn<EnvironmentRunSet>>& retraining_columns();

/// The results of the runs, as text, tables and files.
RunReport environment_report(const Scenario& scenario, std::shared_ptr<const std::vector<EnvironmentRunSet>> sets,
                             bool several_points);

/// What the scenario says of the defaults of retraining (sim/sources/scenario_runner.hpp, assumed): which of them
/// change nothing.
std::vector<FilledDefault> retraining_seen(const Scenario& scenario);

/// A lane per model: segments of its requests, the time in which the deployed model was stale hatched.
Picture lanes_picture(const EnvironmentRunSet& set);
/// Mean time from need to deployed model by segment, a bar per run.
Picture segments_picture(const std::vector<EnvironmentRunSet>& sets);

/// `simrun explain` over the files of a results folder.
Telling explain_environment(const WrittenRun& folder, const std::string& what, const std::string& name);

/// The files of a results folder: requests.csv, metrics.csv, events.csv, events.log, decisions.csv, deployments.csv,
/// trainings.csv, load.csv, stale.csv and the plots.
void add_environment_files(RunReport& report, std::shared_ptr<const std::vector<EnvironmentRunSet>> sets);

} // namespace trainyard
