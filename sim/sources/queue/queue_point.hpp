// SPDX-License-Identifier: Apache-2.0
// The queue of one point of a scenario, from its parts to its report.
#pragma once
#include "sim/cluster/speed/shared_gpu_speed.hpp"
#include "sim/cluster/speed/step_speed.hpp"
#include "sim/sources/queue/queue_faults.hpp"
#include "sim/sources/queue/queue_report.hpp"
#include "sim/sources/queue/queue_setup.hpp"
#include "sim/sources/queue/scheduling.hpp"
#include "sim/step/prepared.hpp"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace trainyard {

/// `scheduling:` of a scenario with the defaults filled in: fifo, first_fit.
SchedulingSection scheduling_of(const Scenario& scenario);

/// What the sections `slurm` and `kueue` say and policies of @p scheduling do not read, a line each; empty: they read
/// all of it.
std::string unread_rules(const Scenario& scenario, const SchedulingSection& scheduling);

/// The queue of one point of the scenario, ready to be run under any policy.
struct QueuePoint {
  SchedulingSection scheduling;
  ClusterShape shape;
  std::shared_ptr<const Workload> workload;
  std::unique_ptr<const Catalogue> catalogue; // with the scenario's calibration
  std::unique_ptr<PreparedScenario> machines;
  std::unique_ptr<StepSpeed> step_speed;
  std::unique_ptr<SpeedModel> shared_speed;     // jobs on one GPU; above step_speed where there is one
  std::shared_ptr<const DividedSpeeds> divided; // null: no job is divided among GPUs
  std::vector<ModelError> step_errors;          // by job; empty: all run times are as given
  std::map<std::pair<int, int>, KnownCheckpoint> known_checkpoints; // SchedulingOptions has them
  QueueCosts costs;
  std::uint64_t seed = 1;
  std::optional<double> optimal_makespan;
  std::shared_ptr<const FaultSchedule> failures;
  std::optional<MeasuredJobs> measured;
  std::unordered_map<std::int64_t, Instant> recorded_waits; // by line of the trace
  Instant until{end_of_time};                               // a run of the queue alone is cut off then
  bool figures_only = false;                                // no rows of jobs, runs and waits
  std::vector<Diagnostic> doubts;                           // warnings about values of the scenario, by path

  SpeedModel* speed() const
  {
    if (shared_speed != nullptr)
      return shared_speed.get();
    return step_speed.get();
  }
};

/// Reads or generates the jobs (none where the scenario has no `workload`) and prepares machines, speeds and failures.
/// What a reader has to say goes to @p notes, once. Throws InputError.
QueuePoint prepare_queue(const CheckedPoint& point, const Catalogue& uncalibrated, std::string& notes);

SchedulingOptions options_of(const QueuePoint& point);

/// What a policy refuses, at the setting that it is about. @p run: the label of the run, for faults of no setting.
InputError refused(const SchedulingSection& scheduling, const NamedPart& policy, const std::string& run,
                   const std::invalid_argument& fault);

/// One queue policy with one placement on a prepared point.
class PolicyRun
{
public:
  /// @p point lives as long as this. @p own: decides instead of a registered policy; @p policy only names it.
  PolicyRun(const QueuePoint& point, const NamedPart& policy, const NamedPart& placement,
            std::unique_ptr<QueuePolicy> own = nullptr);

  /// The queue has the machines for itself.
  QueueRun alone();
  /// The same event by event (QueueAlone::step). Once it returns nothing, alone() has nothing left to do but figures.
  std::optional<Instant> step();
  /// The queue beside others on @p machines; call once, and then finish() with its outcome. @p growing: the point's
  /// workload, where others may send jobs; null: they may not.
  QueueSource& beside_others(NodePool& machines, Workload* growing = nullptr);
  /// Figures and series of an outcome.
  QueueRun finish(SchedulingResult result);
  /// "las", "las on pack": what tells this run from the others of the point.
  const std::string& label() const { return label_; }

private:
  const QueuePoint& point_;
  NamedPart named_;
  std::unique_ptr<QueuePolicy> policy_;
  std::unique_ptr<PlacementPolicy> placement_;
  std::unique_ptr<QueueFaults> failing_;
  SchedulingOptions how_;
  std::unique_ptr<QueueAlone> queue_;
  std::unique_ptr<QueueSource> source_;
  std::string label_;
};

/// What the runs say of the queue's defaults (sim/sources/scenario_runner.hpp, assumed): which of them changed nothing,
/// and whether the jobs have estimates and ask for CPU and memory. At least one run.
std::vector<FilledDefault> queue_seen(const Scenario& scenario, const std::vector<const QueueRun*>& runs);

/// The answer of a run: a table of the policies, the summary and all files.
RunReport queue_report(const std::vector<CheckedPoint>& points, const std::shared_ptr<std::vector<QueueRun>>& runs,
                       const std::string& notes);

} // namespace trainyard
