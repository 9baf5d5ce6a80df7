// SPDX-License-Identifier: Apache-2.0
#include "models/job/device_placement.hpp"

#include "models/core/closest.hpp"
#include "models/core/data_folder.hpp"
#include "models/scenario/section.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

namespace trainyard {
namespace {

std::filesystem::path kernel_folder()
{
  return data_folder() / "models" / "hardware" / "catalogue" / "kernels";
}

std::vector<std::string> kernel_tables()
{
  std::vector<std::string> names;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator{kernel_folder(), error})
    if (entry.path().extension() == ".yaml")
      names.push_back(entry.path().stem().string());
  std::ranges::sort(names);
  return names;
}

KernelTable read_kernels(const std::string& name, Diagnostics& diagnostics)
{
  KernelTable table;
  const Document document = read_document(kernel_folder() / (name + ".yaml"), diagnostics);
  MapReader reader{document, &document.root, "a table of kernels", diagnostics};
  table.name = reader.required_text("name");
  table.source = reader.required_text("source");
  MapReader kernels{document, reader.node("kernels"), "'kernels'", diagnostics};
  for (const DocumentNode::Entry& entry : kernels.entries())
    table.kernels[entry.key] = kernels.texts(entry.key);
  reader.finish();
  return table;
}

class GraphReader final : public SectionOf<GraphSection>
{
public:
  GraphReader() : SectionOf{"graph", "operations that a client runs repeatedly"} {}
  bool brings_work() const override { return true; }

protected:
  void fields(Fields& keys, GraphSection& section, const SectionInput* input) const override
  {
    task_fields(keys, section, input);
    keys.text("transport", section.transport, "transport between tasks, from the catalogue or from 'transports'");
    if (input != nullptr && !input->scenario.transports.contains(section.transport))
      keys.error("transport", fmt::format("unknown transport '{}'{}", section.transport,
                                          did_you_mean(section.transport, keys_of(input->scenario.transports))));
    keys.quantity("control_message", section.control_message, "size of a request or reply without a tensor",
                  {.example = "200 B"});
    keys.quantity("cpu_kernel", section.cpu_kernel, "time to start a kernel on a CPU", {.example = "2 us"});
    keys.number("runs", section.runs, "number of calls of session.run", {.least = 1, .most = 1e12});
    keys.flag("allow_soft_placement", section.soft_placement,
              "move an operation whose device is impossible, instead of refusing it");
    keys.flag("log_device_placement", section.log_placement, "print the device of each operation");
    std::string kernels = "tensorflow-1";
    keys.choice("kernels", kernels, kernel_tables(), "table of kernels");
    keys.list<GraphOperation>(
        "operations", section.operations, "an operation of the graph", "operations; each comes after its inputs",
        [&](Fields& inner, GraphOperation& operation) { operation_fields(inner, operation, section.operations); },
        {.required = true, .what = "an operation"});
    if (input == nullptr)
      return;
    section.kernels = read_kernels(kernels, input->diagnostics);
    if (keys.has("operations") && section.operations.empty())
      keys.error("operations", "the graph has no operations");
    if (!section.tasks.empty())
      place(*input, keys.reader().list("operations"), section);
  }

private:
  /// GPUs of each node, by its name.
  static std::map<std::string, int> gpus_of_nodes(const ClusterSpec& cluster)
  {
    std::map<std::string, int> gpus;
    for (const NodeGroupSpec& group : cluster.nodes) {
      const auto type = cluster.node_types.find(group.type);
      for (int i = 0; i < std::min(group.count, 100'000); ++i)
        gpus[fmt::format("{}-{}", group.name, i)] = type == cluster.node_types.end() ? 0 : type->second.gpus;
    }
    return gpus;
  }

  static std::string no_node(const std::string& name, const std::map<std::string, int>& nodes)
  {
    return fmt::format("there is no node '{}'{}", name, did_you_mean(name, keys_of(nodes)));
  }

  static void task_fields(Fields& keys, GraphSection& section, const SectionInput* input)
  {
    const std::map<std::string, int> nodes =
        input == nullptr ? std::map<std::string, int>{} : gpus_of_nodes(input->scenario.cluster);
    keys.custom("tasks",
                schema::map_of(schema::list_of({{"type", "string"}}, "node of task 0, 1, …"),
                               "nodes of the tasks by job: {ps: [ps-0], worker: [worker-0, worker-1]}"),
                [&](const DocumentNode& map) { read_tasks(*input, map, nodes, section); }, {.required = true});
    if (keys.has("tasks") && section.tasks.empty())
      keys.error("tasks", "the graph has no tasks; write tasks: {worker: [worker-0]}");
    std::map<std::string, std::size_t> places; // of the tasks, by name
    for (const GraphSection::Task& task : section.tasks)
      places.try_emplace(fmt::format("/job:{}/task:{}", task.job, task.number), places.size());
    const auto first_worker = std::ranges::find(section.tasks, "worker", &GraphSection::Task::job);
    if (first_worker != section.tasks.end())
      section.master = static_cast<std::size_t>(first_worker - section.tasks.begin());
    std::string master;
    keys.text("master", master, "task whose session it is", {.otherwise = "the first worker, else the first task"});
    if (const auto found = places.find(master); found != places.end())
      section.master = found->second;
    else if (!master.empty())
      keys.error("master", fmt::format("there is no task '{}'{}", master, did_you_mean(master, keys_of(places))));
    if (!section.tasks.empty())
      section.client = section.tasks[section.master].node;
    if (keys.text("client", section.client, "node of the client program", {.otherwise = "the master's"}) &&
        !nodes.contains(section.client))
      keys.error("client", no_node(section.client, nodes));
  }

  static void read_tasks(const SectionInput& input, const DocumentNode& map, const std::map<std::string, int>& nodes,
                         GraphSection& section)
  {
    MapReader jobs{input.document, &map, "'tasks'", input.diagnostics};
    for (const DocumentNode::Entry& entry : jobs.entries()) {
      int number = 0;
      for (const std::string& node : jobs.texts(entry.key)) {
        const auto found = nodes.find(node);
        if (found == nodes.end())
          jobs.error(entry.key, no_node(node, nodes));
        section.tasks.push_back({entry.key, number, node});
        section.devices.push_back({entry.key, number, "cpu", 0});
        for (int gpu = 0; found != nodes.end() && gpu < found->second; ++gpu) // each task sees all of them
          section.devices.push_back({entry.key, number, "gpu", gpu});
        ++number;
      }
    }
  }

  static void operation_fields(Fields& keys, GraphOperation& operation, const std::vector<GraphOperation>& before)
  {
    std::vector<std::string> earlier;
    for (const GraphOperation& one : before)
      earlier.push_back(one.name);
    keys.text("name", operation.name, "name of the operation", {.required = true});
    if (std::ranges::find(earlier, operation.name) != earlier.end())
      keys.error("name", fmt::format("two operations are called '{}'", operation.name));
    keys.text("type", operation.type, "type: MatMul, VariableV2…; the table of kernels lists them", {.required = true});
    keys.text("device", operation.device,
              "tf.device: /job:worker/task:1/gpu:0, /cpu:0; the placer chooses what is not given");
    keys.text("colocate", operation.colocate, "operation whose device this one shares");
    keys.texts("inputs", operation.inputs, "operations whose results it reads");
    for (const std::string& name : operation.inputs)
      if (std::ranges::find(earlier, name) == earlier.end())
        keys.error("inputs",
                   fmt::format("no operation before this one has the name '{}'{}", name, did_you_mean(name, earlier)));
    keys.quantity("flop", operation.flop, "work of one execution", {.example = "1 Gflop"});
    keys.quantity("output", operation.output, "size of its result", {.example = "4 B"});
  }

  static void place(const SectionInput& input, const std::vector<const DocumentNode*>& nodes, GraphSection& section)
  {
    const GraphSection::Task& master = section.tasks[section.master];
    section.placed = place_operations(section.operations, section.devices, section.kernels, master.job, master.number,
                                      section.soft_placement);
    for (std::size_t i = 0; i < section.placed.size(); ++i)
      if (!section.placed[i].device) {
        const DocumentNode* where = nodes[i]->find("device");
        input.document.error(
            input.diagnostics, where == nullptr ? *nodes[i] : *where,
            fmt::format("operation '{}' cannot be placed: {}", section.operations[i].name, section.placed[i].reason));
      }
  }
};

TY_REGISTER(ScenarioSection, GraphReader, "graph", "operations of a data-flow graph on the devices of tasks");

} // namespace
} // namespace trainyard
