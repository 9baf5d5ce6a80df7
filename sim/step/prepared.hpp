// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/cluster/cluster.hpp"
#include "models/cluster/layout.hpp"
#include "models/cluster/placement.hpp"
#include "models/core/diagnostics.hpp"
#include "models/core/random.hpp"
#include "models/dnn/network.hpp"
#include "models/hardware/catalogue.hpp"
#include "models/scenario/scenario.hpp"
#include "sim/step/training/training_mode.hpp"

#include <memory>
#include <vector>

namespace trainyard {

/// A job of a scenario with everything that does not depend on where it runs.
struct PreparedJob {
  JobSpec spec;
  Dnn dnn;
  std::unique_ptr<TrainingMode> mode;
  Random random{1}; // of all that is drawn for it; from its place in the file, so that its name does not count
};

/// A placed job: what its training mode looks at. Placement and context live here and must not move.
struct PlacedJob {
  Placement placement;
  std::unique_ptr<TrainingContext> context;
  /// Computing without a pause, by no slower a worker than it is; of workers of several kinds the harmonic mean.
  Seconds single_gpu_step;
  Seconds single_gpu_update; // of that the update of all parameters, which others may do for the workers
  Bytes gpu_memory;          // that one worker needs
};

/// A scenario ready to run: its machines, and its jobs (copies written out).
struct PreparedScenario {
  Scenario scenario;
  Cluster cluster;
  Random random{1};
  std::vector<PreparedJob> jobs;
};

/// How a job trains: its registered mode, or divided among GPUs. Throws std::invalid_argument.
std::unique_ptr<TrainingMode> training_mode_of(const JobSpec& job);

/// The same job with so many workers.
PreparedJob with_workers(const PreparedJob& job, int workers);

/// Builds machines and networks. Faults go to @p diagnostics; with errors the result is not to be run.
std::unique_ptr<PreparedScenario> prepare(const Scenario& scenario, const Catalogue& catalogue,
                                          Diagnostics& diagnostics);

/// Compute times and memory of a job at its place, then the check of its training mode. @p fits: the job is known to
/// fit into the GPUs' memory, which is not checked then.
std::unique_ptr<PlacedJob> place(const PreparedScenario& prepared, const PreparedJob& job, Placement placement,
                                 const Catalogue& catalogue, Diagnostics& diagnostics, bool fits = false);

} // namespace trainyard
