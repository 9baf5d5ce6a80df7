// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstddef>
#include <limits>
#include <utility>
#include <vector>

namespace trainyard {

/// Times in slots 0, 1, … of which the earliest is needed repeatedly while a few of them change.
///
/// The slots are cut into blocks, each with its minimum, and these into blocks again; a block is looked through again
/// only where its minimum has moved to later. With n slots finding the earliest costs n/1024 and the blocks that
/// changed, without the stale entries of a heap.
class EarliestTimes
{
public:
  static constexpr double never = std::numeric_limits<double>::infinity();

  std::size_t size() const { return times_.size(); }
  double at(std::size_t slot) const { return times_[slot]; }

  void push_back(double time)
  {
    times_.push_back(never);
    blocks_.grow(times_.size());
    wide_blocks_.grow(blocks_.earliest.size());
    set(times_.size() - 1, time);
  }

  void set(std::size_t slot, double time)
  {
    if (const double before = std::exchange(times_[slot], time); before != time)
      set_in_block(slot / block_width, before, time);
  }

  /// The last slot takes the place of @p slot.
  void remove(std::size_t slot)
  {
    const double last = times_.back();
    set(times_.size() - 1, never);
    if (slot + 1 < times_.size())
      set(slot, last);
    times_.pop_back();
  }

  /// `never` where there is none.
  double earliest()
  {
    refresh();
    return *std::ranges::min_element(wide_blocks_.earliest);
  }

  /// Calls @p visit with each slot whose time is not after @p time, in order; it must not change any.
  template <class Visit>
  void visit_until(double time, const Visit& visit)
  {
    refresh();
    for (std::size_t wide = 0; wide < wide_blocks_.earliest.size(); ++wide) {
      if (!(wide_blocks_.earliest[wide] <= time))
        continue;
      const std::size_t last_block = std::min(blocks_.earliest.size(), (wide + 1) * wide_width);
      for (std::size_t block = wide * wide_width; block < last_block; ++block) {
        if (!(blocks_.earliest[block] <= time))
          continue;
        const std::size_t last_slot = std::min(times_.size(), (block + 1) * block_width);
        for (std::size_t slot = block * block_width; slot < last_slot; ++slot)
          if (times_[slot] <= time)
            visit(slot);
      }
    }
  }

private:
  static constexpr std::size_t block_width = 16, wide_width = 64;

  /// The minima of blocks of so many values. While a block is stale its minimum is too early.
  template <std::size_t width>
  struct Blocks {
    std::vector<double> earliest{never};
    std::vector<char> is_stale{0};
    std::vector<std::size_t> stale;

    void grow(std::size_t values)
    {
      if (values > earliest.size() * width) {
        earliest.push_back(never);
        is_stale.push_back(0);
      }
    }
    /// One of the values of the block has changed. Returns whether its minimum has, to an earlier one.
    bool set(std::size_t block, double before, double now)
    {
      if (now < earliest[block]) {
        earliest[block] = now;
        return true;
      }
      if (before <= earliest[block] && now > before && std::exchange(is_stale[block], char{1}) == 0)
        stale.push_back(block);
      return false;
    }
    /// Calls @p moved with each block whose minimum has moved, and what it was.
    template <class Moved>
    void refresh(const std::vector<double>& values, const Moved& moved)
    {
      for (const std::size_t block : stale) {
        is_stale[block] = 0;
        const std::size_t end = std::min(values.size(), (block + 1) * width);
        double found = never, other = never; // two, so that neither waits for the one before
        std::size_t i = block * width;
        for (; i + 1 < end; i += 2) {
          found = std::min(found, values[i]);
          other = std::min(other, values[i + 1]);
        }
        if (i < end)
          found = std::min(found, values[i]);
        found = std::min(found, other);
        const double before = std::exchange(earliest[block], found);
        if (found != before)
          moved(block, before, found);
      }
      stale.clear();
    }
  };

  void set_in_block(std::size_t block, double before, double now)
  {
    const double was = blocks_.earliest[block];
    if (blocks_.set(block, before, now))
      wide_blocks_.set(block / wide_width, was, now);
  }

  void refresh()
  {
    if (!blocks_.stale.empty())
      blocks_.refresh(times_, [this](std::size_t block, double before, double now) {
        wide_blocks_.set(block / wide_width, before, now);
      });
    if (!wide_blocks_.stale.empty())
      wide_blocks_.refresh(blocks_.earliest, [](std::size_t, double, double) {});
  }

  std::vector<double> times_;
  Blocks<block_width> blocks_;     // of slots
  Blocks<wide_width> wide_blocks_; // of blocks
};

} // namespace trainyard
