// SPDX-License-Identifier: Apache-2.0
#include "sim/step/graph_program.hpp"

#include "models/cost/container_network.hpp"
#include "sim/step/training/message_cost.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

namespace trainyard {
namespace {

bool on_one_machine(const GraphSection& graph)
{
  return std::ranges::all_of(graph.tasks,
                             [&](const GraphSection::Task& task) { return task.node == graph.tasks.front().node; });
}

class Builder
{
public:
  Builder(const Cluster& cluster, const Catalogue& catalogue, const Scenario& scenario, const GraphSection& graph)
      : cluster_{cluster}, graph_{graph}, transport_{in_containers(scenario.transports.at(graph.transport),
                                                                   container_network_of(scenario.cluster),
                                                                   on_one_machine(graph))}
  {
    for (const GraphSection::Task& task : graph.tasks)
      hosts_.push_back(node(task.node).host);
    client_ = node(graph.client).host;
    for (const TaskDevice& device : graph.devices) {
      const Node& where = cluster.node(cluster.vertex(hosts_[task_of(device)]).node);
      lanes_.push_back(program_.add(
          Lane{.name = full_name(device), .kind = LaneKind::compute, .node = cluster.vertex(where.host).node}));
      const std::vector<int>& seen = graph.tasks[task_of(device)].gpus;
      const auto number = static_cast<std::size_t>(device.index);
      vertices_.push_back(device.kind != "gpu"
                              ? where.host
                              : where.gpus.at(seen.empty() ? number : static_cast<std::size_t>(seen.at(number))));
      chips_.push_back(chip(catalogue, scenario, where, device.kind == "gpu"));
    }
    program_.job = "graph";
    program_.workers = 1;
    program_.samples_per_step = 1;
  }

  StepProgram build(int calls, std::vector<LaneId>& lanes)
  {
    std::vector<OperationId> after;
    for (int call = 0; call < calls; ++call)
      after = {add_call(call, after)};
    program_.steps = calls;
    lanes = lanes_;
    return std::move(program_);
  }

private:
  struct Chip {
    FlopsPerSecond rate; // 0: not known
    Seconds start;       // of a kernel
  };

  const Node& node(const std::string& name) const
  {
    for (const Node& one : cluster_.nodes())
      if (one.name == name)
        return one;
    throw std::invalid_argument{"unknown node '" + name + "'"};
  }

  std::size_t task_of(const TaskDevice& device) const
  {
    for (std::size_t i = 0; i < graph_.tasks.size(); ++i)
      if (graph_.tasks[i].job == device.job && graph_.tasks[i].number == device.task)
        return i;
    throw std::logic_error{"a device without task"};
  }

  Chip chip(const Catalogue& catalogue, const Scenario& scenario, const Node& where, bool gpu) const
  {
    if (gpu) {
      const Gpu& found = catalogue.gpus.at(where.gpu);
      return {found.peak.at("fp32") * found.compute_efficiency, found.kernel_launch};
    }
    for (const NodeGroupSpec& group : scenario.cluster.nodes)
      if (const auto type = scenario.cluster.node_types.find(group.type);
          group.name == where.group && type != scenario.cluster.node_types.end()) {
        if (type->second.cpu_rate > FlopsPerSecond{})
          return {type->second.cpu_rate, graph_.cpu_kernel};
        if (const auto cpu = catalogue.cpus.find(type->second.cpu); cpu != catalogue.cpus.end())
          return {cpu->second.peak.at("fp32") * cpu->second.compute_efficiency, graph_.cpu_kernel};
      }
    return {FlopsPerSecond{50e9}, graph_.cpu_kernel}; // assumed: a few cores with vector units
  }

  OperationId add(std::string name, Role role, Work work, std::vector<OperationId> after, std::vector<LaneId> lanes,
                  int call)
  {
    return program_.add(Operation{.name = std::move(name),
                                  .role = role,
                                  .work = std::move(work),
                                  .lanes = std::move(lanes),
                                  .after = std::move(after),
                                  .step = call,
                                  .worker = 0});
  }

  OperationId send(const std::string& name, Role role, VertexId from, VertexId to, Bytes bytes,
                   std::vector<OperationId> after, int call)
  {
    return add(name, role, message(transport_, cluster_, from, to, bytes), std::move(after), {}, call);
  }

  OperationId add_call(int call, const std::vector<OperationId>& after)
  {
    const VertexId master = hosts_[graph_.master];
    const OperationId asked = send("run", Role::other, client_, master, graph_.control_message, after, call);
    std::map<std::size_t, OperationId> started; // tasks that take part
    std::map<std::size_t, std::vector<OperationId>> done;
    for (const PlacedOperation& placed : graph_.placed) {
      const std::size_t task = task_of(graph_.devices[*placed.device]);
      if (!started.contains(task))
        started[task] = task == graph_.master ? asked
                                              : send(fmt::format("run graph of {}", name_of(task)), Role::other, master,
                                                     hosts_[task], graph_.control_message, {asked}, call);
    }
    std::vector<OperationId> ran(graph_.operations.size());
    std::map<std::pair<std::size_t, std::size_t>, OperationId> received; // operation, device -> its result is there
    for (std::size_t i = 0; i < graph_.operations.size(); ++i) {
      const GraphOperation& operation = graph_.operations[i];
      const std::size_t device = *graph_.placed[i].device;
      const std::size_t task = task_of(graph_.devices[device]);
      std::vector<OperationId> ready{started[task]};
      for (const std::string& input : operation.inputs)
        ready.push_back(result_at(index_of(input), device, ran, received, started[task], call));
      const Chip& chip = chips_[device];
      ran[i] = add(operation.name, Role::forward, Compute{operation.flop / chip.rate + chip.start, operation.flop, {}},
                   std::move(ready), {lanes_[device]}, call);
      done[task].push_back(ran[i]);
    }
    std::vector<OperationId> reported;
    for (auto& [task, operations] : done) {
      if (task == graph_.master)
        reported.insert(reported.end(), operations.begin(), operations.end());
      else
        reported.push_back(send(fmt::format("done of {}", name_of(task)), Role::other, hosts_[task], master,
                                graph_.control_message, operations, call));
    }
    const OperationId answered = send("answer", Role::other, master, client_, graph_.control_message, reported, call);
    add("call", Role::other, StepEnd{call, -1}, {answered}, {}, call);
    return answered;
  }

  /// The result of an operation on another device: requested and sent between tasks, copied within one; once per device
  /// and call.
  OperationId result_at(std::size_t operation, std::size_t device, const std::vector<OperationId>& ran,
                        std::map<std::pair<std::size_t, std::size_t>, OperationId>& received, OperationId started,
                        int call)
  {
    const std::size_t from = *graph_.placed[operation].device;
    if (from == device)
      return ran[operation];
    if (const auto found = received.find({operation, device}); found != received.end())
      return found->second;
    const GraphOperation& what = graph_.operations[operation];
    const std::size_t owner = task_of(graph_.devices[from]), reader = task_of(graph_.devices[device]);
    OperationId arrived;
    if (owner == reader) {
      arrived = add("copy " + what.name, Role::pull, Copy{vertices_[from], vertices_[device], what.output, {}},
                    {ran[operation]}, {}, call);
    } else {
      const OperationId request = send("ask for " + what.name, Role::pull, hosts_[reader], hosts_[owner],
                                       graph_.control_message, {started}, call);
      arrived = send("send " + what.name, Role::pull, vertices_[from], vertices_[device], what.output,
                     {request, ran[operation]}, call);
    }
    return received[{operation, device}] = arrived;
  }

  std::size_t index_of(const std::string& name) const
  {
    for (std::size_t i = 0; i < graph_.operations.size(); ++i)
      if (graph_.operations[i].name == name)
        return i;
    throw std::logic_error{"unknown input"};
  }

  std::string name_of(std::size_t task) const
  {
    return fmt::format("/job:{}/task:{}", graph_.tasks[task].job, graph_.tasks[task].number);
  }

  const Cluster& cluster_;
  const GraphSection& graph_;
  const Transport transport_;
  StepProgram program_;
  std::vector<VertexId> hosts_; // by task
  VertexId client_;
  std::vector<LaneId> lanes_; // by device
  std::vector<VertexId> vertices_;
  std::vector<Chip> chips_;
};

} // namespace

StepProgram graph_program(const Cluster& cluster, const Catalogue& catalogue, const Scenario& scenario,
                          const GraphSection& graph, int calls, std::vector<LaneId>& lanes)
{
  return Builder{cluster, catalogue, scenario, graph}.build(calls, lanes);
}

} // namespace trainyard
