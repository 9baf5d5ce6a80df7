// SPDX-License-Identifier: Apache-2.0
#include "sim/sources/queue/policies/kinetic_maximum.hpp"

#include "sim/cluster/clock.hpp"

#include <algorithm>

namespace trainyard {

void KineticMaximum::insert(JobId id, Line line, Instant now)
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

void KineticMaximum::erase(JobId id, Instant now)
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

std::optional<KineticMaximum::Highest> KineticMaximum::highest(Instant now)
{
  if (places_.empty())
    return std::nullopt;
  advance(now);
  const Entry& winner = entries_[static_cast<std::size_t>(matches_[1].winner)];
  return Highest{winner.id, winner.line.at(now)};
}

std::size_t KineticMaximum::count_above(double value, Instant now) const
{
  return static_cast<std::size_t>(
      std::ranges::count_if(entries_, [&](const Entry& entry) { return entry.id && entry.line.at(now) > value; }));
}

/// Plays again what may have another winner by now.
void KineticMaximum::advance(Instant now, std::size_t node)
{
  if (node >= leaves_ || matches_[node].until >= now)
    return;
  advance(now, 2 * node);
  advance(now, 2 * node + 1);
  play(node, now);
}

void KineticMaximum::play(std::size_t node, Instant now)
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
  // How far a is ahead, as the difference of both values times both scales.
  const Wide lead = static_cast<Wide>((now - a.line.since).count()) * b.line.scale.count() -
                    static_cast<Wide>((now - b.line.since).count()) * a.line.scale.count();
  const bool a_first = a.id < b.id;
  const bool first = lead > 0 || (lead == 0 && a_first);
  match.winner = first ? left.winner : right.winner;
  const Instant gain = first ? a.line.scale - b.line.scale : b.line.scale - a.line.scale;
  if (gain > Instant{0}) { // whoever is behind comes so much nearer in each nanosecond, and wins ties as the lower job
    const Wide lasts = ((first ? lead : -lead) - (first == a_first ? 0 : 1)) / gain.count();
    if (lasts < (match.until - now).count())
      match.until = now + Instant{static_cast<std::int64_t>(lasts)};
  }
}

void KineticMaximum::replay_above(std::size_t place, Instant now)
{
  for (std::size_t node = (leaves_ + place) / 2; node > 0; node /= 2)
    play(node, now);
}

void KineticMaximum::grow(Instant now)
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
