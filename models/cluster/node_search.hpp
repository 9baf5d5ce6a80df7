// SPDX-License-Identifier: Apache-2.0
// The part of a route within one machine. Private to the search of routes (routes.cpp, which explains the costs).
#pragma once
#include "models/cluster/cluster.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

namespace trainyard::routing {

inline constexpr int unreached = std::numeric_limits<int>::max() / 4;
inline constexpr int third_gpu_cost = 3;
inline constexpr int host_cost = 16;
inline constexpr int other_nic_cost = 1;

inline std::size_t at(int index)
{
  return static_cast<std::size_t>(index);
}

/// Belongs to the network: switches, and vertices without a node that can forward.
bool in_network(const Vertex& vertex);
int link_cost(const Link& link);
/// Half the price of passing a host; a path pays it at the link in and at the link out.
int half_transit(const Vertex& vertex);

/// Costs of all vertices of one node to (or from) an end in it; links cost the same in both directions.
class NodeSearch
{
public:
  using Reached = std::vector<std::pair<VertexId, int>>;
  /// The links that lead on from what was reached, where there is no choice; invalid: not known.
  using Ahead = std::vector<LinkId>;

  NodeSearch(const Cluster& cluster, VertexId end, const RouteChoice& choice);
  /// The same, of which is known what it reached. @p ahead: kept by the caller, who gives it for this search only.
  NodeSearch(const Cluster& cluster, VertexId end, const RouteChoice& choice, std::shared_ptr<const Reached> reached,
             Ahead* ahead = nullptr)
      : cluster_{cluster}, end_{end}, choice_{choice}, reached_{std::move(reached)}, ahead_{ahead}
  {
  }

  const Reached& reached() const { return *reached_; }
  std::shared_ptr<const Reached> shared() const { return reached_; }

  int cost(VertexId vertex) const
  {
    const std::size_t place = place_of(vertex);
    return place < reached_->size() ? (*reached_)[place].second : unreached;
  }

  /// Links from @p start to the end of this search.
  template <class Pick>
  std::vector<LinkId> path_from(VertexId start, const Pick& pick) const
  {
    std::vector<LinkId> path;
    std::vector<LinkId> options;
    if (ahead_ != nullptr)
      ahead_->resize(reached_->size());
    for (; start != end_; start = cluster_.link(path.back()).to) {
      const std::size_t place = place_of(start);
      const bool inside = place < reached_->size();
      if (inside && ahead_ != nullptr && (*ahead_)[place].index >= 0) {
        path.push_back((*ahead_)[place]);
        continue;
      }
      const int here = inside ? (*reached_)[place].second : unreached;
      options.clear();
      for (const LinkId out : cluster_.outgoing(start)) {
        const Link& link = cluster_.link(out);
        const int there = cost(link.to);
        if (there < unreached && forwards(link.to) && usable(out, link) && there + step(link.to, link) == here)
          options.push_back(out);
      }
      path.push_back(pick(options));
      if (ahead_ != nullptr && options.size() == 1)
        (*ahead_)[place] = options.front();
    }
    return path;
  }

  bool usable(LinkId out, const Link& link) const
  {
    if (link.kind == LinkKind::socket_peers) // peer_route() puts it in the place of the sockets' own link
      return false;
    return choice_.down == nullptr || !((*choice_.down)[at(out.index)] || (*choice_.down)[at(link.reverse.index)]);
  }

private:
  std::size_t place_of(VertexId vertex) const
  {
    const auto found = std::ranges::find(*reached_, vertex, &Reached::value_type::first);
    return static_cast<std::size_t>(found - reached_->begin());
  }
  bool forwards(VertexId vertex) const
  {
    const VertexKind kind = cluster_.vertex(vertex).kind;
    return vertex == end_ || (kind != VertexKind::gpu && kind != VertexKind::storage);
  }
  /// Cost of a link that touches @p near, the vertex nearer to the end, which is paid for when it is passed.
  int step(VertexId near, const Link& link) const
  {
    return link_cost(link) + (near != end_ && cluster_.vertex(near).kind == VertexKind::host ? host_cost : 0);
  }
  const Cluster& cluster_;
  VertexId end_;
  const RouteChoice& choice_;
  std::shared_ptr<const Reached> reached_;
  Ahead* ahead_ = nullptr;
};

/// A door between a node and the network: the link from the NIC to a switch, and the cost from the end of the path to
/// that switch.
struct Door {
  LinkId out; // from the node to the network
  int cost;
};

/// The route of what a GPU sends to a GPU: from socket to socket over the link for peers.
std::vector<LinkId> peer_route(const Cluster& cluster, std::vector<LinkId> route);
/// The node of a GPU; null for everything else.
const Node* node_of_gpu(const Cluster& cluster, VertexId id);
/// GPUs that are equally near to several NICs share them out in turn, as NCCL does.
VertexId own_nic(const Node& node, const NodeSearch& search, VertexId gpu);
/// All doors of the node of a search, without NICs that are further away than the best GPU's own NIC.
std::vector<Door> doors(const Cluster& cluster, const NodeSearch& search, VertexId end);

/// What searches within machines find, for machines that are alike but for the numbers of their vertices and links:
/// found once for all of them. Equal machines are found in the graph, not taken from how it was described.
class AlikeNodes
{
public:
  explicit AlikeNodes(const Cluster& cluster);

  /// What a search from the vertex reaches while all links are up; null: it belongs to a machine like no other.
  std::shared_ptr<const NodeSearch::Reached> reached(const Vertex& vertex, VertexId end) const;
  /// own_nic() of a GPU; invalid: not known, or there is none.
  VertexId own_nic(const Vertex& vertex, VertexId gpu) const;

private:
  static constexpr int no_nic = -1;
  struct Kind {
    int members = 0;
    std::vector<NodeSearch::Reached> reached; // by vertex of the machine, counted from its first one, as in what
                                              // it reaches
    std::vector<int> nic;                     // of each such vertex; no_nic where it is no GPU
  };
  struct Member {
    int kind = -1; // none: its vertices do not follow each other
    int first = 0; // vertex
  };
  std::vector<Kind> kinds_;
  std::vector<Member> members_; // by node
};

} // namespace trainyard::routing
