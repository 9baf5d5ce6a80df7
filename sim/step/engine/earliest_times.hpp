// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstddef>
#include <limits>
#include <vector>

namespace trainyard {

/// Times in slots 0, 1, … of which the earliest is needed repeatedly while a few of them change.
///
/// The slots are cut into blocks, each with its minimum; a block is looked through again only where the slot of its
/// minimum has moved to later. With n slots finding the earliest costs n/64 and the blocks that changed, without the
/// stale entries of a heap.
class EarliestTimes
{
public:
  static constexpr double never = std::numeric_limits<double>::infinity();

  std::size_t size() const { return times_.size(); }
  double at(std::size_t slot) const { return times_[slot]; }

  void push_back(double time)
  {
    times_.push_back(never);
    if (times_.size() > blocks_.size() * width)
      blocks_.push_back({});
    set(times_.size() - 1, time);
  }

  void set(std::size_t slot, double time)
  {
    Block& block = blocks_[slot / width];
    const double before = times_[slot];
    times_[slot] = time;
    if (time <= block.earliest)
      block.earliest = time;
    else if (before <= block.earliest)
      block.stale = true;
  }

  /// The last slot takes the place of @p slot.
  void remove(std::size_t slot)
  {
    const double last = times_.back();
    set(times_.size() - 1, never);
    if (slot + 1 < times_.size())
      set(slot, last);
    times_.pop_back();
    if (blocks_.size() > times_.size() / width + 1)
      blocks_.pop_back();
  }

  /// `never` where there is none.
  double earliest()
  {
    double time = never;
    for (std::size_t b = 0; b < blocks_.size(); ++b) {
      refresh(b);
      time = std::min(time, blocks_[b].earliest);
    }
    return time;
  }

  /// Calls @p visit with each slot whose time is not after @p time; it must not change any.
  template <class Visit>
  void visit_until(double time, const Visit& visit)
  {
    for (std::size_t b = 0; b < blocks_.size(); ++b) {
      refresh(b);
      if (!(blocks_[b].earliest <= time))
        continue;
      const std::size_t end = std::min(times_.size(), (b + 1) * width);
      for (std::size_t slot = b * width; slot < end; ++slot)
        if (times_[slot] <= time)
          visit(slot);
    }
  }

private:
  static constexpr std::size_t width = 64;
  struct Block {
    double earliest = never;
    bool stale = false;
  };

  void refresh(std::size_t b)
  {
    Block& block = blocks_[b];
    if (!block.stale)
      return;
    block.stale = false;
    block.earliest = never;
    const std::size_t end = std::min(times_.size(), (b + 1) * width);
    for (std::size_t slot = b * width; slot < end; ++slot)
      block.earliest = std::min(block.earliest, times_[slot]);
  }

  std::vector<double> times_;
  std::vector<Block> blocks_;
};

} // namespace trainyard
