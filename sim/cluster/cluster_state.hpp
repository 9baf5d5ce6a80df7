// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/results/verdict.hpp"
#include "sim/cluster/placement_policy.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace trainyard {

/// What a cluster lacks for a gang: "16 GPUs, the cluster has 4", and what would do.
struct Lack {
  std::string why;
  Remedy remedy;
};

/// The cluster's free resources: counted pools or machines, behind one interface that checks every change.
class ClusterState final : private NodeWatcher
{
public:
  /// @p placement is needed for machines only; it outlives this object, and so does @p shared: machines that others use
  /// too (null: its own).
  ClusterState(const ClusterShape& shape, PlacementPolicy* placement, NodePool* shared = nullptr);
  ClusterState(const ClusterState&) = delete;
  ClusterState& operator=(const ClusterState&) = delete;

  bool counted() const { return counted_; }
  int total_gpus() const { return total_gpus_; }
  /// Whole GPUs that nobody uses.
  int free_gpus() const { return counted_ ? free_count_ : nodes_->whole_free(); }
  /// Thousandths of GPUs that nobody uses.
  std::int64_t free_milli() const
  {
    return counted_ ? static_cast<std::int64_t>(free_count_) * 1000 : nodes_->free_milli();
  }
  int free_gpus_of_type(int gpu_type) const;
  int gpus_of_type(int gpu_type) const;
  int gpu_types() const { return types_; }
  const NodePool& nodes() const { return *nodes_; }

  /// Whether the empty, healthy cluster could hold the gang.
  bool could_fit(const ResourceRequest& request) const;
  /// What it lacks for a gang that it could not hold.
  Lack lack_of(const ResourceRequest& request) const;
  /// Says what the jobs' demands on machines and lists of tasks mean. @p workload lives as long as this.
  void bind(const Workload& workload)
  {
    nodes_->set_demands(workload.demands);
    task_lists_ = &workload.task_lists;
  }
  /// Whether the gang fits now, without choosing a place; for a gang that is split freely by GPUs alone.
  bool fits_now(const ResourceRequest& request);
  /// Where the gang would go now; nothing where it does not fit. @p closed: machines that are not for it; of unlike
  /// tasks one for each entry of their list.
  ///
  /// Unlike tasks are placed one kind after the other, those first that the fewest machines could hold, of these the
  /// largest. Their shares are in the order of the list.
  std::optional<Allocation> find(const ResourceRequest& request, std::span<const ClosedNodes> closed = {});
  /// Why `find` found nothing.
  WaitReason reason(const ResourceRequest& request) const;

  /// Throws std::logic_error where the allocation does not fit or is not the whole gang.
  void take(const ResourceRequest& request, const Allocation& allocation);
  void give(const Allocation& allocation);
  void set_up(int node, bool up);

  /// What @p what takes and gives is put back by it: others on the same machines do not see it.
  template <class What>
  void try_out(const What& what)
  {
    nodes_->quiet(true);
    what();
    nodes_->quiet(false);
  }
  /// Whether others have given something back, or a machine came back, since this was asked last.
  bool gained_elsewhere() { return std::exchange(gained_, false); }
  bool may_have_gained() const { return gained_; }
  /// Machines that others found to have failed, since this was asked last.
  std::vector<int> lost_machines() { return std::exchange(lost_, {}); }
  bool has_lost_machines() const { return !lost_.empty(); }

private:
  /// How many tasks of the gang (where it is split freely: GPUs) an empty machine holds.
  std::int64_t held_by(int node, const ResourceRequest& request) const;
  /// The equal tasks of which the gang consists: unlike tasks by entry of their list, else all.
  std::vector<ResourceRequest> parts_of(const ResourceRequest& request) const;
  Lack lack_of_parts(const ResourceRequest& request) const;
  void changed(int node, const TaskShare* share, int sign) override;

  bool counted_;
  int types_;
  int total_gpus_;
  int free_count_ = 0;
  std::vector<int> capacity_;
  std::vector<int> free_;
  std::optional<NodePool> own_;
  NodePool* nodes_;
  PlacementPolicy* placement_;
  const std::vector<std::vector<TaskGroup>>* task_lists_ = nullptr;
  /// Requests that did not fit, until something is given back: what was tried without success need not be tried again.
  mutable std::map<ResourceRequest, std::uint64_t> failed_;
  std::uint64_t releases_ = 1;
  bool gained_ = false;
  std::vector<int> lost_;
};

/// A place where the job works, the fastest GPU type with enough free GPUs first; types on which it cannot run are left
/// out. @p closed: as ClusterState::find().
std::optional<Allocation> find_place(const Workload& workload, JobId id, ClusterState& cluster,
                                     const ResourceRequest& request, std::span<const ClosedNodes> closed = {});

/// GPUs of one machine, by number, that a scheduler outside has chosen; each machine is named once.
struct ChosenGpus {
  int node = 0;
  std::vector<int> gpus;
};

/// What a waiting job holds on the GPUs that somebody has chosen: its tasks in order on the GPUs in order, with their
/// CPU and memory.
///
/// Throws std::invalid_argument that says why it cannot run there: too many or too few GPUs, a GPU that is in use, a
/// machine that is down, too small, of a wrong type, or that the job does not admit.
Allocation chosen_place(const Workload& workload, JobId id, const NodePool& nodes, std::span<const ChosenGpus> chosen);

} // namespace trainyard
