// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/cluster/cluster.hpp"
#include "models/cluster/node_search.hpp"

#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace trainyard {

/// Arcs between network vertices (switches and whatever belongs to no node), by vertex; and what is known of machines.
struct RouteIndex {
  struct Arc {
    int to;
    int link;
    int cost;
  };
  std::vector<int> first; // arcs of vertex v: first[v] … first[v + 1]
  std::vector<Arc> arcs;
  std::optional<routing::AlikeNodes> machines;
};

namespace routing {

struct Ball;
struct SearchMemory;

/// One end of a search: a vertex of a node, and the doors of the node.
struct SearchEnd {
  VertexId vertex;
  const std::vector<Door>& doors;
};

/// All cheapest paths over switches, from the doors of one node to those of another. One at a time in a thread: the
/// next one overwrites what it looks at, unless its ends are the same; then it takes what was found.
class NetworkSearch
{
public:
  /// Keeps looking at all of them.
  NetworkSearch(const Cluster& cluster, const std::shared_ptr<const RouteIndex>& index, const RouteChoice& choice,
                const SearchEnd& source, const SearchEnd& target);

  int total() const { return total_; }

  /// Links from a door of the source to a door of the target, both included.
  template <class Pick>
  std::vector<LinkId> path(VertexId source_end, const Pick& pick)
  {
    std::vector<LinkId> result;
    int cost = 0;
    std::vector<LinkId> options;
    for (const Door& door : source_)
      if (on_path(cluster_.link(door.out).to.index, door.cost))
        options.push_back(door.out);
    result.push_back(choose(options, 0, source_end, pick));
    for (const Door& door : source_)
      if (door.out == result.back())
        cost = door.cost;
    while (in_network(cluster_.vertex(cluster_.link(result.back()).to))) {
      const VertexId here = cluster_.link(result.back()).to;
      const auto steps = steps_from(here.index, cost);
      options.clear();
      for (const auto& [link, after] : steps)
        options.push_back(link);
      result.push_back(choose(options, cost, here, pick));
      for (const auto& [link, after] : steps)
        if (link == result.back())
          cost = after;
      if (cost == total_ && is_door(result.back()))
        break;
    }
    return result;
  }

  /// Links that lie on the cheapest paths, doors included, with the share of the flows that takes each if every choice
  /// falls evenly.
  std::map<LinkId, double> even_shares() const;

private:
  bool usable(int link) const;
  bool labelled(const Ball& ball, int vertex) const;
  void reach(Ball& ball, const Ball& other, int vertex, int cost);
  /// Arcs that the next level of a ball would follow.
  long long work(const Ball& ball) const;
  void pass_level(Ball& ball, const Ball& other);
  bool on_path(int vertex, int cost) const;
  /// From the rim inwards: a vertex passed by the search from the source is good where one of its arcs leads on along a
  /// cheapest path.
  void mark_good();
  bool is_door(LinkId into) const;
  /// Links that lead on from a vertex along a cheapest path, with the cost after them.
  std::vector<std::pair<LinkId, int>> steps_from(int vertex, int cost) const;
  /// Busiest link and sum of loads of the least loaded way from a vertex to the target.
  std::pair<double, double> least_load(int vertex, int cost);
  std::pair<double, double> load_through(LinkId link, int after);

  template <class Pick>
  LinkId choose(std::vector<LinkId>& options, int cost, VertexId here, const Pick& pick)
  {
    if (choice_.load != nullptr && options.size() > 1) {
      std::pair<double, double> best{std::numeric_limits<double>::infinity(), 0};
      std::vector<LinkId> least;
      for (const LinkId option : options) {
        int after = cost;
        for (const Door& door : source_)
          if (door.out == option)
            after = door.cost;
        if (in_network(cluster_.vertex(here)))
          for (const auto& [link, then] : steps_from(here.index, cost))
            if (link == option)
              after = then;
        const auto load = load_through(option, after);
        if (load < best)
          least.clear();
        if (load <= best) {
          best = load;
          least.push_back(option);
        }
      }
      return pick(least);
    }
    return pick(options);
  }

  const Cluster& cluster_;
  const RouteIndex& index_;
  const RouteChoice& choice_;
  const std::vector<Door>& source_;
  const std::vector<Door>& target_;
  SearchMemory& memory_;
  int total_ = unreached;
  std::map<int, std::pair<double, double>> loads_;
};

} // namespace routing

/// How very many flows between two ends fill the links, without asking for the route of each: every choice among
/// equally cheap ways falls evenly.
class EvenRoutes
{
public:
  /// @p cluster has all its links and lives as long as this.
  explicit EvenRoutes(const Cluster& cluster);

  /// Links of all cheapest ways from one node to another, each with its share of the flows, in (0, 1]. Throws
  /// std::invalid_argument naming both ends where no way exists.
  std::vector<std::pair<LinkId, double>> shares(VertexId from, VertexId to) const;

private:
  const Cluster& cluster_;
  std::shared_ptr<const RouteIndex> index_;
};

/// Whether the hash chooses among equal paths on the way.
bool hash_chooses(const Cluster& cluster, VertexId from, VertexId to);

} // namespace trainyard
