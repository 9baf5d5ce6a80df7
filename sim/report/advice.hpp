// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "sim/results/results.hpp"

#include <string>

namespace trainyard {

/// Which variant wins for each model, from how many GPUs on, by how much, and the bottleneck of the second; one
/// sentence per model.
///
/// Compares rows that differ in the variant only (same model, job and workers). Empty where there is nothing to
/// compare. Variants that are not synchronous train with stale parameters, which is mentioned if one of them wins:
/// convergence is not modelled.
std::string advice(const Results& results);

} // namespace trainyard
