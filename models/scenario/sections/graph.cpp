// SPDX-License-Identifier: Apache-2.0
#include "models/scenario/sections/graph.hpp"

#include "models/core/closest.hpp"
#include "models/core/data_folder.hpp"
#include "models/scenario/map_reader.hpp"
#include "models/scenario/schema_parts.hpp"
#include "models/scenario/section.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <set>

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

class GraphReader final : public ScenarioSection
{
public:
  bool brings_work() const override { return true; }

  nlohmann::ordered_json schema(const Parts&, const Catalogue&) const override
  {
    using namespace schema;
    const Json tasks = {{"type", "object"},
                        {"description", "nodes of the tasks by job: {ps: [ps-0], worker: [worker-0, worker-1]}"},
                        {"additionalProperties", list_of({{"type", "string"}}, "node of task 0, 1, …")}};
    const Json operation =
        object("an operation of the graph",
               {{"name", text("name of the operation")},
                {"type", text("type: MatMul, VariableV2…; the table of kernels lists them")},
                {"device", text("tf.device: /job:worker/task:1/gpu:0, /cpu:0; the placer chooses what is not given")},
                {"colocate", text("operation whose device this one shares")},
                {"inputs", list_of({{"type", "string"}}, "operations whose results it reads")},
                {"flop", quantity("work of one execution (default 0 flop)", "1 Gflop")},
                {"output", quantity("size of its result (default 4 B)", "4 B")}},
               {"name", "type"});
    return object(
        "operations that a client runs repeatedly",
        {{"tasks", tasks},
         {"master", text("task whose session it is (default: the first worker, else the first task)")},
         {"client", text("node of the client program (default: the master's)")},
         {"transport", text("transport between tasks, from the catalogue or from 'transports' (default grpc)")},
         {"control_message", quantity("size of a request or reply without a tensor (default 200 B)", "200 B")},
         {"cpu_kernel", quantity("time to start a kernel on a CPU (default 2 us)", "2 us")},
         {"runs", number("number of calls of session.run (default 1)", 1)},
         {"allow_soft_placement",
          flag("move an operation whose device is impossible, instead of refusing it (default false)")},
         {"log_device_placement", flag("print the device of each operation (default false)")},
         {"kernels", name_of(kernel_tables(), "table of kernels (default tensorflow-1)")},
         {"operations", list_of(operation, "operations; each comes after its inputs")}},
        {"tasks", "operations"});
  }

  std::any read(const SectionInput& input) const override
  {
    GraphSection section;
    MapReader reader{input.document, &input.node, "'graph'", input.diagnostics};
    read_tasks(input, reader, section);
    section.transport = reader.text("transport", "grpc");
    if (!input.scenario.transports.contains(section.transport)) {
      std::vector<std::string> known;
      for (const auto& [name, transport] : input.scenario.transports)
        known.push_back(name);
      reader.error("transport",
                   fmt::format("unknown transport '{}'{}", section.transport, did_you_mean(section.transport, known)));
    }
    section.control_message = Bytes{reader.quantity("control_message", QuantityKind::bytes, 200)};
    section.cpu_kernel = Seconds{reader.quantity("cpu_kernel", QuantityKind::duration, 2e-6)};
    section.runs = reader.number("runs", 1, 1, 1e12);
    section.soft_placement = reader.flag("allow_soft_placement", false);
    section.log_placement = reader.flag("log_device_placement", false);
    section.kernels = read_kernels(reader.choice("kernels", "tensorflow-1", kernel_tables()), input.diagnostics);
    std::vector<const DocumentNode*> nodes = reader.list("operations");
    for (const DocumentNode* node : nodes)
      read_operation(input, *node, section);
    if (nodes.empty())
      reader.error("operations", "the graph has no operations");
    if (!section.tasks.empty())
      place(input, nodes, section);
    reader.finish();
    return section;
  }

private:
  static void read_tasks(const SectionInput& input, MapReader& reader, GraphSection& section)
  {
    std::map<std::string, int> gpus; // by node
    std::vector<std::string> known;
    for (const NodeGroupSpec& group : input.scenario.cluster.nodes)
      for (int i = 0; i < std::min(group.count, 100'000); ++i) {
        known.push_back(fmt::format("{}-{}", group.name, i));
        const auto type = input.scenario.cluster.node_types.find(group.type);
        gpus[known.back()] = type == input.scenario.cluster.node_types.end() ? 0 : type->second.gpus;
      }
    MapReader tasks{input.document, reader.node("tasks"), "'tasks'", input.diagnostics};
    std::vector<std::string> names;
    std::map<std::string, int> used; // GPUs of a node that earlier tasks see: each task sees all of them
    for (const DocumentNode::Entry& entry : tasks.entries()) {
      int number = 0;
      for (const std::string& node : tasks.texts(entry.key)) {
        if (!gpus.contains(node))
          tasks.error(entry.key, fmt::format("there is no node '{}'{}", node, did_you_mean(node, known)));
        section.tasks.push_back({entry.key, number, node});
        names.push_back(fmt::format("/job:{}/task:{}", entry.key, number));
        section.devices.push_back({entry.key, number, "cpu", 0});
        for (int gpu = 0; gpu < gpus[node]; ++gpu)
          section.devices.push_back({entry.key, number, "gpu", gpu});
        ++number;
      }
    }
    if (section.tasks.empty())
      reader.error("tasks", "the graph has no tasks; write tasks: {worker: [worker-0]}");
    const auto first_worker = std::ranges::find(section.tasks, "worker", &GraphSection::Task::job);
    section.master =
        first_worker == section.tasks.end() ? 0 : static_cast<std::size_t>(first_worker - section.tasks.begin());
    if (const std::string master = reader.text("master", ""); !master.empty()) {
      const auto found = std::ranges::find(names, master);
      if (found == names.end())
        reader.error("master", fmt::format("there is no task '{}'{}", master, did_you_mean(master, names)));
      else
        section.master = static_cast<std::size_t>(found - names.begin());
    }
    section.client = reader.text("client", section.tasks.empty() ? "" : section.tasks[section.master].node);
    if (!section.client.empty() && !gpus.contains(section.client))
      reader.error("client",
                   fmt::format("there is no node '{}'{}", section.client, did_you_mean(section.client, known)));
  }

  static void read_operation(const SectionInput& input, const DocumentNode& node, GraphSection& section)
  {
    MapReader reader{input.document, &node, "an operation", input.diagnostics};
    GraphOperation operation;
    operation.name = reader.required_text("name");
    operation.type = reader.required_text("type");
    operation.device = reader.text("device", "");
    operation.colocate = reader.text("colocate", "");
    operation.inputs = reader.texts("inputs");
    operation.flop = Flops{reader.quantity("flop", QuantityKind::flops, 0)};
    operation.output = Bytes{reader.quantity("output", QuantityKind::bytes, 4)};
    std::vector<std::string> earlier;
    for (const GraphOperation& before : section.operations)
      earlier.push_back(before.name);
    if (std::ranges::find(earlier, operation.name) != earlier.end())
      reader.error("name", fmt::format("two operations are called '{}'", operation.name));
    for (const std::string& name : operation.inputs)
      if (std::ranges::find(earlier, name) == earlier.end())
        reader.error("inputs", fmt::format("no operation before this one has the name '{}'{}", name,
                                           did_you_mean(name, earlier)));
    reader.finish();
    section.operations.push_back(std::move(operation));
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
