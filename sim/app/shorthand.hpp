// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/scenario/short_forms.hpp"

#include <string>
#include <vector>

namespace trainyard::app {

/// Settings of a training mode by a short name: "ps:4", "ring", "hier-ring", "tree"…; "ps:1..16" are several. @p
/// update: sync, async or empty. Name and YAML each. Throws InputError with the list of what there is.
struct Architecture {
  std::string name;
  std::string yaml;
  int servers = 0;
};
std::vector<Architecture> architectures(const std::string& text, const std::string& update);

} // namespace trainyard::app
