// SPDX-License-Identifier: Apache-2.0
// The network part of a route (routes.cpp): searched from both ends at once, one cost level at a time, until the two
// balls touch.
#include "models/cluster/network_search.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <utility>

namespace trainyard::routing {

/// One of the two balls of the network search: labels of the vertices reached so far, and those not yet passed by cost.
struct Ball {
  struct Label {
    std::uint32_t search = 0; // it is valid in the search of this number
    int cost = 0;
  };
  std::vector<Label> labels; // by vertex
  std::vector<std::vector<int>> by_cost;
  std::vector<int> costs;  // of by_cost, those that may not be empty
  std::vector<int> passed; // in order of cost
  int next = 0;            // cheapest cost not yet passed; labels up to it are final
  int pending = 0;
};

/// Memory of the search, kept between routes.
struct SearchMemory {
  std::uint32_t search = 0;
  std::uint32_t marks = 0;                 // how often the good ones have been marked
  std::shared_ptr<const RouteIndex> index; // of the latest search; null: not to be used again
  VertexId from, to;                       // its ends,
  int total = 0;                           // and the cost between them
  Ball ahead;
  Ball back;
  std::vector<std::uint32_t> good; // stamp: lies on a cheapest path

  void begin_search()
  {
    ++search;
    index = nullptr;
    for (Ball* ball : {&ahead, &back}) {
      for (const int cost : ball->costs)
        ball->by_cost[at(cost)].clear();
      ball->costs.clear();
      ball->passed.clear();
      ball->next = unreached;
      ball->pending = 0;
    }
  }
};

namespace {

SearchMemory& search_memory(std::size_t vertices)
{
  thread_local SearchMemory memory;
  if (memory.ahead.labels.size() < vertices || memory.marks == std::numeric_limits<std::uint32_t>::max()) {
    memory = {};
    for (Ball* ball : {&memory.ahead, &memory.back})
      ball->labels.assign(vertices, {});
    memory.good.assign(vertices, 0);
  }
  return memory;
}

} // namespace

NetworkSearch::NetworkSearch(const Cluster& cluster, const std::shared_ptr<const RouteIndex>& index,
                             const RouteChoice& choice, const SearchEnd& source, const SearchEnd& target)
    : cluster_{cluster}, index_{*index}, choice_{choice}, source_{source.doors}, target_{target.doors},
      memory_{search_memory(cluster.vertices().size())}
{
  if (choice.down == nullptr && memory_.index == index && memory_.from == source.vertex &&
      memory_.to == target.vertex) {
    total_ = memory_.total;
    return;
  }
  // Links cost the same in both directions: the way back was found with the way there.
  if (choice.down == nullptr && memory_.index == index && memory_.from == target.vertex &&
      memory_.to == source.vertex) {
    std::swap(memory_.ahead, memory_.back);
    std::swap(memory_.from, memory_.to);
    total_ = memory_.total;
    mark_good();
    return;
  }
  memory_.begin_search();
  for (const Door& door : source_)
    reach(memory_.ahead, memory_.back, cluster.link(door.out).to.index, door.cost);
  for (const Door& door : target_)
    reach(memory_.back, memory_.ahead, cluster.link(door.out).to.index, door.cost);
  Ball& ahead = memory_.ahead;
  Ball& back = memory_.back;
  while (ahead.pending > 0 && back.pending > 0 && ahead.next + back.next < total_) {
    if (work(ahead) <= work(back))
      pass_level(ahead, back);
    else
      pass_level(back, ahead);
  }
  mark_good();
  if (choice.down == nullptr) {
    memory_.index = index;
    memory_.from = source.vertex;
    memory_.to = target.vertex;
    memory_.total = total_;
  }
}

std::map<LinkId, double> NetworkSearch::even_shares() const
{
  std::map<LinkId, double> result;
  std::map<std::pair<int, int>, double> arriving; // by cost and vertex, so that all ways to a vertex come before it
  std::vector<Door> options;
  std::ranges::copy_if(source_, std::back_inserter(options),
                       [this](const Door& door) { return on_path(cluster_.link(door.out).to.index, door.cost); });
  for (const Door& door : options) {
    const double share = 1.0 / static_cast<double>(options.size());
    result[door.out] += share;
    arriving[{door.cost, cluster_.link(door.out).to.index}] += share;
  }
  while (!arriving.empty()) {
    const auto [place, share] = *arriving.begin();
    arriving.erase(arriving.begin());
    const auto steps = steps_from(place.second, place.first);
    for (const auto& [link, after] : steps) {
      result[link] += share / static_cast<double>(steps.size());
      if (!is_door(link))
        arriving[{after, cluster_.link(link).to.index}] += share / static_cast<double>(steps.size());
    }
  }
  return result;
}

bool NetworkSearch::usable(int link) const
{
  return choice_.down == nullptr ||
         !((*choice_.down)[at(link)] || (*choice_.down)[at(cluster_.links()[at(link)].reverse.index)]);
}

bool NetworkSearch::labelled(const Ball& ball, int vertex) const
{
  return ball.labels[at(vertex)].search == memory_.search;
}

void NetworkSearch::reach(Ball& ball, const Ball& other, int vertex, int cost)
{
  Ball::Label& label = ball.labels[at(vertex)];
  if (label.search == memory_.search && label.cost <= cost)
    return;
  label = {memory_.search, cost};
  if (at(cost) >= ball.by_cost.size())
    ball.by_cost.resize(at(cost) + 64);
  std::vector<int>& level = ball.by_cost[at(cost)];
  if (level.empty())
    ball.costs.push_back(cost);
  level.push_back(vertex);
  ++ball.pending;
  ball.next = std::min(ball.next, cost);
  if (const Ball::Label& there = other.labels[at(vertex)]; there.search == memory_.search)
    total_ = std::min(total_, cost + there.cost);
}

long long NetworkSearch::work(const Ball& ball) const
{
  long long arcs = 0;
  for (const int vertex : ball.by_cost[at(ball.next)])
    arcs += index_.first[at(vertex) + 1] - index_.first[at(vertex)];
  return arcs;
}

void NetworkSearch::pass_level(Ball& ball, const Ball& other)
{
  const int cost = ball.next;
  // Arcs cost at least 1, so nothing joins this level while it is passed; the vector of levels may move, though.
  for (std::size_t i = 0; i < ball.by_cost[at(cost)].size(); ++i) {
    const int vertex = ball.by_cost[at(cost)][i];
    --ball.pending;
    if (ball.labels[at(vertex)].cost != cost)
      continue; // reached more cheaply since
    ball.passed.push_back(vertex);
    for (int a = index_.first[at(vertex)]; a < index_.first[at(vertex) + 1]; ++a) {
      const RouteIndex::Arc& arc = index_.arcs[at(a)];
      if (const Ball::Label& known = ball.labels[at(arc.to)];
          known.search == memory_.search && known.cost <= cost + arc.cost)
        continue;
      if (usable(arc.link))
        reach(ball, other, arc.to, cost + arc.cost);
    }
  }
  ball.by_cost[at(cost)].clear();
  ball.next = unreached;
  for (std::size_t level = at(cost) + 1; level < ball.by_cost.size() && ball.pending > 0; ++level)
    if (!ball.by_cost[level].empty()) {
      ball.next = static_cast<int>(level);
      break;
    }
}

bool NetworkSearch::on_path(int vertex, int cost) const
{
  if (labelled(memory_.back, vertex) && cost + memory_.back.labels[at(vertex)].cost == total_)
    return true;
  return labelled(memory_.ahead, vertex) && memory_.ahead.labels[at(vertex)].cost == cost &&
         memory_.good[at(vertex)] == memory_.marks;
}

void NetworkSearch::mark_good()
{
  ++memory_.marks; // at least as often as there was a search
  for (std::size_t i = memory_.ahead.passed.size(); i-- > 0;) {
    const int vertex = memory_.ahead.passed[i];
    const int cost = memory_.ahead.labels[at(vertex)].cost;
    bool good = labelled(memory_.back, vertex) && cost + memory_.back.labels[at(vertex)].cost == total_;
    for (int a = index_.first[at(vertex)]; !good && a < index_.first[at(vertex) + 1]; ++a) {
      const RouteIndex::Arc& arc = index_.arcs[at(a)];
      good = on_path(arc.to, cost + arc.cost) && usable(arc.link);
    }
    if (good)
      memory_.good[at(vertex)] = memory_.marks;
  }
}

bool NetworkSearch::is_door(LinkId into) const
{
  return std::ranges::any_of(target_, [&](const Door& door) { return cluster_.link(door.out).reverse == into; });
}

std::vector<std::pair<LinkId, int>> NetworkSearch::steps_from(int vertex, int cost) const
{
  std::vector<std::pair<LinkId, int>> result;
  result.reserve(16);
  for (const Door& door : target_)
    if (cluster_.link(door.out).to.index == vertex && cost + door.cost == total_)
      result.emplace_back(cluster_.link(door.out).reverse, total_);
  for (int a = index_.first[at(vertex)]; a < index_.first[at(vertex) + 1]; ++a) {
    const RouteIndex::Arc& arc = index_.arcs[at(a)];
    if (on_path(arc.to, cost + arc.cost) && usable(arc.link))
      result.emplace_back(LinkId{arc.link}, cost + arc.cost);
  }
  return result;
}

std::pair<double, double> NetworkSearch::least_load(int vertex, int cost)
{
  if (const auto known = loads_.find(vertex); known != loads_.end())
    return known->second;
  std::pair<double, double> best{std::numeric_limits<double>::infinity(), 0};
  for (const auto& [link, after] : steps_from(vertex, cost))
    best = std::min(best, load_through(link, after));
  return loads_[vertex] = best;
}

std::pair<double, double> NetworkSearch::load_through(LinkId link, int after)
{
  const double load = (*choice_.load)[at(link.index)];
  if (is_door(link))
    return {load, load};
  const auto [busiest, sum] = least_load(cluster_.link(link).to.index, after);
  return {std::max(busiest, load), sum + load};
}

} // namespace trainyard::routing
