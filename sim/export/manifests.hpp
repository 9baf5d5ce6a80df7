// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "sim/export/exporter.hpp"

#include <string>

namespace trainyard {

/// Names as Kubernetes and Docker allow them: lower case, digits and hyphens.
std::string manifest_name(const std::string& text);

/// Parameter servers of a job; 0: all-reduce.
int servers_of(const JobSpec& job);
/// Whether the job computes on GPUs.
bool on_gpus(const JobSpec& job);

} // namespace trainyard
