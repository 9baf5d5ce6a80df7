// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "sim/results/results.hpp"

#include <string>
#include <vector>

namespace trainyard {

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
