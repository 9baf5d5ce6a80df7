// SPDX-License-Identifier: Apache-2.0
// Hierarchical all-reduce: reduce-scatter inside each node, all-reduce of each part across the nodes (as many rings at
// once as a node has ranks), all-gather inside. Nodes with different numbers of ranks: only the leaders' ring crosses
// the network, with the whole payload.
#include "sim/step/collectives/collective.hpp"

#include <algorithm>
#include <map>

namespace trainyard {
namespace {

class Hierarchical final : public Collective
{
public:
  bool supports(const CollectiveRequest& request) const override { return request.operation == "all_reduce"; }

  std::vector<Round> plan(const CollectiveRequest& request) const override
  {
    const std::vector<std::vector<int>> nodes = ranks_by_node(request);
    return even(nodes) ? even_plan(nodes, request) : leader_plan(nodes, request.payload);
  }

  bool repeats(const CollectiveRequest& request) const override { return even(ranks_by_node(request)); }

private:
  static std::vector<std::vector<int>> ranks_by_node(const CollectiveRequest& request)
  {
    std::map<int, std::vector<int>> by_node;
    for (int rank = 0; rank < request.ranks; ++rank)
      by_node[request.node_of_rank.empty() ? rank : request.node_of_rank[static_cast<std::size_t>(rank)]].push_back(
          rank);
    std::vector<std::vector<int>> nodes;
    for (auto& [node, ranks] : by_node)
      nodes.push_back(std::move(ranks));
    return nodes;
  }

  static bool even(const std::vector<std::vector<int>>& nodes)
  {
    return std::ranges::all_of(nodes,
                               [&](const std::vector<int>& ranks) { return ranks.size() == nodes.front().size(); });
  }

  static void add_ring(Round& round, const std::vector<int>& ranks, Bytes chunk)
  {
    for (std::size_t i = 0; ranks.size() > 1 && i < ranks.size(); ++i)
      round.messages.push_back({ranks[i], ranks[(i + 1) % ranks.size()], chunk});
  }

  static std::vector<Round> even_plan(const std::vector<std::vector<int>>& nodes, const CollectiveRequest& request)
  {
    const Bytes payload = request.payload;
    const auto local = static_cast<int>(nodes.front().size());
    const int count = request.whole() / local;
    Round inside{{}, local - 1};
    for (const std::vector<int>& ranks : nodes)
      add_ring(inside, ranks, payload / local);
    Round across{{}, 2 * (count - 1)};
    for (int lane = 0; lane < local; ++lane) {
      std::vector<int> ring;
      for (const std::vector<int>& ranks : nodes)
        ring.push_back(ranks[static_cast<std::size_t>(lane)]);
      add_ring(across, ring, payload / local / count);
    }
    std::vector<Round> rounds;
    if (local > 1)
      rounds.push_back(inside);
    if (count > 1)
      rounds.push_back(across);
    if (local > 1)
      rounds.push_back(inside);
    return rounds;
  }

  static std::vector<Round> leader_plan(const std::vector<std::vector<int>>& nodes, Bytes payload)
  {
    Round gather, across, scatter;
    std::vector<int> leaders;
    for (const std::vector<int>& ranks : nodes) {
      leaders.push_back(ranks.front());
      for (std::size_t i = 1; i < ranks.size(); ++i) {
        gather.messages.push_back({ranks[i], ranks.front(), payload});
        scatter.messages.push_back({ranks.front(), ranks[i], payload});
      }
    }
    across.repeat = 2 * (static_cast<int>(leaders.size()) - 1);
    add_ring(across, leaders, payload / static_cast<double>(leaders.size()));
    std::vector<Round> rounds;
    for (const Round& round : {gather, across, scatter})
      if (!round.messages.empty())
        rounds.push_back(round);
    return rounds;
  }
};

TY_REGISTER(Collective, Hierarchical, "hierarchical",
            "reduce-scatter in the node, rings across nodes, all-gather in the node");

} // namespace
} // namespace trainyard
