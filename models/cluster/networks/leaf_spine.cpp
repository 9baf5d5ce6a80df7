// SPDX-License-Identifier: Apache-2.0
#include "models/cluster/layout.hpp"

#include <algorithm>
#include <cmath>

namespace trainyard {
namespace {

/// Two tiers: one leaf switch per rack, every leaf joined to every spine.
///
/// Oversubscription is what the ports of a full leaf can send divided by what its uplinks carry; 1 never blocks.
/// Source: Al-Fares, Loukissas, Vahdat, "A scalable, commodity data center network architecture", SIGCOMM 2008,
/// section 2.1.
class LeafSpine final : public NetworkLayout
{
public:
  explicit LeafSpine(const Settings& settings) : settings_{settings} {}

  static std::vector<Parameter> parameters()
  {
    return {
        {"leaf_ports", "integer", "32", "ports of a leaf for NICs; ignored if the node groups give per_rack", 1, 4096},
        {"oversubscription", "number", "1", "downlink over uplink bandwidth of a leaf", 0.01, 1000},
        {"spines", "integer", "leaf_ports / oversubscription", "number of spine switches", 1, 4096},
        {"uplink_bandwidth", "bandwidth", "from oversubscription and spines", "bandwidth of one uplink, one direction",
         1},
        routing_parameter(),
    };
  }

  void connect(NetworkContext& context) const override
  {
    const int nics = context.most_nics();
    const int wanted_ports = settings_.integer("leaf_ports", 32);
    if (!context.racks_given && wanted_ports < nics)
      return context.report.error("cluster.network.leaf_ports",
                                  "a node has " + std::to_string(nics) + " NICs, more than the ports of a leaf");
    const auto racks = context.racks(wanted_ports / nics);
    std::size_t most = 1;
    for (const auto& rack : racks)
      most = std::max(most, rack.size());
    if (context.machines() > context.nodes()) // a sample: the racks that it is of are full
      most = static_cast<std::size_t>(std::min(context.machines(), context.cluster_spec.nodes.front().per_rack));
    const int ports = context.racks_given ? static_cast<int>(most) * nics : wanted_ports;
    const double oversubscription = settings_.number("oversubscription", 1);
    const BytesPerSecond down = context.fastest_nic() * ports;
    int spines = settings_.integer("spines", std::max(1, static_cast<int>(std::lround(ports / oversubscription))));
    BytesPerSecond uplink = down / (oversubscription * spines);
    if (settings_.has("uplink_bandwidth")) {
      uplink = BytesPerSecond{settings_.number("uplink_bandwidth", 0)};
      if (!settings_.has("spines"))
        spines = std::max(1, static_cast<int>(std::ceil(down / (oversubscription * uplink) - 1e-9)));
    }
    std::vector<VertexId> tops;
    const bool adaptive = context.adaptive(settings_);
    if (racks.size() > 1)
      for (int i = 0; i < (adaptive ? 1 : spines); ++i)
        tops.push_back(context.add_switch(adaptive ? "spines" : "spine-" + std::to_string(i)));
    for (std::size_t i = 0; i < racks.size(); ++i) {
      if (racks[i].empty()) // of a sample
        continue;
      const VertexId leaf = context.add_switch("leaf-" + std::to_string(i));
      for (const VertexId top : tops)
        context.join(leaf, top, uplink, adaptive ? spines : 1);
      for (const NodeId node : racks[i])
        context.attach_all(node, leaf);
    }
  }

  std::optional<std::vector<int>> tiers(const EvenMachines& machines) const override
  {
    const int in_rack = machines.per_rack > 0 ? machines.per_rack : settings_.integer("leaf_ports", 32) / machines.nics;
    return in_rack > 0 ? std::optional{std::vector<int>{in_rack}} : std::nullopt;
  }

private:
  Settings settings_;
};

TY_REGISTER(NetworkLayout, LeafSpine, "leaf_spine", "leaf switches below spine switches, with oversubscription");

} // namespace
} // namespace trainyard
