// Kubernetes' filter and score: machines that fit are scored by plug-ins, 0 to 100 each, times their weights.
//
// NodeResourcesFit (weight 1): LeastAllocated scores the free share after the pod, MostAllocated the used share, RequestedToCapacityRatio
// the used share by a line from 0 (empty) to 100 (full), which is MostAllocated for equal weights. CPU, memory and GPU count alike here, as
// `resources` of the plug-in can be set to. NodeResourcesBalancedAllocation (weight 1): 100 (1 - deviation of the used shares).
// ImageLocality (weight 1): 100 where the image is there. PodTopologySpread (weight 2) over machines: fewer tasks score higher.
// Source: kubernetes.io, "Scheduler Configuration" and kube-scheduler's default plug-in weights (1.26).
#include "sim/scheduling/placement_policy.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

namespace trainyard {
namespace {

class Kubernetes final : public PlacementPolicy
{
public:
  explicit Kubernetes(const Settings& settings)
      : strategy_{settings.text("strategy", "LeastAllocated")}, fit_{settings.number("fit_weight", 1)},
        balanced_{settings.number("balanced_weight", 1)}, image_{settings.number("image_weight", 1)}, topology_{settings.number(
                                                                                                          "topology_weight", 2)}
  {
  }

  static std::vector<Parameter> parameters()
  {
    const std::string source = "kube-scheduler 1.26, default plug-in weights";
    return {{"strategy",
             "name",
             "LeastAllocated",
             "scoring strategy of NodeResourcesFit",
             0,
             0,
             {"LeastAllocated", "MostAllocated", "RequestedToCapacityRatio"},
             source},
            {"fit_weight", "number", "1", "weight of NodeResourcesFit", 0, 100, {}, source},
            {"balanced_weight", "number", "1", "weight of NodeResourcesBalancedAllocation", 0, 100, {}, source},
            {"image_weight", "number", "1", "weight of ImageLocality", 0, 100, {}, source},
            {"topology_weight", "number", "2", "weight of PodTopologySpread", 0, 100, {}, source}};
  }

  std::optional<Allocation> place(NodePool& nodes, const ResourceRequest& request) override
  {
    int most_tasks = 1;
    for (int node = 0; node < nodes.size(); ++node)
      most_tasks = std::max(most_tasks, nodes.state(node).tasks);
    return place_by_score(nodes, request, Split::single_gpus, [&](const NodePool& pool, int node, const TaskRequest& task) {
      const NodeState& state = pool.state(node);
      const NodeShape& shape = pool.shape(node);
      std::vector<double> used;
      const auto add = [&](double free, double wanted, double capacity) {
        if (capacity > 0)
          used.push_back(std::clamp(1 - (free - wanted) / capacity, 0.0, 1.0));
      };
      add(static_cast<double>(state.free_cpu), static_cast<double>(task.cpu_milli), static_cast<double>(shape.cpu_milli));
      add(static_cast<double>(state.free_memory), static_cast<double>(task.memory_mib), static_cast<double>(shape.memory_mib));
      add(state.free_milli, task.milli(), shape.gpus * 1000.0);
      double mean = 0, squares = 0;
      for (const double share : used)
        mean += share / static_cast<double>(used.size());
      for (const double share : used)
        squares += (share - mean) * (share - mean) / static_cast<double>(used.size());
      const double fit = strategy_ == "LeastAllocated" ? 1 - mean : mean;
      // Plug-ins score in whole numbers from 0 to 100.
      double score = fit_ * std::floor(100 * fit) + balanced_ * std::floor(100 * (1 - std::sqrt(squares)));
      score += image_ * (shape.image_group != 0 ? 100 : 0);
      score += topology_ * std::floor(100.0 * (most_tasks - std::min(state.tasks, most_tasks)) / most_tasks);
      return NodeScore{score};
    });
  }

private:
  std::string strategy_;
  double fit_;
  double balanced_;
  double image_;
  double topology_;
};

TY_REGISTER(PlacementPolicy, Kubernetes, "kubernetes", "kube-scheduler: filter, then plug-in scores times their weights");

} // namespace
} // namespace trainyard
