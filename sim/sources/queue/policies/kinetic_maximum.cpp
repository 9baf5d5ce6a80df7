// SPDX-License-Identifier: Apache-2.0
#include "sim/sources/queue/policies/kinetic_maximum.hpp"

#include <algorithm>

namespace trainyard {

void KineticMaximum::insert(JobId id, Line line, double now)
{
  if (places_.contains(id.index))
    return;
  if (free_.empty())
    grow(now);
  advance(now);
  const int place = free_.back();
  free_.pop_back();
  entries_[static_cast<std::size_t>(place)] = {id, line};
  places_.emplace(id.index, place);
  matches_[leaves_ + static_cast<std::size_t>(place)].winner = place;
  replay_above(static_cast<std::size_t>(place), now);
}

void KineticMaximum::erase(JobId id, double now)
{
  const auto found = places_.find(id.index);
  if (found == places_.end())
    return;
  advance(now);
  const auto place = static_cast<std::size_t>(found->second);
  places_.erase(found);
  entries_[place].id = {};
  matches_[leaves_ + place].winner = -1;
  free_.push_back(static_cast<int>(place));
  replay_above(place, now);
}

std::optional<KineticMaximum::Highest> KineticMaximum::highest(double now)
{
  if (places_.empty())
    return std::nullopt;
  advance(now);
  const Entry& winner = entries_[static_cast<std::size_t>(matches_[1].winner)];
  return Highest{winner.id, winner.line.at(now)};
}

std::size_t KineticMaximum::count_above(double value, double now) const
{
  return static_cast<std::size_t>(
      std::ranges::count_if(entries_, [&](const Entry& entry) { return entry.id && entry.line.at(now) > value; }));
}

/// Plays again what may have another winner by now.
void KineticMaximum::advance(double now, std::size_t node)
{
  if (node >= leaves_ || matches_[node].until >= now)
    return;
  advance(now, 2 * node);
  advance(now, 2 * node + 1);
  play(node, now);
}

void KineticMaximum::play(std::size_t node, double now)
{
  const Match &left = matches_[2 * node], &right = matches_[2 * node + 1];
  Match& match = matches_[node];
  match.until = std::min(left.until, right.until);
  if (left.winner < 0 || right.winner < 0) {
    match.winner = std::max(left.winner, right.winner);
    return;
  }
  const Entry &a = entries_[static_cast<std::size_t>(left.winner)],
              &b = entries_[static_cast<std::size_t>(right.winner)];
  const double value_a = a.line.at(now), value_b = b.line.at(now);
  const bool first = value_a > value_b || (value_a == value_b && a.id < b.id);
  match.winner = first ? left.winner : right.winner;
  const Line &ahead = first ? a.line : b.line, &behind = first ? b.line : a.line;
  if (behind.scale < ahead.scale) { // it grows faster: from then on it leads
    const double overtakes =
        (behind.scale * (ahead.head_start - ahead.since) - ahead.scale * (behind.head_start - behind.since)) /
        (ahead.scale - behind.scale);
    match.until = std::min(match.until, std::max(now, overtakes));
  }
}

void KineticMaximum::replay_above(std::size_t place, double now)
{
  for (std::size_t node = (leaves_ + place) / 2; node > 0; node /= 2)
    play(node, now);
}

void KineticMaximum::grow(double now)
{
  const std::size_t before = entries_.size();
  leaves_ = std::max<std::size_t>(2, 2 * leaves_);
  entries_.resize(leaves_);
  matches_.assign(2 * leaves_, {});
  for (std::size_t place = 0; place < before; ++place)
    matches_[leaves_ + place].winner = entries_[place].id ? static_cast<int>(place) : -1;
  for (std::size_t place = leaves_; place-- > before;) // the lowest is taken first
    free_.push_back(static_cast<int>(place));
  for (std::size_t node = leaves_ - 1; node > 0; --node)
    play(node, now);
}

} // namespace trainyard
