// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "sim/sources/queue/scheduling.hpp"

#include <algorithm>
#include <compare>
#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

namespace trainyard {

/// What jobs have in common that a cluster cannot tell apart: while nothing is given back, where one of them does not
/// fit, none does.
struct DemandClass {
  ResourceRequest request;
  int model = 0; // matters only where GPU types differ in speed
  auto operator<=>(const DemandClass&) const = default;
};

inline DemandClass demand_class(const Workload& workload, const TraceJob& job)
{
  return {request_of(job), workload.type_speed.empty() ? 0 : job.model};
}

/// What a walk does after a job.
enum class Walk : std::uint8_t {
  on,         // to the next in order
  skip_class, // no other job with the same request is checked
  stop
};

/// Waiting jobs in order of (key, job), by what they ask for. A walk through them in order leaves a class when one of
/// its jobs does not fit, so that a decision costs as many looks as there are classes and starts, however long the
/// queue is.
///
/// A job's key must not change while it is in here.
template <class Key>
class WaitingClasses
{
public:
  using Entry = std::pair<Key, JobId>;

  void insert(const ClusterView& cluster, JobId id, Key key)
  {
    erase(id);
    std::set<Entry>& shelf = shelves_[demand_class(cluster.workload(), cluster.job(id))];
    shelf.emplace(key, id);
    known_.emplace(id.index, Known{&shelf, std::move(key)});
  }

  /// Nothing happens where it is not in here.
  void erase(JobId id)
  {
    const auto known = known_.find(id.index);
    if (known == known_.end())
      return;
    known->second.shelf->erase({known->second.key, id});
    known_.erase(known);
  }

  bool contains(JobId id) const { return known_.contains(id.index); }
  bool empty() const { return known_.empty(); }
  std::size_t size() const { return known_.size(); }

  /// Visits in order, those of @p running (sorted) among them; @p visit(id, runs) says how to go on. It may take the
  /// job out of here, and put in others, which this walk may miss. For a running job only `stop` matters.
  /// @p after: only those behind this one.
  template <class Visit>
  void walk(std::span<const Entry> running, const Visit& visit, const Entry* after = nullptr)
  {
    std::vector<Cursor> heads;
    for (auto& [demand, shelf] : shelves_) {
      const auto first = after == nullptr ? shelf.begin() : shelf.upper_bound(*after);
      if (first != shelf.end())
        heads.push_back({first, &shelf});
    }
    std::ranges::make_heap(heads, later);
    std::size_t runs = 0;
    while (runs < running.size() || !heads.empty()) {
      if (heads.empty() || (runs < running.size() && running[runs] < *heads.front().at)) {
        if (visit(running[runs++].second, true) == Walk::stop)
          return;
        continue;
      }
      std::ranges::pop_heap(heads, later);
      Cursor& head = heads.back();
      const JobId id = head.at->second;
      ++head.at;
      const Walk next = visit(id, false);
      if (next == Walk::stop)
        return;
      if (next == Walk::skip_class || head.at == head.shelf->end())
        heads.pop_back();
      else
        std::ranges::push_heap(heads, later);
    }
  }

  template <class Visit>
  void walk(const Visit& visit, const Entry* after = nullptr)
  {
    walk(
        {}, [&](JobId id, bool) { return visit(id); }, after);
  }

private:
  struct Cursor {
    typename std::set<Entry>::const_iterator at;
    std::set<Entry>* shelf;
  };
  static bool later(const Cursor& a, const Cursor& b) { return *b.at < *a.at; }

  struct Known {
    std::set<Entry>* shelf; // map nodes stay where they are
    Key key;
  };

  std::map<DemandClass, std::set<Entry>> shelves_;
  std::unordered_map<int, Known> known_; // looked up only
};

/// Starts jobs that fit, in order; others are skipped.
template <class Key>
void start_in_order(WaitingClasses<Key>& waiting, Decisions& decisions)
{
  waiting.walk([&](JobId id) {
    if (!decisions.start(id))
      return Walk::skip_class;
    waiting.erase(id);
    return Walk::on;
  });
}

} // namespace trainyard
