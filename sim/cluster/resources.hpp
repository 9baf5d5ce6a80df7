// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/cluster/node_shape.hpp"
#include "models/job/wait_reason.hpp"
#include "models/job/workload.hpp"

#include <array>
#include <bit>
#include <compare>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace trainyard {

/// What one task needs on one machine.
struct TaskRequest {
  int gpus = 1;
  int gpu_milli = 1000; // of each GPU; below 1000 only with gpus = 1
  std::int64_t cpu_milli = 0;
  std::int64_t memory_mib = 0;
  int gpu_type = -1; // -1 = any
  int demands = 0;   // in Workload::demands

  bool shares_gpu() const { return gpus == 1 && gpu_milli < 1000; }
  int milli() const { return gpus * gpu_milli; }
  auto operator<=>(const TaskRequest&) const = default;
};

/// What a gang needs: `tasks` equal tasks, or with `tasks` = 0 `task.gpus` GPUs split in any way (CPU and memory in
/// proportion). Of unlike tasks, `task` is the sum, and the list says what each needs.
struct ResourceRequest {
  TaskRequest task;
  int tasks = 1;
  bool distinct_nodes = false;
  int task_list = 0; // in Workload::task_lists; 0: all are equal

  int gpus() const { return tasks == 0 ? task.gpus : task.gpus * tasks; }
  std::int64_t milli() const { return static_cast<std::int64_t>(gpus()) * task.gpu_milli; }
  auto operator<=>(const ResourceRequest&) const = default;
};

/// The request of a job; @p gpus > 0 overrides its number of GPUs (elastic jobs), @p gpu_type >= 0 its GPU type.
inline ResourceRequest request_of(const TraceJob& job, int gpus = 0, int gpu_type = -1)
{
  const int wanted = gpus > 0 ? gpus : job.gpus;
  ResourceRequest request;
  request.tasks = job.tasks;
  // Only a gang that grows or shrinks by whole tasks keeps its tasks; any other size is split freely.
  if (job.tasks > 0 && wanted != job.gpus)
    request.tasks =
        job.gpus % job.tasks == 0 && wanted % (job.gpus / job.tasks) == 0 ? wanted / (job.gpus / job.tasks) : 0;
  request.task.gpus = request.tasks > 0 ? wanted / request.tasks : wanted;
  request.task.gpu_milli = job.gpu_milli;
  request.task.cpu_milli = job.cpu_milli;
  request.task.memory_mib = job.memory_mib;
  request.task.gpu_type = gpu_type >= 0 ? gpu_type : job.gpu_type;
  request.task.demands = job.demands;
  request.distinct_nodes = job.distinct_nodes;
  request.task_list = job.task_list;
  return request;
}

/// What a job holds on one machine.
struct TaskShare {
  int node = 0;
  std::uint32_t gpu_mask = 0; // bit i = GPU i of the node
  int gpu_milli = 1000;       // of each of them
  std::int64_t cpu_milli = 0;
  std::int64_t memory_mib = 0;

  /// Without an instruction for it, which not every processor has, counting bits is a call.
  int gpus() const
  {
    return (gpu_mask & (gpu_mask - 1)) == 0 ? static_cast<int>(gpu_mask != 0) : std::popcount(gpu_mask);
  }
  bool operator==(const TaskShare&) const = default;
};

/// What a gang holds. In a counted pool only `gpus` and `gpu_type`.
struct Allocation {
  int gpus = 0;
  int gpu_type = 0;
  std::vector<TaskShare> shares;

  std::int64_t milli() const;
  bool operator==(const Allocation&) const = default;
};

/// Kind of a task's GPU request: 0 = part of a GPU, otherwise how many whole ones (up to 32).
constexpr int request_kind(int gpus, int gpu_milli)
{
  return gpu_milli < 1000 ? 0 : gpus;
}

/// One machine's free resources.
struct NodeState {
  std::int64_t free_cpu = 0;
  std::int64_t free_memory = 0;
  int free_milli = 0; // summed over GPUs
  int whole_free = 0; // GPUs with 1000 free
  int tasks = 0;      // running
  bool up = true;
  std::uint32_t version = 0; // changes with every change
};

/// Machines, by their number, that are not for a task (1).
using ClosedNodes = std::vector<char>;

/// Someone with records of his own about machines that others use too.
class NodeWatcher
{
public:
  virtual ~NodeWatcher() = default;
  /// Another user is about to take, give back, or switch this machine.
  virtual void changing(int node) { static_cast<void>(node); }
  /// He has done so. @p share: what he has taken (@p sign 1) or given back (-1); null: the machine went down or came
  /// back.
  virtual void changed(int node, const TaskShare* share, int sign)
  {
    static_cast<void>(node);
    static_cast<void>(share);
    static_cast<void>(sign);
  }
};

/// Throws InputError for a machine of more GPUs than the bits of TaskShare::gpu_mask.
void check_gpus_of_node(const std::string& name, int gpus);

/// All machines' free resources; refuses to over-commit. Several users may share one pool: each is told what the others
/// do.
class NodePool
{
public:
  explicit NodePool(const ClusterShape& shape);

  int size() const { return static_cast<int>(states_.size()); }
  const NodeShape& shape(int node) const { return shapes_[static_cast<std::size_t>(node)]; }
  const NodeState& state(int node) const { return states_[static_cast<std::size_t>(node)]; }
  /// Free thousandths of each GPU of a machine.
  std::span<const std::int16_t> gpu_free(int node) const
  {
    return {gpu_free_.data() + offsets_[static_cast<std::size_t>(node)], static_cast<std::size_t>(shape(node).gpus)};
  }
  /// Tasks on the machine whose GPU request is of this kind, and how many different kinds there are; tasks without GPUs
  /// do not count.
  int tasks_of_kind(int node, int kind) const
  {
    return kinds_[static_cast<std::size_t>(node)][static_cast<std::size_t>(kind)];
  }
  int kinds(int node) const;
  /// GPUs of the machine with at least @p milli free.
  int gpus_with(int node, int milli) const;
  bool fits(int node, const TaskRequest& task) const;
  /// Says what the jobs' `demands` mean; without it, all of them admit every machine.
  void set_demands(std::span<const NodeDemands> demands);
  /// Whether the machine has all labels that are required, and no hard taint that is not tolerated.
  bool admits(int node, int demands) const { return demands_.empty() || admitted_at(node, demands).admitted; }
  /// Weights of the preferred labels that the machine has.
  double affinity(int node, int demands) const { return demands_.empty() ? 0 : admitted_at(node, demands).affinity; }
  /// Soft taints of the machine that are not tolerated.
  int soft_taints(int node, int demands) const { return demands_.empty() ? 0 : admitted_at(node, demands).soft_taints; }
  /// Whether it may be used at all.
  bool is_open(int node) const
  {
    return state(node).up &&
           (closed_ == nullptr || closed_->empty() || (*closed_)[static_cast<std::size_t>(node)] == 0);
  }
  /// Until this is called again, these machines are not open; null: all are.
  void close(const ClosedNodes* closed) { closed_ = closed; }
  /// The same machines with nobody on them, all up. Nobody watches these.
  NodePool emptied() const;
  /// Whether an empty machine of this shape would hold it.
  bool could_fit(int node, const TaskRequest& task) const;
  /// The GPUs with the lowest index that fit; for a sharing task the one with the least free that fits when @p
  /// tightest.
  std::uint32_t lowest_gpus(int node, const TaskRequest& task, bool tightest = false) const;

  /// Throws std::logic_error on over-commitment.
  /// @p self: the watcher that acts; it is not told.
  void take(const TaskShare& share, const NodeWatcher* self = nullptr);
  void give(const TaskShare& share, const NodeWatcher* self = nullptr);
  void set_up(int node, bool up, const NodeWatcher* self = nullptr);
  /// @p watcher is told of every change that is not its own, and lives as long as the pool is used.
  void watch(NodeWatcher& watcher) { watchers_.push_back(&watcher); }
  /// Nobody is told while something is tried out. May be nested.
  void quiet(bool on) { quiet_ += on ? 1 : -1; }

  int total_gpus() const { return total_gpus_; }
  /// Of the machine that has most.
  int most_gpus() const { return most_gpus_; }
  int whole_free() const { return whole_free_; }
  std::int64_t free_milli() const { return free_milli_; }
  /// No machine before it has a whole GPU free.
  int first_with_gpus() const;

private:
  struct Admission {
    bool admitted = true;
    double affinity = 0;
    int soft_taints = 0;
  };
  const Admission& admitted_at(int node, int demands) const
  {
    return demands_[static_cast<std::size_t>(demands) * traits_.size() + static_cast<std::size_t>(shape(node).traits)];
  }
  void empty_all();
  void change(const TaskShare& share, int sign);
  void about_to_change(int node, const NodeWatcher* self) const;
  void has_changed(int node, const TaskShare* share, int sign, const NodeWatcher* self) const;

  std::vector<NodeShape> shapes_;
  std::vector<NodeMarks> traits_;
  std::vector<Admission> demands_; // by demands, then traits; empty: everything is admitted
  std::vector<NodeState> states_;
  std::vector<std::size_t> offsets_;
  std::vector<std::int16_t> gpu_free_;
  std::vector<std::array<std::int16_t, 33>> kinds_; // tasks by kind of request
  int total_gpus_ = 0;
  int most_gpus_ = 0;
  int whole_free_ = 0;
  std::int64_t free_milli_ = 0;
  mutable int first_with_gpus_ = 0; // or before it
  const ClosedNodes* closed_ = nullptr;
  std::vector<NodeWatcher*> watchers_;
  int quiet_ = 0;
};

} // namespace trainyard
