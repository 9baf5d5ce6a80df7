// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/core/message.hpp"
#include "models/core/statistics.hpp"
#include "models/results/model_error.hpp"
#include "models/results/telling.hpp"
#include "models/scenario/document.hpp"
#include "sim/study/measures.hpp"
#include "sim/study/point_evaluator.hpp"

#include <filesystem>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace trainyard {

/// One of the things that are compared: a scenario without replicas.
struct Candidate {
  std::string name;
  Document document;
  int servers = 0; // of parameter servers, where that many are compared with other ways to train
};

/// Stragglers, drawn again for every seed: each worker is one with this probability, and computes so many times as
/// long.
struct RandomStragglers {
  double probability = 0;
  double slow_down = 1;
};

struct CompareRequest {
  std::vector<std::string> measures; // as written; empty = those that the scenarios have and that differ
  int replicas = 10;                 // where the seed matters
  double confidence = 0.95;
  std::string baseline; // name of a candidate; empty = the first that did all of its work
  std::optional<RandomStragglers> stragglers;
  std::size_t most_points = 2000; // of all candidates
  int workers = 1;
};

/// A figure of one candidate, and its difference from the baseline with the same seeds.
struct ComparedValue {
  std::vector<double> values; // by seed
  MeanInterval value;
  MeanInterval difference; // of pairs, in the measure's unit
  double p_value = 1;      // Holm-corrected over the candidates
  bool significant = false;

  bool missing() const { return values.empty(); }
};

/// A group of values that are compared: one point of a sweep, one job.
struct ComparedGroup {
  std::string name;                               // empty where there is one
  std::vector<std::vector<ComparedValue>> values; // [candidate][measure]
  std::vector<Verdict> verdicts;                  // [candidate]; who cannot run is best in nothing
  std::vector<std::string> notes;                 // [candidate]: the bottleneck
  std::vector<ModelError> errors;                 // [candidate]: of its speed; units 0: it has none
  std::vector<std::string> systems;               // [candidate]: kind of GPU
  std::vector<double> steps;                      // [candidate]: time of its step, s; 0: it has none

  /// Whether a difference from the baseline means something: both did all of their work.
  bool differ_truly(std::size_t c, std::size_t baseline) const
  {
    return c != baseline && verdicts[c].answers() && verdicts[baseline].answers();
  }
  /// Of a and b, whose speeds differ by this ratio, from 1 on, whether the better one is. Nothing: one of them is
  /// exact.
  std::optional<double> surely(std::size_t a, std::size_t b, double ratio) const;
};

struct InputDifference {
  std::string candidate;
  std::vector<DocumentDifference> differences; // before: the baseline's
};

struct Comparison {
  std::vector<std::string> candidates;
  std::vector<int> servers; // [candidate]: Candidate::servers; empty: of parts of one scenario, or of folders
  std::size_t baseline = 0;
  std::vector<Measure> measures;
  std::vector<std::string> equal; // "cost 206.72 $/h": the same for all
  bool equal_money = false;       // some of these are
  std::vector<ComparedGroup> groups;
  std::vector<InputDifference> inputs;
  std::vector<std::string> precisions; // [candidate]: "amp", "fp32, amp" of several jobs; empty = not known
  Messages assumed;                    // by all candidates: what they do not say and matters
  std::set<std::size_t> fewer_rules;   // candidates that keep to fewer rules than others: none of them is advised
  std::string unlike;                  // rules of the scenario that not all candidates keep to, a line each
  bool random = false;
  int replicas = 1;
  double confidence = 0.95;
  bool one_seed = false;      // asked for; another gives other figures
  std::string seed_note;      // what would give the differences intervals
  std::string price_note;     // where prices come from that the scenarios do not give
  std::string unpriced;       // links of some candidates that the price list does not have; empty: of none, or of all
  std::string pairs = "seed"; // what the pairs are: "seed", "job", or empty where there is one run of each
};

/// Runs every candidate with the same seeds. One candidate alone is taken apart: the points of its sweep are compared,
/// or its policies, or its jobs. Throws InputError: nothing to compare, a measure that no candidate has, an unknown
/// baseline, more points than asked for.
Comparison
compare(const std::vector<Candidate>& candidates, const PointEvaluator& evaluator, const CompareRequest& request,
        const std::function<void(std::size_t done, std::size_t total, const std::string& what)>& progress = {});

/// Compares the results in the folders of runs, without simulating; waiting and completion times of a queue pairwise by
/// job. Throws InputError where a folder holds no run.
Comparison compare_folders(const std::vector<std::filesystem::path>& folders, const CompareRequest& request);

/// The candidates' inputs against the baseline's, without what a sweep varies.
std::vector<InputDifference> input_differences(const std::vector<Candidate>& candidates, std::size_t baseline);

/// How sure it is that the fastest candidate of each group is, by the errors of the model and by chance.
Messages decisions_told(const Comparison& comparison);

Telling compare_told(const Comparison& comparison);
std::string compare_json(const Comparison& comparison);
std::string compare_csv(const Comparison& comparison);
/// How far each candidate is from the baseline in each measure, with intervals. @p path without extension; false where
/// nothing differs.
bool plot_comparison(const Comparison& comparison, const std::filesystem::path& path);

} // namespace trainyard
