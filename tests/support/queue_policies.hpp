// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "sim/sources/queue/scheduling.hpp"

#include <string>
#include <vector>

namespace trainyard::tests {

/// The registered queue policies that decide by themselves: all but `batsim`, which asks another process.
inline std::vector<std::string> own_queue_policies()
{
  std::vector<std::string> names = Registry<QueuePolicy>::instance().names();
  std::erase(names, "batsim");
  return names;
}

/// A job whose estimate is right; seconds.
inline TraceJob job(double submit, double duration, int gpus, float priority = 0)
{
  return {.submit = Seconds{submit},
          .duration = Seconds{duration},
          .estimate = Seconds{duration},
          .gpus = gpus,
          .priority = priority};
}

} // namespace trainyard::tests
