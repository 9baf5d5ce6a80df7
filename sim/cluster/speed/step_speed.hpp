// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/results/model_error.hpp"
#include "sim/cluster/speed/step_times.hpp"
#include "sim/parallel/step.hpp"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

namespace trainyard {

/// Speeds from the step simulation (StepTimes): the jobs of a connected component of the contention graph are stepped
/// together, at their places. Speed 1 is the same job alone, packed on the empty cluster, see `reference`.
class StepSpeed final : public SpeedModel
{
public:
  /// Jobs of each model of the workload train as the scenario's job of this name does, on the GPUs that they hold.
  /// Machine i of the workload's ClusterShape is node i of the scenario's cluster. In a component of more than @p
  /// most_together jobs, jobs are stepped in pairs: a step takes its time alone, and on top, at the worst of the links
  /// it shares, what each of the link's other users adds to it in a pair. (Exact where all exchange over one link all
  /// the time: among n users each gets 1/n.) Pairs are remembered by model, GPUs, machines and most GPUs on a machine
  /// of both, and the link's capacity.
  StepSpeed(const PreparedScenario& scenario, const Catalogue& catalogue, std::size_t most_together = 6);

  /// Links that can hold a flow of the job back; the share of each is the sum over the routes that cross it of what a
  /// route can carry.
  std::vector<LinkShare> links(const Workload& workload, const PlacedTraceJob& job) override;
  /// Throws std::runtime_error naming the job where it cannot train at its place (out of memory, no route…).
  std::vector<JobSpeed> speeds(const Workload& workload, std::span<const PlacedTraceJob> jobs) override;
  std::string link_name(int link) const override;

  /// Step time of the jobs together at these places, in s.
  std::vector<double> step_times(const Workload& workload, std::span<const PlacedTraceJob> jobs);
  /// Step time of the job alone, packed on the empty cluster, in s: what speed 1 means. On machines of the type that
  /// its run time was measured on, or, where the workload names none, on the first machines. Throws std::runtime_error
  /// where it cannot train there.
  double reference(const Workload& workload, const TraceJob& job);
  /// Step time of the job alone, packed on the empty machines with this type of GPU (Workload::gpu_types), in s; 0
  /// where it cannot train there.
  double step_time_on(const Workload& workload, const TraceJob& job, int gpu_type);
  /// Its step alone at the place of reference(); nothing for a job without a template, for one that is divided among
  /// GPUs, and where it cannot train there.
  std::optional<ShownStep> shown(const Workload& workload, const TraceJob& job);
  /// How far its step may be off there.
  ModelError error_of(const Workload& workload, const TraceJob& job);
  /// A divided job on so many GPUs, packed on the empty cluster. Throws as reference() does.
  ParallelJob divided_on(const Workload& workload, const TraceJob& job, int gpus);
  /// How many different situations were simulated.
  std::size_t situations() const { return times_.situations(); }

private:
  const PreparedJob* prepared(const Workload& workload, const TraceJob& job, int gpus);
  Placement placement(const PreparedJob& job, const Allocation& held) const;
  /// The job at its place; null where it does not train (no template, no GPUs, no machines).
  std::shared_ptr<const Situated> situated(const Workload& workload, const PlacedTraceJob& job);
  Placement packed_place(const Workload& workload, const PreparedJob& job, int gpu_type) const;
  std::unique_ptr<PlacedJob> packed(const Workload& workload, const TraceJob& job, const PreparedJob& prepared) const;
  double packed_step(const Workload& workload, const TraceJob& job, int gpu_type);
  double batch_ratio(const Workload& workload, const TraceJob& job, int gpus);
  /// What the second adds to a step of the first where they share this link, in s.
  double added_by(const Situated& job, const Situated& other, int link);

  const PreparedScenario& scenario_;
  const Catalogue& catalogue_;
  std::size_t most_together_;
  StepTimes times_;
  std::map<std::string, const PreparedJob*> templates_; // by model
  std::map<std::pair<std::string, int>, std::unique_ptr<PreparedJob>> jobs_;
  std::map<std::tuple<std::string, int, int>, double> packed_; // model, GPUs, type (-1: the first machines)
  std::unordered_map<std::string, std::shared_ptr<const Situated>> places_; // by model and allocation
  std::map<std::tuple<int, int, double>, double> pairs_; // kinds of both, capacity of the link they share
};

} // namespace trainyard
