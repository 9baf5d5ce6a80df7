// SPDX-License-Identifier: Apache-2.0
#include "sim/cluster/cluster_state.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <functional>
#include <numeric>
#include <ranges>
#include <stdexcept>
#include <string>
#include <tuple>

namespace trainyard {

ClusterState::ClusterState(const ClusterShape& shape, PlacementPolicy* placement, NodePool* shared)
    : counted_{shape.counted()}, types_{static_cast<int>(shape.gpu_types.size())}, total_gpus_{shape.total_gpus()},
      capacity_{shape.counts}, free_{shape.counts}, nodes_{shared}, placement_{placement}
{
  if (shared == nullptr)
    nodes_ = &own_.emplace(shape);
  else if (shared->size() != static_cast<int>(shape.nodes.size()))
    throw std::logic_error{"a shared pool of other machines"};
  else
    shared->watch(*this);
  if (counted_ && shape.counts.size() > shape.gpu_types.size())
    throw std::invalid_argument{"more GPU counts than GPU types"};
  if (!counted_ && placement == nullptr)
    throw std::invalid_argument{"a cluster of machines needs a placement policy"};
  for (const int count : capacity_)
    if (count < 0)
      throw std::invalid_argument{"a pool of " + std::to_string(count) + " GPUs"};
  free_count_ = std::accumulate(free_.begin(), free_.end(), 0);
  if (!counted_) {
    capacity_.assign(static_cast<std::size_t>(types_), 0);
    for (const NodeShape& node : shape.nodes) {
      if (node.gpu_type < 0 || node.gpu_type >= types_)
        throw std::invalid_argument{"node '" + node.name + "' has an unknown GPU type"};
      capacity_[static_cast<std::size_t>(node.gpu_type)] += node.gpus;
    }
  }
}

int ClusterState::gpus_of_type(int gpu_type) const
{
  return static_cast<std::size_t>(gpu_type) < capacity_.size() ? capacity_[static_cast<std::size_t>(gpu_type)] : 0;
}

int ClusterState::free_gpus_of_type(int gpu_type) const
{
  if (counted_)
    return static_cast<std::size_t>(gpu_type) < free_.size() ? free_[static_cast<std::size_t>(gpu_type)] : 0;
  int sum = 0;
  for (int node = 0; node < nodes_->size(); ++node)
    if (nodes_->shape(node).gpu_type == gpu_type && nodes_->state(node).up)
      sum += nodes_->state(node).whole_free;
  return sum;
}

namespace {

/// With tasks = 0 the GPUs go wherever some are free, each with its part of CPU and memory.
bool split_freely(const ResourceRequest& request)
{
  return request.tasks == 0 && request.task.gpus > 1;
}

/// What is asked for in one place.
TaskRequest unit_of(const ResourceRequest& request)
{
  TaskRequest unit = request.task;
  if (split_freely(request)) {
    unit.gpus = 1;
    unit.cpu_milli = (unit.cpu_milli + request.task.gpus - 1) / request.task.gpus;
    unit.memory_mib = (unit.memory_mib + request.task.gpus - 1) / request.task.gpus;
  }
  return unit;
}

int units_of(const ResourceRequest& request)
{
  return split_freely(request) ? request.task.gpus : std::max(1, request.tasks);
}

using PlacePart = std::function<std::optional<Allocation>(NodePool&, const ResourceRequest&)>;

/// The order in which the parts of a gang are placed: those first that the fewest machines could hold, of these the
/// largest.
std::vector<std::size_t> order_of(const NodePool& nodes, std::span<const ResourceRequest> parts)
{
  using Rank = std::tuple<int, int, std::int64_t, std::int64_t, std::size_t>;
  std::vector<Rank> ranks;
  for (const ResourceRequest& part : parts) {
    int machines = 0;
    for (int node = 0; node < nodes.size(); ++node)
      machines += nodes.could_fit(node, part.task) ? 1 : 0;
    ranks.emplace_back(machines, -part.task.gpus, -part.task.cpu_milli, -part.task.memory_mib, ranks.size());
  }
  std::ranges::sort(ranks);
  std::vector<std::size_t> order;
  for (const Rank& rank : ranks)
    order.push_back(std::get<std::size_t>(rank));
  return order;
}

/// All parts of a gang together, or nothing. @p closed: by part; empty: no machines.
std::optional<Allocation> place_parts(NodePool& nodes, std::span<const ResourceRequest> parts,
                                      std::span<const ClosedNodes> closed, const PlacePart& place)
{
  std::vector<Allocation> placed(parts.size());
  bool whole = true;
  for (const std::size_t part : order_of(nodes, parts)) {
    nodes.close(closed.empty() ? nullptr : &closed[part]);
    std::optional<Allocation> found = place(nodes, parts[part]);
    whole = found.has_value();
    if (!whole)
      break;
    placed[part] = std::move(*found);
    for (const TaskShare& share : placed[part].shares)
      nodes.take(share);
  }
  nodes.close(nullptr);
  Allocation all;
  for (const Allocation& part : placed) {
    for (const TaskShare& share : part.shares)
      nodes.give(share);
    if (all.gpus == 0)
      all.gpu_type = part.gpu_type;
    all.gpus += part.gpus;
    all.shares.insert(all.shares.end(), part.shares.begin(), part.shares.end());
  }
  return whole ? std::optional{std::move(all)} : std::nullopt;
}

std::optional<Allocation> place_anywhere(NodePool& nodes, const ResourceRequest& request)
{
  return place_by_score(nodes, request, Split::largest, {});
}

} // namespace

std::vector<ResourceRequest> ClusterState::parts_of(const ResourceRequest& request) const
{
  if (request.task_list == 0)
    return {request};
  std::vector<ResourceRequest> parts;
  for (const TaskGroup& group : task_lists_->at(static_cast<std::size_t>(request.task_list)))
    parts.push_back({.task = {.gpus = group.gpus,
                              .cpu_milli = group.cpu_milli,
                              .memory_mib = group.memory_mib,
                              .gpu_type = group.gpu_type >= 0 ? group.gpu_type : request.task.gpu_type,
                              .demands = group.demands},
                     .tasks = group.count});
  return parts;
}

std::int64_t ClusterState::held_by(int node, const ResourceRequest& request) const
{
  const TaskRequest& task = request.task;
  const NodeShape& shape = nodes_->shape(node);
  if (split_freely(request)) {
    if ((task.gpu_type >= 0 && shape.gpu_type != task.gpu_type) || !nodes_->admits(node, task.demands))
      return 0;
    int gpus = shape.gpus;
    while (gpus > 0 && (task.cpu_milli * gpus > shape.cpu_milli * task.gpus ||
                        task.memory_mib * gpus > shape.memory_mib * task.gpus))
      --gpus;
    return gpus;
  }
  if (!nodes_->could_fit(node, task))
    return 0;
  std::int64_t copies = request.distinct_nodes ? 1 : std::max(1, request.tasks);
  if (task.gpus > 0)
    copies =
        std::min<std::int64_t>(copies, static_cast<std::int64_t>(shape.gpus / task.gpus) * (1000 / task.gpu_milli));
  if (task.cpu_milli > 0)
    copies = std::min(copies, shape.cpu_milli / task.cpu_milli);
  if (task.memory_mib > 0)
    copies = std::min(copies, shape.memory_mib / task.memory_mib);
  return copies;
}

bool ClusterState::could_fit(const ResourceRequest& request) const
{
  if (counted_) {
    if (request.task.gpu_type >= 0)
      return request.gpus() <= gpus_of_type(request.task.gpu_type);
    return !capacity_.empty() && request.gpus() <= *std::ranges::max_element(capacity_);
  }
  if (request.task_list > 0) {
    const std::vector<ResourceRequest> parts = parts_of(request);
    if (!std::ranges::all_of(parts, [&](const ResourceRequest& part) { return could_fit(part); }))
      return false;
    NodePool empty = nodes_->emptied();
    return place_parts(empty, parts, {}, place_anywhere).has_value();
  }
  std::int64_t held = 0;
  for (int node = 0; node < nodes_->size(); ++node)
    held += held_by(node, request);
  return held >= units_of(request);
}

/// Of the first kind of task that does not fit by itself, or of all together.
Lack ClusterState::lack_of_parts(const ResourceRequest& request) const
{
  const std::vector<ResourceRequest> parts = parts_of(request);
  const auto part = std::ranges::find_if_not(parts, [&](const ResourceRequest& one) { return could_fit(one); });
  if (part == parts.end())
    return {"each of its tasks fits the empty machines, but not all together", {}};
  const auto& list = (*task_lists_)[static_cast<std::size_t>(request.task_list)];
  Lack lack = lack_of(*part);
  lack.why = fmt::format("its {}: {}", list[static_cast<std::size_t>(part - parts.begin())].role, lack.why);
  return lack;
}

Lack ClusterState::lack_of(const ResourceRequest& request) const
{
  if (request.task_list > 0 && !counted_)
    return lack_of_parts(request);
  const TaskRequest unit = unit_of(request);
  const std::string gpus = needs_text(request.gpus(), 0, 0);
  if (counted_) {
    const int most = unit.gpu_type >= 0  ? gpus_of_type(unit.gpu_type)
                     : capacity_.empty() ? 0
                                         : *std::ranges::max_element(capacity_);
    return {fmt::format("{}, the cluster has {}{}", gpus, most, unit.gpu_type >= 0 || types_ > 1 ? " of one type" : ""),
            {}};
  }
  // The most that a machine has which may take it, and what the empty ones hold.
  NodeShape most;
  std::int64_t held = 0, best = 0;
  int of_type = 0, admitted = 0, machines_gpus = 0;
  for (int node = 0; node < nodes_->size(); ++node) {
    const NodeShape& shape = nodes_->shape(node);
    if (unit.gpus > 0 && unit.gpu_type >= 0 && shape.gpu_type != unit.gpu_type)
      continue;
    ++of_type;
    if (!nodes_->admits(node, unit.demands))
      continue;
    ++admitted;
    machines_gpus += shape.gpus;
    most.gpus = std::max(most.gpus, shape.gpus);
    most.cpu_milli = std::max(most.cpu_milli, shape.cpu_milli);
    most.memory_mib = std::max(most.memory_mib, shape.memory_mib);
    const std::int64_t here = held_by(node, request);
    held += here;
    best = std::max(best, here);
  }
  if (of_type == 0)
    return {fmt::format("{} of a type that no machine has", gpus), {}};
  if (admitted == 0)
    return {"no machine has the labels that it asks for, or it tolerates no machine's taints", {}};
  const bool few_gpus = unit.gpus > most.gpus, few_cores = unit.cpu_milli > most.cpu_milli,
             little_memory = unit.memory_mib > most.memory_mib;
  if (few_gpus || few_cores || little_memory) {
    const Remedy remedy{few_gpus ? unit.gpus : 0, few_cores ? unit.cpu_milli : 0, little_memory ? unit.memory_mib : 0,
                        0};
    const std::string have =
        needs_text(few_gpus ? most.gpus : 0, few_cores ? most.cpu_milli : 0, little_memory ? most.memory_mib : 0, true);
    return {
        fmt::format("{} {}, machines have {}",
                    needs_text(split_freely(request) ? remedy.gpus : unit.gpus, remedy.cpu_milli, remedy.memory_mib),
                    split_freely(request) ? "for each GPU" : "a machine", have.empty() ? "none" : have),
        remedy};
  }
  if (best == 0)
    return {
        fmt::format("{} a machine, no machine has all of it", needs_text(unit.gpus, unit.cpu_milli, unit.memory_mib)),
        {unit.gpus, unit.cpu_milli, unit.memory_mib, 0}};
  Remedy more{0, 0, 0, static_cast<int>((units_of(request) - held + best - 1) / best)};
  const NodeShape* first = nullptr;
  for (int node = 0; node < nodes_->size(); ++node)
    if (const NodeShape& shape = nodes_->shape(node); unit.gpus == 0 || shape.gpus > 0) {
      if (first != nullptr && (shape.gpu_type != first->gpu_type || shape.gpus != first->gpus))
        more = {}; // which machines there should be more of differs from job to job
      first = &shape;
    }
  if (held * unit.gpus == machines_gpus && unit.gpus > 0)
    return {fmt::format("{}, {} {}{}", gpus,
                        admitted < of_type ? "the machines that it may go to have" : "the cluster has", machines_gpus,
                        of_type < nodes_->size() ? " of its type" : ""),
            more};
  return {fmt::format("{} times {}, there is room for {}", units_of(request),
                      needs_text(unit.gpus, unit.cpu_milli, unit.memory_mib), held),
          more};
}

std::optional<Allocation> ClusterState::find(const ResourceRequest& request, std::span<const ClosedNodes> closed)
{
  const int gpus = request.gpus();
  if (counted_) {
    for (int type = 0; type < static_cast<int>(free_.size()); ++type)
      if ((request.task.gpu_type < 0 || request.task.gpu_type == type) && free_[static_cast<std::size_t>(type)] >= gpus)
        return Allocation{.gpus = gpus, .gpu_type = type, .shares = {}};
    return std::nullopt;
  }
  if (request.milli() > nodes_->free_milli())
    return std::nullopt;
  std::uint64_t& failed = failed_[request];
  if (failed == releases_ && (closed.empty() || request.task_list == 0))
    return std::nullopt;
  std::optional<Allocation> found;
  try_out([&] {
    if (request.task_list == 0 && closed.empty()) {
      found = placement_->place(*nodes_, request);
      return;
    }
    const std::vector<ResourceRequest> parts = parts_of(request);
    found = place_parts(*nodes_, parts, closed,
                        [&](NodePool& nodes, const ResourceRequest& part) { return placement_->place(nodes, part); });
    if (!found && request.task_list > 0) // so that what the empty machines could hold starts at last
      found = place_parts(*nodes_, parts, closed, place_anywhere);
  });
  if (!found && closed.empty())
    failed = releases_;
  return found;
}

WaitReason ClusterState::reason(const ResourceRequest& request) const
{
  const TaskRequest& task = request.task;
  if (request.milli() > free_milli())
    return WaitReason::gpus;
  if (counted_)
    return task.gpu_type >= 0 ? WaitReason::gpu_type : WaitReason::fragmented;
  if (request.task_list > 0) {
    for (const ResourceRequest& part : parts_of(request))
      if (const auto fits = [&](int node) { return nodes_->fits(node, part.task); };
          std::ranges::none_of(std::views::iota(0, nodes_->size()), fits))
        return reason(part);
    return WaitReason::fragmented;
  }
  if (task.gpu_type >= 0 && free_gpus_of_type(task.gpu_type) < task.gpus)
    return WaitReason::gpu_type;
  bool gpus_somewhere = false;
  bool cpu_somewhere = false;
  bool memory_somewhere = false;
  for (int node = 0; node < nodes_->size(); ++node) {
    if (!nodes_->state(node).up ||
        nodes_->gpus_with(node, task.gpu_milli) < (request.tasks == 0 ? std::min(1, task.gpus) : task.gpus))
      continue;
    gpus_somewhere = true;
    cpu_somewhere = cpu_somewhere || nodes_->state(node).free_cpu >= task.cpu_milli;
    memory_somewhere = memory_somewhere || nodes_->state(node).free_memory >= task.memory_mib;
  }
  if (gpus_somewhere && !cpu_somewhere)
    return WaitReason::cpu;
  if (gpus_somewhere && !memory_somewhere)
    return WaitReason::memory;
  return WaitReason::fragmented;
}

bool ClusterState::fits_now(const ResourceRequest& request)
{
  const TaskRequest& task = request.task;
  if (request.milli() > free_milli())
    return false;
  if (counted_)
    return find(request).has_value();
  if (request.task_list > 0) {
    bool fits = false;
    try_out([&] { fits = place_parts(*nodes_, parts_of(request), {}, place_anywhere).has_value(); });
    return fits;
  }
  if (const auto failed = failed_.find(request); failed != failed_.end())
    return failed->second != releases_;
  int missing = request.tasks == 0 && task.gpus > 1 ? task.gpus : std::max(1, request.tasks);
  for (int node = 0; node < nodes_->size() && missing > 0; ++node) {
    if (request.tasks == 0 && task.gpus > 1) {
      const NodeState& now = nodes_->state(node);
      if (now.up && nodes_->admits(node, task.demands) &&
          (task.gpu_type < 0 || nodes_->shape(node).gpu_type == task.gpu_type))
        missing -= now.whole_free;
      continue;
    }
    if (!nodes_->fits(node, task))
      continue;
    int copies = request.distinct_nodes ? 1 : missing;
    if (task.gpus > 0)
      copies = std::min(copies, nodes_->gpus_with(node, task.gpu_milli) / task.gpus);
    if (task.cpu_milli > 0)
      copies = static_cast<int>(std::min<std::int64_t>(copies, nodes_->state(node).free_cpu / task.cpu_milli));
    if (task.memory_mib > 0)
      copies = static_cast<int>(std::min<std::int64_t>(copies, nodes_->state(node).free_memory / task.memory_mib));
    missing -= copies;
  }
  return missing <= 0;
}

void ClusterState::take(const ResourceRequest& request, const Allocation& allocation)
{
  if (allocation.gpus != request.gpus())
    throw std::logic_error{"a gang of " + std::to_string(request.gpus()) + " GPUs was given " +
                           std::to_string(allocation.gpus)};
  if (counted_) {
    int& free = free_.at(static_cast<std::size_t>(allocation.gpu_type));
    if (free < allocation.gpus)
      throw std::logic_error{"over-committed pool: " + std::to_string(allocation.gpus) + " GPUs of " +
                             std::to_string(free)};
    free -= allocation.gpus;
    free_count_ -= allocation.gpus;
    return;
  }
  int gpus = 0;
  for (const TaskShare& share : allocation.shares)
    gpus += share.gpus();
  if (gpus != request.gpus())
    throw std::logic_error{"a gang of " + std::to_string(request.gpus()) + " GPUs was placed on " +
                           std::to_string(gpus)};
  for (const TaskShare& share : allocation.shares)
    nodes_->take(share, this);
}

void ClusterState::give(const Allocation& allocation)
{
  ++releases_;
  if (!counted_) {
    for (const TaskShare& share : allocation.shares)
      nodes_->give(share, this);
    return;
  }
  free_[static_cast<std::size_t>(allocation.gpu_type)] += allocation.gpus;
  free_count_ += allocation.gpus;
  if (free_[static_cast<std::size_t>(allocation.gpu_type)] > capacity_[static_cast<std::size_t>(allocation.gpu_type)])
    throw std::logic_error{"more GPUs released than the pool has"};
}

void ClusterState::set_up(int node, bool up)
{
  ++releases_;
  nodes_->set_up(node, up, this);
}

void ClusterState::changed(int node, const TaskShare* share, int sign)
{
  if (share == nullptr && !nodes_->state(node).up)
    lost_.push_back(node);
  if (sign > 0)
    return;
  ++releases_;
  gained_ = true;
}

std::optional<Allocation> find_place(const Workload& workload, JobId id, ClusterState& cluster,
                                     const ResourceRequest& request, std::span<const ClosedNodes> closed)
{
  const TraceJob& job = workload.job(id);
  if (workload.type_speed.empty() || request.task.gpu_type >= 0) {
    if (request.task.gpu_type >= 0 && workload.speed_on(job, request.task.gpu_type) <= 0)
      return std::nullopt;
    return cluster.find(request, closed);
  }
  std::vector<std::pair<double, int>> types; // equally fast ones in order of the cluster
  for (int type = 0; type < cluster.gpu_types(); ++type)
    if (workload.speed_on(job, type) > 0)
      types.emplace_back(-workload.speed_on(job, type), type);
  std::ranges::sort(types);
  for (const auto& [speed, type] : types) {
    ResourceRequest typed = request;
    typed.task.gpu_type = type;
    if (auto place = cluster.find(typed, closed))
      return place;
  }
  if (workload.mixed_gangs && std::ranges::none_of(types, [&](const auto& type) {
        ResourceRequest typed = request;
        typed.task.gpu_type = type.second;
        return cluster.could_fit(typed);
      }))
    return cluster.find(request, closed);
  return std::nullopt;
}

namespace {

/// Refuses a machine, or one of its GPUs.
void check_chosen(const ResourceRequest& request, const NodePool& nodes, const ChosenGpus& chosen)
{
  if (chosen.node < 0 || chosen.node >= nodes.size())
    throw std::invalid_argument{
        fmt::format("there is no machine number {}; the last is {}", chosen.node, nodes.size() - 1)};
  const NodeShape& shape = nodes.shape(chosen.node);
  const auto refuse = [&](const std::string& why) { throw std::invalid_argument{shape.name + " " + why}; };
  if (!nodes.state(chosen.node).up)
    refuse("is down");
  if (!nodes.admits(chosen.node, request.task.demands))
    refuse("has no label that the job asks for, or a taint that it does not tolerate");
  if (request.task.gpu_type >= 0 && request.task.gpu_type != shape.gpu_type)
    refuse("has GPUs of another type than the job asks for");
  for (const int gpu : chosen.gpus) {
    if (gpu < 0 || gpu >= shape.gpus)
      refuse(fmt::format("has no GPU number {}; it has {}", gpu, shape.gpus));
    if (std::ranges::count(chosen.gpus, gpu) > 1)
      refuse(fmt::format("was given with GPU {} twice", gpu));
    if (nodes.gpu_free(chosen.node)[static_cast<std::size_t>(gpu)] < request.task.gpu_milli)
      refuse(fmt::format("has no room on GPU {}: it is in use", gpu));
  }
}

} // namespace

Allocation chosen_place(const Workload& workload, JobId id, const NodePool& nodes, std::span<const ChosenGpus> chosen)
{
  const TraceJob& job = workload.job(id);
  if (job.task_list > 0)
    throw std::invalid_argument{"its tasks are a list; start it without naming its GPUs"};
  Allocation place;
  for (const ChosenGpus& machine : chosen)
    place.gpus += static_cast<int>(machine.gpus.size());
  if (place.gpus == 0 || !workload.runs_on(job, place.gpus))
    throw std::invalid_argument{
        fmt::format("it was given {} GPUs, but needs {}", place.gpus, workload.sizes_text(job))};
  const ResourceRequest request = request_of(job, place.gpus);
  const TaskRequest& task = request.task;
  const bool split = request.tasks == 0; // in any way; CPU and memory in proportion, rounded up
  for (const ChosenGpus& machine : chosen) {
    check_chosen(request, nodes, machine);
    const auto count = static_cast<int>(machine.gpus.size());
    if (!split && count % task.gpus != 0)
      throw std::invalid_argument{fmt::format("its tasks need {} GPUs each, so {} GPUs of {} do not fit them",
                                              task.gpus, count, nodes.shape(machine.node).name)};
    if (request.distinct_nodes && !split && count > task.gpus)
      throw std::invalid_argument{
          fmt::format("its tasks need a machine each, but {} was given several", nodes.shape(machine.node).name)};
    const auto step = static_cast<std::size_t>(split ? std::max(1, count) : task.gpus);
    std::int64_t cpu = 0, memory = 0;
    for (std::size_t at = 0; at < machine.gpus.size(); at += step) {
      TaskShare share{.node = machine.node, .gpu_mask = 0, .gpu_milli = task.gpu_milli};
      share.cpu_milli = split ? (task.cpu_milli * count + task.gpus - 1) / task.gpus : task.cpu_milli;
      share.memory_mib = split ? (task.memory_mib * count + task.gpus - 1) / task.gpus : task.memory_mib;
      for (std::size_t i = at; i < at + step; ++i)
        share.gpu_mask |= 1U << static_cast<unsigned>(machine.gpus[i]);
      cpu += share.cpu_milli;
      memory += share.memory_mib;
      place.shares.push_back(share);
    }
    if (nodes.state(machine.node).free_cpu < cpu || nodes.state(machine.node).free_memory < memory)
      throw std::invalid_argument{fmt::format("{} has too little free {} for it", nodes.shape(machine.node).name,
                                              nodes.state(machine.node).free_cpu < cpu ? "CPU" : "memory")};
  }
  place.gpu_type = nodes.shape(place.shares.front().node).gpu_type;
  if (workload.speed_on(job, place.gpu_type) <= 0)
    throw std::invalid_argument{"it cannot run on GPUs of this type"};
  return place;
}

} // namespace trainyard
