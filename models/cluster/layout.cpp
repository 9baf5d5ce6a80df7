// SPDX-License-Identifier: Apache-2.0
#include "models/cluster/layout.hpp"

#include "models/core/closest.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

namespace trainyard {

void BuildReport::error(const std::string& path, const std::string& message) const
{
  diagnostics.error({.path = path}, path + ": " + message);
}

void BuildReport::warning(const std::string& path, const std::string& message) const
{
  diagnostics.warning({.path = path}, path + ": " + message);
}

LinkType BuildReport::link(const std::string& name, const std::string& path) const
{
  const auto found = links.find(name);
  if (found != links.end())
    return found->second;
  error(path, "unknown link '" + name + "'" + did_you_mean(name, keys_of(links)));
  return {name, "ethernet", 1.0_GBps, 1.0_us, "unknown"};
}

LinkKind link_kind(const std::string& word)
{
  static const std::array<std::pair<const char*, LinkKind>, 6> kinds{{{"infiniband", LinkKind::infiniband},
                                                                      {"pcie", LinkKind::pcie},
                                                                      {"nvlink", LinkKind::nvlink},
                                                                      {"xgmi", LinkKind::xgmi},
                                                                      {"host_memory", LinkKind::host_memory},
                                                                      {"loopback", LinkKind::loopback}}};
  const auto found = std::ranges::find(kinds, word, [](const auto& kind) { return std::string{kind.first}; });
  return found == kinds.end() ? LinkKind::ethernet : found->second;
}

VertexId NodeContext::add(VertexKind kind, const std::string& name)
{
  return cluster.add_vertex({kind, node.name + "/" + name, NodeId{static_cast<int>(cluster.nodes().size())}});
}

void NodeLayout::check(const NodeTypeSpec&, const std::string&, const BuildReport&) const {}

Parameter routing_parameter()
{
  return {
      .name = "routing",
      .kind = "name",
      .default_value = "auto: adaptive on InfiniBand, hashed on Ethernet",
      .meaning = "paths between switches: every packet by the least loaded one, or each flow by a hash of its ends, "
                 "chosen by run.seed",
      .source =
          "InfiniBand: adaptive routing of its switches (NVIDIA Quantum); Ethernet: equal-cost multi-path, RFC 2992",
      .choices = {"auto", "adaptive", "hashed"}};
}

std::optional<std::vector<int>> NetworkLayout::tiers(const EvenMachines&) const
{
  return std::nullopt;
}

bool spreads_packets(const Settings& settings, LinkKind link)
{
  const std::string routing = settings.text("routing", "auto");
  return routing == "adaptive" || (routing == "auto" && link == LinkKind::infiniband);
}

bool NetworkContext::adaptive(const Settings& settings) const
{
  return spreads_packets(settings, link_kind(link.kind));
}

int NetworkContext::machines() const
{
  return cluster_spec.sample.empty() ? nodes() : cluster_spec.nodes.front().count;
}

VertexId NetworkContext::add_switch(const std::string& name)
{
  return cluster.add_vertex({VertexKind::network_switch, name, NodeId{}});
}

void NetworkContext::join(VertexId from, VertexId to, BytesPerSecond bandwidth, int width, int weight)
{
  const LinkId made = cluster.add_link(link_kind(link.kind), from, to, bandwidth * width, link.latency, width, weight);
  if (assumes_latency())
    cluster.assume_latency(made);
}

void NetworkContext::attach(NodeId node, std::size_t nic, VertexId to)
{
  const LinkId made = cluster.add_link(link_kind(link.kind), cluster.node(node).nics[nic], to,
                                       nic_bandwidth[static_cast<std::size_t>(node.index)], link.latency);
  if (assumes_latency())
    cluster.assume_latency(made);
}

void NetworkContext::attach_all(NodeId node, VertexId to)
{
  for (std::size_t nic = 0; nic < cluster.node(node).nics.size(); ++nic)
    attach(node, nic, to);
}

int NetworkContext::most_nics() const
{
  std::size_t most = 1;
  for (const Node& node : cluster.nodes())
    most = std::max(most, node.nics.size());
  return static_cast<int>(most);
}

BytesPerSecond NetworkContext::fastest_nic() const
{
  return nic_bandwidth.empty() ? link.bandwidth : *std::ranges::max_element(nic_bandwidth);
}

std::vector<std::vector<NodeId>> NetworkContext::racks(int per_rack)
{
  std::vector<std::vector<NodeId>> result;
  for (int i = 0; i < nodes(); ++i) {
    const int rack = racks_given ? cluster.node(NodeId{i}).rack : number(i) / std::max(1, per_rack);
    if (static_cast<std::size_t>(rack) >= result.size())
      result.resize(static_cast<std::size_t>(rack) + 1);
    auto& here = result[static_cast<std::size_t>(rack)];
    const int in_rack = racks_given ? cluster_spec.nodes.front().per_rack : std::max(1, per_rack);
    const int slot = cluster_spec.sample.empty() ? static_cast<int>(here.size()) : number(i) % in_rack;
    cluster.place(NodeId{i}, rack, {rack, slot});
    here.push_back(NodeId{i});
  }
  return result;
}

std::optional<std::vector<int>> numbers_in(const std::string& text)
{
  const std::string separators = " ,x";
  std::vector<int> result;
  std::size_t at = text.find_first_not_of(separators);
  while (at != std::string::npos) {
    const std::size_t end = std::min(text.find_first_of(separators, at), text.size());
    int value = 0;
    const auto [stop, error] = std::from_chars(text.data() + at, text.data() + end, value);
    if (error != std::errc{} || stop != text.data() + end || value < 1 || value > 1'000'000)
      return std::nullopt;
    result.push_back(value);
    at = text.find_first_not_of(separators, end);
  }
  return result;
}

} // namespace trainyard
