// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "sim/study/measures.hpp"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace trainyard {

struct Catalogue;
struct Scenario;

/// The result of an assertion ("utilisation > 0.75"): it must hold at every point of the run; the worst point is
/// reported.
struct AssertionResult {
  Goal goal;
  Verdict verdict;             // at the worst point; it meets or misses the goal, or cannot run
  std::optional<double> value; // there; none: it is absent
  std::string over = {};       // " over 1,984 jobs"
  std::string point = {};      // the worst; empty where there is one point
  std::string note = {};       // what the measure leaves out there, how sure it is; mostly empty

  bool met() const { return verdict.ruling == Ruling::meets; }
};

/// Throws InputError where a measure cannot come out of such a scenario (a queue's figure for training steps, a job or
/// team that does not exist), before anything is simulated. @p policies: its queue policies go by their names;
/// otherwise, alone, as "queue".
void check_measurable(const std::vector<Measure>& measures, const Scenario& scenario, const Catalogue& catalogue,
                      bool policies = true);

/// @p outcomes: label and figures of every point. Throws InputError where a measure is not among the figures.
std::vector<AssertionResult> check_assertions(const std::vector<Goal>& goals,
                                              const std::vector<std::pair<std::string, PointOutcome>>& outcomes);

/// "assertion utilisation > 0.75: met, 81.2 % (margin 8.3 %)"
std::string assertion_text(const AssertionResult& result);

} // namespace trainyard
