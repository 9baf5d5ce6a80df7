// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/core/statistics.hpp"
#include "models/results/telling.hpp"
#include "models/scenario/sweep_space.hpp"
#include "sim/study/measures.hpp"
#include "sim/study/point_evaluator.hpp"

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace trainyard {

/// The request for a plan: the best design by `objective` among those that meet all goals.
struct PlanRequest {
  std::vector<Goal> goals;
  Measure objective;
  bool maximise = false;
  int most_replicas = 20;
  double confidence = 0.95;
  double sure = 0.8;                  // probability with which a goal is to be met, by the errors of the model
  std::string screen = "closed_form"; // fidelity of the first look at every design
  std::string decide = "flow";        // fidelity that decides
  int workers = 1;
  bool front = true; // also the designs that trade the objective for a goal
};

struct GoalFinding {
  std::optional<double> screened;
  std::vector<double> replicas; // at the fidelity that decides, by number of the replica
  MeanInterval value;           // of the replicas; without any: the screened value
  Ruling ruling = Ruling::runs; // not decided
  std::optional<double> sure;   // probability that it is met, by the errors of the model
};

struct Design {
  std::size_t index = 0;
  std::vector<std::pair<std::string, std::string>> settings;
  Verdict verdict;     // runs: not decided
  bool pruned = false; // the first look shows that it cannot meet a goal
  std::optional<double> screened_objective;
  double objective = 0; // best that is known
  std::vector<GoalFinding> goals;
  PointOutcome outcome; // at the fidelity that decides, first replica; empty where it was only screened

  /// It is no answer, whatever its figures.
  bool out() const { return !verdict.answers(); }
  /// Its figures meet all goals, one of them less surely than is wanted.
  bool unsure() const;
  bool decided() const { return !out() && verdict.ruling != Ruling::runs; }
  /// "met", "cannot run", "pruned", "not decided"
  std::string ruling_text() const;
  /// The smallest margin of its goals; below 0 = missed.
  double margin(const std::vector<Goal>& wanted) const;
};

/// How a figure changes from one value of a knob to the next larger one, all else equal, over all pairs of designs.
struct MonotonicityRow {
  std::string knob;
  std::string measure;
  int up = 0;            // pairs in which the figure grows
  int down = 0;          // in which it falls
  int equal = 0;         // in which it stays
  std::string exception; // where it goes against the majority most

  bool monotone() const { return up == 0 || down == 0; }
};

/// The answer with one node more or less.
struct NodeChange {
  int change = 0;
  std::string label; // "nodes 11 -> 12"
  Verdict verdict;
  bool unsure = false; // as Design::unsure()
  double objective = 0;
  std::vector<MeanInterval> goals;
};

struct Plan {
  std::vector<Design> designs; // by number
  std::optional<std::size_t> winner, runner_up, nearest_miss, nearest_cheaper;
  std::vector<std::size_t> cheaper_undecided; // better by the objective, but the replicas do not decide
  std::vector<std::size_t> cheaper_unsure;    // better by the objective, but it meets goals less surely than is wanted
  std::vector<std::vector<std::size_t>>
      fronts; // of each goal: designs that no other beats in objective and goal, by objective
  std::vector<MonotonicityRow> monotonicity;
  std::vector<NodeChange> node_changes;
  std::optional<std::pair<double, double>>
      node_range;              // smallest number of nodes that meets the goals: holds `confidence` of the seeds
  bool random = false;         // the seed changes the goals' figures
  bool screen_decides = false; // the first look is as good as the decision
  int replicas = 1;            // most that a design needed
  std::size_t runs = 0;        // simulations in all
  std::string seed_note;       // what would give the answer an interval
  std::string price_note;      // where prices come from that the scenario does not give
  std::string unpriced;        // links of some designs that the price list does not have; empty: of none, or of all
  std::string assumed;         // what the answer's scenario does not say, and of a machine of --node; a line each
  double prune_tolerance =
      0; // a goal missed by more than this share of its limit at the first look is not looked at again
  std::size_t audited = 0; // pruned designs that were decided all the same, to check the pruning
  double worst_optimism =
      0; // how much worse than the decision a first look was, as a share; the pruning stands while below the tolerance
};

/// Finds the plan. @p progress is told what is being done, with numbers done and to do; it may throw to stop. Throws
/// InputError where a goal or the objective cannot be measured in this scenario.
Plan make_plan(const SweepSpace& space, const PointEvaluator& evaluator, const PlanRequest& request,
               const std::function<void(std::size_t done, std::size_t total, const std::string& what)>& progress = {});

/// "cost 412.00 $/h", by the measure's unit; an interval where there are several values.
std::string interval_text(const Measure& measure, const MeanInterval& value);
/// "nodes=37 policy=gavel"
std::string design_text(const Design& design);

/// The answer in words and tables.
Telling plan_told(const Plan& plan, const PlanRequest& request, const std::string& name);
/// One document, schema_version 1.
std::string plan_json(const Plan& plan, const PlanRequest& request, const std::string& name);
/// A row per design: settings, objective, goals as screened and as decided, verdict.
std::string plan_csv(const Plan& plan, const PlanRequest& request);
/// Objective against each goal: all designs, the front, the answer, the limit. @p path without extension.
void plot_plan(const Plan& plan, const PlanRequest& request, const std::string& name,
               const std::filesystem::path& path);

} // namespace trainyard
