// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/cluster/cluster.hpp"
#include "models/cluster/rings.hpp"
#include "models/core/diagnostics.hpp"
#include "models/core/random.hpp"
#include "models/core/registry.hpp"
#include "models/cost/nccl_choice.hpp"
#include "models/dnn/network.hpp"
#include "models/hardware/hardware.hpp"
#include "models/job/job.hpp"
#include "sim/step/engine/step_program.hpp"

#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

namespace trainyard {

/// Compute times of one worker, layer by layer in forward order, at its own GPU, without jitter.
struct WorkerTimes {
  std::vector<Seconds> forward;
  std::vector<Seconds> backward;
  Seconds update;       // optimiser step on the worker (0 where the servers do it)
  double gpu_busy = 1;  // share of these times in which the GPU computes; in the rest it waits for the host
  double host_busy = 0; // share in which the host starts operators

  Seconds total() const
  {
    return std::accumulate(backward.begin(), backward.end(), std::accumulate(forward.begin(), forward.end(), update));
  }
};

/// Workers that always take the same time.
struct WorkerClass {
  int first = 0; // worker whose times stand for all
  int members = 0;
};

/// The input of a training mode.
struct TrainingContext {
  const Cluster& cluster;
  const JobSpec& job;
  const Placement& placement;
  const Dnn& dnn;
  std::vector<WorkerTimes> workers;                   // one per worker; stragglers are already in
  const std::map<std::string, Transport>& transports; // the catalogue, overridden by the scenario
  double bytes_per_gradient_element = 4;
  const Random& random;     // of this job
  bool newer_gpus = false;  // all know fp8 (2022 and later): so the communication library is not an old one either
  bool alone = true;        // no other job runs beside it: one of its workers may stand for all
  int all_workers = 0;      // that those of the placement, a sample, stand for; 0 = no more than them
  const Gpu* gpu = nullptr; // of the workers; null: they differ, or the catalogue lacks it
  /// What was found out about the place of these workers for an earlier program of the job.
  struct Found {
    SharedList<VertexId> ranks;
    std::shared_ptr<const Rings> rings; // null: not searched yet
    std::string transport;              // that the shapes are for
    std::optional<CollectiveShape> shape, shape_of_rings;
    std::vector<WorkerClass> classes; // empty: not known yet
  };
  std::shared_ptr<Found> found = std::make_shared<Found>();

  /// How many train together.
  int whole() const { return all_workers > 0 ? all_workers : static_cast<int>(placement.workers.size()); }
};

/// Steps that go on as they are.
struct EndlessSteps {
  StepProgram program; // of 2 x (back + 1) steps or more, in which all workers take part
  StepFactor factor;   // of a worker's computing in a step; null: 1
  int settling = 0;    // steps at the start that do not go as all later ones do
  int back = 1;        // no operation waits for one that is more steps older
  int lead = 0;        // steps that the fastest may have ended more than the slowest; 0: no bound
};

/// Turns a job into operations; never computes a network time itself.
class TrainingMode
{
public:
  virtual ~TrainingMode() = default;
  /// Adds an error for each setting that cannot work here (unsupported transport × device × operation, no servers…);
  /// messages name the way out.
  virtual void check(const TrainingContext& context, Diagnostics& diagnostics) const = 0;
  /// Operations of @p steps consecutive steps, beginning with step @p first_step (for the random streams).
  virtual StepProgram program(const TrainingContext& context, int first_step, int steps) const = 0;
  /// Turns a program of this context into the one with another @p first_step, if they differ only in random positions
  /// in the first step; false: it is unchanged, and must be built again.
  virtual bool begin_elsewhere(const TrainingContext& context, int first_step, StepProgram& program) const
  {
    static_cast<void>(context);
    static_cast<void>(first_step);
    static_cast<void>(program);
    return false;
  }
  /// Whether workers update parameters. Otherwise they hold these twice, to send and to receive, and nothing else.
  virtual bool trains() const { return true; }
  /// Workers without a barrier, from random places in their first step; nothing where there is a barrier, or where the
  /// mode does not know. @p context is kept by the caller.
  virtual std::optional<EndlessSteps> endless(const TrainingContext& context) const
  {
    static_cast<void>(context);
    return std::nullopt;
  }
  /// After so many steps the pattern repeats; 1: all steps are alike. A step whose number is a multiple of it ends a
  /// period.
  virtual int period(const TrainingContext& context) const
  {
    static_cast<void>(context);
    return 1;
  }
  /// Steps at the start, besides one to warm up, that do not go as all later ones do.
  virtual int settling_steps(const TrainingContext& context) const
  {
    static_cast<void>(context);
    return 0;
  }
};

} // namespace trainyard
