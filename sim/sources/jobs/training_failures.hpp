// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/hardware/catalogue.hpp"
#include "sim/results/results.hpp"
#include "sim/step/prepared.hpp"

#include <string>
#include <vector>

namespace trainyard {

/// Errors of `faults` and `checkpoints` of a scenario whose jobs are simulated step by step: one data-parallel job has
/// them.
void check_training_failures(const Scenario& scenario, const Catalogue& catalogue, const PreparedScenario& prepared,
                             Diagnostics& diagnostics);

/// What failures cost a job, in a paragraph; with several seeds, one of them.
inline constexpr Sentence<std::string, Message> told_of_job{"failures.of_job", "{job} {told}"};
inline constexpr Sentence<std::string, std::int64_t, Message> told_of_seed{"failures.of_seed",
                                                                           "{job}, seed {seed}, {told}"};
inline constexpr Sentence<Message, Messages> failure_costs{"failures.costs", "{head}\n{lines}"};

/// A job at its place, and how fast it steps without failures.
struct FailingTraining {
  const Scenario& scenario; // with all machines, where a sample of them is simulated
  const PreparedScenario& prepared;
  const Catalogue& catalogue;
  const PreparedJob& job;
  const PlacedJob& placed;
  const std::string& point;
  const std::string& fidelity; // that steps with fewer workers are simulated with
};

/// What failures and checkpoints do to a job that steps from @p begin on: fills row.failures, moves row.finish, and
/// adds events and a paragraph to @p results. Nothing where the scenario has neither.
///
/// With all-reduce and all other jobs whose workers wait for each other in one call, a failure of any of its machines
/// stops the job: it goes back to its last checkpoint, waits for a machine, and restarts. With parameter servers the
/// state is on the servers, as in TensorFlow: a lost server takes the job back to the checkpoint, and so does the chief
/// (worker 0), whose new process restores the checkpoint first (tensorflow/python/training/session_manager.py,
/// prepare_session). Without another worker an asynchronous job goes on with the others, at the speed that the step
/// simulation finds for them; SyncReplicasOptimizer goes on while enough gradients come (backup_workers); workers with
/// a barrier or a bound wait until it is back, and nothing is redone.
void add_failures(const FailingTraining& training, Seconds begin, JobRow& row, Results& results);

/// What the scenario does not say of them.
Messages assumed_of_failures(const Scenario& scenario);

} // namespace trainyard
