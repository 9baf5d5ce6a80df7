// SPDX-License-Identifier: Apache-2.0
#include "sim/cluster/resources.hpp"

#include "models/core/diagnostics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <stdexcept>

namespace trainyard {

std::int64_t Allocation::milli() const
{
  if (shares.empty())
    return static_cast<std::int64_t>(gpus) * 1000;
  std::int64_t sum = 0;
  for (const TaskShare& share : shares)
    sum += static_cast<std::int64_t>(share.gpus()) * share.gpu_milli;
  return sum;
}

void check_gpus_of_node(const std::string& name, int gpus)
{
  constexpr int most = std::numeric_limits<decltype(TaskShare::gpu_mask)>::digits;
  if (gpus > most)
    throw InputError{fmt::format("machine '{}' has {} GPUs; a queue, services and retraining know up to {} in a "
                                 "machine: describe it as several machines, or run its jobs alone",
                                 name, gpus, most)};
}

NodePool::NodePool(const ClusterShape& shape) : shapes_{shape.nodes}, traits_{shape.traits}
{
  if (traits_.empty())
    traits_.emplace_back();
  for (const NodeShape& node : shapes_) {
    if (node.traits < 0 || static_cast<std::size_t>(node.traits) >= traits_.size())
      throw std::invalid_argument{"node '" + node.name + "' has traits number " + std::to_string(node.traits) +
                                  ", which do not exist"};
    check_gpus_of_node(node.name, node.gpus);
    if (node.gpus < 0)
      throw std::invalid_argument{"node '" + node.name + "' has " + std::to_string(node.gpus) + " GPUs"};
    offsets_.push_back(static_cast<std::size_t>(total_gpus_));
    total_gpus_ += node.gpus;
    most_gpus_ = std::max(most_gpus_, node.gpus);
  }
  empty_all();
}

void NodePool::empty_all()
{
  gpu_free_.assign(static_cast<std::size_t>(total_gpus_), std::int16_t{1000});
  states_.clear();
  for (const NodeShape& node : shapes_)
    states_.push_back({.free_cpu = node.cpu_milli,
                       .free_memory = node.memory_mib,
                       .free_milli = node.gpus * 1000,
                       .whole_free = node.gpus});
  kinds_.assign(states_.size(), {});
  whole_free_ = total_gpus_;
  first_with_gpus_ = 0;
  free_milli_ = static_cast<std::int64_t>(total_gpus_) * 1000;
}

NodePool NodePool::emptied() const
{
  NodePool pool = *this;
  pool.empty_all();
  pool.watchers_.clear();
  pool.closed_ = nullptr;
  return pool;
}

void NodePool::set_demands(std::span<const NodeDemands> demands)
{
  const bool plain = traits_.size() <= 1 && traits_.front().labels.empty() && traits_.front().taints.empty();
  demands_.clear();
  if (demands.size() <= 1 && plain)
    return;
  for (const NodeDemands& wanted : demands)
    for (const NodeMarks& traits : traits_) {
      Admission here;
      const auto has = [&](const std::string& label) {
        return std::ranges::find(traits.labels, label) != traits.labels.end();
      };
      here.admitted = std::ranges::all_of(wanted.required, has) &&
                      (wanted.any_of.empty() || std::ranges::any_of(wanted.any_of, has));
      for (const Taint& taint : traits.taints) {
        const bool tolerated = std::ranges::any_of(wanted.tolerations, [&](const auto& toleration) {
          return (toleration.first.empty() || toleration.first == taint.key) &&
                 (toleration.second.empty() || toleration.second == taint.value);
        });
        if (tolerated)
          continue;
        here.admitted = here.admitted && !taint.hard;
        here.soft_taints += taint.hard ? 0 : 1;
      }
      for (const auto& [label, weight] : wanted.preferred)
        here.affinity += has(label) ? weight : 0;
      demands_.push_back(here);
    }
}

int NodePool::kinds(int node) const
{
  return static_cast<int>(
      std::ranges::count_if(kinds_[static_cast<std::size_t>(node)], [](std::int16_t tasks) { return tasks > 0; }));
}

int NodePool::gpus_with(int node, int milli) const
{
  if (milli == 1000)
    return state(node).whole_free;
  int count = 0;
  for (const std::int16_t free : gpu_free(node))
    count += free >= milli ? 1 : 0;
  return count;
}

int NodePool::first_with_gpus() const
{
  while (first_with_gpus_ < size() && state(first_with_gpus_).whole_free == 0)
    ++first_with_gpus_;
  return first_with_gpus_;
}

bool NodePool::fits(int node, const TaskRequest& task) const
{
  const NodeState& now = state(node);
  if (!is_open(node) || now.free_cpu < task.cpu_milli || now.free_memory < task.memory_mib ||
      !admits(node, task.demands))
    return false;
  if (task.gpus == 0)
    return true;
  if (task.gpu_type >= 0 && shape(node).gpu_type != task.gpu_type)
    return false;
  return now.free_milli >= task.milli() && gpus_with(node, task.gpu_milli) >= task.gpus;
}

bool NodePool::could_fit(int node, const TaskRequest& task) const
{
  const NodeShape& whole = shape(node);
  return admits(node, task.demands) && whole.cpu_milli >= task.cpu_milli && whole.memory_mib >= task.memory_mib &&
         whole.gpus >= task.gpus && (task.gpus == 0 || task.gpu_type < 0 || whole.gpu_type == task.gpu_type);
}

std::uint32_t NodePool::lowest_gpus(int node, const TaskRequest& task, bool tightest) const
{
  std::uint32_t mask = 0;
  int missing = task.gpus;
  int best = 1001;
  const auto free = gpu_free(node);
  for (std::size_t i = 0; i < free.size() && missing > 0; ++i) {
    if (free[i] < task.gpu_milli)
      continue;
    if (tightest && task.shares_gpu()) {
      if (free[i] < best) {
        best = free[i];
        mask = 1u << i;
      }
      continue;
    }
    mask |= 1u << i;
    --missing;
  }
  return mask;
}

void NodePool::change(const TaskShare& share, int sign)
{
  const auto index = static_cast<std::size_t>(share.node);
  NodeState& node = states_[index];
  node.free_cpu -= sign * share.cpu_milli;
  node.free_memory -= sign * share.memory_mib;
  node.tasks += sign;
  if (share.gpu_mask != 0) {
    std::int16_t& tasks = kinds_[index][static_cast<std::size_t>(request_kind(share.gpus(), share.gpu_milli))];
    tasks = static_cast<std::int16_t>(tasks + sign);
  }
  bool broken = node.free_cpu < 0 || node.free_memory < 0 || node.free_cpu > shapes_[index].cpu_milli ||
                node.free_memory > shapes_[index].memory_mib || (share.gpu_mask >> shapes_[index].gpus) != 0;
  for (std::uint32_t mask = share.gpu_mask; mask != 0 && !broken; mask &= mask - 1) {
    std::int16_t& free = gpu_free_[offsets_[index] + static_cast<std::size_t>(std::countr_zero(mask))];
    const bool was_whole = free == 1000;
    free = static_cast<std::int16_t>(free - sign * share.gpu_milli);
    broken = free < 0 || free > 1000;
    const int whole = static_cast<int>(free == 1000) - static_cast<int>(was_whole);
    node.whole_free += whole;
    whole_free_ += node.up ? whole : 0;
    node.free_milli -= sign * share.gpu_milli;
    free_milli_ -= node.up ? sign * share.gpu_milli : 0;
  }
  if (node.whole_free > 0)
    first_with_gpus_ = std::min(first_with_gpus_, share.node);
  ++node.version;
  if (broken)
    throw std::logic_error{"over-committed node '" + shapes_[index].name + "'"};
}

void NodePool::about_to_change(int node, const NodeWatcher* self) const
{
  if (quiet_ > 0)
    return;
  for (NodeWatcher* watcher : watchers_)
    if (watcher != self)
      watcher->changing(node);
}

void NodePool::has_changed(int node, const TaskShare* share, int sign, const NodeWatcher* self) const
{
  if (quiet_ > 0)
    return;
  for (NodeWatcher* watcher : watchers_)
    if (watcher != self)
      watcher->changed(node, share, sign);
}

void NodePool::take(const TaskShare& share, const NodeWatcher* self)
{
  if (!state(share.node).up)
    throw std::logic_error{"placement on node '" + shape(share.node).name + "', which is down"};
  about_to_change(share.node, self);
  change(share, 1);
  has_changed(share.node, &share, 1, self);
}

void NodePool::give(const TaskShare& share, const NodeWatcher* self)
{
  about_to_change(share.node, self);
  change(share, -1);
  has_changed(share.node, &share, -1, self);
}

void NodePool::set_up(int node, bool up, const NodeWatcher* self)
{
  NodeState& now = states_[static_cast<std::size_t>(node)];
  if (now.up == up)
    return;
  about_to_change(node, self);
  now.up = up;
  ++now.version;
  whole_free_ += up ? now.whole_free : -now.whole_free;
  free_milli_ += up ? now.free_milli : -now.free_milli;
  has_changed(node, nullptr, 0, self);
}

} // namespace trainyard
