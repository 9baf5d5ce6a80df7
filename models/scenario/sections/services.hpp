// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/orchestration/service.hpp"

#include <vector>

namespace trainyard {

/// `services:` of a scenario: what the orchestrator keeps running, including training jobs.
struct ServicesSection {
  std::vector<ServiceSpec> services;
};

} // namespace trainyard
