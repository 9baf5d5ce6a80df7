// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

namespace trainyard {

/// `framework:` of a scenario: what the installed training framework was built with.
struct FrameworkSection {
  std::string name;
  std::string version;
  std::vector<std::string> built_with; // transports
};

} // namespace trainyard
