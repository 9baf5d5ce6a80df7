// SPDX-License-Identifier: Apache-2.0
#include "sim/sources/queue/policies/backfill_queue.hpp"

#include <algorithm>
#include <bit>

namespace trainyard {
namespace {

constexpr Instant gone = end_of_time;
constexpr Instant longest = end_of_time - Instant{1}; // any length of a job that is there

} // namespace

void BackfillQueue::Shelf::rebuild()
{
  // Those that left are dropped, so that the tree stays in proportion to who waits.
  std::vector<JobId> ids;
  std::vector<std::int64_t> orders;
  std::vector<Instant> lengths;
  for (std::size_t i = 0; i < ids_.size(); ++i)
    if (shortest_[leaves_ + i] < gone) {
      ids.push_back(ids_[i]);
      orders.push_back(orders_[i]);
      lengths.push_back(shortest_[leaves_ + i]);
    }
  ids_ = std::move(ids);
  orders_ = std::move(orders);
  leaves_ = std::bit_ceil(std::max<std::size_t>(16, 2 * (lengths.size() + 1)));
  shortest_.assign(2 * leaves_, gone);
  std::ranges::copy(lengths, shortest_.begin() + static_cast<std::ptrdiff_t>(leaves_));
  for (std::size_t node = leaves_ - 1; node > 0; --node)
    shortest_[node] = std::min(shortest_[2 * node], shortest_[2 * node + 1]);
}

void BackfillQueue::Shelf::refresh_above(std::size_t leaf)
{
  for (std::size_t node = leaf / 2; node > 0; node /= 2)
    shortest_[node] = std::min(shortest_[2 * node], shortest_[2 * node + 1]);
}

void BackfillQueue::Shelf::push(JobId id, std::int64_t order, Instant length)
{
  if (alive_ == 0) { // nothing is left to be dropped
    ids_.clear();
    orders_.clear();
  }
  if (ids_.size() >= leaves_ || (!orders_.empty() && order <= orders_.back()))
    rebuild();
  const auto position = static_cast<std::size_t>(std::ranges::lower_bound(orders_, order) - orders_.begin());
  const auto at = static_cast<std::ptrdiff_t>(position);
  ids_.insert(ids_.begin() + at, id);
  orders_.insert(orders_.begin() + at, order);
  ++alive_;
  const auto first = shortest_.begin() + static_cast<std::ptrdiff_t>(leaves_);
  const auto last = first + static_cast<std::ptrdiff_t>(ids_.size());
  std::copy_backward(first + at, last - 1, last); // those behind it move up
  for (std::size_t moved = ids_.size(); moved-- > position + 1;)
    refresh_above(leaves_ + moved);
  shortest_[leaves_ + position] = std::min(length, longest);
  refresh_above(leaves_ + position);
}

void BackfillQueue::Shelf::remove(std::int64_t order)
{
  const auto found = std::ranges::lower_bound(orders_, order);
  const auto position = static_cast<std::size_t>(found - orders_.begin());
  --alive_;
  shortest_[leaves_ + position] = gone;
  refresh_above(leaves_ + position);
}

std::optional<std::int64_t> BackfillQueue::Shelf::find(JobId id) const
{
  for (std::size_t i = 0; i < ids_.size(); ++i)
    if (ids_[i] == id && length(i) < gone)
      return orders_[i];
  return std::nullopt;
}

std::optional<std::size_t> BackfillQueue::Shelf::first(std::int64_t after, Instant length) const
{
  const Instant limit = std::min(length, longest);
  if (alive_ == 0 || limit < Instant{0})
    return std::nullopt;
  const auto begin = static_cast<std::size_t>(std::ranges::upper_bound(orders_, after) - orders_.begin());
  if (begin >= ids_.size())
    return std::nullopt;
  // Up to the right until a subtree holds one, then down to its first.
  std::size_t node = leaves_ + begin;
  while (shortest_[node] > limit) {
    while (node % 2 == 1) { // a right child: go up until there is something to the right
      node /= 2;
      if (node <= 1)
        return std::nullopt;
    }
    ++node;
  }
  while (node < leaves_)
    node = shortest_[2 * node] <= limit ? 2 * node : 2 * node + 1;
  return node - leaves_;
}

void BackfillQueue::push(JobId id, std::int64_t order, std::int64_t needed, Instant length)
{
  shelves_[needed].push(id, order, length);
  ++waiting_;
}

void BackfillQueue::remove(const Entry& entry)
{
  shelves_.at(entry.needed).remove(entry.order);
  --waiting_;
}

void BackfillQueue::remove(JobId id, std::int64_t needed)
{
  const auto shelf = shelves_.find(needed);
  if (shelf == shelves_.end())
    return;
  if (const std::optional<std::int64_t> order = shelf->second.find(id))
    remove({id, needed, *order});
}

std::optional<BackfillQueue::Entry> BackfillQueue::first(std::int64_t after, std::int64_t most, Instant length,
                                                         std::int64_t left_over) const
{
  std::optional<Entry> best;
  if (empty())
    return best;
  for (const auto& [needed, shelf] : shelves_) {
    if (needed > most)
      break;
    const auto position = shelf.first(after, needed <= left_over ? longest : length);
    if (position && (!best || shelf.order(*position) < best->order))
      best = Entry{shelf.id(*position), needed, shelf.order(*position), shelf.length(*position) <= length};
  }
  return best;
}

} // namespace trainyard
