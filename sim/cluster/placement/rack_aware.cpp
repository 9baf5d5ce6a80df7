// SPDX-License-Identifier: Apache-2.0
// Rack-aware: the whole gang below one leaf switch if one has enough GPUs (the fullest such rack), else below one
// aggregation switch, else anywhere; packed within.
#include "sim/cluster/placement_policy.hpp"

#include <algorithm>
#include <map>

namespace trainyard {
namespace {

std::optional<NodeScore> packed(const NodePool& pool, int node, const TaskRequest& task)
{
  return NodeScore{-static_cast<double>(pool.state(node).free_milli), pool.lowest_gpus(node, task, true)};
}

/// Domains by free share of GPUs, the fullest first, that have at least what the gang asks for.
std::vector<int> candidates(const NodePool& nodes, const ResourceRequest& request, int NodeShape::*domain)
{
  std::map<int, std::int64_t> free;
  for (int node = 0; node < nodes.size(); ++node)
    if (nodes.state(node).up)
      free[nodes.shape(node).*domain] += nodes.state(node).free_milli;
  std::vector<std::pair<std::int64_t, int>> order;
  for (const auto& [id, milli] : free)
    if (milli >= request.milli())
      order.emplace_back(milli, id);
  std::ranges::sort(order);
  std::vector<int> list;
  for (const auto& [milli, id] : order)
    list.push_back(id);
  return list;
}

std::optional<Allocation> within_domains(NodePool& nodes, const ResourceRequest& request, int NodeShape::*domain)
{
  for (const int id : candidates(nodes, request, domain))
    if (auto found = place_by_score_within(nodes, request, Split::largest, packed,
                                           [&](int node) { return nodes.shape(node).*domain == id; }))
      return found;
  return std::nullopt;
}

class RackAware final : public PlacementPolicy
{
public:
  std::optional<Allocation> place(NodePool& nodes, const ResourceRequest& request) override
  {
    if (auto found = within_domains(nodes, request, &NodeShape::rack))
      return found;
    if (auto found = within_domains(nodes, request, &NodeShape::spine))
      return found;
    return place_by_score(nodes, request, Split::largest, packed);
  }
};

TY_REGISTER(PlacementPolicy, RackAware, "rack_aware",
            "the gang in one rack if possible, else below one aggregation switch, else anywhere");

/// Only the aggregation switch counts: gangs stay below one, racks within it are filled evenly. For networks that
/// narrow above it.
class SwitchAware final : public PlacementPolicy
{
public:
  std::optional<Allocation> place(NodePool& nodes, const ResourceRequest& request) override
  {
    if (auto found = within_domains(nodes, request, &NodeShape::spine))
      return found;
    return place_by_score(nodes, request, Split::largest, packed);
  }
};

TY_REGISTER(PlacementPolicy, SwitchAware, "switch_aware",
            "the gang below one aggregation switch if possible, else anywhere");

} // namespace
} // namespace trainyard
