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
  on_each(flow, [&](int where) {
    if (const double level = load(where).level; level < lowest.first && where != but_for)
      lowest = {level, where};
  });
  return lowest;
}

/// The highest level at which flows that want so much take no more than the capacity. @p taken: by them at @p level.
double FluidNetwork::level_for(double capacity, std::span<const double> wanted, double level, Taken taken)
{
  // Newton's steps: what the flows take at a level grows ever more slowly with it, so that from below none goes too
  // far. The last one is where nobody wants less than the new level who is held back by the old one.
  while (taken.held_back > 0) {
    const double higher = std::max(level, (capacity - taken.by_others) / static_cast<double>(taken.held_back));
    if (taken.least >= higher)
      return std::min(higher, capacity);
    level = higher;
    taken = {};
    for (const double want : wanted)
      taken.add(want, level);
  }
  return capacity;
}

/// Where a level that is wrong is mended: at its right value where it is too high, which depends on the rates there
/// only, and at what it is where it is too low. `never` where it is right.
double FluidNetwork::due_level(int where)
{
  Load& load = this->load(where);
  if (holds_nobody(load))
    return never;
  const FlowsOn& on = flows_on(where);
  const double capacity = load.capacity, now = load.level;
  if (load.sum < capacity * (1 - rough)) // far too little is taken
    return now;
  if (load.sum <= capacity * (1 + rough)) { // else far too much
    double total = 0;
    for (const int id : on.flows)
      total += rate_of(id);
    load.sum = total;
    const double rounding = capacity * right_enough * std::max(1.0, 0.01 * static_cast<double>(on.live));
    if (load.bottlenecked > 0 ? std::abs(total - capacity) <= rounding
                              : now == capacity && total <= capacity + rounding)
      return never;
    if (total < capacity)
      return now;
  }
  // Too much is taken: what the flows take now is what they would take.
  const double even = capacity / static_cast<double>(std::max(on.live, 1));
  Taken taken;
  wanted_.resize(on.flows.size());
  for (std::size_t k = 0; k < on.flows.size(); ++k) {
    wanted_[k] = rate_of(on.flows[k]);
    taken.add(wanted_[k], even);
  }
  const double right = level_for(capacity, wanted_, even, taken);
  return right < now * (1 - right_enough) ? right : right > now * (1 + right_enough) ? now : never;
}

/// The right level of a capacity whose level is too low, if those of all others are right. What its flows would take
/// without it stands in `wanted_` then, and in `wanted_by_` what else would hold them back.
double FluidNetwork::risen_level(int where)
{
  const Load& load = this->load(where);
  const FlowsOn& on = flows_on(where);
  const double start = std::max(load.capacity / static_cast<double>(std::max(on.live, 1)), load.level);
  Taken taken;
  wanted_.resize(on.flows.size());
  wanted_by_.clear();
  for (std::size_t k = 0; k < on.flows.size(); ++k) {
    const int id = on.flows[k];
    double wanted = rate_of(id);
    if (wanted >= load.level * nearly && id >= 0 && at(id).bottleneck == where) { // held back here
      const auto [rate, bottleneck] = lowest_level(at(id), where);
      wanted = rate;
      wanted_by_.emplace_back(k, bottleneck);
    }
    wanted_[k] = wanted;
    taken.add(wanted, start);
  }
  return level_for(load.capacity, wanted_, start, taken);
}

/// The level of the capacity may be wrong.
inline void FluidNetwork::doubt(int where)
{
  if (!std::exchange(load(where).in_doubt, true))
    doubtful_[doubts_++] = where;
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
  const int before = std::exchange(flow.bottleneck, bottleneck);
  if (before != bottleneck) {
    if (before >= 0)
      --load(before).bottlenecked;
    if (bottleneck >= 0)
      ++load(bottleneck).bottlenecked;
  }
  const double change = rate - std::exchange(flow.rate, rate);
  rate_of(id) = rate;
  on_each(flow, [&](int where) {
    Load& load = this->load(where);
    load.sum += change;
    if (where != but_for && !(where != before && holds_nobody(load)))
      doubt(where);
  });
}

/// Puts the capacities whose levels are wrong in order.
void FluidNetwork::look_at_doubtful()
{
  for (std::size_t i = 0; i < doubts_; ++i) {
    const int where = doubtful_[i];
    load(where).in_doubt = false;
    const double due = due_level(where);
    FlowsOn& on = flows_on(where);
    if (due == std::exchange(on.due_at, due) || due == never)
      continue;
    levels_.push_back({due, on.link, where});
    std::ranges::push_heap(levels_, Higher{});
  }
  doubts_ = 0;
}

/// Mends the lowest wrong level.
void FluidNetwork::mend(int where)
{
  Load& load = this->load(where);
  FlowsOn& on = flows_on(where);
  const double before = load.level, due = std::exchange(on.due_at, never);
  if (holds_nobody(load)) // any more: lower levels have taken from its flows since
    return;
  if (due < before) {
    ++work_.levels;
    load.level = due;
    for (const int id : on.flows)
      if (rate_of(id) > due)
        set_share(id, due, where, where);
  } else if (const double level = risen_level(where); level > before * (1 + right_enough)) {
    ++work_.levels;
    load.level = level;
    for (const auto& [k, other] : wanted_by_) {
      const int id = on.flows[k];
      if (wanted_[k] < level)
        set_share(id, wanted_[k], other, where);
      else if (wanted_[k] > level)
        set_share(id, level, where, where);
      else
        set_share(id, level, lowest_level(at(id), -1).second, where);
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
  doubtful_.resize(loads_.size());
  for (const int where : touched_)
    doubt(where);
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
    const auto [due, link, where] = levels_.back();
    levels_.pop_back();
    if (flows_on(where).due_at != due)
      continue;
    if (mends == most)
      break;
    mend(where);
  }
  for (const int id : picked_) {
    Flow& flow = at(id);
    flow.picked = false;
    if (flow.rate != flow.old_rate)
      expect_end(flow);
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
  const auto note = [this](int where) {
    if (Load& load = this->load(where); load.bottlenecked == 0)
      load.level = load.capacity;
  };
  std::ranges::for_each(touched_, note);
  for (const int id : picked_)
    on_each(at(id), note);
  for (const int id : picked_)
    if (const int where = at(id).bottleneck; where >= 0)
      load(where).level = at(id).rate;
}

} // namespace trainyard
