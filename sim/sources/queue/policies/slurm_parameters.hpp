// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/core/registry.hpp"

#include <vector>

namespace trainyard {

/// The settings of the queue policy `slurm`.
std::vector<Parameter> slurm_parameters();

} // namespace trainyard
