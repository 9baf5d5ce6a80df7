// SPDX-License-Identifier: Apache-2.0
#include "models/cluster/layout.hpp"

namespace trainyard {
namespace {

/// One switch that never blocks; all NICs of all nodes are plugged into it.
class Star final : public NetworkLayout
{
public:
  void connect(NetworkContext& context) const override
  {
    const VertexId middle = context.add_switch("switch");
    for (int i = 0; i < context.nodes(); ++i) {
      const int rack = context.racks_given ? context.cluster.node(NodeId{i}).rack : 0;
      context.cluster.place(NodeId{i}, rack, {context.number(i)});
      context.attach_all(NodeId{i}, middle);
    }
  }

  std::optional<std::vector<int>> tiers(const EvenMachines&) const override { return std::vector<int>{}; }
};

TY_REGISTER(NetworkLayout, Star, "star", "one switch that never blocks");

} // namespace
} // namespace trainyard
