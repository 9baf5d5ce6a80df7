// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "sim/cluster/clock.hpp"
#include "sim/cluster/placement_policy.hpp"
#include "sim/sources/services/desired_state.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace trainyard {

/// Why a node does not take a task; the first that applies, in this order.
enum class Misfit : std::uint8_t {
  none,
  down,
  cut_off,
  daemon,
  joins_later,
  manager,
  constraint,
  most_per_node,
  host_port,
  gpu_runtime,
  gpu_type,
  gpu,
  cpu,
  memory
};
constexpr std::size_t misfits = 14;

inline Amount amount_of(const TaskShare& share)
{
  return {static_cast<std::int64_t>(share.gpus()) * share.gpu_milli, share.cpu_milli, share.memory_mib};
}

/// What a task asks of a node; equal requests share what is known about where they do not fit.
struct NodeRequest {
  TaskRequest resources;
  std::vector<int> host_ports;
  std::vector<PlacementConstraint> constraints;
  int most_per_node = 0;
  bool uses_gpu = false; // any GPU of the node, without asking for it
  int service = -1;      // only where most_per_node or the spread of a service matters

  auto operator<=>(const NodeRequest&) const = default;
};
/// What a task of this group asks of a node. A type of GPU that the cluster does not have fits nowhere.
NodeRequest request_of(const TaskGroupSpec& group, const ClusterShape& shape, int service = -1);

/// All machines: what is free, what is broken, and in which order they are tried.
class Machines final : private NodeWatcher
{
public:
  struct Machine {
    int crashed = 0; // failures that hold it down
    int cut = 0;     // … that cut it off
    int daemon = 0;  // … of its container daemon
    bool joined = true;
    bool lost = false; // in the eyes of the orchestrator
    std::uint32_t epoch = 0;
    std::uint32_t broken_gpus = 0;
    int drained = 0; // GPUs that are broken, where others use the machine too: it takes no new task until the repair
    double link_remaining = 1;
    double nic_load = 0;
    double cpu_slowdown = 0;
    double gpu_use = 0;                     // of the first GPU, by processes that asked for none
    std::int64_t gpu_memory_mib = 0;        // … and of its memory
    int tasks = 0;                          // placed on it
    std::vector<int> task_list;             // their numbers
    std::vector<int> dead;                  // tasks that died with it and have not been replaced
    std::vector<int> ports;                 // taken
    std::vector<int> images;                // there, sorted
    std::string framework;                  // installed for tasks without containers
    std::vector<std::pair<int, int>> count; // (service, tasks)

    bool usable() const { return joined && crashed == 0 && cut == 0 && daemon == 0; }
    bool runs() const { return joined && crashed == 0 && daemon == 0; } // processes go on, maybe unreachable
  };

  /// @p placement: a PlacementPolicy with a task_order(). @p shared: machines that others use too; null: its own.
  /// Throws std::invalid_argument for other placements.
  Machines(const ClusterShape& shape, const std::vector<MachineTraits>& traits, const std::string& placement,
           bool avoids_gpu_nodes, NodePool* shared = nullptr);
  Machines(const Machines&) = delete;
  Machines& operator=(const Machines&) = delete;

  int size() const { return pool_->size(); }
  const Machine& at(int node) const { return machines_[static_cast<std::size_t>(node)]; }
  const NodePool& pool() const { return *pool_; }
  const std::string& name(int node) const { return pool_->shape(node).name; }

  Misfit misfit(int node, const NodeRequest& request) const;
  /// The node that comes first by the placement, or -1. @p only: try these (sorted or not), else all.
  int find(const NodeRequest& request, const std::vector<int>* only = nullptr) const;
  /// "0/4 nodes fit: 2 insufficient gpu, 2 insufficient memory".
  Message why_not(const NodeRequest& request) const;
  /// Whether an empty, healthy cluster could take it.
  bool could_fit(const NodeRequest& request) const;
  /// Whether it may go to this node and would fit there, were the node empty and healthy.
  bool eligible(int node, const NodeRequest& request) const;
  /// Why it fits no node, even an empty one: "2 of 3 nodes have no GPU, 1 too little memory".
  std::string why_never(const NodeRequest& request) const;

  TaskShare take(int node, int task, const NodeRequest& request, int service);
  void give(const TaskShare& share, int task, const NodeRequest& request, int service);
  /// Applies a change to one machine and keeps order and counts right.
  template <class Change>
  void change(int node, const Change& how)
  {
    before(node);
    how(machines_[static_cast<std::size_t>(node)]);
    after(node);
  }
  /// A machine that joins later is here now, for all who share the pool.
  void join(int node);
  void break_gpu(int node, int gpu, bool broken);
  /// Others on the same machines are not told while something is tried out.
  void quiet(bool on) { pool_->quiet(on); }

  Amount capacity() const { return capacity_; }
  /// Free on machines that are there and up; on machines that are not.
  Amount idle() const { return idle_; }
  Amount down() const { return down_; }
  /// What others hold on the same machines.
  Amount elsewhere() const { return elsewhere_; }
  /// Whether others have given something back, or a machine came back, since this was asked last.
  bool gained_elsewhere() { return std::exchange(gained_, false); }
  bool may_have_gained() const { return gained_; }
  /// Nodes that gained free resources or came back, in order; positions count up forever.
  const std::vector<int>& gains() const { return gains_; }
  /// Takes back what trying out has added to gains.
  void forget_gains(std::size_t size) { gains_.resize(size); }
  /// Whether the node would take it with @p more given back on top of what is free (same order as gpu_free, then CPU,
  /// memory).
  bool fits_with(int node, const NodeRequest& request, const std::vector<TaskShare>& given) const;

private:
  void changing(int node) override { before(node); }
  void changed(int node, const TaskShare* share, int sign) override;
  Amount free_of(int node) const;
  void before(int node);
  void after(int node);
  bool meets(int node, const PlacementConstraint& constraint) const;
  std::int64_t rank_of(int node) const;

  std::optional<NodePool> own_;
  NodePool* pool_;
  std::vector<Machine> machines_;
  std::vector<MachineTraits> traits_;
  std::vector<std::string> gpu_types_;
  std::unique_ptr<PlacementPolicy> placement_;
  const TaskOrder* task_order_;
  bool avoids_gpu_nodes_;
  std::set<std::pair<std::int64_t, int>> order_; // usable machines
  std::vector<std::int64_t> rank_;               // in order_
  std::vector<bool> listed_;
  Amount capacity_, idle_, down_, elsewhere_;
  bool gained_ = false;
  std::vector<int> gains_;
};

} // namespace trainyard
