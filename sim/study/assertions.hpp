// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "sim/study/measures.hpp"

#include <string>
#include <utility>
#include <vector>

namespace trainyard {

struct Scenario;

/// The result of an assertion ("utilisation > 0.75"): it must hold at every point of the run; the worst point is
/// reported.
struct AssertionResult {
  Goal goal;
  bool met = false;
  double value = 0;  // at the worst point
  double margin = 0; // of the limit; negative = missed by so much
  std::string point; // the worst; empty where there is one point
  std::string note;  // what the measure leaves out there; mostly empty
};

/// Throws InputError where a measure cannot come out of such a scenario (a queue's figure for training steps, a job
/// that does not exist), before anything is simulated.
void check_measurable(const std::vector<Goal>& goals, const Scenario& scenario);

/// @p outcomes: label and figures of every point. Throws InputError where a measure is not among the figures.
std::vector<AssertionResult> check_assertions(const std::vector<Goal>& goals,
                                              const std::vector<std::pair<std::string, PointOutcome>>& outcomes);

/// "assertion utilisation > 0.75: met, 81.2 % (margin 8.3 %)"
std::string assertion_text(const AssertionResult& result);

} // namespace trainyard
