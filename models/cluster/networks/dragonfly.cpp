// SPDX-License-Identifier: Apache-2.0
#include "models/cluster/layout.hpp"

namespace trainyard {
namespace {

/// Groups of fully joined routers; the groups are fully joined by global links.
///
/// a routers per group, p NIC ports and h global links per router; at most a h + 1 groups. A balanced one has a = 2p =
/// 2h. A global link counts twice a local hop and a half in the search for shortest paths, so that routes are minimal
/// in Kim's sense (local, global, local) and never pass through a third group. The a h global ports of a group are
/// dealt to the other groups in turn by their distance. Source: Kim, Dally, Scott, Abts, "Technology-driven,
/// highly-scalable dragonfly topology", ISCA 2008.
class Dragonfly final : public NetworkLayout
{
public:
  explicit Dragonfly(const Settings& settings) : settings_{settings} {}

  static std::vector<Parameter> parameters()
  {
    const std::string source = "Kim et al., ISCA 2008: balanced at a = 2p = 2h";
    return {
        {"ports", "integer", "smallest that fits", "NICs per router (p)", 1, 512},
        {"routers", "integer", "2 ports", "routers per group (a)", 1, 1024, source},
        {"global_links", "integer", "ports", "global links per router (h)", 1, 512, source},
        {"groups", "integer", "as many as contain nodes", "number of groups", 1, 100000},
        {"local_bandwidth", "bandwidth", "that of the network's link", "bandwidth between routers of a group", 1},
        {"global_bandwidth", "bandwidth", "that of the network's link", "bandwidth of a global link", 1},
    };
  }

  void connect(NetworkContext& context) const override
  {
    const int nics = context.most_nics();
    const int nodes = context.nodes();
    int p = settings_.integer("ports", 0);
    if (p == 0)
      for (p = nics; 2LL * p * (p / nics) * (2LL * p * p + 1) < nodes; ++p)
        ;
    const int a = settings_.integer("routers", 2 * p);
    const int h = settings_.integer("global_links", p);
    const int per_router = p / nics;
    if (per_router == 0)
      return context.report.error("cluster.network.ports",
                                  "a node has " + std::to_string(nics) + " NICs, more than the ports of a router");
    const int per_group = a * per_router;
    const int groups = settings_.integer("groups", (nodes + per_group - 1) / per_group);
    if (groups > a * h + 1)
      return context.report.error("cluster.network",
                                  "a dragonfly with " + std::to_string(a) + " routers of " + std::to_string(h) +
                                      " global links in each group has at most " + std::to_string(a * h + 1) +
                                      " groups, not " + std::to_string(groups));
    if (static_cast<long long>(groups) * per_group < nodes) {
      context.report.error("cluster.network", "the dragonfly has " +
                                                  std::to_string(static_cast<long long>(groups) * per_group) +
                                                  " places for " + std::to_string(nodes) + " nodes");
      return;
    }
    const BytesPerSecond local{settings_.number("local_bandwidth", context.link.bandwidth.value())};
    const BytesPerSecond global{settings_.number("global_bandwidth", context.link.bandwidth.value())};

    std::vector<std::vector<VertexId>> routers(static_cast<std::size_t>(groups));
    for (int g = 0; g < groups; ++g) {
      auto& group = routers[static_cast<std::size_t>(g)];
      for (int r = 0; r < a; ++r) {
        group.push_back(context.add_switch("group-" + std::to_string(g) + "/router-" + std::to_string(r)));
        for (int other = 0; other < r; ++other)
          context.join(group[static_cast<std::size_t>(other)], group.back(), local, 1, local_weight);
      }
    }
    // Ports of a group: the copy-th link to the group `distance` ahead is number copy (groups - 1) + distance - 1.
    const int copies = groups > 1 ? a * h / (groups - 1) : 0;
    for (int g = 0; g < groups; ++g)
      for (int other = g + 1; other < groups; ++other)
        for (int copy = 0; copy < copies; ++copy) {
          const int here = copy * (groups - 1) + (other - g) - 1;
          const int there = copy * (groups - 1) + (groups - (other - g)) - 1;
          context.join(routers[static_cast<std::size_t>(g)][static_cast<std::size_t>(here / h)],
                       routers[static_cast<std::size_t>(other)][static_cast<std::size_t>(there / h)], global, 1,
                       global_weight);
        }
    for (int i = 0; i < nodes; ++i) {
      const int group = i / per_group;
      const int router = i % per_group / per_router;
      const int rack = context.racks_given ? context.cluster.node(NodeId{i}).rack : group;
      context.cluster.place(NodeId{i}, rack, {group, router, i % per_router});
      context.attach_all(NodeId{i}, routers[static_cast<std::size_t>(group)][static_cast<std::size_t>(router)]);
    }
  }

private:
  static constexpr int local_weight = 2;
  static constexpr int global_weight = 5; // local + global + local = 9 < two global = 10
  Settings settings_;
};

TY_REGISTER(NetworkLayout, Dragonfly, "dragonfly", "fully joined groups of fully joined routers");

} // namespace
} // namespace trainyard
