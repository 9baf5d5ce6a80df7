// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/orchestration/fault.hpp"

#include <vector>

namespace trainyard {

/// `faults:` of a scenario: listed failures, and rules that draw them.
struct FaultsSection {
  std::vector<FaultSpec> list;
  std::vector<RandomFaultSpec> random;
};

} // namespace trainyard
