// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/results/column.hpp"
#include "sim/cluster/clock.hpp"
#include "sim/sources/retraining/environment_metrics.hpp"
#include "sim/sources/run_files.hpp"

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace trainyard {

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
