// SPDX-License-Identifier: Apache-2.0
#include "models/scenario/sections/gpu_memory.hpp"

#include "models/core/closest.hpp"
#include "models/cost/memory.hpp"
#include "models/dnn/builder.hpp"
#include "models/scenario/map_reader.hpp"
#include "models/scenario/schema_parts.hpp"
#include "models/scenario/section.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace trainyard {
namespace {

class GpuMemoryReader final : public ScenarioSection
{
public:
  bool brings_work() const override { return true; }

  nlohmann::ordered_json schema(const Parts& parts, const Catalogue&) const override
  {
    using namespace schema;
    const Json demand = object("memory that the process needs from this time on",
                               {{"at", quantity("time since the start of the process (default 0 s)", "30 s")},
                                {"bytes", quantity("memory on each visible GPU", "4 GB")}},
                               {"bytes"});
    const Json process = object(
        "a process on the node's GPUs",
        {{"name", text("name of the process")},
         {"visible", list_of({{"type", "integer"}, {"minimum", 0}},
                             "CUDA_VISIBLE_DEVICES: numbers of the GPUs that it sees (default: all)")},
         {"policy", name_of({"all", "allow_growth", "fraction"},
                            "all: 0.95 of each visible GPU at the start (default); allow_growth: as "
                            "much as it needs; fraction: per_process_gpu_memory_fraction")},
         {"fraction", number("share of each visible GPU, for policy: fraction", 0.01)},
         {"start", quantity("start of the process (default 0 s)", "10 s")},
         {"end", quantity("end of the process (default: it keeps running)", "10 min")},
         {"demand", list_of(demand, "memory that it needs over time")},
         {"model", name_of(names(parts, "model"), "network that it trains, instead of a demand")},
         {"batch_per_gpu", whole("with model: samples per step (default 32)")},
         {"gives_back",
          flag("with allow_growth: memory that is no longer needed is freed (default false, as in TensorFlow 1)")}},
        {"name"});
    return object("processes that share the GPUs of one node",
                  {{"node", text("node of the processes (default: the first node with GPUs)")},
                   {"fragmentation", number("share of the memory taken by growth that is unusable (default 0)")},
                   {"processes", list_of(process, "the processes; at equal times the earlier in the list goes first")}},
                  {"processes"});
  }

  std::any read(const SectionInput& input) const override
  {
    GpuMemorySection section;
    MapReader reader{input.document, &input.node, "'gpu_memory'", input.diagnostics};
    const Gpu* gpu = read_node(input, reader, section);
    section.fragmentation = reader.number("fragmentation", 0, 0, 0.9);
    for (const DocumentNode* node : reader.list("processes"))
      section.processes.push_back(read_process(input, *node, section, gpu));
    if (section.processes.empty())
      reader.error("processes", "'gpu_memory' lists no processes");
    reader.finish();
    return section;
  }

private:
  static const Gpu* read_node(const SectionInput& input, MapReader& reader, GpuMemorySection& section)
  {
    std::vector<std::string> known;
    const Gpu* gpu = nullptr;
    section.node = reader.text("node", "");
    for (const NodeGroupSpec& group : input.scenario.cluster.nodes) {
      const auto type = input.scenario.cluster.node_types.find(group.type);
      if (type == input.scenario.cluster.node_types.end() || type->second.gpus == 0)
        continue;
      for (int i = 0; i < std::min(group.count, 100'000); ++i) {
        known.push_back(fmt::format("{}-{}", group.name, i));
        if (gpu != nullptr || (!section.node.empty() && section.node != known.back()))
          continue;
        section.node = known.back();
        section.gpus = type->second.gpus;
        if (const auto found = input.catalogue.gpus.find(type->second.gpu); found != input.catalogue.gpus.end())
          gpu = &found->second;
      }
    }
    if (gpu == nullptr)
      reader.error("node", section.node.empty() ? std::string{"the cluster has no node with GPUs"}
                                                : fmt::format("there is no node '{}' with GPUs{}", section.node,
                                                              did_you_mean(section.node, known)));
    else
      section.memory = gpu->memory;
    return gpu;
  }

  static GpuProcess read_process(const SectionInput& input, const DocumentNode& node, const GpuMemorySection& section,
                                 const Gpu* gpu)
  {
    GpuProcess process;
    MapReader reader{input.document, &node, "a process", input.diagnostics};
    process.name = reader.required_text("name");
    for (const GpuProcess& earlier : section.processes)
      if (earlier.name == process.name)
        reader.error("name", fmt::format("two processes are called '{}'", process.name));
    if (reader.has("visible"))
      for (const std::string& number : reader.texts("visible")) {
        const bool digits = !number.empty() && number.size() < 4 &&
                            std::ranges::all_of(number, [](char c) { return c >= '0' && c <= '9'; });
        const int index = digits ? std::stoi(number) : -1;
        if (index < 0 || index >= section.gpus)
          reader.error("visible",
                       fmt::format("node '{}' has GPUs 0 to {}, not '{}'", section.node, section.gpus - 1, number));
        else if (std::ranges::find(process.visible, index) != process.visible.end())
          reader.error("visible", fmt::format("GPU {} is listed twice in 'visible'", index));
        else
          process.visible.push_back(index);
      }
    else
      for (int index = 0; index < section.gpus; ++index)
        process.visible.push_back(index);
    process.policy = reader.choice("policy", "all", {"all", "allow_growth", "fraction"});
    process.fraction = reader.number("fraction", 1, 0.01, 1);
    if (reader.has("fraction") && process.policy != "fraction")
      input.document.error(input.diagnostics, *reader.node("fraction"), "'fraction' needs policy: fraction");
    process.start = Seconds{reader.quantity("start", QuantityKind::duration, 0)};
    if (reader.has("end"))
      process.end = Seconds{reader.quantity("end", QuantityKind::duration, 0, process.start.value())};
    process.gives_back = reader.flag("gives_back", false);
    read_demand(input, reader, gpu, process);
    reader.finish();
    return process;
  }

  static void read_demand(const SectionInput& input, MapReader& reader, const Gpu* gpu, GpuProcess& process)
  {
    for (const DocumentNode* node : reader.list("demand")) {
      MapReader item{input.document, node, "a demand", input.diagnostics};
      process.demand.push_back({Seconds{item.quantity("at", QuantityKind::duration, 0)},
                                Bytes{item.required_quantity("bytes", QuantityKind::bytes)}});
      item.finish();
    }
    std::ranges::stable_sort(process.demand, {}, &MemoryDemand::at);
    const std::string model = reader.choice("model", "", Registry<DnnSource>::instance().names());
    MemorySettings settings;
    settings.batch = reader.integer("batch_per_gpu", 32, 1, 1'000'000);
    settings.policy = "allow_growth";
    if (model.empty() || gpu == nullptr)
      return;
    if (!process.demand.empty())
      reader.error("model", "give either 'model' or 'demand'");
    process.demand = {{Seconds{}, memory_fit(build_dnn(model), *gpu, settings).needed}};
  }
};

TY_REGISTER(ScenarioSection, GpuMemoryReader, "gpu_memory", "processes that share the GPUs of one node");

} // namespace
} // namespace trainyard
