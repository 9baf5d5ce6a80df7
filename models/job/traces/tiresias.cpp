// SPDX-License-Identifier: Apache-2.0
#include "models/job/traces/trace_importer.hpp"

namespace trainyard {
namespace {

/// The cluster of Tiresias (Gu et al., NSDI 2019): num_switch, num_node_p_switch, num_gpu_p_node, num_cpu_p_node,
/// mem_p_node (GB).
class TiresiasCluster final : public TraceImporter
{
public:
  bool recognises(std::string_view head, const std::filesystem::path&) const override
  {
    return head.starts_with("num_switch,num_node_p_switch");
  }

  void read(std::string_view text, const std::filesystem::path& file, const TraceOptions&,
            ImportedTrace& trace) const override
  {
    TraceTable table{text, file, {"num_switch", "num_node_p_switch", "num_gpu_p_node", "num_cpu_p_node", "mem_p_node"}};
    trace.gpu_types = {"gpu"};
    table.for_each(trace.audit, [&](std::int64_t number) {
      const auto switches = table.number("num_switch"), nodes = table.number("num_node_p_switch"),
                 gpus = table.number("num_gpu_p_node");
      const auto cpus = table.number("num_cpu_p_node"), memory = table.number("mem_p_node");
      if (!switches || !nodes || !gpus || !cpus || !memory || *switches * *nodes > 1e6 || *gpus > 32)
        return trace.audit.add("numbers that cannot be read or are too large", "left out", number);
      for (int s = 0; s < static_cast<int>(*switches); ++s)
        for (int n = 0; n < static_cast<int>(*nodes); ++n)
          trace.machines.push_back({.name = "node-" + std::to_string(trace.machines.size()),
                                    .gpus = static_cast<int>(*gpus),
                                    .cpu_milli = static_cast<std::int64_t>(*cpus * 1000),
                                    .memory_mib = static_cast<std::int64_t>(*memory * 1e9 / 1048576),
                                    .rack = s});
    });
  }
};

TY_REGISTER(TraceImporter, TiresiasCluster, "tiresias_cluster", "Tiresias cluster: switches, machines, GPUs");

} // namespace
} // namespace trainyard
