// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "sim/sources/queue/scheduling.hpp"

#include <algorithm>
#include <compare>
#include <cstdint>
#include <iterator>
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
    workload_ = &cluster.workload();
    fresh_.emplace_back(std::move(key), id);
  }

  /// Nothing happens where it is not in here.
  void erase(JobId id)
  {
    if (fresh_.size() > most_fresh)
      put_in_order();
    if (const auto fresh = std::ranges::find(fresh_, id, &Entry::second); fresh != fresh_.end()) {
      fresh_.erase(fresh);
      return;
    }
    const auto known = known_.find(id.index);
    if (known == known_.end())
      return;
    const Entry entry{std::move(known->second.key), id};
    std::set<Entry>& shelf = *known->second.shelf;
    known_.erase(known);
    const bool first = *shelf.begin() == entry;
    shelf.erase(entry);
    if (!first)
      return;
    heads_.erase(place(entry));
    if (!shelf.empty())
      heads_.insert(place(*shelf.begin()), {*shelf.begin(), shelf.begin(), &shelf});
  }

  bool empty() const { return known_.empty() && fresh_.empty(); }

  /// The first of one class; where it does not fit, no other of its class does.
  struct Head {
    Entry first;
    typename std::set<Entry>::const_iterator at;
    const std::set<Entry>* shelf;
  };
  /// Of all classes in which jobs wait, in order.
  std::span<const Head> heads()
  {
    put_in_order();
    return heads_;
  }

  /// Visits in order; @p visit(id) says how to go on. It may take the job out of here, and put in others, which this
  /// walk may miss. @p after: only those behind this one.
  template <class Visit>
  void walk(const Visit& visit, const Entry* after = nullptr)
  {
    if (known_.empty() && fresh_.size() == 1 && after == nullptr) {
      visit(JobId{fresh_.front().second});
      return;
    }
    put_in_order();
    std::vector<Head> heads;
    heads.reserve(heads_.size());
    for (const Head& head : heads_)
      if (after == nullptr || *after < head.first)
        heads.push_back(head);
      else if (const auto first = head.shelf->upper_bound(*after); first != head.shelf->end())
        heads.push_back({*first, first, head.shelf});
    std::ranges::sort(heads, {}, &Head::first);
    walk_classes(heads, [&](const Entry& entry) { return visit(entry.second); });
  }

  /// The same with the whole entries, through the classes of these heads, which are in order; each class from its head
  /// on.
  template <class Visit>
  static void walk_classes(std::span<const Head> heads, const Visit& visit)
  {
    struct Cursor {
      Entry entry;
      typename std::set<Entry>::const_iterator next;
      const std::set<Entry>* shelf;
    };
    const auto later = [](const Cursor& a, const Cursor& b) { return b.entry < a.entry; };
    std::vector<Cursor> cursors; // a heap, because they are in order
    cursors.reserve(heads.size());
    for (const Head& head : heads)
      cursors.push_back({head.first, std::next(head.at), head.shelf});
    while (!cursors.empty()) {
      std::ranges::pop_heap(cursors, later);
      Cursor& cursor = cursors.back();
      const Walk how = visit(std::as_const(cursor.entry));
      if (how == Walk::stop)
        return;
      if (how == Walk::skip_class || cursor.next == cursor.shelf->end()) {
        cursors.pop_back();
        continue;
      }
      cursor.entry = *cursor.next++;
      std::ranges::push_heap(cursors, later);
    }
  }

private:
  using Heads = std::vector<Head>;
  typename Heads::iterator place(const Entry& head) { return std::ranges::lower_bound(heads_, head, {}, &Head::first); }

  struct Known {
    std::set<Entry>* shelf; // map nodes stay where they are
    Key key;
  };

  void put_in_order()
  {
    for (Entry& entry : fresh_) {
      const JobId id = entry.second;
      std::set<Entry>& shelf = shelves_[demand_class(*workload_, workload_->job(id))];
      const bool first = shelf.empty() || entry < *shelf.begin();
      if (first && !shelf.empty())
        heads_.erase(place(*shelf.begin()));
      const auto at = shelf.insert(first ? shelf.begin() : shelf.end(), entry); // most are the last
      if (first)
        heads_.insert(place(entry), {entry, at, &shelf});
      known_.emplace(id.index, Known{&shelf, std::move(entry.first)});
    }
    fresh_.clear();
  }

  static constexpr std::size_t most_fresh = 8;

  const Workload* workload_ = nullptr;
  std::vector<Entry> fresh_; // not in order yet: most jobs of a queue that is not full start at once
  std::map<DemandClass, std::set<Entry>> shelves_;
  Heads heads_;                          // of the shelves that are not empty, in order
  std::unordered_map<int, Known> known_; // of those in order; looked up only
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
