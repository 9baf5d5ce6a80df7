// SPDX-License-Identifier: Apache-2.0
#include "sim/sources/services/machines.hpp"
#include "models/core/text.hpp"

#include <algorithm>
#include <bit>
#include <stdexcept>

namespace trainyard {

namespace {

using Count = std::int64_t;
using Counts = std::array<int, misfits>;

constexpr Sentence<Count, Count, Messages> nodes_fit{"services.nodes_fit", "{fit}/{nodes} nodes fit: {why}"};
constexpr Sentence<Count> nodes_with[]{
    // in the order of Misfit
    {"services.fits", "{nodes} fit"},
    {"services.down", "{nodes} down"},
    {"services.cut_off", "{nodes} cut off"},
    {"services.daemon", "{nodes} container daemon stopped (wrong configuration or restart)"},
    {"services.joins_later", "{nodes} has not joined yet"},
    {"services.manager", "{nodes} manager only"},
    {"services.constraint", "{nodes} constraint not met"},
    {"services.most_per_node", "{nodes} limit of tasks per node"},
    {"services.host_port", "{nodes} host port taken"},
    {"services.gpu_runtime", "{nodes} no GPU runtime"},
    {"services.gpu_type", "{nodes} other type of gpu"},
    {"services.gpu", "{nodes} insufficient gpu"},
    {"services.cpu", "{nodes} insufficient cpu"},
    {"services.memory", "{nodes} insufficient memory"},
};

Messages row_of(const Counts& counts)
{
  Messages row;
  for (std::size_t i = 1; i < misfits; ++i)
    if (counts[i] > 0) {
      if (!row.empty())
        row.push_back(plain(MessageKind::part, ", "));
      row.push_back(nodes_with[i](counts[i]));
    }
  return row;
}

} // namespace

NodeRequest request_of(const TaskGroupSpec& group, const ClusterShape& shape, int service)
{
  NodeRequest request;
  request.resources = {.gpus = group.gpus,
                       .gpu_milli = group.gpu_milli,
                       .cpu_milli = group.cpu_milli,
                       .memory_mib = group.memory_mib,
                       .gpu_type = -1};
  if (!group.gpu_type.empty()) {
    const auto type = std::ranges::find(shape.gpu_types, group.gpu_type);
    request.resources.gpu_type =
        type == shape.gpu_types.end() ? 1'000'000 : static_cast<int>(type - shape.gpu_types.begin());
  }
  request.host_ports = group.host_ports;
  request.constraints = group.constraints;
  request.most_per_node = group.most_per_node;
  request.uses_gpu = group.gpus == 0 && group.gpu_use > 0;
  request.service = service;
  return request;
}

Machines::Machines(const ClusterShape& shape, const std::vector<MachineTraits>& traits, const std::string& placement,
                   bool avoids_gpu_nodes, NodePool* shared)
    : pool_{shared}, machines_(shape.nodes.size()), traits_{traits}, gpu_types_{shape.gpu_types},
      placement_{Registry<PlacementPolicy>::instance().create(placement)}, task_order_{placement_->task_order()},
      avoids_gpu_nodes_{avoids_gpu_nodes}, rank_(shape.nodes.size()), listed_(shape.nodes.size(), false)
{
  if (task_order_ == nullptr)
    throw std::invalid_argument{"placement '" + placement + "' does not place tasks of services"};
  if (shared == nullptr)
    pool_ = &own_.emplace(shape);
  else
    shared->watch(*this);
  traits_.resize(machines_.size());
  for (int node = 0; node < size(); ++node) {
    Machine& machine = machines_[static_cast<std::size_t>(node)];
    machine.framework = traits_[static_cast<std::size_t>(node)].framework;
    machine.joined = traits_[static_cast<std::size_t>(node)].joins == Instant{};
    if (shared != nullptr && !machine.joined)
      shared->set_up(node, false, this);
    capacity_ += free_of(node);
    (machine.usable() ? idle_ : down_) += free_of(node);
    if (machine.usable()) {
      rank_[static_cast<std::size_t>(node)] = rank_of(node);
      order_.emplace(rank_of(node), node);
      listed_[static_cast<std::size_t>(node)] = true;
    }
  }
}

void Machines::join(int node)
{
  if (!own_)
    pool_->set_up(node, true, this);
  change(node, [](Machine& machine) { machine.joined = true; });
}

Amount Machines::free_of(int node) const
{
  const NodeState& state = pool_->state(node);
  return {state.free_milli, state.free_cpu, state.free_memory};
}

std::int64_t Machines::rank_of(int node) const
{
  return task_order_->rank(*pool_, node, machines_[static_cast<std::size_t>(node)].tasks);
}

void Machines::before(int node)
{
  const Machine& machine = machines_[static_cast<std::size_t>(node)];
  (machine.usable() ? idle_ : down_) -= free_of(node);
  // A broken GPU is taken from the pool without an owner: it counts as down.
  down_.gpu_milli -= 1000L * std::popcount(machine.broken_gpus);
  if (listed_[static_cast<std::size_t>(node)])
    order_.erase({rank_[static_cast<std::size_t>(node)], node});
  listed_[static_cast<std::size_t>(node)] = false;
}

void Machines::after(int node)
{
  const Machine& machine = machines_[static_cast<std::size_t>(node)];
  (machine.usable() ? idle_ : down_) += free_of(node);
  down_.gpu_milli += 1000L * std::popcount(machine.broken_gpus);
  if (!machine.usable())
    return;
  rank_[static_cast<std::size_t>(node)] = rank_of(node);
  order_.emplace(rank_[static_cast<std::size_t>(node)], node);
  listed_[static_cast<std::size_t>(node)] = true;
  gains_.push_back(node);
}

bool Machines::meets(int node, const PlacementConstraint& constraint) const
{
  const MachineTraits& traits = traits_[static_cast<std::size_t>(node)];
  const NodeShape& shape = pool_->shape(node);
  std::string value;
  if (const auto label = traits.labels.find(constraint.key); label != traits.labels.end()) // its own before ours
    value = label->second;
  else if (constraint.key == "node")
    value = shape.name;
  else if (constraint.key == "group")
    value = traits.group;
  else if (constraint.key == "role")
    value = traits.manages && constraint.value == "manager" ? "manager" : traits.takes_tasks ? "worker" : "manager";
  else if (constraint.key == "rack")
    value = std::to_string(shape.rack);
  else if (constraint.key == "gpu")
    value = shape.gpus > 0 ? gpu_types_[static_cast<std::size_t>(shape.gpu_type)] : "";
  return (value == constraint.value) == constraint.equal;
}

Misfit Machines::misfit(int node, const NodeRequest& request) const
{
  const Machine& machine = machines_[static_cast<std::size_t>(node)];
  const MachineTraits& traits = traits_[static_cast<std::size_t>(node)];
  if (!machine.joined)
    return Misfit::joins_later;
  if (machine.crashed > 0)
    return Misfit::down;
  if (machine.daemon > 0)
    return Misfit::daemon;
  if (machine.cut > 0)
    return Misfit::cut_off;
  if (!traits.takes_tasks)
    return Misfit::manager;
  for (const PlacementConstraint& constraint : request.constraints)
    if (!meets(node, constraint))
      return Misfit::constraint;
  if (request.most_per_node > 0)
    for (const auto& [service, tasks] : machine.count)
      if (service == request.service && tasks >= request.most_per_node)
        return Misfit::most_per_node;
  for (const int port : request.host_ports)
    if (std::ranges::find(machine.ports, port) != machine.ports.end())
      return Misfit::host_port;
  const TaskRequest& task = request.resources;
  const NodeState& state = pool_->state(node);
  if (!state.up || machine.drained > 0) // others take it away, or have done so
    return Misfit::down;
  if (request.uses_gpu && pool_->shape(node).gpus == 0)
    return Misfit::gpu;
  if (task.gpus > 0) {
    if (!traits.gpu_runtime && pool_->shape(node).gpus > 0)
      return Misfit::gpu_runtime;
    if (task.gpu_type >= 0 && pool_->shape(node).gpus > 0 && pool_->shape(node).gpu_type != task.gpu_type)
      return Misfit::gpu_type;
    if (state.free_milli < task.milli() || pool_->gpus_with(node, task.gpu_milli) < task.gpus)
      return Misfit::gpu;
  }
  if (state.free_cpu < task.cpu_milli)
    return Misfit::cpu;
  if (state.free_memory < task.memory_mib)
    return Misfit::memory;
  return Misfit::none;
}

int Machines::find(const NodeRequest& request, const std::vector<int>* only) const
{
  const bool spreads = task_order_->spreads_services() && request.service >= 0;
  const auto of_service = [&](int node) {
    for (const auto& [service, tasks] : at(node).count)
      if (service == request.service)
        return tasks;
    return 0;
  };
  // What decides, in this order: no GPU for nothing, few tasks of the service, the placement's rank, the first node.
  using Key = std::tuple<bool, int, std::int64_t, int>;
  std::optional<Key> best;
  const auto consider = [&](int node) {
    if (misfit(node, request) != Misfit::none)
      return;
    const bool wasted = avoids_gpu_nodes_ && request.resources.gpus == 0 && pool_->shape(node).gpus > 0;
    const Key key{wasted, spreads ? of_service(node) : 0, rank_[static_cast<std::size_t>(node)], node};
    if (!best || key < *best)
      best = key;
  };
  if (only != nullptr) {
    for (const int node : *only)
      consider(node);
  } else {
    for (const auto& [rank, node] : order_) {
      consider(node);
      if (best && !std::get<0>(*best) && std::get<1>(*best) == 0)
        break; // nothing later can come before it
    }
  }
  return best ? std::get<3>(*best) : -1;
}

Message Machines::why_not(const NodeRequest& request) const
{
  Counts counts{};
  for (int node = 0; node < size(); ++node)
    ++counts[static_cast<std::size_t>(misfit(node, request))];
  return nodes_fit(counts[0], size(), row_of(counts));
}

bool Machines::eligible(int node, const NodeRequest& request) const
{
  const MachineTraits& traits = traits_[static_cast<std::size_t>(node)];
  const bool constrained =
      std::ranges::any_of(request.constraints, [&](const auto& constraint) { return !meets(node, constraint); });
  return traits.takes_tasks && !constrained && (!request.uses_gpu || pool_->shape(node).gpus > 0) &&
         (request.resources.gpus == 0 || traits.gpu_runtime) && pool_->could_fit(node, request.resources);
}

bool Machines::could_fit(const NodeRequest& request) const
{
  for (int node = 0; node < size(); ++node)
    if (eligible(node, request))
      return true;
  return false;
}

std::string Machines::why_never(const NodeRequest& request) const
{
  Counts counts{};
  for (int node = 0; node < size(); ++node) {
    const MachineTraits& traits = traits_[static_cast<std::size_t>(node)];
    const NodeShape& whole = pool_->shape(node);
    const TaskRequest& task = request.resources;
    Misfit why = Misfit::none;
    if (!traits.takes_tasks)
      why = Misfit::manager;
    else if (std::ranges::any_of(request.constraints, [&](const auto& constraint) { return !meets(node, constraint); }))
      why = Misfit::constraint;
    else if (task.gpus > 0 && whole.gpus > 0 && !traits.gpu_runtime)
      why = Misfit::gpu_runtime;
    else if (task.gpus > 0 && task.gpu_type >= 0 && whole.gpus > 0 && whole.gpu_type != task.gpu_type)
      why = Misfit::gpu_type;
    else if (whole.gpus < task.gpus || (request.uses_gpu && whole.gpus == 0))
      why = Misfit::gpu;
    else if (whole.cpu_milli < task.cpu_milli)
      why = Misfit::cpu;
    else if (whole.memory_mib < task.memory_mib)
      why = Misfit::memory;
    ++counts[static_cast<std::size_t>(why)];
  }
  std::string text = "of " + counted(size(), "node") + " ";
  for (const Message& part : row_of(counts))
    text += part.text;
  return text;
}

bool Machines::fits_with(int node, const NodeRequest& request, const std::vector<TaskShare>& given) const
{
  // What no other task's end changes must be right already.
  const Misfit now = misfit(node, request);
  if (now != Misfit::none && now != Misfit::gpu && now != Misfit::cpu && now != Misfit::memory)
    return false;
  const auto span = pool_->gpu_free(node);
  std::vector<int> free(span.begin(), span.end());
  std::int64_t cpu = pool_->state(node).free_cpu, memory = pool_->state(node).free_memory;
  for (const TaskShare& share : given) {
    for (std::size_t gpu = 0; gpu < free.size(); ++gpu)
      if ((share.gpu_mask >> gpu & 1u) != 0)
        free[gpu] += share.gpu_milli;
    cpu += share.cpu_milli;
    memory += share.memory_mib;
  }
  const TaskRequest& task = request.resources;
  return std::ranges::count_if(free, [&](int milli) { return milli >= task.gpu_milli; }) >= task.gpus &&
         cpu >= task.cpu_milli && memory >= task.memory_mib;
}

TaskShare Machines::take(int node, int task, const NodeRequest& request, int service)
{
  before(node);
  Machine& machine = machines_[static_cast<std::size_t>(node)];
  const TaskShare share = {.node = node,
                           .gpu_mask =
                               request.resources.gpus > 0 ? pool_->lowest_gpus(node, request.resources, true) : 0,
                           .gpu_milli = request.resources.gpu_milli,
                           .cpu_milli = request.resources.cpu_milli,
                           .memory_mib = request.resources.memory_mib};
  pool_->take(share, this);
  ++machine.tasks;
  machine.task_list.push_back(task);
  machine.ports.insert(machine.ports.end(), request.host_ports.begin(), request.host_ports.end());
  const auto found = std::ranges::find(machine.count, service, &std::pair<int, int>::first);
  if (found == machine.count.end())
    machine.count.emplace_back(service, 1);
  else
    ++found->second;
  after(node);
  gains_.pop_back(); // fewer free resources, not more
  return share;
}

void Machines::give(const TaskShare& share, int task, const NodeRequest& request, int service)
{
  before(share.node);
  Machine& machine = machines_[static_cast<std::size_t>(share.node)];
  pool_->give(share, this);
  --machine.tasks;
  machine.task_list.erase(std::ranges::find(machine.task_list, task));
  for (const int port : request.host_ports)
    machine.ports.erase(std::ranges::find(machine.ports, port));
  const auto found = std::ranges::find(machine.count, service, &std::pair<int, int>::first);
  if (--found->second == 0)
    machine.count.erase(found);
  after(share.node);
}

void Machines::changed(int node, const TaskShare* share, int sign)
{
  if (share != nullptr)
    sign > 0 ? elsewhere_ += amount_of(*share) : elsewhere_ -= amount_of(*share);
  after(node);
  if (sign <= 0)
    gained_ = true;
  else if (machines_[static_cast<std::size_t>(node)].usable())
    gains_.pop_back(); // fewer free resources, not more
}

void Machines::break_gpu(int node, int gpu, bool broken)
{
  if (!own_) { // the queue beside it takes the whole machine away, at the same instant but later
    change(node, [&](Machine& machine) { machine.drained += broken ? 1 : -1; });
    return;
  }
  before(node);
  Machine& machine = machines_[static_cast<std::size_t>(node)];
  const std::uint32_t mask = std::uint32_t{1} << gpu;
  const TaskShare share{.node = node, .gpu_mask = mask, .gpu_milli = 1000, .cpu_milli = 0, .memory_mib = 0};
  if (broken) {
    pool_->take(share, this);
    machine.broken_gpus |= mask;
  } else {
    pool_->give(share, this);
    machine.broken_gpus &= ~mask;
  }
  after(node);
}

} // namespace trainyard
