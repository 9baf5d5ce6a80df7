// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/job/rendezvous.hpp"

#include <vector>

namespace trainyard {

/// `rendezvous:` of a scenario: how the tasks of its jobs find each other before the first step.
struct RendezvousSection {
  std::vector<RendezvousSpec> groups;

  /// The group that a job belongs to; null where the scenario does not say.
  const RendezvousSpec* of(const std::string& job) const
  {
    for (const RendezvousSpec& group : groups)
      for (const std::string& name : group.jobs)
        if (name == job)
          return &group;
    return nullptr;
  }
};

} // namespace trainyard
