// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/job/workload.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace trainyard {

/// Waiting jobs in the order of their turns, from which the first that fits can be found without looking at all: by
/// size, a tree of the shortest estimate over each stretch of the queue. Finding one among n jobs of k sizes takes k
/// log n.
class BackfillQueue
{
public:
  /// @p order: its turn, of no job that waits. @p needed thousandths of GPUs; @p length its estimated run time.
  /// One behind all others of its size takes log n, one before some of them n log n.
  void push(JobId id, std::int64_t order, std::int64_t needed, Instant length);
  /// A found entry leaves the queue.
  struct Entry {
    JobId id;
    std::int64_t needed = 0;
    std::int64_t order = 0; // its turn
    bool ends_before = false;
  };
  void remove(const Entry& entry);
  /// A job that needs so much leaves the queue; nothing happens where it is not in here. Looks at all of that size.
  void remove(JobId id, std::int64_t needed);
  bool empty() const { return waiting_ == 0; }
  std::size_t size() const { return waiting_; }

  /// The first after @p after (an order; -1: from the beginning) that needs at most @p most and either takes at most @p
  /// length or needs at most @p left_over.
  std::optional<Entry> first(std::int64_t after, std::int64_t most, Instant length, std::int64_t left_over) const;

private:
  /// Jobs of one size, in the order of their turns; those that left are infinitely long.
  class Shelf
  {
  public:
    void push(JobId id, std::int64_t order, Instant length);
    void remove(std::int64_t order);
    /// Its order; nothing where it is not in here.
    std::optional<std::int64_t> find(JobId id) const;
    /// Position of the first with an order above @p after and a length of at most @p length.
    std::optional<std::size_t> first(std::int64_t after, Instant length) const;
    JobId id(std::size_t position) const { return ids_[position]; }
    std::int64_t order(std::size_t position) const { return orders_[position]; }
    Instant length(std::size_t position) const { return shortest_[leaves_ + position]; }

  private:
    void rebuild();
    void refresh_above(std::size_t leaf); // a leaf of the tree has changed
    std::size_t alive_ = 0;
    std::size_t leaves_ = 0; // a power of two
    std::vector<JobId> ids_;
    std::vector<std::int64_t> orders_;
    std::vector<Instant> shortest_; // tree: node i has the shortest of 2i and 2i + 1; leaves from `leaves_` on
  };

  std::map<std::int64_t, Shelf> shelves_; // by what the jobs need
  std::size_t waiting_ = 0;
};

} // namespace trainyard
