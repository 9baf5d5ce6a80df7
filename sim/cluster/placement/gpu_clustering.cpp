// SPDX-License-Identifier: Apache-2.0
// GPU clustering, one of the peers that FGD is compared with (Weng et al., USENIX ATC 2023; rule and constants of the
// score: its artefact, gpu_clustering_score.go, after Gandiva's affinity): tasks of the same kind of request, a part of
// a GPU or 1, 2, … whole ones, meet on the same machines.
//
//   a machine that holds only its kind: 75; its kind among others: 50; an idle machine: 25; only others: 0;
//   within each of these the fuller machine: + 25 (8 GPUs - its free GPUs) / 8 GPUs, rounded down.
// Tasks without GPUs go anywhere.
#include "sim/cluster/placement_policy.hpp"

namespace trainyard {
namespace {

constexpr std::int64_t fullest = 8000; // thousandths of GPUs of the largest machine there

class GpuClustering final : public PlacementPolicy
{
public:
  std::optional<Allocation> place(NodePool& nodes, const ResourceRequest& request) override
  {
    return place_by_score(nodes, request, Split::largest, [](const NodePool& pool, int node, const TaskRequest& task) {
      if (task.gpus == 0)
        return NodeScore{0, 0};
      const int kinds = pool.kinds(node);
      const bool same = pool.tasks_of_kind(node, request_kind(task.gpus, task.gpu_milli)) > 0;
      const double base = same ? (kinds == 1 ? 75 : 50) : (kinds == 0 ? 25 : 0);
      const std::int64_t fuller = 25 * (fullest - pool.state(node).free_milli) / fullest;
      return NodeScore{base + static_cast<double>(fuller), pool.lowest_gpus(node, task, true)};
    });
  }
};

TY_REGISTER(PlacementPolicy, GpuClustering, "gpu_clustering",
            "machines that already run tasks with the same kind of GPU request");

} // namespace
} // namespace trainyard
