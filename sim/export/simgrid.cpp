// SPDX-License-Identifier: Apache-2.0
#include "models/cluster/build.hpp"
#include "models/core/diagnostics.hpp"
#include "sim/export/exporter.hpp"

#include <fmt/format.h>
#include <map>

namespace trainyard {
namespace {

std::string xml(const std::string& text)
{
  std::string result;
  for (const char c : text)
    result += c == '&' ? "&amp;" : c == '<' ? "&lt;" : c == '"' ? "&quot;" : std::string{c};
  return result;
}

/// The cluster as a SimGrid platform: a host per node, a router per switch, routes by Dijkstra. What is inside a node
/// stays out. Source: SimGrid documentation, "The XML reference".
class SimgridXml final : public Exporter
{
public:
  ExportText write(const ExportInput& input) const override
  {
    if (input.scenario == nullptr)
      throw InputError{"simgrid needs a scenario with a cluster"};
    Diagnostics faults;
    const Cluster cluster = build_cluster(input.scenario->cluster, input.catalogue.links, faults);
    faults.throw_if_errors();
    const auto end_of =
        [&](VertexId id) -> std::string { // host or router that a vertex belongs to; empty: inside a node
      const Vertex& vertex = cluster.vertex(id);
      if (vertex.kind == VertexKind::network_switch)
        return vertex.name;
      return vertex.kind == VertexKind::nic ? cluster.node(vertex.node).name : std::string{};
    };
    std::string text = "<?xml version='1.0'?>\n<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n<!-- "
                       "Written by Trainyard. GPUs, PCIe and NVLink inside nodes are left out. -->\n"
                       "<platform version=\"4.1\">\n  <zone id=\"cluster\" routing=\"Dijkstra\">\n";
    for (const Node& node : cluster.nodes()) {
      const auto gpu = input.catalogue.gpus.find(node.gpu);
      const double flops = gpu == input.catalogue.gpus.end() || !gpu->second.peak.contains("fp32")
                               ? 20e9 * std::max(1, node.cpu_cores)
                               : gpu->second.peak.at("fp32").value() * static_cast<double>(node.gpus.size());
      text += fmt::format("    <host id=\"{}\" speed=\"{:.6g}f\"/>\n", xml(node.name), flops);
    }
    for (const Vertex& vertex : cluster.vertices())
      if (vertex.kind == VertexKind::network_switch)
        text += fmt::format("    <router id=\"{}\"/>\n", xml(vertex.name));
    struct Bundle {
      double bandwidth = 0;
      double latency = 0;
    };
    std::map<std::pair<std::string, std::string>, Bundle> bundles;
    for (const Link& link : cluster.links()) {
      const std::string from = end_of(link.from), to = end_of(link.to);
      if (from.empty() || to.empty() || from == to || to < from) // the other direction is the same full-duplex link
        continue;
      Bundle& bundle = bundles[{from, to}];
      bundle.bandwidth += link.bandwidth.value();
      bundle.latency = link.latency.value();
    }
    std::string routes;
    int number = 0;
    for (const auto& [ends, bundle] : bundles) {
      text += fmt::format(
          "    <link id=\"l{}\" bandwidth=\"{:.9g}Bps\" latency=\"{:.9g}s\" sharing_policy=\"SPLITDUPLEX\"/>\n", number,
          bundle.bandwidth, bundle.latency);
      routes += fmt::format(
          "    <route src=\"{}\" dst=\"{}\" symmetrical=\"NO\"><link_ctn id=\"l{}\" direction=\"UP\"/></route>\n",
          xml(ends.first), xml(ends.second), number);
      routes += fmt::format(
          "    <route src=\"{}\" dst=\"{}\" symmetrical=\"NO\"><link_ctn id=\"l{}\" direction=\"DOWN\"/></route>\n",
          xml(ends.second), xml(ends.first), number);
      ++number;
    }
    ExportText result{
        text + routes + "  </zone>\n</platform>\n",
        {"links inside nodes (PCIe, NVLink) are left out", "a host's speed is the fp32 peak of its GPUs"}};
    return result;
  }
};

TY_REGISTER(Exporter, SimgridXml, "simgrid", "SimGrid platform XML: hosts, switches and links of the cluster");

} // namespace
} // namespace trainyard
