// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/cluster/cluster.hpp"
#include "models/cluster/layout.hpp"
#include "models/core/diagnostics.hpp"
#include "models/core/random.hpp"
#include "models/core/units.hpp"
#include "models/cost/memory.hpp"
#include "models/dnn/network.hpp"
#include "models/hardware/catalogue.hpp"
#include "models/hardware/hardware.hpp"
#include "models/job/job.hpp"
#include "models/scenario/scenario.hpp"
#include "sim/step/training/training_mode.hpp"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace trainyard {

/// A job of a scenario with everything that does not depend on where it runs.
struct PreparedJob {
  JobSpec spec;
  Dnn dnn;
  std::unique_ptr<TrainingMode> mode;
  Random random{1}; // of all that is drawn for it; from its place in the file, so that its name does not count
  std::shared_ptr<const std::map<std::string, Transport>> transports = {}; // of its own; null: those of the scenario
};

/// A placed job: what its training mode looks at. Placement and context live here and must not move.
struct PlacedJob {
  Placement placement;
  std::unique_ptr<TrainingContext> context;
  /// Computing without a pause, by no slower a worker than it is; of workers of several kinds the harmonic mean.
  Seconds single_gpu_step;
  Seconds single_gpu_update; // of that the update of all parameters, which others may do for the workers
  Bytes gpu_memory;          // that one worker needs
  Bytes gpu_reserved;        // that its process takes: TensorFlow nearly all of the GPU
};

/// A scenario ready to run: its machines, and its jobs (copies written out).
struct PreparedScenario {
  Scenario scenario;
  Cluster cluster;
  Random random{1};
  std::vector<PreparedJob> jobs;
  std::map<std::string, Transport> inside; // transports of a job whose containers are all on one machine
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

/// What one worker of the job needs of such a GPU.
MemoryFit memory_on(const PreparedJob& job, const Gpu& gpu);

/// What is free while a scenario's jobs are placed one after the other.
struct FreeSlots {
  std::vector<std::vector<bool>> gpu; // by node, by GPU: true = free
};

FreeSlots all_free(const Cluster& cluster);

/// Gives the tasks of a job their places: explicit node names where the job lists them, else GPUs node by node, those
/// of JobSpec::gpu_order first, and in the order of the cluster.
///
/// A CPU job (`gpus: 0` nodes only, or device cpu) gets hosts. Parameter servers go to nodes without GPU while there
/// are any
/// (`server_placement: dedicated`, the default where such nodes exist), one per host before a second one, else beside
/// the workers
/// (`colocated`) in worker order. Adds an error naming what is missing when the job does not fit; takes nothing from @p
/// slots then.
Placement place_packed(const Cluster& cluster, const JobSpec& job, FreeSlots& slots, Diagnostics& diagnostics);
/// Of a job whose workers and servers are placed: the node that it names, else beside the first server, or worker.
void place_client(const Cluster& cluster, const JobSpec& job, Placement& placement, Diagnostics& diagnostics);

void release(const Cluster& cluster, const Placement& placement, FreeSlots& slots);

/// prepare() for a run of training steps, where the cluster is even with only a sample of its machines.
///
/// One job whose workers all do the same, on the whole machines of one group, with collectives that go round all of
/// them: then a machine's step depends only on the switches between it and its neighbours. The sample holds the
/// machines on both sides of every kind of border between switches (NetworkLayout::tiers), and the collectives keep the
/// rounds and chunks of all ranks. Anything that makes one place unlike the others needs all machines: a straggler,
/// jitter, a second job, explicit nodes, shared input, trees of messages, or paths by hash that could meet on a link
/// where that would slow them down.
std::unique_ptr<PreparedScenario> prepare_run(const Scenario& scenario, const Catalogue& catalogue,
                                              Diagnostics& diagnostics);

/// How many machines each built one stands for, on average; 1 where all are built.
double stands_for(const PreparedScenario& prepared);

/// Memory of this program while it simulates the training steps of a scenario with all machines, at its peak.
///
/// Estimated from the numbers of GPUs, network cards and messages between workers and servers; the constants were
/// measured with 1,024 to 16,384 GPUs, and the estimate is within a third of what such runs take.
Bytes memory_needed(const Scenario& scenario);

/// What this process can still have: what the machine has free, the limit of its control group, `ulimit -v`.
Bytes memory_available();

/// What is wrong with a run that needs @p needed where there is @p available, and what would fit; nothing: it fits.
std::optional<std::string> does_not_fit(const Scenario& scenario, Bytes needed, Bytes available);

/// A warning where the network cards of a machine are faster than their PCIe slots: they send no faster than these, so
/// that a faster network changes nothing.
void warn_of_slow_slots(const Cluster& cluster, const Node& node, Diagnostics& diagnostics);
/// The same of all groups of machines that a job has tasks on; nothing where all of them are on one machine.
void warn_of_slow_slots(const Cluster& cluster, const Placement& placement, Diagnostics& diagnostics);

/// A warning where the measured step of a job is shorter than its products take at the peak of the GPU: of
/// convolutions a quarter of it, for F(4 x 4, 3 x 3) of Winograd needs so many multiplications (Lavin and Gray,
/// arXiv:1509.09308). In fp32 the peak of tf32 counts where the GPU has it, since cuDNN may use it.
void warn_of_fast_step(const JobSpec& job, const Dnn& dnn, const Gpu& gpu, const std::string& file,
                       Diagnostics& diagnostics);

} // namespace trainyard
