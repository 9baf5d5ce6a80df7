// SPDX-License-Identifier: Apache-2.0
// Kubernetes' filter and score: machines that fit, have the labels that are required and no taint that is not tolerated
// are scored by plug-ins, 0 to 100 each, times their weights.
//
// NodeResourcesFit (weight 1): LeastAllocated scores the free share after the pod, MostAllocated the used share,
// RequestedToCapacityRatio the used share by a line through `shape`; each resource with its weight, whole numbers
// throughout, GPUs only for pods that ask for some. NodeResourcesBalancedAllocation (weight 1): 100 (1 - standard
// deviation of the used shares of CPU and memory, its own default resources), nothing for pods that ask for neither.
// ImageLocality (weight 1): 100 where the image is there. PodTopologySpread over machines, fewer tasks score higher:
// its default constraints hold only for pods that a Service, ReplicaSet, ReplicationController or StatefulSet selects,
// so pods of jobs have none (weight 0; 2 where such a thing selects them). NodeAffinity (weight 2): weights of the
// preferred labels that the machine has. TaintToleration (weight 3): fewer soft taints (PreferNoSchedule) that are not
// tolerated. The last two are normalised: the best machine that fits gets 100. Ties go to the lowest machine (the real
// one draws among equals). Source: kubernetes.io, "Scheduler Configuration" and kube-scheduler's default plug-in
// weights (1.26); pkg/scheduler/framework/plugins/podtopologyspread/plugin.go and
// noderesources/balanced_allocation.go; defaults.go for the resources.
#include "sim/cluster/placement_policy.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace trainyard {
namespace {

/// "0:0 50:10 100:100": (used share in %, score), used shares ascending.
std::vector<std::pair<double, double>> read_shape(const std::string& text)
{
  std::vector<std::pair<double, double>> points;
  std::istringstream words{text};
  for (std::string word; words >> word;) {
    std::istringstream parts{word};
    double used = 0, score = 0;
    char colon = 0;
    if (!(parts >> used >> colon >> score) || colon != ':' || !parts.eof() || used < 0 || used > 100 || score < 0 ||
        score > 100 || (!points.empty() && used <= points.back().first))
      throw std::invalid_argument{
          "kubernetes: shape must be used:score pairs from 0 to 100, used ascending, such as '0:0 100:100', not '" +
          text + "'"};
    points.emplace_back(used, score);
  }
  if (points.empty())
    throw std::invalid_argument{"kubernetes: shape is empty; '0:0 100:100' is the default"};
  return points;
}

double along(const std::vector<std::pair<double, double>>& points, double used)
{
  if (used <= points.front().first)
    return points.front().second;
  for (std::size_t i = 1; i < points.size(); ++i)
    if (used <= points[i].first)
      return points[i - 1].second + (points[i].second - points[i - 1].second) * (used - points[i - 1].first) /
                                        (points[i].first - points[i - 1].first);
  return points.back().second;
}

class Kubernetes final : public PlacementPolicy
{
public:
  explicit Kubernetes(const Settings& settings)
      : strategy_{settings.text("strategy", "LeastAllocated")},
        shape_{read_shape(settings.text("shape", "0:0 100:100"))}, resources_{settings.number("cpu_weight", 1),
                                                                              settings.number("memory_weight", 1),
                                                                              settings.number("gpu_weight", 1)},
        fit_{settings.number("fit_weight", 1)}, balanced_{settings.number("balanced_weight", 1)},
        image_{settings.number("image_weight", 1)}, topology_{settings.number("topology_weight", 0)},
        affinity_{settings.number("affinity_weight", 2)}, taint_{settings.number("taint_weight", 3)}
  {
    if (resources_[0] + resources_[1] + resources_[2] <= 0)
      throw std::invalid_argument{"kubernetes: one of cpu_weight, memory_weight and gpu_weight must be above 0"};
  }

  static std::vector<Parameter> parameters()
  {
    const std::string source = "kube-scheduler 1.26, default plug-in weights";
    const auto weight = [&](const char* name, const char* value, const char* meaning) {
      return Parameter{name, "number", value, meaning, 0, 100, source};
    };
    return {
        {"strategy",
         "name",
         "LeastAllocated",
         "scoring strategy of NodeResourcesFit",
         0,
         0,
         source,
         {"LeastAllocated", "MostAllocated", "RequestedToCapacityRatio"}},
        {"shape", "name", "0:0 100:100", "for RequestedToCapacityRatio: pairs of used share in % and score", 0, 0,
         source},
        weight("cpu_weight", "1", "weight of CPU in NodeResourcesFit"),
        weight("memory_weight", "1", "weight of memory in NodeResourcesFit"),
        weight("gpu_weight", "1",
               "weight of GPUs in NodeResourcesFit; the real default is 0: only CPU and memory count"),
        weight("fit_weight", "1", "weight of NodeResourcesFit"),
        weight("balanced_weight", "1", "weight of NodeResourcesBalancedAllocation, over CPU and memory"),
        weight("image_weight", "1", "weight of ImageLocality"),
        weight("topology_weight", "0",
               "weight of PodTopologySpread; pods of jobs have no default constraints, those that a Service selects "
               "have: 2"),
        weight("affinity_weight", "2", "weight of NodeAffinity"),
        weight("taint_weight", "3", "weight of TaintToleration")};
  }

  std::optional<Allocation> place(NodePool& nodes, const ResourceRequest& request) override
  {
    int most_tasks = 1, most_taints = 0;
    double most_affinity = 0;
    for (int node = 0; node < nodes.size(); ++node) {
      most_tasks = std::max(most_tasks, nodes.state(node).tasks);
      if (!nodes.admits(node, request.task.demands) || !nodes.state(node).up)
        continue;
      most_affinity = std::max(most_affinity, nodes.affinity(node, request.task.demands));
      most_taints = std::max(most_taints, nodes.soft_taints(node, request.task.demands));
    }
    return place_by_score(
        nodes, request, Split::single_gpus, [&](const NodePool& pool, int node, const TaskRequest& task) {
          double score = resources(pool, node, task);
          score += image_ * (pool.shape(node).image_group != 0 ? 100 : 0);
          score +=
              topology_ * std::floor(100.0 * (most_tasks - std::min(pool.state(node).tasks, most_tasks)) / most_tasks);
          if (most_affinity > 0)
            score += affinity_ * std::floor(100 * pool.affinity(node, task.demands) / most_affinity);
          if (most_taints > 0)
            score += taint_ * (100 - std::floor(100.0 * pool.soft_taints(node, task.demands) / most_taints));
          return NodeScore{score};
        });
  }

private:
  /// NodeResourcesFit and NodeResourcesBalancedAllocation; plug-ins score in whole numbers from 0 to 100.
  double resources(const NodePool& pool, int node, const TaskRequest& task) const
  {
    const NodeState& state = pool.state(node);
    const NodeShape& shape = pool.shape(node);
    const std::array<std::array<double, 3>, 3> amounts = {{
        {static_cast<double>(state.free_cpu), static_cast<double>(task.cpu_milli),
         static_cast<double>(shape.cpu_milli)},
        {static_cast<double>(state.free_memory), static_cast<double>(task.memory_mib),
         static_cast<double>(shape.memory_mib)},
        {static_cast<double>(state.free_milli), static_cast<double>(task.milli()), shape.gpus * 1000.0},
    }};
    const bool ratio = strategy_ == "RequestedToCapacityRatio";
    std::vector<double> used; // of CPU and memory
    bool asks = false;        // for either
    double fit = 0, weights = 0;
    for (std::size_t i = 0; i < amounts.size(); ++i) {
      const auto& [free, wanted, capacity] = amounts[i];
      if (i != gpus && capacity > 0) {
        used.push_back(std::clamp(capacity - free + wanted, 0.0, capacity) / capacity);
        asks = asks || wanted > 0;
      }
      if (capacity <= 0 || resources_[i] <= 0 ||
          (i == gpus && wanted <= 0)) // extended resources only count for pods that ask for them
        continue;
      const double taken = std::clamp(capacity - free + wanted, 0.0, capacity);
      const double score = strategy_ == "LeastAllocated" ? whole(100 * (capacity - taken) / capacity)
                           : ratio                       ? whole(along(shape_, whole(100 * taken / capacity)))
                                                         : whole(100 * taken / capacity);
      if (ratio && score <= 0)
        continue; // it does not count into the mean
      fit += resources_[i] * score;
      weights += resources_[i];
    }
    const double mean_fit = weights > 0 ? fit / weights : 0;
    double mean = 0, squares = 0;
    for (const double share : used)
      mean += share / static_cast<double>(used.size());
    for (const double share : used)
      squares += (share - mean) * (share - mean) / static_cast<double>(used.size());
    return fit_ * (ratio ? std::round(mean_fit) : whole(mean_fit)) +
           (asks ? balanced_ * whole(100 * (1 - std::sqrt(squares))) : 0);
  }

  static constexpr std::size_t gpus = 2; // among the resources

  /// Scores are whole numbers, cut off; not because of a last bit.
  static double whole(double score) { return std::floor(score + 1e-9); }

  std::string strategy_;
  std::vector<std::pair<double, double>> shape_;
  std::array<double, 3> resources_;
  double fit_;
  double balanced_;
  double image_;
  double topology_;
  double affinity_;
  double taint_;
};

TY_REGISTER(PlacementPolicy, Kubernetes, "kubernetes",
            "kube-scheduler: filter, then plug-in scores times their weights");

} // namespace
} // namespace trainyard
