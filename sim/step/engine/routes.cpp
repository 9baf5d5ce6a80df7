// SPDX-License-Identifier: Apache-2.0
#include "sim/step/engine/routes.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <utility>

namespace trainyard {

const std::vector<VertexId>& RanksByNode::on(NodeId node) const
{
  if (ranks_.empty())
    for (const VertexId rank : all_)
      ranks_[cluster_->vertex(rank).node.index].push_back(rank);
  const auto found = ranks_.find(node.index);
  return found == ranks_.end() ? none_ : found->second;
}

std::size_t WayIndex::hash(const Entry& entry)
{
  std::uint64_t value = 0xCBF29CE484222325U;
  const auto mix = [&](std::uint64_t next) {
    value = (value ^ next) * 0x9E3779B97F4A7C15U;
    value ^= value >> 29U;
  };
  mix(static_cast<std::uint64_t>(entry.from) << 32U ^ static_cast<std::uint64_t>(entry.to));
  mix(std::bit_cast<std::uint64_t>(entry.limit));
  mix(static_cast<std::uint64_t>(entry.program) << 32U ^ static_cast<std::uint64_t>(entry.resources));
  mix(static_cast<std::uint64_t>(entry.forwarders));
  return value;
}

int& WayIndex::number_of(const Key& key)
{
  const Entry wanted{.program = static_cast<int>(key.program),
                     .from = key.from.index,
                     .to = key.to.index,
                     .resources = resources_.number_of(key.resources),
                     .forwarders = forwarders_.number_of(key.forwarders),
                     .limit = key.limit};
  if (2 * entries_.size() >= table_.size())
    grow();
  const std::size_t last = table_.size() - 1; // all bits of a place
  std::size_t place = hash(wanted) & last;
  for (; table_[place] >= 0; place = (place + 1) & last)
    if (Entry& known = entries_[static_cast<std::size_t>(table_[place])]; known.like(wanted))
      return known.number;
  table_[place] = static_cast<int>(entries_.size());
  return entries_.emplace_back(wanted).number;
}

void WayIndex::grow()
{
  table_.assign(std::max<std::size_t>(4 * table_.size(), 64), -1); // a power of two
  const std::size_t last = table_.size() - 1;
  for (std::size_t i = 0; i < entries_.size(); ++i) {
    std::size_t place = hash(entries_[i]) & last;
    while (table_[place] >= 0)
      place = (place + 1) & last;
    table_[place] = static_cast<int>(i);
  }
}

KnownWays::Order& KnownWays::of(const StepProgram& program)
{
  const std::lock_guard lock{mutex_};
  std::shared_ptr<Order>& order = orders_[&program];
  if (order == nullptr)
    order = std::make_shared<Order>();
  return *order;
}

void KnownWays::like(const StepProgram& program, const StepProgram& other)
{
  const std::lock_guard lock{mutex_};
  if (const auto found = orders_.find(&other); found != orders_.end())
    orders_.insert_or_assign(&program, found->second);
}

void KnownWays::forget(const StepProgram& program)
{
  const std::lock_guard lock{mutex_};
  orders_.erase(&program);
}

const KnownWay& KnownWays::find(const Cluster& cluster, const WayIndex::Key& key,
                                const std::vector<VertexId>* forwarders)
{
  const std::lock_guard lock{mutex_};
  int& number = index_.number_of(key);
  if (number >= 0)
    return ways_[static_cast<std::size_t>(number)];
  const std::span<const LinkId> path = cluster.seen_route(key.from, key.to, RouteChoice{.forwarders = forwarders});
  KnownWay& way = ways_.emplace_back(
      KnownWay{.number = static_cast<int>(ways_.size()), .from = key.from, .to = key.to, .limit = key.limit});
  way.links.reserve(path.size());
  for (const LinkId link : path) {
    way.links.push_back(link.index);
    way.latency += cluster.link(link).latency.value();
  }
  number = way.number;
  return way;
}

RouteTable::RouteTable(const Cluster& cluster, std::span<const ProgramRun> programs, bool ways_back, KnownWays* known)
    : cluster_{cluster}, ways_back_{ways_back}, links_{cluster.links().size()}, known_{known}
{
  capacities_.assign(links_, 0);
  for (std::size_t link = 0; programs.empty() && link < links_; ++link) // else its routes are found before it is asked
    capacities_[link] = cluster.links()[link].data_rate().value();
  scaled_.assign(capacities_.size(), false);
  slots_.assign(capacities_.size(), -1);
  for (const ProgramRun& run : programs)
    add(*run.program);
}

void RouteTable::add(const StepProgram& program)
{
  resource_base_.push_back(static_cast<int>(capacities_.size()));
  for (const Resource& resource : program.resources)
    capacities_.push_back(resource.capacity.value());
  scaled_.resize(capacities_.size(), false);
  slots_.resize(capacities_.size(), -1);
  asked_.push_back({known_ != nullptr ? &known_->of(program) : nullptr, 0});
}

void RouteTable::scale_resource(std::size_t program, ResourceId resource, double efficiency)
{
  const auto index = static_cast<std::size_t>(resource_base_[program] + resource.index);
  if (scaled_[index])
    return;
  scaled_[index] = true;
  capacities_[index] /= efficiency;
}

int RouteTable::find(std::size_t program, VertexId from, VertexId to, std::span<const ResourceId> resources,
                     double limit, const RanksByNode& forwarders)
{
  Asked* const asked = known_ != nullptr && resources.empty() ? &asked_[program] : nullptr;
  if (asked != nullptr && asked->next < asked->order->size()) {
    const KnownWay& way = *(*asked->order)[asked->next];
    if (way.from == from && way.to == to && way.limit == limit) {
      ++asked->next;
      return find_known(way);
    }
  }
  WayIndex::Key key{resources.empty() ? 0 : program, from, to, limit, resources, {}};
  const std::vector<VertexId>* mates = nullptr;
  if (const NodeId node = cluster_.vertex(from).node; node.index >= 0)
    if (const std::vector<VertexId>& there = forwarders.on(node); !there.empty()) {
      mates = &there;
      key.forwarders = there;
    }
  if (asked != nullptr) {
    const KnownWay& way = known_->find(cluster_, key, mates);
    asked->order->resize(asked->next++);
    asked->order->push_back(&way);
    return find_known(way);
  }
  int& known = index_.number_of(key);
  if (known >= 0)
    return known;
  const std::span<const LinkId> path = cluster_.seen_route(from, to, RouteChoice{.forwarders = mates});
  Route route{.from = from, .to = to};
  route.limit = limit;
  route.links.reserve(path.size() + resources.size());
  for (const LinkId link : path) {
    route.links.push_back(link.index);
    route.latency += cluster_.link(link).latency.value();
  }
  for (const ResourceId resource : resources)
    route.links.push_back(resource_base_[program] + resource.index);
  const int index = known = add(std::move(route));
  if (ways_back_) {
    const int back = find(0, to, from);
    routes_[static_cast<std::size_t>(index)].back = back;
  }
  return index;
}

/// The route over a known way.
int RouteTable::find_known(const KnownWay& way)
{
  const auto number = static_cast<std::size_t>(way.number);
  if (number >= of_way_.size())
    of_way_.resize(number + 1, -1);
  if (of_way_[number] < 0) {
    Route route{.links = way.links, .latency = way.latency, .from = way.from, .to = way.to};
    route.limit = way.limit;
    of_way_[number] = add(std::move(route));
  }
  return of_way_[number];
}

int RouteTable::add(Route route)
{
  for (const int link : route.links)
    if (int& slot = slots_[static_cast<std::size_t>(link)]; slot < 0) {
      slot = static_cast<int>(crossings_.size());
      if (static_cast<std::size_t>(link) < links_)
        capacities_[static_cast<std::size_t>(link)] = cluster_.link(LinkId{link}).data_rate().value();
      crossings_.emplace_back();
    }
  routes_.push_back(std::move(route));
  return static_cast<int>(routes_.size()) - 1;
}

/// No link that all routes over this one cross as well is as narrow. Of two equally narrow links that always come
/// together the one with the lower index stays.
bool RouteTable::is_narrow(std::size_t capacity) const
{
  if (ways_back_ && capacity < links_ && joins_machines(cluster_.link(LinkId{static_cast<int>(capacity)}).kind))
    return true; // packets wait at each of them
  return std::ranges::none_of(common_of(crossings_[slot(static_cast<int>(capacity))]), [&](int link) {
    const auto other = static_cast<std::size_t>(link);
    return other != capacity && (capacities_[other] < capacities_[capacity] ||
                                 (capacities_[other] == capacities_[capacity] && other < capacity));
  });
}

/// Notes what its links have in common with those of earlier routes.
void RouteTable::cross(int route)
{
  const std::vector<int>& links = this->route(route).links;
  const auto latest = [this](int link) -> int& { return crossings_[slot(link)].latest; };
  for (const int link : links)
    latest(link) = route;
  for (const int link : links) {
    Crossing& crossing = crossings_[slot(link)];
    if (crossing.look == 0) {
      crossing.only = route;
      continue;
    }
    if (const int before = std::exchange(crossing.only, -1); before >= 0)
      crossing.common = this->route(before).links;
    if (crossing.common.size() > 1) // else no other link than itself
      std::erase_if(crossing.common, [&](int other) { return latest(other) != route; });
  }
}

void RouteTable::find_narrow_links(bool more_may_come)
{
  const int first = looked_at_;
  ++look_;
  complete_ = !more_may_come;
  if (first > 0) {
    over_.resize(slots());
    for (int r = over_known_; r < routes(); ++r)
      for (const int link : route(r).links)
        over_[slot(link)].push_back(r);
    over_known_ = routes();
  }
  std::vector<int> crossed; // links, each once
  for (int r = first; r < routes(); ++r) {
    cross(r);
    for (const int link : route(r).links)
      if (std::exchange(crossings_[slot(link)].look, look_) != look_)
        crossed.push_back(link);
  }
  std::vector<int> grown; // links that can bind now and could not before
  for (const int link : crossed) {
    if (Crossing& crossing = crossings_[slot(link)]; !crossing.narrow && is_narrow(static_cast<std::size_t>(link))) {
      crossing.narrow = true;
      grown.push_back(link);
    }
  }
  if (first > 0)
    std::ranges::sort(grown);
  for (int r = first; r < routes(); ++r) {
    Route& there = routes_[static_cast<std::size_t>(r)];
    there.narrow.reserve(there.links.size()); // flows look at it while it grows
    for (const int link : there.links)
      if (crossings_[slot(link)].narrow)
        there.narrow.push_back(link);
  }
  widened_.clear();
  for (const int link : grown)
    for (std::size_t i = 0; first > 0 && i < over_[slot(link)].size(); ++i)
      if (const int r = over_[slot(link)][i]; r < first) {
        routes_[static_cast<std::size_t>(r)].narrow.push_back(link);
        widened_.push_back(r);
      }
  std::ranges::sort(widened_);
  const auto repeated = std::ranges::unique(widened_);
  widened_.erase(repeated.begin(), repeated.end());
  looked_at_ = routes();
  if (!more_may_come)
    for (Crossing& crossing : crossings_) {
      crossing.only = -1;
      crossing.common = {};
    }
}

std::vector<double> RouteTable::number_narrow_links()
{
  std::vector<int> all;
  std::vector<int> number(slots(), -1); // by slot; at first 0 for each that has one
  for (const Route& route : routes_)
    for (const int link : route.narrow)
      if (std::exchange(number[slot(link)], 0) < 0)
        all.push_back(link);
  std::ranges::sort(all);
  std::vector<double> result;
  result.reserve(all.size());
  for (const int link : all) {
    number[slot(link)] = static_cast<int>(result.size());
    result.push_back(capacities_[static_cast<std::size_t>(link)]);
  }
  for (Route& route : routes_)
    for (int& link : route.narrow)
      link = number[slot(link)];
  numbered_ = std::move(all);
  return result;
}

std::vector<bool> RouteTable::met_by_rdma() const
{
  if (std::ranges::none_of(routes_, &Route::rdma))
    return {};
  std::vector<bool> met(numbered_.size(), false);
  for (bool more = true; more;) {
    more = false;
    for (const Route& route : routes_) {
      const auto is_met = [&](int link) { return met[static_cast<std::size_t>(link)]; };
      if (route.narrow.empty() || std::ranges::all_of(route.narrow, is_met) ||
          !(route.rdma || std::ranges::any_of(route.narrow, is_met)))
        continue;
      for (const int link : route.narrow)
        met[static_cast<std::size_t>(link)] = true;
      more = true;
    }
  }
  return met;
}

} // namespace trainyard
