// SPDX-License-Identifier: Apache-2.0
#include "sim/step/prepared.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <sstream>
#include <string>

namespace trainyard {
namespace {

std::optional<std::size_t> node_by_name(const Cluster& cluster, const std::string& name)
{
  // Names are unique, and those of a group end in its numbers from 0 on: mostly it is found where its number says.
  std::size_t number = 0;
  const std::size_t digits = name.find_last_not_of("0123456789") + 1;
  std::from_chars(name.data() + digits, name.data() + name.size(), number);
  if (number < cluster.nodes().size() && cluster.nodes()[number].name == name)
    return number;
  for (std::size_t i = 0; i < cluster.nodes().size(); ++i)
    if (cluster.nodes()[i].name == name)
      return i;
  return std::nullopt;
}

/// "unknown node 'k'; the machines are w-0 to w-3, ps-0"
std::string unknown_node(const Cluster& cluster, const std::string& name)
{
  constexpr int most_told = 8;
  std::string said = "unknown node '" + name + "'; the machines are ";
  int told = 0;
  const std::vector<Node>& nodes = cluster.nodes();
  for (std::size_t first = 0, last = 0; first < nodes.size(); first = last + 1) {
    for (last = first; last + 1 < nodes.size() && nodes[last + 1].group == nodes[first].group;)
      ++last;
    if (++told > most_told)
      return said + ", …";
    said += (told > 1 ? ", " : "") + nodes[first].name + (last > first ? " to " + nodes[last].name : "");
  }
  return said;
}

/// Takes the first free GPU of a node.
std::optional<VertexId> take_gpu(const Cluster& cluster, std::size_t node, FreeSlots& slots)
{
  for (std::size_t gpu = 0; gpu < slots.gpu[node].size(); ++gpu)
    if (slots.gpu[node][gpu]) {
      slots.gpu[node][gpu] = false;
      return cluster.nodes()[node].gpus[gpu];
    }
  return std::nullopt;
}

void place_workers(const Cluster& cluster, const JobSpec& job, FreeSlots& slots, Placement& placement,
                   Diagnostics& diagnostics)
{
  const auto wanted = static_cast<std::size_t>(job.workers);
  if (job.training.settings.text("device", "gpu") == "cpu") {
    std::vector<VertexId> hosts;
    for (const std::string& name : job.nodes) {
      if (const std::optional<std::size_t> node = node_by_name(cluster, name))
        hosts.push_back(cluster.nodes()[*node].host);
      else
        diagnostics.error({.path = job.path + ".nodes"},
                          "job '" + job.name + "' is placed on " + unknown_node(cluster, name));
    }
    if (job.nodes.empty())
      for (const Node& node : cluster.nodes())
        hosts.push_back(node.host);
    for (std::size_t worker = 0; worker < wanted && !hosts.empty(); ++worker)
      placement.workers.push_back(hosts[worker % hosts.size()]);
    return;
  }
  if (!job.nodes.empty()) {
    const std::size_t per_node = job.nodes.size() >= wanted ? 1 : (wanted + job.nodes.size() - 1) / job.nodes.size();
    for (std::size_t worker = 0; worker < wanted; ++worker) {
      const std::string& name = job.nodes[worker / per_node];
      const std::optional<std::size_t> node = node_by_name(cluster, name);
      const std::optional<VertexId> gpu = node ? take_gpu(cluster, *node, slots) : std::nullopt;
      if (!gpu) {
        diagnostics.error({.path = job.path + ".nodes"},
                          "job '" + job.name + "': worker " + std::to_string(worker) +
                              (node ? " finds no free GPU on node '" + name + "'; name more machines, or others (nodes)"
                                    : " is placed on " + unknown_node(cluster, name)));
        return;
      }
      placement.workers.push_back(*gpu);
    }
    return;
  }
  const auto take_from = [&](std::size_t node) {
    while (placement.workers.size() < wanted) {
      const std::optional<VertexId> gpu = take_gpu(cluster, node, slots);
      if (!gpu)
        break;
      placement.workers.push_back(*gpu);
    }
  };
  const auto kind_of = job.training.parallel != nullptr ? &Node::group : &Node::gpu;
  for (const std::string& kind : job.gpu_order)
    for (std::size_t node = 0; node < cluster.nodes().size(); ++node)
      if (cluster.nodes()[node].*kind_of == kind)
        take_from(node);
  for (std::size_t node = 0; node < cluster.nodes().size(); ++node)
    take_from(node);
  if (placement.workers.size() < wanted)
    diagnostics.error({.path = job.path + ".workers"}, "job '" + job.name + "' needs " + std::to_string(wanted) +
                                                           " GPUs, the cluster has " + std::to_string(cluster.gpus()) +
                                                           " with " + std::to_string(placement.workers.size()) +
                                                           " free for it; add nodes or lower 'workers'");
}

/// Hosts of machines that none of the job's workers is on: those without GPUs, else the others.
std::vector<VertexId> dedicated_hosts(const Cluster& cluster, const Placement& placement)
{
  std::vector<VertexId> without_gpus, with_gpus;
  for (const Node& node : cluster.nodes()) {
    const bool used = std::ranges::any_of(placement.workers, [&](VertexId worker) {
      return cluster.node(cluster.vertex(worker).node).host == node.host;
    });
    if (!used)
      (node.gpus.empty() ? without_gpus : with_gpus).push_back(node.host);
  }
  return without_gpus.empty() ? with_gpus : without_gpus;
}

/// Machines with the faster network first, of equal ones those with more cores, so that neither their names nor the
/// order in which a scenario lists different ones counts.
void fastest_first(const Cluster& cluster, std::vector<VertexId>& hosts)
{
  const auto key = [&](VertexId host) {
    const Node& node = cluster.node(cluster.vertex(host).node);
    BytesPerSecond rate;
    for (const VertexId nic : node.nics)
      for (const LinkId out : cluster.outgoing(nic))
        if (joins_machines(cluster.link(out).kind))
          rate += cluster.link(out).bandwidth;
    return std::pair{-rate.value(), -node.cpu_cores};
  };
  std::ranges::stable_sort(hosts, {}, key);
}

void place_servers(const Cluster& cluster, const JobSpec& job, Placement& placement, Diagnostics& diagnostics)
{
  const int servers = job.training.settings.integer("servers", 0);
  if (servers <= 0)
    return;
  std::vector<VertexId> hosts;
  const std::string where = job.training.settings.text("server_placement", "auto");
  if (const std::string named = job.training.settings.text("server_nodes", ""); !named.empty()) {
    std::istringstream names{named};
    for (std::string name; std::getline(names, name, ',');) {
      if (const std::optional<std::size_t> node = node_by_name(cluster, name))
        hosts.push_back(cluster.nodes()[*node].host);
      else
        diagnostics.error({.path = job.path + ".training.server_nodes"},
                          "job '" + job.name + "': a parameter server is placed on " + unknown_node(cluster, name));
    }
    if (hosts.empty())
      return;
  } else if (where == "dedicated") {
    hosts = dedicated_hosts(cluster, placement);
    if (hosts.empty()) {
      diagnostics.error(
          {.path = job.path + ".training.server_placement"},
          "job '" + job.name +
              "': server_placement: dedicated needs a machine without workers of the job, and there is none; add one, "
              "list the workers' machines in 'nodes', or write server_placement: colocated");
      return;
    }
  } else if (where == "auto")
    for (const Node& node : cluster.nodes())
      if (node.gpus.empty())
        hosts.push_back(node.host);
  if (job.training.settings.text("server_nodes", "").empty()) {
    fastest_first(cluster, hosts);
    if (const std::string client = job.training.settings.text("client", ""); !client.empty() && hosts.size() > 1)
      std::erase_if(hosts, [&](VertexId host) { return cluster.node(cluster.vertex(host).node).name == client; });
  }
  if (hosts.empty()) // beside the workers, one host once
    for (const VertexId worker : placement.workers) {
      const VertexId host = cluster.node(cluster.vertex(worker).node).host;
      if (std::ranges::find(hosts, host) == hosts.end())
        hosts.push_back(host);
    }
  for (int server = 0; server < servers; ++server)
    placement.servers.push_back(hosts[static_cast<std::size_t>(server) % hosts.size()]);
}

} // namespace

FreeSlots all_free(const Cluster& cluster)
{
  FreeSlots slots;
  for (const Node& node : cluster.nodes())
    slots.gpu.emplace_back(node.gpus.size(), true);
  return slots;
}

Placement place_packed(const Cluster& cluster, const JobSpec& job, FreeSlots& slots, Diagnostics& diagnostics)
{
  Placement placement;
  const int errors = diagnostics.errors();
  place_workers(cluster, job, slots, placement, diagnostics);
  if (diagnostics.errors() == errors && !placement.workers.empty())
    place_servers(cluster, job, placement, diagnostics);
  if (diagnostics.errors() > errors || placement.workers.empty()) {
    release(cluster, placement, slots);
    return {};
  }
  place_client(cluster, job, placement, diagnostics);
  return placement;
}

void place_client(const Cluster& cluster, const JobSpec& job, Placement& placement, Diagnostics& diagnostics)
{
  placement.client = placement.servers.empty() ? cluster.node(cluster.vertex(placement.workers.front()).node).host
                                               : placement.servers.front();
  const std::string client = job.training.settings.text("client", "");
  if (const std::optional<std::size_t> node = client.empty() ? std::nullopt : node_by_name(cluster, client))
    placement.client = cluster.nodes()[*node].host;
  else if (!client.empty())
    diagnostics.error({.path = job.path + ".training.client"},
                      "job '" + job.name + "': the client is placed on " + unknown_node(cluster, client));
}

void release(const Cluster& cluster, const Placement& placement, FreeSlots& slots)
{
  for (const VertexId worker : placement.workers) {
    const NodeId node = cluster.vertex(worker).node;
    const std::vector<VertexId>& gpus = cluster.node(node).gpus;
    const auto found = std::ranges::find(gpus, worker);
    if (found != gpus.end())
      slots.gpu[static_cast<std::size_t>(node.index)][static_cast<std::size_t>(found - gpus.begin())] = true;
  }
}

} // namespace trainyard
