// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/cluster/cluster.hpp"
#include "models/hardware/catalogue.hpp"
#include "models/job/device_placement.hpp"
#include "models/scenario/scenario.hpp"
#include "sim/step/engine/step_program.hpp"

#include <vector>

namespace trainyard {

/// Calls of session.run as operations on lanes: one step of the program is one call.
///
/// The client asks the master; the master asks every task that has operations; operations run when their inputs are
/// there: a result of another task is requested by who needs it and sent once per device, one of another device of the
/// same task is copied; tasks report to the master, the master answers the client, which starts the next call. @p lanes
/// gives, by device of the section, its lane. Source: TensorFlow white paper (Abadi et al., arXiv:1603.04467), 3.3
/// "Distributed execution"; MasterService and WorkerService.
StepProgram graph_program(const Cluster& cluster, const Catalogue& catalogue, const Scenario& scenario,
                          const GraphSection& graph, int calls, std::vector<LaneId>& lanes);

} // namespace trainyard
