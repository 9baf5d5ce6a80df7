// SPDX-License-Identifier: Apache-2.0
#include "sim/sources/queue/policies/machine_plan.hpp"

#include <algorithm>
#include <bit>

namespace trainyard {
namespace {

/// Ends so near to the first of them are one. The number is what plans logged by Slurm 22.05.8 fit
/// (results/slurm); its select plugin (job_test.c) starts with it and doubles it.
constexpr Instant together{30_s};
constexpr std::size_t word = 64;

/// One piece of the gang that stands on one machine.
TaskRequest piece_of(const ResourceRequest& request)
{
  if (request.tasks > 0)
    return request.task;
  return {.gpus = 1,
          .gpu_milli = request.task.gpu_milli,
          .gpu_type = request.task.gpu_type,
          .demands = request.task.demands};
}

using Bits = std::vector<std::uint64_t>;

void set(Bits& bits, int node)
{
  bits[static_cast<std::size_t>(node) / word] |= std::uint64_t{1} << (static_cast<std::size_t>(node) % word);
}

void clear(Bits& bits, int node)
{
  bits[static_cast<std::size_t>(node) / word] &= ~(std::uint64_t{1} << (static_cast<std::size_t>(node) % word));
}

bool has(const Bits& bits, int node)
{
  return (bits[static_cast<std::size_t>(node) / word] >> (static_cast<std::size_t>(node) % word) & 1) != 0;
}

void keep(Bits& bits, const Bits& others)
{
  for (std::size_t i = 0; i < bits.size(); ++i)
    bits[i] &= others[i];
}

bool is_empty(const Bits& bits)
{
  return std::ranges::none_of(bits, [](std::uint64_t part) { return part != 0; });
}

/// Calls @p see with the machines in their order until it returns false.
template <class See>
void each(const Bits& bits, const See& see)
{
  for (std::size_t i = 0; i < bits.size(); ++i)
    for (std::uint64_t rest = bits[i]; rest != 0; rest &= rest - 1)
      if (!see(static_cast<int>(i * word) + std::countr_zero(rest)))
        return;
}

} // namespace

MachinePlan::MachinePlan(const NodePool& nodes, Instant now, Instant window) : nodes_{nodes}, now_{full_seconds(now)}
{
  for (int node = 0; node < nodes.size(); ++node) {
    free_.push_back(nodes.state(node).up ? nodes.state(node).free_milli : 0);
    all_.push_back(nodes.state(node).up ? 1000 * nodes.shape(node).gpus : 0);
  }
  const std::size_t words = (static_cast<std::size_t>(nodes.size()) + word - 1) / word;
  // Sums with a run time that has no end must stay below the longest time.
  spans_.push_back(
      {.from = now_, .to = std::min(now_ + window, end_of_time / 2), .open = Machines(words, ~std::uint64_t{0})});
}

void MachinePlan::close(const ClosedNodes& nodes, Instant from, Instant to)
{
  Closed& one = closed_.emplace_back(Machines(spans_.front().open.size(), ~std::uint64_t{0}), from, to);
  for (std::size_t node = 0; node < nodes.size(); ++node)
    if (nodes[node] == 0)
      clear(one.machines, static_cast<int>(node));
}

void MachinePlan::ends(Instant time, const Allocation& held)
{
  const std::size_t first = held_.size();
  for (const TaskShare& share : held.shares)
    held_.emplace_back(share.node, share.gpus() * share.gpu_milli);
  ends_.push_back({.time = std::max(full_seconds(time), now_ + 1_s), .first = first, .behind = held_.size()});
}

void MachinePlan::sort_ends()
{
  std::ranges::stable_sort(ends_, {}, &End::time);
}

void MachinePlan::take(Instant time, const Allocation& held)
{
  in_vain_.clear();
  for (const TaskShare& share : held.shares)
    free_[static_cast<std::size_t>(share.node)] -= share.gpus() * share.gpu_milli;
  ends(time, held);
  const auto place = std::ranges::upper_bound(ends_.begin(), ends_.end() - 1, ends_.back().time, {}, &End::time);
  std::rotate(place, ends_.end() - 1, ends_.end());
}

/// The machines that would hold a piece if they were empty.
const MachinePlan::Machines& MachinePlan::possible(const TaskRequest& piece)
{
  const auto [found, is_new] = possible_.try_emplace(piece, spans_.front().open.size());
  if (is_new)
    for (int node = 0; node < nodes_.size(); ++node)
      if (nodes_.state(node).up && nodes_.could_fit(node, piece))
        set(found->second, node);
  return found->second;
}

/// The span in which the time is, or the first after it.
std::size_t MachinePlan::span_at(Instant time) const
{
  return static_cast<std::size_t>(std::ranges::lower_bound(
                                      spans_, time, [](Instant to, Instant from) { return to <= from; }, &Span::to) -
                                  spans_.begin());
}

/// Takes from `usable_` what reservations do not leave to a job from @p from on. The result: a second after the end of
/// the first that takes something; the end of time where none does.
Instant MachinePlan::close_usable(const Test& test, Instant from)
{
  if (!test.only.empty()) {
    for (int node = 0; node < nodes_.size(); ++node)
      if (test.only[static_cast<std::size_t>(node)] == 0)
        clear(usable_, node);
    return end_of_time;
  }
  Instant reopens = end_of_time;
  for (const Closed& one : closed_)
    if (one.to > from && one.from < from + test.length) {
      for (std::size_t i = 0; i < usable_.size(); ++i)
        usable_[i] &= ~one.machines[i];
      reopens = std::min(reopens, full_seconds(one.to) + 1_s);
    }
  return reopens;
}

/// What is free from @p from on for the whole run time, and when more may be: at the end of the first span after which
/// machines are open that are not now. So 22.05: where the run time ends before such a span, never.
const MachinePlan::Found& MachinePlan::look(const Test& test, const Machines& possible, Instant from)
{
  usable_ = possible;
  const Instant reopens = close_usable(test, from);
  found_.machines = usable_;
  found_.later = end_of_time;
  const Instant end = from + test.length;
  for (std::size_t at = span_at(from); at < spans_.size(); ++at) {
    const Machines& open = spans_[at].open;
    if (found_.later == end_of_time && at + 1 < spans_.size())
      for (std::size_t i = 0; i < usable_.size(); ++i)
        if ((usable_[i] & spans_[at + 1].open[i] & ~(found_.machines[i] & open[i])) != 0)
          found_.later = spans_[at].to;
    if (spans_[at].from > end) // one that begins when the job ends is in its way too
      break;
    keep(found_.machines, open);
    if (is_finite(found_.later) && is_empty(found_.machines))
      break; // nothing that follows changes either
  }
  if (reopens < spans_.back().to)
    found_.later = std::min(found_.later, reopens);
  return found_;
}

/// How many pieces of the gang a machine with so much free holds.
std::int32_t MachinePlan::pieces(const Gang& gang, std::int32_t free)
{
  if (free < gang.piece && free > -gang.piece) // most machines of a busy cluster: without a division
    return 0;
  const std::int32_t here = gang.piece == 0 ? gang.wanted : gang.piece == 1000 ? free / 1000 : free / gang.piece;
  return gang.one_each ? std::min(here, 1) : here;
}

std::vector<int> MachinePlan::choose(const Gang& gang, const Machines& machines, const Free& free)
{
  std::int64_t missing = gang.wanted;
  std::vector<int> chosen;
  each(machines, [&](int node) {
    if (const std::int32_t here = pieces(gang, free[static_cast<std::size_t>(node)]); here > 0) {
      chosen.push_back(node);
      missing -= here;
    }
    return missing > 0;
  });
  return chosen;
}

/// When the machines have room for the gang, as running jobs end; nothing where that is never, or later than @p until.
std::optional<MachinePlan::Room> MachinePlan::will_run(const Gang& gang, const Machines& machines, Instant until)
{
  std::int64_t now = 0, ever = 0;
  each(machines, [&](int node) {
    now += pieces(gang, free_[static_cast<std::size_t>(node)]);
    return now < gang.wanted;
  });
  if (now >= gang.wanted)
    return Room{now_, &free_};
  each(machines, [&](int node) {
    ever += pieces(gang, all_[static_cast<std::size_t>(node)]);
    return ever < gang.wanted;
  });
  if (ever < gang.wanted)
    return std::nullopt;
  then_ = free_;
  for (std::size_t at = 0; at < ends_.size();) {
    const End *first = nullptr, *last = nullptr;
    while (at < ends_.size()) {
      const End& end = ends_[at++];
      const std::span held{held_.data() + end.first, end.behind - end.first};
      if (std::ranges::none_of(held, [&](const auto& part) { return has(machines, part.first); }))
        continue; // whoever comes next is looked at, however late: so does job_test.c
      if (end.time > until)
        return std::nullopt; // room after this end, or after later ones, comes too late
      if (first == nullptr)
        first = &end;
      last = &end;
      for (const auto& [node, milli] : held) {
        std::int32_t& here = then_[static_cast<std::size_t>(node)];
        if (has(machines, node))
          now += pieces(gang, here + milli) - pieces(gang, here);
        here += milli;
      }
      if (at < ends_.size() && ends_[at].time > first->time + together)
        break;
    }
    if (now >= gang.wanted && last != nullptr)
      return Room{last->time, &then_};
  }
  return std::nullopt;
}

bool MachinePlan::meets_a_plan(const Gap& gap, Instant length) const
{
  for (std::size_t at = span_at(gap.start); at < spans_.size() && spans_[at].from < gap.start + length; ++at)
    if (std::ranges::any_of(gap.nodes, [&](int node) { return !has(spans_[at].open, node); }))
      return true;
  return false;
}

std::optional<MachinePlan::Gap> MachinePlan::earliest(const Test& test)
{
  if (!test.only.empty())
    return search(test);
  const std::pair wish{test.request, test.length};
  if (in_vain_.contains(wish))
    return std::nullopt;
  std::optional<Gap> gap = search(test);
  if (!gap)
    in_vain_.insert(wish);
  return gap;
}

std::optional<MachinePlan::Gap> MachinePlan::search(const Test& test)
{
  const TaskRequest piece = piece_of(test.request);
  const Gang gang{.piece = piece.milli(),
                  .wanted = test.request.tasks > 0 ? test.request.tasks : test.request.task.gpus,
                  .one_each = test.request.distinct_nodes && test.request.tasks > 0};
  const Machines& all = possible(piece);
  for (Instant from = now_; test.only.empty() || (from >= full_seconds(test.begin) && from < test.end);) {
    const Found& found = look(test, all, from);
    const std::optional<Room> room = will_run(gang, found.machines, found.later);
    const Instant start = room ? std::max(room->from, from) : now_;
    if (room && start <= now_)
      return Gap{start, choose(gang, found.machines, *room->free)};
    if (!room || start > found.later) {
      if (!is_finite(found.later))
        return std::nullopt;
      from = found.later;
      continue;
    }
    if (start > spans_.back().to)
      return std::nullopt;
    Gap gap{start, choose(gang, found.machines, *room->free)};
    if (!meets_a_plan(gap, test.length))
      return gap;
    from = std::max(start, from + 1_s);
  }
  return std::nullopt;
}

/// Begins a new span at the time, where none begins.
void MachinePlan::cut(Instant time)
{
  const std::size_t at = span_at(time);
  if (at >= spans_.size() || spans_[at].from >= time)
    return;
  Span rest = spans_[at];
  spans_[at].to = rest.from = time;
  spans_.insert(spans_.begin() + static_cast<std::ptrdiff_t>(at) + 1, std::move(rest));
}

void MachinePlan::plan(const Gap& gap, Instant length)
{
  in_vain_.clear();
  const Instant end = gap.start + length;
  cut(gap.start);
  cut(end);
  const std::size_t first = span_at(gap.start);
  std::size_t at = first;
  for (; at < spans_.size() && spans_[at].from < end; ++at)
    for (const int node : gap.nodes)
      clear(spans_[at].open, node);
  // Spans with the same machines become one.
  std::size_t kept = first > 0 ? first - 1 : 0;
  const std::size_t behind = std::min(at + 1, spans_.size());
  for (std::size_t next = kept + 1; next < behind; ++next)
    if (spans_[next].open == spans_[kept].open)
      spans_[kept].to = spans_[next].to;
    else if (++kept != next)
      spans_[kept] = std::move(spans_[next]);
  spans_.erase(spans_.begin() + static_cast<std::ptrdiff_t>(kept) + 1,
               spans_.begin() + static_cast<std::ptrdiff_t>(behind));
}

} // namespace trainyard
