// SPDX-License-Identifier: Apache-2.0
// Part of the search of routes (routes.cpp).
#pragma once
#include "models/cluster/node_search.hpp"

#include <memory>
#include <vector>

namespace trainyard::routing {

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
