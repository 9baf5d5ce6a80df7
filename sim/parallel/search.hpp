// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "sim/parallel/step.hpp"

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace trainyard {

/// A layout that a search has looked at, and its step by closed form.
struct FoundLayout {
  ParallelLayout layout;
  ParallelStep step;
  std::string why_slower; // than the best: the parts of the step that grow most; empty for the best
};

/// Values that a search may choose from; empty: all.
struct LayoutLimits {
  std::vector<int> tp, pp, vp, dp, cp, ep, zero, micro_batch;
  std::vector<Recomputation> recomputation;
};

using SearchProgress = std::function<void(std::size_t done, std::size_t total)>;

/// What a search over layouts found.
struct LayoutSearch {
  std::vector<FoundLayout> best;  // fit into memory, the fastest first
  std::vector<FoundLayout> front; // of those that fit: none is faster and needs less memory; the fastest first
  std::vector<double> steps;      // s, by formula, of all that fit
  std::optional<FoundLayout> fastest_too_large;
  std::size_t examined = 0;  // layouts whose step was computed
  std::size_t too_large = 0; // of them need more memory than a GPU has
  Bytes least_memory;        // that any of them needs
};

/// Looks at every layout of @p job's model on @p gpus GPUs: tp up to a machine, stages, virtual stages, context and
/// expert parallelism, micro-batches of powers of two, ZeRO 0, 1 and (one stage) 3, recomputation none and full
/// (selective with unfused attention) and, without ZeRO 3, of norms and activation functions alone. Global batch,
/// sequence, precision and kind of attention are those of @p job. Keeps @p most. @p limits: values that alone count.
///
/// Each step is computed once by the formula; the best are then run task by task and put in order again. @p progress is
/// told now and then how many steps of how many are computed; it may throw to stop.
LayoutSearch search_layouts(const ParallelJob& job, int gpus, std::size_t most = 10,
                            const SearchProgress& progress = {}, const LayoutLimits& limits = {});

/// The smallest number of machines on which some layout fits, in GPUs: each up to 32, then in steps of an eighth; 0:
/// none up to @p most_gpus. Some larger number may not fit. @p progress: of each of the searches.
int fewest_gpus(const ParallelJob& job, int most_gpus, const LayoutLimits& limits = {},
                const SearchProgress& progress = {});

/// The parts of @p step that are longer than those of @p best, the two largest: "pipeline bubble +3.1 %" of the best
/// step; "about as fast" where none is.
std::string why_slower(const ParallelStep& step, const ParallelStep& best);

} // namespace trainyard
