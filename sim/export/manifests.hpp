// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "sim/export/exporter.hpp"

#include <set>
#include <string>
#include <vector>

namespace trainyard {

/// Names as Kubernetes and Docker allow them: lower case, digits and hyphens, no two of them the same.
class ManifestNames
{
public:
  /// For the name @p text; where it has to change, @p notes say so.
  std::string of(const std::string& text, std::vector<std::string>& notes);

private:
  std::set<std::string> taken_;
};

/// Parameter servers of a job; 0: all-reduce.
int servers_of(const JobSpec& job);
/// Whether the job computes on GPUs.
bool on_gpus(const JobSpec& job);

} // namespace trainyard
