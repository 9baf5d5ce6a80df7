// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/core/diagnostics.hpp"
#include "sim/results/results.hpp"

#include <string>
#include <vector>

namespace trainyard {

/// Which variant wins for each model, from how many GPUs on, by how much, and the bottleneck of the second; one
/// sentence per model.
///
/// Compares rows that differ in the variant only (same model, job and workers). Empty where there is nothing to
/// compare. Variants that are not synchronous train with stale parameters, which is mentioned if one of them wins:
/// convergence is not modelled.
Messages advice(const Results& results);

/// Adds what the check of the scenario warned of, and the advice.
void conclude(Results& results, const std::vector<Diagnostic>& of_check);

/// Line by line; what a line before says already is left out.
std::string answers_once(const std::vector<std::string>& answers);

/// The answer of a run in words: its own, or this advice; a line for each sentence.
std::string answer_text(const Results& results);

/// Where more GPUs stop being useful: the number of workers at which half of the GPUs' time is lost.
struct Knee {
  std::string model;
  std::string variant;
  double workers = 0;
};

/// One per curve (model and variant) whose efficiency falls below one half between two of its points, in the order of
/// the rows.
///
/// Where the exchange grows in proportion to the workers, T = t + c W, 1/efficiency is a straight line of W:
/// interpolated so, the knee of parameter servers is exactly W = t P B / (2 S). Curves whose first point is below one
/// half already have none.
std::vector<Knee> knees(const Results& results);

/// "knee (efficiency 50 %): ring none, ps at 11.2 GPUs"; empty without one.
std::string knee_text(const std::vector<Knee>& knees);

} // namespace trainyard
