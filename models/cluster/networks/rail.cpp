// SPDX-License-Identifier: Apache-2.0
#include "models/cluster/layout.hpp"

#include <algorithm>
#include <cmath>

namespace trainyard {
namespace {

/// Rail-optimised: NIC i of every node of a unit is plugged into rail switch i of that unit, so that GPUs of the same
/// number meet one switch apart; all rail switches are joined to all spines. Without spines rails meet inside the nodes
/// only. Source: NVIDIA DGX SuperPOD reference architecture (scalable units of 32 nodes, eight rails).
class Rail final : public NetworkLayout
{
public:
  explicit Rail(const Settings& settings) : settings_{settings} {}

  static std::vector<Parameter> parameters()
  {
    return {
        {"unit", "integer", "32", "nodes that share one set of rail switches", 1, 4096,
         "NVIDIA DGX SuperPOD reference architecture"},
        {"spine", "boolean", "true", "join the rails by spine switches"},
        {"oversubscription", "number", "1", "downlink over uplink bandwidth of a rail switch", 0.01, 1000},
        {"spines", "integer", "unit / oversubscription", "number of spine switches", 1, 4096},
        routing_parameter(),
    };
  }

  void connect(NetworkContext& context) const override
  {
    const int unit = std::min(settings_.integer("unit", 32), context.machines());
    const int rails = context.most_nics();
    const int units = (context.machines() + unit - 1) / unit;
    const bool spine = settings_.flag("spine", true);
    if (!spine && units > 1) {
      context.report.error("cluster.network.spine", "without spines all " + std::to_string(context.machines()) +
                                                        " nodes must be in one unit; raise `unit`");
      return;
    }
    const double oversubscription = settings_.number("oversubscription", 1);
    const int spines = settings_.integer("spines", std::max(1, static_cast<int>(std::lround(unit / oversubscription))));
    const BytesPerSecond uplink = context.fastest_nic() * unit / (oversubscription * spines);
    const bool adaptive = context.adaptive(settings_);
    std::vector<VertexId> tops;
    if (spine && rails * units > 1)
      for (int i = 0; i < (adaptive ? 1 : spines); ++i)
        tops.push_back(context.add_switch(adaptive ? "spines" : "spine-" + std::to_string(i)));
    for (int first = 0, last = 0; first < context.nodes(); first = last) {
      const int u = context.number(first) / unit;
      while (last < context.nodes() && context.number(last) / unit == u)
        ++last;
      for (int rail = 0; rail < rails; ++rail) {
        const std::string prefix = units > 1 ? "unit-" + std::to_string(u) + "/" : "";
        const VertexId leaf = context.add_switch(prefix + "rail-" + std::to_string(rail));
        for (const VertexId top : tops)
          context.join(leaf, top, uplink, adaptive ? spines : 1);
        for (int i = first; i < last; ++i)
          if (static_cast<std::size_t>(rail) < context.cluster.node(NodeId{i}).nics.size())
            context.attach(NodeId{i}, static_cast<std::size_t>(rail), leaf);
      }
    }
    for (int i = 0; i < context.nodes(); ++i) {
      const int number = context.number(i);
      context.cluster.place(NodeId{i}, context.racks_given ? context.cluster.node(NodeId{i}).rack : number / unit,
                            {number / unit, number % unit});
    }
  }

  std::optional<std::vector<int>> tiers(const EvenMachines&) const override
  {
    return std::vector<int>{settings_.integer("unit", 32)};
  }

private:
  Settings settings_;
};

TY_REGISTER(NetworkLayout, Rail, "rail",
            "rail-optimised: NIC i of every node on rail switch i, rails joined by spines");

} // namespace
} // namespace trainyard
