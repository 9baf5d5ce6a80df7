// SPDX-License-Identifier: Apache-2.0
#include "models/cluster/cluster.hpp"

#include <utility>

namespace trainyard {

VertexId Cluster::add_vertex(Vertex vertex)
{
  index_.reset();
  vertices_.push_back(std::move(vertex));
  outgoing_.emplace_back();
  return VertexId{static_cast<int>(vertices_.size()) - 1};
}

LinkId Cluster::add_link(const std::string& name, LinkKind kind, VertexId from, VertexId to, BytesPerSecond bandwidth,
                         Seconds latency)
{
  index_.reset();
  const LinkId forward{static_cast<int>(links_.size())};
  const LinkId backward{forward.index + 1};
  links_.push_back({name, kind, from, to, backward, bandwidth, latency});
  links_.push_back({name + " (back)", kind, to, from, forward, bandwidth, latency});
  outgoing_[static_cast<std::size_t>(from.index)].push_back(forward);
  outgoing_[static_cast<std::size_t>(to.index)].push_back(backward);
  return forward;
}

LinkId Cluster::add_link(LinkKind kind, VertexId from, VertexId to, BytesPerSecond bandwidth, Seconds latency,
                         int width, int weight, double data_share)
{
  const LinkId forward = add_link(vertex(from).name + " > " + vertex(to).name, kind, from, to, bandwidth, latency);
  Link& there = links_[static_cast<std::size_t>(forward.index)];
  Link& back = links_[static_cast<std::size_t>(there.reverse.index)];
  back.name = vertex(to).name + " > " + vertex(from).name;
  there.width = back.width = width; // the index is made after this
  there.weight = back.weight = weight;
  there.data_share = back.data_share = data_share;
  return forward;
}

void Cluster::assume_latency(LinkId id)
{
  Link& there = links_[static_cast<std::size_t>(id.index)];
  there.assumed_latency = links_[static_cast<std::size_t>(there.reverse.index)].assumed_latency = true;
}

void Cluster::place(NodeId node, int rack, std::vector<int> position)
{
  Node& placed = nodes_[static_cast<std::size_t>(node.index)];
  placed.rack = rack;
  placed.position = std::move(position);
}

NodeId Cluster::add_node(Node node)
{
  index_.reset();
  nodes_.push_back(std::move(node));
  return NodeId{static_cast<int>(nodes_.size()) - 1};
}

int Cluster::gpus() const
{
  std::size_t count = 0;
  for (const Node& node : nodes_)
    count += node.gpus.size();
  return static_cast<int>(count);
}

} // namespace trainyard
