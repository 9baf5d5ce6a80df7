// SPDX-License-Identifier: Apache-2.0
#include "models/cost/memory_sharing.hpp"

#include "models/core/closest.hpp"
#include "models/core/text.hpp"
#include "models/cost/memory.hpp"
#include "models/dnn/builder.hpp"
#include "models/scenario/section.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace trainyard {
namespace {

class GpuMemoryReader final : public SectionOf<GpuMemorySection>
{
public:
  GpuMemoryReader() : SectionOf{"gpu_memory", "processes that share the GPUs of one node"} {}
  bool brings_work() const override { return true; }

protected:
  void fields(Fields& keys, GpuMemorySection& section, const SectionInput* input) const override
  {
    keys.text("node", section.node, "node of the processes", {.otherwise = "the first node with GPUs"});
    const Gpu* gpu = input == nullptr ? nullptr : find_gpu(keys, section, *input);
    keys.number("fragmentation", section.fragmentation, "share of the memory taken by growth that is unusable",
                {.most = 0.9});
    keys.list<GpuProcess>(
        "processes", section.processes, "a process on the node's GPUs",
        "the processes; at equal times the earlier in the list goes first",
        [&](Fields& process_keys, GpuProcess& process) { process_fields(process_keys, process, section, gpu); },
        {.required = true, .what = "a process"});
    if (keys.has("processes") && section.processes.empty())
      keys.error("processes", "'gpu_memory' lists no processes");
  }

private:
  /// The GPUs of the node that the section names, or of the first that has some; null (and a fault): there are none.
  static const Gpu* find_gpu(Fields& keys, GpuMemorySection& section, const SectionInput& input)
  {
    std::vector<std::string> known;
    const Gpu* gpu = nullptr;
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
      keys.error("node", section.node.empty() ? std::string{"the cluster has no node with GPUs"}
                                              : fmt::format("there is no node '{}' with GPUs{}", section.node,
                                                            did_you_mean(section.node, known)));
    else
      section.memory = gpu->memory;
    return gpu;
  }

  static void process_fields(Fields& keys, GpuProcess& process, const GpuMemorySection& section, const Gpu* gpu)
  {
    keys.text("name", process.name, "name of the process", {.required = true});
    if (std::ranges::find(section.processes, process.name, &GpuProcess::name) != section.processes.end())
      keys.error("name", fmt::format("two processes are called '{}'", process.name));
    visible_gpus(keys, process.visible, section);
    keys.choice("policy", process.policy, {"all", "allow_growth", "fraction"},
                fmt::format("all: {} of each visible GPU at the start; allow_growth: as much as it needs; fraction: "
                            "per_process_gpu_memory_fraction",
                            reserved_share));
    if (keys.number("fraction", process.fraction, "share of each visible GPU, for policy: fraction",
                    {.least = 0.01, .most = 1}) &&
        process.policy != "fraction")
      keys.error("fraction", "'fraction' needs policy: fraction");
    keys.quantity("start", process.start, "start of the process", {.example = "10 s"});
    keys.quantity("end", process.end, "end of the process",
                  {.example = "10 min", .least = process.start.value(), .otherwise = "it keeps running"});
    keys.list<MemoryDemand>("demand", process.demand, "memory that the process needs from this time on",
                            "memory that it needs over time", demand_fields, {.what = "a demand"});
    std::ranges::stable_sort(process.demand, {}, &MemoryDemand::at);
    std::string model;
    keys.choice("model", model, Registry<DnnSource>::instance().names(), "network that it trains, instead of a demand");
    int batch = 32;
    keys.integer("batch_per_gpu", batch, "with model: samples per step", {.least = 1, .most = 1'000'000});
    keys.flag("gives_back", process.gives_back,
              "with allow_growth: memory that is no longer needed is freed, not kept as in TensorFlow 1");
    if (model.empty() || gpu == nullptr)
      return;
    if (!process.demand.empty())
      keys.error("model", "give either 'model' or 'demand'");
    const MemorySettings settings{.batch = static_cast<double>(batch), .policy = "allow_growth"};
    process.demand = {{Seconds{}, memory_fit(build_dnn(model), *gpu, settings).needed}};
  }

  static void visible_gpus(Fields& keys, std::vector<int>& visible, const GpuMemorySection& section)
  {
    const schema::Json number = {{"type", "integer"}, {"minimum", 0}};
    const bool listed =
        keys.custom("visible", schema::list_of(number, "CUDA_VISIBLE_DEVICES: numbers of the GPUs that it sees"),
                    [&](const DocumentNode&) {
                      for (const std::string& text : keys.reader().texts("visible")) {
                        const int index = as_number<int>(text).value_or(-1);
                        if (index < 0 || index >= section.gpus)
                          keys.error("visible", fmt::format("node '{}' has GPUs 0 to {}, not '{}'", section.node,
                                                            section.gpus - 1, text));
                        else if (std::ranges::find(visible, index) != visible.end())
                          keys.error("visible", fmt::format("GPU {} is listed twice in 'visible'", index));
                        else
                          visible.push_back(index);
                      }
                    },
                    {.otherwise = "all"});
    for (int index = 0; !listed && index < section.gpus; ++index)
      visible.push_back(index);
  }

  static void demand_fields(Fields& keys, MemoryDemand& demand)
  {
    keys.quantity("at", demand.at, "time since the start of the process", {.example = "30 s"});
    keys.quantity("bytes", demand.bytes, "memory on each visible GPU", {.example = "4 GB", .required = true});
  }
};

TY_REGISTER(ScenarioSection, GpuMemoryReader, "gpu_memory", "processes that share the GPUs of one node");

} // namespace
} // namespace trainyard
