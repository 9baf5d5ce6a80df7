// SPDX-License-Identifier: Apache-2.0
#include "models/import/chakra_replay.hpp"

#include <algorithm>
#include <array>
#include <tuple>
#include <unordered_map>
#include <vector>

namespace trainyard {
namespace {

/// Nodes of all ranks in one list.
class Replay
{
public:
  explicit Replay(const std::map<int, ChakraGraph>& ranks)
  {
    for (const auto& [rank, graph] : ranks)
      add(rank, graph);
  }

  std::optional<double> run()
  {
    for (std::size_t i = 0; i < nodes_.size(); ++i)
      if (nodes_[i].waits == 0)
        ready_.push_back(i);
    std::size_t ended = 0;
    double last = 0;
    while (!ready_.empty()) {
      const std::size_t at = ready_.back();
      ready_.pop_back();
      for (const std::size_t done : arrive(at)) {
        ++ended;
        last = std::max(last, nodes_[done].time);
        for (const std::size_t next : nodes_[done].next) {
          nodes_[next].time = std::max(nodes_[next].time, nodes_[done].time);
          if (--nodes_[next].waits == 0)
            ready_.push_back(next);
        }
      }
    }
    if (ended < nodes_.size())
      return std::nullopt;
    return last;
  }

private:
  struct Node {
    const ChakraNode* what = nullptr;
    double time = 0; // when it may begin; then when it has ended
    std::size_t waits = 0;
    std::size_t meeting = 0; // of those that meet others
    std::vector<std::size_t> next;
  };
  /// Nodes that wait for each other: both ends of a message, or a collective's ranks.
  struct Meeting {
    std::vector<std::size_t> nodes;
    std::size_t come = 0;
  };
  using Message = std::tuple<int, int, std::int64_t, std::size_t>; // from, to, tag, the how-manieth
  using Collective = std::pair<std::string, std::size_t>;          // group, the how-manieth

  void add(int rank, const ChakraGraph& graph)
  {
    const std::size_t first = nodes_.size();
    std::unordered_map<std::uint64_t, std::size_t> place;
    for (const ChakraNode& node : graph.list)
      place.emplace(node.id, first + place.size());
    std::map<std::tuple<int, int, std::int64_t>, std::array<std::size_t, 2>> messages;
    std::map<std::string, std::size_t> collectives;
    for (const ChakraNode& node : graph.list) {
      Node made{.what = &node};
      if (node.type == comm_send || node.type == comm_recv) {
        const int from = node.from < 0 ? rank : node.from, to = node.to < 0 ? rank : node.to;
        std::size_t& times = messages[{from, to, node.tag}][node.type == comm_send ? 0 : 1];
        made.meeting = meeting(message_, Message{from, to, node.tag, times++});
      } else if (node.type == comm_coll) {
        made.meeting = meeting(collective_, Collective{node.group, collectives[node.group]++});
      }
      nodes_.push_back(std::move(made));
      if (node.type == comm_coll || node.type == comm_send || node.type == comm_recv)
        meetings_[nodes_.back().meeting].nodes.push_back(nodes_.size() - 1);
    }
    for (std::size_t i = first; i < nodes_.size(); ++i)
      for (const std::uint64_t before : nodes_[i].what->after)
        if (const auto found = place.find(before); found != place.end()) {
          nodes_[found->second].next.push_back(i);
          ++nodes_[i].waits;
        }
  }

  template <class Key>
  std::size_t meeting(std::map<Key, std::size_t>& known, const Key& key)
  {
    const auto [found, is_new] = known.emplace(key, meetings_.size());
    if (is_new)
      meetings_.emplace_back();
    return found->second;
  }

  /// A node whose turn it is. @return those that have ended with it, with their times.
  std::vector<std::size_t> arrive(std::size_t at)
  {
    Node& node = nodes_[at];
    const int type = node.what->type;
    if (type == comm_send)
      node.time += node.what->duration_us;
    if (type != comm_send && type != comm_recv && type != comm_coll) {
      node.time += node.what->duration_us;
      return {at};
    }
    Meeting& all = meetings_[node.meeting];
    std::vector<std::size_t> ended;
    if (type == comm_send) // it does not wait for its receiver
      ended.push_back(at);
    const bool pair = type != comm_coll;
    if (++all.come < (pair ? 2 : all.nodes.size()))
      return ended;
    double latest = 0, longest = 0;
    for (const std::size_t other : all.nodes) {
      latest = std::max(latest, nodes_[other].time);
      longest = std::max(longest, nodes_[other].what->duration_us);
    }
    for (const std::size_t other : all.nodes)
      if (nodes_[other].what->type != comm_send) {
        nodes_[other].time = latest + (pair ? 0 : longest);
        ended.push_back(other);
      }
    return ended;
  }

  std::vector<Node> nodes_;
  std::vector<Meeting> meetings_;
  std::map<Message, std::size_t> message_;
  std::map<Collective, std::size_t> collective_;
  std::vector<std::size_t> ready_;
};

} // namespace

std::optional<double> replayed_us(const std::map<int, ChakraGraph>& ranks)
{
  return Replay{ranks}.run();
}

} // namespace trainyard
