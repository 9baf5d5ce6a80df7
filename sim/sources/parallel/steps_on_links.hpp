// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/hardware/catalogue.hpp"
#include "models/scenario/scenario.hpp"
#include "sim/parallel/step.hpp"

#include <vector>

namespace trainyard {

/// A step of every job of a scenario with `training.parallel` jobs only, all of them at the same time on the links of
/// its cluster, at the fidelity of the run. A job alone takes one step: all are equal. Throws InputError where a job
/// finds no place, or no memory there.
std::vector<ParallelStep> steps_on_links(const Scenario& scenario, const Catalogue& catalogue);

} // namespace trainyard
