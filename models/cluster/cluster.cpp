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
  index_.reset();
  const LinkId forward{static_cast<int>(links_.size())};
  const LinkId backward{forward.index + 1};
  const auto add = [&](VertexId start, VertexId end, LinkId reverse) {
    std::string name;
    name.reserve(vertex(start).name.size() + 3 + vertex(end).name.size());
    name.append(vertex(start).name).append(" > ").append(vertex(end).name);
    links_.push_back(
        {std::move(name), kind, start, end, reverse, bandwidth, latency, width, weight, data_share, false});
    outgoing_[static_cast<std::size_t>(start.index)].push_back(start == from ? forward : backward);
  };
  add(from, to, backward);
  add(to, from, forward);
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
