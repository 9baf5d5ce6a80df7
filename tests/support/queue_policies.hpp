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

} // namespace trainyard::tests
