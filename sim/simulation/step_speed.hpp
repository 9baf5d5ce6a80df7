#pragma once
#include "models/hardware/catalogue.hpp"
#include "sim/engine/executor.hpp"
#include "sim/scheduling/speed_model.hpp"
#include "sim/simulation/prepared.hpp"

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace trainyard {

/// Speeds from the step simulation: the jobs of a connected component of the contention graph are stepped together, at their places.
///
/// Speed 1 is the same job alone, packed on the first machines of the empty cluster. Answers are remembered by (model and size of each
/// job, shape of their placements): machines and racks are renumbered in the order in which the jobs touch them, so that the same
/// constellation elsewhere is the same situation. That holds for networks whose machines and racks are alike; choices of equal-cost paths
/// by address are taken from the first such situation met.
class StepSpeed final : public SpeedModel
{
public:
  /// @p templates: how jobs of each model of the workload train, by model name; `workers` is overridden by the GPUs held. Machine i of the
  /// workload's ClusterShape is node i of the scenario's cluster. @p executor: a registered one; `fluid` is made for this.
  /// A component of more than @p most_together jobs is stepped in parts, each job with the neighbours that share most links with it.
  StepSpeed(const PreparedScenario& scenario, const Catalogue& catalogue, std::map<std::string, JobSpec> templates,
            const std::string& executor = "fluid", std::size_t most_together = 6);
  ~StepSpeed() override;

  std::vector<int> links(const Workload& workload, const PlacedTraceJob& job) override;
  /// Throws std::runtime_error naming the job where it cannot train at its place (out of memory, no route…).
  std::vector<JobSpeed> speeds(const Workload& workload, std::span<const PlacedTraceJob> jobs) override;
  std::string link_name(int link) const override;

  /// Step time of the jobs together at these places, in s.
  std::vector<double> step_times(const Workload& workload, std::span<const PlacedTraceJob> jobs);
  /// How many different situations were simulated.
  std::size_t situations() const { return known_.size(); }

private:
  const PreparedJob* prepared(const Workload& workload, const TraceJob& job, int gpus);
  Placement placement(const PreparedJob& job, const Allocation& held) const;
  std::string key(const Workload& workload, std::span<const PlacedTraceJob> jobs) const;
  double reference(const Workload& workload, const PlacedTraceJob& job);
  std::vector<double> simulate(std::span<const PreparedJob* const> jobs, std::vector<Placement> placements) const;

  const PreparedScenario& scenario_;
  const Catalogue& catalogue_;
  std::map<std::string, JobSpec> templates_;
  std::unique_ptr<Executor> executor_;
  std::size_t most_together_;
  std::map<std::pair<std::string, int>, std::unique_ptr<PreparedJob>> jobs_;
  std::map<std::pair<std::string, int>, double> references_;
  std::map<std::string, std::vector<double>> known_;
};

} // namespace trainyard
