// SPDX-License-Identifier: Apache-2.0
/// The max-min fair rates of a FluidNetwork after a few changes, where no flow follows another one.
///
/// The level of a capacity is the most that it lets any flow have: a flow has the lowest of the levels on its way and
/// of its limit, and a level is right if the flows then fill the capacity, or if none is held back by it. Rates are
/// max-min fair where all levels are right, for each flow then has a bottleneck (Bertsekas and Gallager, "Data
/// Networks", 6.5.2). Which level is right depends on lower levels only. So those that are wrong are taken in the order
/// of the lower of their old and their right value, as a shortest path is mended after a change (Ramalingam and Reps,
/// "An incremental algorithm for a generalization of the shortest-path problem", 1996): what is below that value is
/// final, and what no change reaches is not looked at.
#include "sim/step/engine/fluid_network.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace trainyard {
namespace {

constexpr double never = std::numeric_limits<double>::infinity();
/// By how much of it a level may be off.
constexpr double right_enough = 1e-13;
/// Flows that a capacity holds back have no less than this share of its level.
constexpr double nearly = 1 - 1e-9;
/// Each level is mended once or twice; if rounding should ever keep them from settling, all rates are computed.
constexpr std::size_t most_mends = 64;

} // namespace

/// The rate that the levels on its way, but for one of them, and its limit leave a flow, and which of them: -1 for the
/// limit.
std::pair<double, int> FluidNetwork::lowest_level(const Flow& flow, int but_for) const
{
  std::pair<double, int> lowest{flow.limit, -1};
  const auto look_at = [&](const FlowsOn& on) {
    if (on.level < lowest.first && on.link != but_for)
      lowest = {on.level, on.link};
  };
  const auto crossed = static_cast<std::size_t>(flow.crossed);
  for (std::size_t k = 0; k < std::min(crossed, remembered_places); ++k)
    look_at(on(flow.near[k]));
  if (crossed > remembered_places)
    for (const int link : flow.links().subspan(remembered_places))
      look_at(on({.on = where_[static_cast<std::size_t>(link)]}));
  return lowest;
}

/// The highest level at which flows that want so much take no more than the capacity.
double FluidNetwork::level_for(const FlowsOn& on, std::span<const double> wanted, double level)
{
  // Newton's steps: what the flows take at a level grows ever more slowly with it, so that from below none goes too
  // far. Places of flows that have ended want nothing.
  for (std::size_t held_back = wanted.size() + 1;;) {
    double taken = 0;
    std::size_t more = 0;
    for (const double want : wanted) { // without branches, which could not be foretold
      const bool below = want < level;
      taken += below ? want : 0;
      more += below ? 0 : 1;
    }
    if (more == 0)
      return on.capacity;
    if (more >= held_back)
      return std::min(level, on.capacity);
    level = std::max(level, (on.capacity - taken) / static_cast<double>(more));
    held_back = more;
  }
}

/// Where a level that is wrong is mended: at its right value where it is too high, which depends on the rates there
/// only, and at what it is where it is too low. `never` where it is right.
double FluidNetwork::due_level(FlowsOn& on)
{
  if (holds_nobody(on))
    return never;
  const double capacity = on.capacity, now = on.level;
  double total = 0;
  for (const double rate : on.rates)
    total += rate;
  on.sum = total;
  const double rounding = capacity * right_enough * std::max(1.0, 0.01 * static_cast<double>(on.live));
  if (on.bottlenecked > 0 ? std::abs(total - capacity) <= rounding : now == capacity && total <= capacity + rounding)
    return never;
  if (total < capacity)
    return now;
  // Too much is taken: what the flows take now is what they would take.
  const double right = level_for(on, on.rates, capacity / static_cast<double>(std::max(on.live, 1)));
  return right < now * (1 - right_enough) ? right : right > now * (1 + right_enough) ? now : never;
}

/// The right level of a capacity whose level is too low, if those of all others are right. What its flows would take
/// without it stands in `wanted_` then, and in `wanted_by_` what else would hold them back.
double FluidNetwork::risen_level(const FlowsOn& on)
{
  wanted_.assign(on.rates.begin(), on.rates.end());
  wanted_by_.clear();
  for (std::size_t k = 0; k < wanted_.size(); ++k)
    if (const int id = on.flows[k];
        wanted_[k] >= on.level * nearly && id >= 0 && at(id).bottleneck == on.link) { // held back here
      const auto [rate, bottleneck] = lowest_level(at(id), on.link);
      wanted_[k] = rate;
      wanted_by_.emplace_back(k, bottleneck);
    }
  return level_for(on, wanted_, std::max(on.capacity / static_cast<double>(std::max(on.live, 1)), on.level));
}

/// A flow gets another rate, or another bottleneck; capacities whose levels may be wrong now are noted.
void FluidNetwork::set_share(int id, double rate, int bottleneck, int but_for)
{
  Flow& flow = at(id);
  if (!flow.picked) {
    flow.picked = flow.frozen = true;
    flow.old_rate = flow.rate;
    settle(flow);
    picked_.push_back(id);
  }
  ++work_.frozen;
  if (flow.bottleneck >= 0)
    --at_link(flow.bottleneck).bottlenecked;
  if (bottleneck >= 0)
    ++at_link(bottleneck).bottlenecked;
  const int before = std::exchange(flow.bottleneck, bottleneck);
  const double change = rate - std::exchange(flow.rate, rate);
  const auto crossed = static_cast<std::size_t>(flow.crossed);
  for (std::size_t k = 0; k < std::min(crossed, remembered_places); ++k)
    __builtin_prefetch(&on(flow.near[k]));
  for (std::size_t k = 0; k < crossed; ++k) {
    const Crossing crossing = this->crossing(flow, k);
    FlowsOn& on = this->on(crossing);
    on.rates[static_cast<std::size_t>(crossing.place)] = rate;
    on.sum += change;
    if (on.link != but_for && !(on.link != before && holds_nobody(on)))
      doubt(on);
  }
}

/// The level of the capacity may be wrong.
void FluidNetwork::doubt(FlowsOn& on)
{
  if (!std::exchange(on.in_doubt, true))
    doubtful_.push_back(on.link);
}

/// Puts the capacities whose levels are wrong in order.
void FluidNetwork::look_at_doubtful()
{
  for (const int link : doubtful_) {
    FlowsOn& on = at_link(link);
    on.in_doubt = false;
    const double due = due_level(on);
    if (due == std::exchange(on.due_at, due) || due == never)
      continue;
    levels_.emplace_back(due, link);
    std::ranges::push_heap(levels_, Higher{});
  }
  doubtful_.clear();
}

/// Mends the lowest wrong level.
void FluidNetwork::mend(int link)
{
  FlowsOn& on = at_link(link);
  const double before = on.level, due = std::exchange(on.due_at, never);
  if (holds_nobody(on)) // any more: lower levels have taken from its flows since
    return;
  if (due < before) {
    ++work_.levels;
    on.level = due;
    for (std::size_t k = 0; k < on.flows.size(); ++k)
      if (on.rates[k] > due)
        set_share(on.flows[k], due, link, link);
  } else if (const double level = risen_level(on); level > before * (1 + right_enough)) {
    ++work_.levels;
    on.level = level;
    for (const auto& [k, other] : wanted_by_) {
      const int id = on.flows[k];
      if (wanted_[k] < level)
        set_share(id, wanted_[k], other, link);
      else if (wanted_[k] > level)
        set_share(id, level, link, link);
      else
        set_share(id, level, lowest_level(at(id), -1).second, link);
    }
  }
  look_at_doubtful();
}

/// As solve_touched(), where no flow follows another one. False: the rates have not settled.
bool FluidNetwork::mend_levels()
{
  suspects_.insert(suspects_.end(), picked_.begin(), picked_.end());
  for (const int id : picked_) // those that have come
    put_back(id);
  picked_.clear();
  for (const int link : touched_)
    doubt(at_link(link));
  for (const int id : suspects_)
    if (at(id).slot >= 0) {
      at(id).held = false;
      const auto [rate, bottleneck] = lowest_level(at(id), -1);
      set_share(id, rate, bottleneck, -1);
    }
  suspects_.clear();
  levels_.clear();
  look_at_doubtful();
  const std::size_t most = most_mends * capacities_.size();
  for (std::size_t mends = 0; !levels_.empty(); ++mends) {
    std::ranges::pop_heap(levels_, Higher{});
    const auto [due, link] = levels_.back();
    levels_.pop_back();
    if (at_link(link).due_at != due)
      continue;
    if (mends == most)
      break;
    mend(link);
  }
  for (const int id : picked_) {
    Flow& flow = at(id);
    flow.picked = false;
    if (flow.rate != flow.old_rate)
      expect_end(id);
  }
  if (levels_.empty())
    return true;
  for (FlowsOn& on : flows_on_)
    on.due_at = never;
  picked_.clear();
  for (const int id : active_)
    pick(id);
  return false;
}

/// What mend_levels() starts from, after the rates of the picked flows were computed.
void FluidNetwork::note_levels()
{
  const auto note = [this](int link) {
    if (FlowsOn& on = at_link(link); on.bottlenecked == 0)
      on.level = on.capacity;
  };
  std::ranges::for_each(touched_, note);
  for (const int id : picked_)
    std::ranges::for_each(at(id).links(), note);
  for (const int id : picked_)
    if (const int link = at(id).bottleneck; link >= 0)
      at_link(link).level = at(id).rate;
}

} // namespace trainyard
