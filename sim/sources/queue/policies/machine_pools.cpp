// SPDX-License-Identifier: Apache-2.0
#include "sim/sources/queue/policies/machine_pools.hpp"

#include <numeric>

namespace trainyard {

void MachinePools::begin(const ClusterView& cluster)
{
  if (cluster.cluster().counted())
    return;
  for (const TraceJob& job : cluster.workload().jobs)
    if (numbers_.emplace(wish(job), static_cast<int>(wishes_.size())).second)
      wishes_.emplace_back();
  tell_machines_apart(cluster);
}

/// Whether a job, or one of its tasks, may go to the machine.
bool MachinePools::admits(const ClusterView& cluster, int node, const Wish& wish)
{
  const NodePool& nodes = cluster.cluster().nodes();
  const auto may = [&](int demands, int gpu_type) {
    return nodes.admits(node, demands) && (gpu_type < 0 || nodes.shape(node).gpu_type == gpu_type);
  };
  const auto [demands, gpu_type, list] = wish;
  const std::vector<TaskGroup>& tasks = cluster.workload().task_lists[static_cast<std::size_t>(list)];
  return tasks.empty()
             ? may(demands, gpu_type)
             : std::ranges::any_of(tasks, [&](const TaskGroup& group) { return may(group.demands, group.gpu_type); });
}

/// Puts machines into one class where each wish admits all of them or none.
void MachinePools::tell_machines_apart(const ClusterView& cluster)
{
  const NodePool& nodes = cluster.cluster().nodes();
  std::map<std::vector<bool>, std::size_t> seen;
  classes_.clear();
  for (Wishing& wish : wishes_)
    wish.classes.clear();
  for (int node = 0; node < nodes.size(); ++node) {
    std::vector<bool> admitted(wishes_.size());
    for (const auto& [wish, number] : numbers_)
      admitted[static_cast<std::size_t>(number)] = admits(cluster, node, wish);
    const auto [at, added] = seen.emplace(admitted, classes_.size());
    if (added) {
      classes_.emplace_back();
      for (std::size_t wish = 0; wish < wishes_.size(); ++wish)
        if (admitted[wish])
          wishes_[wish].classes.push_back(at->second);
    }
    classes_[at->second].push_back(node);
  }
  pool_of_class_.clear();
  stale_ = true;
}

void MachinePools::enter(const ClusterView& cluster, JobId id)
{
  if (cluster.cluster().counted() || is_present(id)) {
    return;
  }
  const auto [at, added] = numbers_.emplace(wish(cluster.job(id)), static_cast<int>(wishes_.size()));
  if (added) {
    wishes_.emplace_back();
    tell_machines_apart(cluster);
  }
  const auto index = static_cast<std::size_t>(id.index);
  if (index >= wish_of_.size())
    wish_of_.resize(index + 1, -1);
  wish_of_[index] = at->second;
  Wishing& wish = wishes_[static_cast<std::size_t>(at->second)];
  if (++wish.jobs == 1 && !is_joined(wish))
    stale_ = true;
}

void MachinePools::leave(JobId id)
{
  const int number = wish_of(id);
  if (number < 0)
    return;
  wish_of_[static_cast<std::size_t>(id.index)] = -1;
  Wishing& wish = wishes_[static_cast<std::size_t>(number)];
  if (--wish.jobs == 0 && wish.classes.size() > 1)
    stale_ = true;
}

bool MachinePools::is_joined(const Wishing& wish) const
{
  return !pool_of_class_.empty() && std::ranges::all_of(wish.classes, [&](std::size_t one) {
    return pool_of_class_[one] == pool_of_class_[wish.classes.front()];
  });
}

bool MachinePools::join()
{
  stale_ = false;
  // Each pool is named after its first class.
  std::vector<int> names(classes_.size());
  std::iota(names.begin(), names.end(), 0);
  for (const Wishing& wish : wishes_) {
    if (wish.jobs == 0)
      continue;
    for (const std::size_t one : wish.classes) {
      const int first = names[wish.classes.front()], other = names[one];
      std::ranges::replace(names, std::max(first, other), std::min(first, other));
    }
  }
  std::map<int, int> numbers;
  for (int& name : names)
    name = numbers.emplace(name, static_cast<int>(numbers.size())).first->second;
  if (names == pool_of_class_)
    return false;
  pool_of_class_ = std::move(names);
  machines_.assign(numbers.size(), {});
  for (std::size_t one = 0; one < classes_.size(); ++one) {
    std::vector<int>& pool = machines_[static_cast<std::size_t>(pool_of_class_[one])];
    pool.insert(pool.end(), classes_[one].begin(), classes_[one].end());
  }
  return true;
}

int MachinePools::of(const ClusterView& cluster, JobId id) const
{
  const auto found = numbers_.find(wish(cluster.job(id)));
  if (found == numbers_.end())
    return 0;
  const std::vector<std::size_t>& classes = wishes_[static_cast<std::size_t>(found->second)].classes;
  return classes.empty() ? 0 : pool_of_class_[classes.front()];
}

std::int64_t MachinePools::free_milli(const ClusterView& cluster, int pool) const
{
  const NodePool& nodes = cluster.cluster().nodes();
  std::int64_t free = 0;
  for (const int node : machines_[static_cast<std::size_t>(pool)])
    free += nodes.state(node).up ? nodes.state(node).free_milli : 0;
  return free;
}

std::int64_t MachinePools::free_milli_of_type(const ClusterView& cluster, int pool, int gpu_type) const
{
  const NodePool& nodes = cluster.cluster().nodes();
  std::int64_t free = 0;
  for (const int node : machines_[static_cast<std::size_t>(pool)])
    if (nodes.state(node).up && nodes.shape(node).gpu_type == gpu_type)
      free += nodes.state(node).free_milli;
  return free;
}

int MachinePools::free_gpus(const ClusterView& cluster, int pool, int gpu_type) const
{
  const NodePool& nodes = cluster.cluster().nodes();
  int free = 0;
  for (const int node : machines_[static_cast<std::size_t>(pool)])
    if (nodes.state(node).up && (gpu_type < 0 || nodes.shape(node).gpu_type == gpu_type))
      free += nodes.state(node).whole_free;
  return free;
}

int MachinePools::total_gpus(const ClusterView& cluster, int pool, int gpu_type) const
{
  const NodePool& nodes = cluster.cluster().nodes();
  int total = 0;
  for (const int node : machines_[static_cast<std::size_t>(pool)])
    total += gpu_type < 0 || nodes.shape(node).gpu_type == gpu_type ? nodes.shape(node).gpus : 0;
  return total;
}

std::int64_t PoolOfMachines::free_milli_of_type(const ClusterView& cluster, int gpu_type) const
{
  if (pools != nullptr)
    return pools->free_milli_of_type(cluster, number, gpu_type);
  const ClusterState& all = cluster.cluster();
  if (all.counted())
    return std::int64_t{1000} * all.free_gpus_of_type(gpu_type);
  std::int64_t free = 0;
  for (int node = 0; node < all.nodes().size(); ++node)
    if (all.nodes().state(node).up && all.nodes().shape(node).gpu_type == gpu_type)
      free += all.nodes().state(node).free_milli;
  return free;
}

bool PoolOfMachines::has_for(const ClusterView& cluster, const TraceJob& job, int gpu_type, int gpus) const
{
  if ((job.gpu_type >= 0 && job.gpu_type != gpu_type) || gpus_of_type(cluster, gpu_type) < gpus)
    return false;
  if (job.demands == 0 || cluster.cluster().counted())
    return true;
  const NodePool& nodes = cluster.cluster().nodes();
  for (int node = 0; node < nodes.size() && gpus > 0; ++node)
    if (nodes.shape(node).gpu_type == gpu_type && nodes.admits(node, job.demands))
      gpus -= nodes.shape(node).gpus;
  return gpus <= 0;
}

std::vector<JobId> PoolOfMachines::of_pool(const ClusterView& cluster, std::span<const JobId> all) const
{
  std::vector<JobId> jobs{all.begin(), all.end()};
  std::erase_if(jobs, [&](JobId id) { return !holds(cluster, id); });
  std::ranges::sort(jobs);
  return jobs;
}

} // namespace trainyard
