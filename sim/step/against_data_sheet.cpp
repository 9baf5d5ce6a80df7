// SPDX-License-Identifier: Apache-2.0
#include "sim/step/prepared.hpp"

#include "models/core/figure_text.hpp"
#include "models/core/quantity_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>

namespace trainyard {

void warn_of_slow_slots(const Cluster& cluster, const Node& node, Diagnostics& diagnostics)
{
  if (node.nics.empty())
    return;
  BytesPerSecond line, slot;
  for (const LinkId id : cluster.outgoing(node.nics.front())) {
    const Link& link = cluster.link(id);
    if (joins_machines(link.kind))
      line = std::max(line, link.bandwidth);
    else if (link.kind == LinkKind::pcie)
      slot = std::max(slot, link.data_rate());
  }
  if (slot <= BytesPerSecond{} || line <= slot)
    return;
  diagnostics.warning({.path = "cluster.network"},
                      fmt::format("the network cards of '{}' have {}, and the PCIe slots that they are in carry {} of "
                                  "data: they send no faster than that. 'pcie' of the machine's node type says which "
                                  "slots it has (simrun list links)",
                                  node.group, to_text(line), to_text(slot)));
}

void warn_of_slow_slots(const Cluster& cluster, const Placement& placement, Diagnostics& diagnostics)
{
  std::set<int> machines;
  std::map<std::string, const Node*> groups;
  const auto add = [&](VertexId task) {
    const Node& node = cluster.node(cluster.vertex(task).node);
    machines.insert(cluster.vertex(task).node.index);
    groups.try_emplace(node.group, &node);
  };
  std::ranges::for_each(placement.workers, add);
  std::ranges::for_each(placement.servers, add);
  if (placement.client.index >= 0)
    add(placement.client);
  if (machines.size() > 1)
    for (const auto& [name, node] : groups)
      warn_of_slow_slots(cluster, *node, diagnostics);
}

void warn_of_fast_step(const JobSpec& job, const Dnn& dnn, const Gpu& gpu, const std::string& file,
                       Diagnostics& diagnostics)
{
  const bool fp32 = job.precision == "fp32" || job.precision == "tf32";
  FlopsPerSecond peak;
  for (const auto& [unit, rate] : gpu.peak)
    if (!fp32 || unit == "fp32" || unit == "tf32")
      peak = std::max(peak, rate);
  if (dnn.layers.empty() || peak <= FlopsPerSecond{} || !job.single_gpu_step)
    return;
  // The gradients of inputs and weights are a product each; the first layer's input needs none.
  const Flops step = (dnn.forward_flop() * 3 - dnn.layers.front().forward) * static_cast<double>(job.batch_per_gpu);
  const bool convolutions = std::ranges::any_of(dnn.layers, [](const Layer& l) { return l.type == "convolution"; });
  const Seconds least = step / peak / (convolutions ? 4 : 1);
  if (*job.single_gpu_step >= least)
    return;
  diagnostics.warning(
      {.file = file, .path = job.path + ".single_gpu_step"},
      fmt::format("'single_gpu_step' is {}, less than '{}' can take on {} with a batch of {}: {} at the {} of its data "
                  "sheet{}; check the unit, the batch and the precision",
                  time_text(*job.single_gpu_step), dnn.name, gpu.name, job.batch_per_gpu, time_text(least),
                  to_text(peak.value(), QuantityKind::flops_rate, 4),
                  convolutions ? ", with a quarter of the multiplications (Winograd)" : ""));
}

} // namespace trainyard
