// SPDX-License-Identifier: Apache-2.0
// Which GPUs, how many, and how divided: designs for the training of one transformer.
#pragma once
#include "models/core/message.hpp"
#include "models/results/column.hpp"
#include "models/results/model_error.hpp"
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
  WithStep with_step = WithStep::no;
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
  std::size_t candidate = 0; // its place in the list
  std::string gpu;
  int gpus = 0;
  std::optional<double> dollars_per_hour; // nothing: the price is not known
  Bytes memory;                           // of a GPU
  LayoutSearch search;
  std::optional<FoundLayout> found; // the best that meets the goals, else the fastest; nothing: none fits
  bool met = false;                 // surely enough
  std::optional<double> sure;       // least probability of its goals on speed, of what it is expected to reach
  bool unsure = false;              // it is met as predicted, but not surely enough
  bool on_front = false;            // no other design has more tokens/s, less cost and less memory
  std::string verdict;              // why it is the answer, or why it loses
  std::string fault;                // where no layout divides the GPUs: every reason, with its way out
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

/// A design's job, made for its cluster and number of GPUs; the layouts that it may have; and what an hour of its
/// machines costs.
struct LayoutCandidate {
  ParallelJob job;
  int gpus = 0;
  std::optional<double> dollars_per_hour{};
  std::string cluster{};      // its name; empty: only the GPU was named
  std::size_t cluster_at = 0; // its place among those that were asked for
  std::string machines{};     // "machines of 8 H100-SXM5, network IB-NDR"
  int installed = 0;          // GPUs of the cluster
  std::string price_note{};   // where the price comes from
  LayoutLimits limits{};
  std::string combination{}; // "tp=2 pp=4": the one that --parallel lists; empty: any that the limits allow
};

/// "h100x8@4: 32 H100-SXM5: tp=2 pp=4"
std::string design_name(const LayoutCandidate& candidate);

/// What the chosen one of the layouts that a search looked at is expected to reach.
struct ExpectedLayout {
  double tokens_per_second = 0, low_80 = 0, high_80 = 0;
  std::size_t others = 0; // that may be as fast
};
ExpectedLayout expected_layout(const LayoutSearch& search, const ParallelJob& job, const FoundLayout& chosen);
Message expected_told(const LayoutSearch& search, const ParallelJob& job, const FoundLayout& chosen);
/// That the chosen layout takes so much of the GPU that it may not fit, and the fastest that takes less; empty where it
/// takes less itself.
Message fit_told(const LayoutSearch& search, const ParallelJob& job, const FoundLayout& chosen);

using DesignProgress = std::function<void(std::size_t done, std::size_t total, const std::string& what)>;

/// Searches the layouts of every candidate, keeps the best @p keep of each and puts the designs in order. @p objective:
/// a measure, minimised, or with @p maximise the other way. A goal on speed that is met less surely than @p sure is not
/// met. @p progress is told of the designs that are done and of
/// what is looked at, also while one is; it may throw to stop. Throws InputError where a goal or the objective needs
/// prices that are not known.
LayoutPlan plan_layouts(const std::vector<LayoutCandidate>& candidates, const std::vector<LayoutGoal>& goals,
                        const std::string& objective, bool maximise, std::size_t keep,
                        const DesignProgress& progress = {}, double sure = 0);

/// Why no layout that @p limits allow divides the GPUs, every fault with its way out, and the nearest that have none.
std::string why_no_layout(const ParallelJob& job, const LayoutLimits& limits, int gpus);

} // namespace trainyard
