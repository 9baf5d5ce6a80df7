// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/cluster/cluster.hpp"
#include "sim/step/engine/executor.hpp"

#include <algorithm>
#include <cstddef>
#include <deque>
#include <limits>
#include <memory>
#include <mutex>
#include <span>
#include <unordered_map>
#include <vector>

namespace trainyard {

/// One way from one vertex to another, with the resources that a message uses besides: indices into
/// `RouteTable::capacities`.
struct Route {
  std::vector<int> links;
  std::vector<int> narrow;                                // those that can hold a flow back; see find_narrow_links()
  double latency = 0;                                     // of the links, s
  double limit = std::numeric_limits<double>::infinity(); // of each flow on it, bytes/s on the wire
  bool connection = false;                                // its messages are one flow to that limit
  bool rdma = false;                                      // messages on it go over RDMA
  VertexId from, to;
  int back = -1; // index of the way of acknowledgements; -1: not known
};

/// The ranks of a collective by node: those of one node may pass on what goes over NVLink there.
class RanksByNode
{
public:
  RanksByNode() = default;
  /// Both are kept by the caller; they are looked through when somebody asks.
  RanksByNode(const Cluster& cluster, std::span<const VertexId> ranks) : cluster_{&cluster}, all_{ranks} {}

  /// In rank order; empty where the node has none.
  const std::vector<VertexId>& on(NodeId node) const;

private:
  const Cluster* cluster_ = nullptr;
  std::span<const VertexId> all_;
  mutable std::unordered_map<int, std::vector<VertexId>> ranks_; // looked up only; empty until somebody asks
  std::vector<VertexId> none_;
};

/// Lists by number, from 0 on: equal ones have the same.
template <class Id>
class NumberedLists
{
public:
  int number_of(std::span<const Id> list)
  {
    if (const auto known = numbers_.find(list); known != numbers_.end())
      return known->second;
    return numbers_.emplace(std::vector<Id>{list.begin(), list.end()}, static_cast<int>(numbers_.size())).first->second;
  }

private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::span<const Id> list) const
    {
      std::size_t value = list.size();
      if (!list.empty()) // lists of ranks are long, and differ in these
        for (const Id& id : {list.front(), list[list.size() / 2], list.back()})
          value = value * 0x9E3779B97F4A7C15U + static_cast<std::size_t>(id.index);
      return value;
    }
  };
  struct Equal {
    using is_transparent = void;
    bool operator()(std::span<const Id> a, std::span<const Id> b) const { return std::ranges::equal(a, b); }
  };
  std::unordered_map<std::vector<Id>, int, Hash, Equal> numbers_; // looked up only
};

/// The numbers of ways, by what a way of messages depends on. Each takes a few bytes in one piece: an all-to-all of a
/// thousand ranks has a million.
class WayIndex
{
public:
  struct Key {
    std::size_t program = 0;
    VertexId from;
    VertexId to;
    double limit = 0;
    std::span<const ResourceId> resources;
    std::span<const VertexId> forwarders;
  };
  /// Where its number is kept: -1 until somebody fills it in. Holds until the next call.
  int& number_of(const Key& key);

private:
  struct Entry {
    int program = 0, from = 0, to = 0, resources = 0, forwarders = 0; // the last two: numbers of lists
    int number = -1;
    double limit = 0;
    bool like(const Entry& other) const
    {
      return from == other.from && to == other.to && limit == other.limit && program == other.program &&
             resources == other.resources && forwarders == other.forwarders;
    }
  };
  static std::size_t hash(const Entry& entry);
  void grow();

  std::vector<Entry> entries_;
  std::vector<int> table_; // places of entries, -1: free; by hash, or the next free place. At most half full
  NumberedLists<ResourceId> resources_;
  NumberedLists<VertexId> forwarders_;
};

/// A way through a cluster that some program has asked for.
struct KnownWay {
  int number = 0; // from 0 on
  VertexId from, to;
  double limit = 0;
  std::vector<int> links;
  double latency = 0; // of them, s
};

/// Ways of programs that are run again beside others, kept from run to run. A program asks for the same ways in the
/// same order each time, so that they are not looked for but followed. Several threads may use it at once, each with
/// programs of its own.
class KnownWays
{
public:
  /// The ways that a program has asked for, in this order.
  using Order = std::vector<const KnownWay*>;
  /// Stays where it is until the program is forgotten, and all that are like it.
  Order& of(const StepProgram& program);
  /// The program asks for what the other one has asked for: it has more or fewer steps.
  void like(const StepProgram& program, const StepProgram& other);
  /// Before the program changes or goes.
  void forget(const StepProgram& program);
  /// The way; looked for on first use. Its key has no resources, which belong to one run.
  const KnownWay& find(const Cluster& cluster, const WayIndex::Key& key, const std::vector<VertexId>* forwarders);

private:
  std::mutex mutex_;
  std::deque<KnownWay> ways_; // by number; their addresses stay
  WayIndex index_;
  std::unordered_map<const StepProgram*, std::shared_ptr<Order>> orders_; // looked up only
};

/// The capacities and routes that a set of programs uses: cluster links first (same index; where programs are known
/// from the start, 0 for those that no route crosses), then the resources of each program.
class RouteTable
{
public:
  /// @p ways_back: of each route, too. @p known: kept by the caller; null: each way is looked for.
  RouteTable(const Cluster& cluster, std::span<const ProgramRun> programs, bool ways_back = false,
             KnownWays* known = nullptr);

  /// The capacities of one more program.
  void add(const StepProgram& program);
  /// Numbers of programs begin at 0 again; only where none has brought capacities of its own.
  void forget_programs()
  {
    resource_base_.clear();
    asked_.clear();
  }
  /// Programs have brought capacities of their own.
  bool has_resources() const { return capacities_.size() > links_; }

  /// Index of the route; made on first use. Throws std::invalid_argument where no path exists.
  ///
  /// @p forwarders: the ranks of a collective.
  int find(std::size_t program, VertexId from, VertexId to, std::span<const ResourceId> resources = {},
           double limit = std::numeric_limits<double>::infinity(), const RanksByNode& forwarders = {});
  void make_connection(int index) { routes_[static_cast<std::size_t>(index)].connection = true; }
  void note_rdma(int index) { routes_[static_cast<std::size_t>(index)].rdma = true; }
  /// By numbered link, after number_narrow_links(): whether messages over RDMA meet there, directly or by way of
  /// others. Empty where there are none.
  std::vector<bool> met_by_rdma() const;
  const Route& route(int index) const { return routes_[static_cast<std::size_t>(index)]; }
  int routes() const { return static_cast<int>(routes_.size()); }
  const std::vector<double>& capacities() const { return capacities_; }
  /// Number of a capacity among those that routes cross, from 0 on in the order in which they were found: few of a
  /// large cluster are.
  std::size_t slot(int capacity) const { return static_cast<std::size_t>(slots_[static_cast<std::size_t>(capacity)]); }
  std::size_t slots() const { return crossings_.size(); }
  /// Index of the first resource of a program among the capacities.
  int resource_base(std::size_t program) const { return resource_base_[program]; }
  /// Scales a resource for messages that load it with bytes / efficiency.
  void scale_resource(std::size_t program, ResourceId resource, double efficiency);
  /// Fills Route::narrow: a link is left out where every route over it also crosses one that is as narrow, for it then
  /// never binds. Once all routes are known; the shares come out the same with less work. Where more routes come, it
  /// fills theirs, and adds to those of earlier routes what can bind now.
  void find_narrow_links(bool more_may_come = false);
  /// The earlier routes to which it last added something.
  const std::vector<int>& widened() const { return widened_; }
  /// Numbers the links of Route::narrow from 0 on, in their order, and returns their capacities: few of a large cluster
  /// carry anything. Once no more routes come.
  std::vector<double> number_narrow_links();
  /// What has these numbers: a link of the cluster, or a resource, whose index is larger than theirs.
  const std::vector<int>& numbered() const { return numbered_; }
  /// All routes are known: none will come while programs run.
  bool is_complete() const { return complete_; }
  void more_may_come() { complete_ = false; }
  /// By slot: the most that all flows at once can ask of it, bytes/s. Empty until somebody fills it.
  std::vector<double>& demand() { return demand_; }

private:
  /// What is known of the routes over a capacity.
  struct Crossing {
    int only = -1;           // the route, while there is one
    int latest = -1;         // of the routes over it
    std::vector<int> common; // capacities that all of several routes cross
    int look = 0;            // the latest one that found routes over it; 0: none has
    bool narrow = false;
  };
  std::span<const int> common_of(const Crossing& crossing) const
  {
    return crossing.only >= 0 ? route(crossing.only).links : crossing.common;
  }
  void cross(int route);
  bool is_narrow(std::size_t capacity) const;
  int add(Route route);
  int find_known(const KnownWay& way);

  const Cluster& cluster_;
  bool ways_back_ = false;
  std::size_t links_ = 0; // of the cluster
  std::vector<double> capacities_;
  std::vector<int> slots_;             // by capacity; -1: no route crosses it
  std::vector<Crossing> crossings_;    // by slot
  std::vector<std::vector<int>> over_; // by slot: the routes over it; empty until more routes have come
  int over_known_ = 0;                 // routes in it
  std::vector<int> widened_;           // routes
  int looked_at_ = 0;                  // routes,
  int look_ = 0;                       // in so many calls
  bool complete_ = false;
  std::vector<double> demand_;
  std::vector<int> numbered_;
  std::vector<int> resource_base_;
  std::vector<bool> scaled_;
  std::deque<Route> routes_; // their addresses stay
  WayIndex index_;           // of ways that are not known_
  /// What a program asked for in earlier runs, and how far it has come in it.
  struct Asked {
    KnownWays::Order* order = nullptr;
    std::size_t next = 0;
  };
  KnownWays* known_ = nullptr;
  std::vector<int> of_way_;  // by number of a known way: its route; -1: none yet
  std::vector<Asked> asked_; // by program
};

} // namespace trainyard
