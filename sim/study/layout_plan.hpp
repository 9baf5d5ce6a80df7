// SPDX-License-Identifier: Apache-2.0
// Which GPUs, how many, and how divided: designs for the training of one transformer.
#pragma once
#include "sim/parallel/search.hpp"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace trainyard {

/// A figure of a design: "tokens_per_s", "step", "mfu", "memory", "gpus", "cost", "cost_per_token".
struct LayoutMeasure {
  std::string name;
  std::string unit; // as values are shown
  std::string meaning;
  bool more_is_better = false;
};
const std::vector<LayoutMeasure>& layout_measures();
/// Throws InputError with a suggestion and the list.
const LayoutMeasure& layout_measure(const std::string& name);

/// "tokens_per_s > 2M", "memory < 70 GiB", "cost <= 9000 $/h".
struct LayoutGoal {
  std::string text;
  std::string measure;
  bool upper = true; // must stay below the limit
  bool strict = true;
  double limit = 0; // in the measure's base unit: /s, s, share, B, GPUs, $/h, $

  bool met(double value) const;
};
/// Throws InputError: no comparison, an unknown measure, a limit that is no number with its unit.
LayoutGoal parse_layout_goal(const std::string& text);

/// GPUs of one type in one number, with the best layout on them.
struct LayoutDesign {
  std::string gpu;
  int gpus = 0;
  std::optional<double> dollars_per_hour; // nothing: the price is not known
  Bytes memory;                           // of a GPU
  LayoutSearch search;
  std::optional<FoundLayout> found; // the best that meets the goals, else the fastest; nothing: none fits
  bool met = false;
  bool on_front = false; // no other design has more tokens/s, less cost and less memory
  std::string verdict;   // why it is the answer, or why it loses
};

struct LayoutPlan {
  std::vector<LayoutDesign> designs; // by objective, those that meet the goals first
  std::optional<std::size_t> winner;
  std::optional<std::size_t> nearest; // the winner, else the design that misses the goals by the smallest share
  std::size_t examined = 0;
  int needed_gpus = 0; // where nothing fits: the smallest number that would hold the model; 0: none was found
};

/// Nothing: the figure needs a price that is not known.
std::optional<double> value_of(const LayoutDesign& design, const FoundLayout& found, const std::string& measure);
/// "2.1 M/s", "12.3 s", "45 %".
std::string layout_value_text(const std::string& measure, double value);

/// A design's job, made for its GPU type and number; and what an hour of its GPUs costs.
struct LayoutCandidate {
  ParallelJob job;
  int gpus = 0;
  std::optional<double> dollars_per_hour;
};

using DesignProgress = std::function<void(std::size_t done, std::size_t total, const std::string& what)>;

/// Searches the layouts of every candidate and puts the designs in order. @p objective: a measure, minimised, or with
/// @p maximise the other way. @p progress is told of the designs that are done and of what is looked at, also while
/// one is; it may throw to stop. Throws InputError where a goal or the objective needs prices that are not known.
LayoutPlan plan_layouts(const std::vector<LayoutCandidate>& candidates, const std::vector<LayoutGoal>& goals,
                        const std::string& objective, bool maximise, const LayoutLimits& limits,
                        const DesignProgress& progress = {});

} // namespace trainyard
