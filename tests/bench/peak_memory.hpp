// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <fstream>
#include <string>
#include <sys/resource.h>

namespace trainyard {

/// Peak resident memory so far of this process, or of the largest child (SimGrid runs there) where that needed more;
/// MiB.
inline double peak_memory_mib()
{
  rusage children{};
  getrusage(RUSAGE_CHILDREN, &children);
  const double child = static_cast<double>(children.ru_maxrss) / 1024;
  std::ifstream status{"/proc/self/status"};
  for (std::string word; status >> word;)
    if (word == "VmHWM:") {
      double kib = 0;
      status >> kib;
      return std::max(child, kib / 1024);
    }
  return child;
}

} // namespace trainyard
