// SPDX-License-Identifier: Apache-2.0
#include "models/cluster/build.hpp"

#include "models/core/closest.hpp"
#include "models/core/data_folder.hpp"
#include "models/core/quantity_text.hpp"
#include "models/hardware/catalogue.hpp"

#include <algorithm>
#include <memory>
#include <set>

namespace trainyard {
namespace {

/// Reports settings that the entry does not have or that are out of range.
template <class Entry>
void check_settings(const Entry& entry, const Settings& settings, const std::string& path, const BuildReport& report)
{
  std::map<std::string, const Parameter*> known;
  for (const Parameter& parameter : entry.parameters)
    known.emplace(parameter.name, &parameter);
  const auto unknown = [&](const std::string& name) {
    if (known.contains(name))
      return false;
    report.error(path + "." + name, "'" + entry.name + "' has no such setting" + did_you_mean(name, keys_of(known)));
    return true;
  };
  for (const auto& [name, value] : settings.numbers()) {
    if (unknown(name))
      continue;
    const Parameter& parameter = *known[name];
    if (!(value >= parameter.minimum && value <= parameter.maximum))
      report.error(path + "." + name, "out of range: " + parameter.meaning);
  }
  for (const auto& [name, value] : settings.names()) {
    if (name == "containers" || unknown(name)) // the network of containers goes with every topology
      continue;
    const Parameter& parameter = *known[name];
    if (!parameter.choices.empty() && std::ranges::find(parameter.choices, value) == parameter.choices.end())
      report.error(path + "." + name, "unknown value '" + value + "'" + did_you_mean(value, parameter.choices));
  }
}

/// The layout of that name with its settings; reports and returns nothing where there is none.
template <class Layout>
std::unique_ptr<Layout> make_layout(const std::string& name, const Settings& settings, const std::string& path,
                                    const std::string& settings_path, const BuildReport& report)
{
  const auto* entry = Registry<Layout>::instance().find(name);
  if (entry == nullptr) {
    report.error(path, "unknown layout '" + name + "'" + did_you_mean(name, Registry<Layout>::instance().names()));
    return nullptr;
  }
  check_settings(*entry, settings, settings_path, report);
  return entry->create(settings);
}

struct NodeKind {
  const NodeTypeSpec* type = nullptr;
  std::string path;
  std::unique_ptr<NodeLayout> layout;
};

std::map<std::string, NodeKind> node_kinds(const ClusterSpec& spec, const BuildReport& report)
{
  std::map<std::string, NodeKind> kinds;
  for (const auto& [name, type] : spec.node_types) {
    const std::string path = "cluster.node_types." + name;
    auto layout = make_layout<NodeLayout>(type.intra, type.intra_settings, path + ".intra", path + ".intra", report);
    if (type.gpus < 0)
      report.error(path + ".gpus", "a negative number of GPUs");
    if (type.nics < 0)
      report.error(path + ".nics", "a negative number of NICs");
    if (type.nic_bandwidth && !(type.nic_bandwidth->value() > 0))
      report.error(path + ".nic_bandwidth", "must be above zero");
    if (layout)
      layout->check(type, path, report);
    kinds.emplace(name, NodeKind{&type, path, std::move(layout)});
  }
  return kinds;
}

LinkType network_link(const NetworkSpec& network, const BuildReport& report)
{
  LinkType link{"", "ethernet", 1.25_GBps, 5.0_us, "default"}; // where the file gives a bandwidth and no link
  if (!network.link.empty())
    link = report.link(network.link, "cluster.network.link");
  if (network.bandwidth.value() > 0)
    link.bandwidth = network.bandwidth;
  if (network.latency)
    link.latency = *network.latency;
  return link;
}

} // namespace

Cluster build_cluster(const ClusterSpec& spec, const std::map<std::string, LinkType>& links, Diagnostics& diagnostics)
{
  const BuildReport report{links, diagnostics};
  const int errors_before = diagnostics.errors();
  const std::map<std::string, NodeKind> kinds = node_kinds(spec, report);

  Cluster cluster;
  const LinkType link = network_link(spec.network, report);
  NetworkContext network{cluster, spec.network, link, {}, false, report, spec};
  long long total = 0;
  std::set<std::string> groups;
  for (std::size_t i = 0; i < spec.nodes.size(); ++i) {
    const NodeGroupSpec& group = spec.nodes[i];
    const std::string path = "cluster.nodes." + std::to_string(i);
    if (!groups.insert(group.name).second)
      report.error(path + ".name", "a second node group '" + group.name + "'");
    if (!kinds.contains(group.type))
      report.error(path + ".type",
                   "unknown node type '" + group.type + "'" + did_you_mean(group.type, keys_of(spec.node_types)));
    if (group.count < 1)
      report.error(path + ".count", "must be at least 1");
    if (group.per_rack < 0)
      report.error(path + ".per_rack", "must not be negative");
    total += std::max(0, group.count);
    network.racks_given |= group.per_rack > 0;
  }
  if (spec.nodes.empty())
    report.error("cluster.nodes", "the cluster has no nodes");
  if (total > most_nodes)
    report.error("cluster.nodes", std::to_string(total) + " nodes are more than the " + std::to_string(most_nodes) +
                                      " that fit; give fewer (count)");
  if (spec.network.tcp.burst_bandwidth > BytesPerSecond{} && spec.network.tcp.burst_bandwidth < link.bandwidth)
    report.error("cluster.network.burst_bandwidth",
                 "below the bandwidth of the links, " + to_text(link.bandwidth) + "; give more, or leave it out");
  const auto layout = make_layout<NetworkLayout>(spec.network.topology, spec.network.settings,
                                                 "cluster.network.topology", "cluster.network", report);
  if (diagnostics.errors() > errors_before)
    return {};

  int rack = -1;
  for (const NodeGroupSpec& group : spec.nodes) {
    const NodeKind& kind = kinds.at(group.type);
    const NodeTypeSpec& type = *kind.type;
    const int built = spec.sample.empty() ? group.count : static_cast<int>(spec.sample.size());
    const int before = rack + 1; // a group starts a new rack
    for (int k = 0; k < built; ++k) {
      const int i = spec.sample.empty() ? k : spec.sample[static_cast<std::size_t>(k)];
      rack = before + (group.per_rack > 0 ? i / group.per_rack : 0);
      Node node;
      node.name = group.name + "-" + std::to_string(i);
      node.group = group.name;
      node.gpu = type.gpus > 0 ? type.gpu : "";
      node.rack = network.racks_given ? rack : 0;
      node.cpu_cores = type.cpu_cores;
      node.memory = type.memory;
      NodeContext context{cluster, type, kind.path, std::move(node), report};
      kind.layout->build(context);
      cluster.add_node(std::move(context.node));
      network.nic_bandwidth.push_back(type.nic_bandwidth.value_or(link.bandwidth));
    }
  }
  layout->connect(network);
  cluster.set_hash_seed(spec.network.hash_seed);
  TcpSpec tcp = spec.network.tcp;
  tcp.queue_told = false; // whether windows decide shares at fidelity flow depends on the jobs, too
  cluster.set_tcp(std::move(tcp));
  return cluster;
}

Cluster build_cluster(const ClusterSpec& spec)
{
  Diagnostics diagnostics;
  Cluster cluster = build_cluster(spec, load_catalogue(data_folder()).links, diagnostics);
  diagnostics.throw_if_errors();
  return cluster;
}

std::vector<FailureDomain> failure_domains(const Cluster& cluster)
{
  std::map<int, FailureDomain> racks;
  std::map<VertexId, FailureDomain> switches;
  for (std::size_t i = 0; i < cluster.nodes().size(); ++i) {
    const NodeId id{static_cast<int>(i)};
    const Node& node = cluster.nodes()[i];
    FailureDomain& rack = racks[node.rack];
    rack.name = "rack-" + std::to_string(node.rack);
    rack.nodes.push_back(id);
    for (const VertexId nic : node.nics)
      for (const LinkId out : cluster.outgoing(nic)) {
        const VertexId to = cluster.link(out).to;
        if (cluster.vertex(to).kind != VertexKind::network_switch)
          continue;
        FailureDomain& domain = switches[to];
        domain.kind = FailureDomain::Kind::network_switch;
        domain.name = cluster.vertex(to).name;
        domain.network_switch = to;
        if (domain.nodes.empty() || domain.nodes.back() != id)
          domain.nodes.push_back(id);
      }
  }
  std::vector<FailureDomain> result;
  for (auto& [number, domain] : racks)
    result.push_back(std::move(domain));
  for (auto& [vertex, domain] : switches)
    result.push_back(std::move(domain));
  return result;
}

} // namespace trainyard
