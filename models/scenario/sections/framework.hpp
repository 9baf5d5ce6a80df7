// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

namespace trainyard {

/// `framework:` of a scenario. Its name, version and `cuda_graphs` also decide defaults of jobs (assumptions.hpp).
struct FrameworkSection {
  std::string name;
  std::string version;
  std::vector<std::string> built_with; // transports; empty: all
};

} // namespace trainyard
