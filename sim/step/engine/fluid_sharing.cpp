// SPDX-License-Identifier: Apache-2.0
/// The shares of the capacities: the max-min fair rates of a FluidNetwork.
#include "sim/step/engine/fluid_network.hpp"

#include <algorithm>
#include <utility>

namespace trainyard {
namespace {

constexpr double never = std::numeric_limits<double>::infinity();
/// Where more flows than this run at once, events of following flows within this share of the shortest flow's whole
/// time are taken together.
constexpr std::size_t few_flows = 300;
constexpr double batching = 0.003;
/// A capacity's level that has grown by no more is still the same.
constexpr double relative_zero = 1e-12;
/// Progressive filling mostly ends after few levels: so many are found by looking through them before they are sorted.
constexpr int most_scans = 6;
constexpr std::size_t few_levels = 256;
/// Rates that differ by less are equal where it is checked whether a flow still has its bottleneck: sums over many
/// flows have been rounded.
constexpr double rounding_of_rates = 1e-11;
/// All flows are taken in where taking in a few at a time has computed so many times as many rates.
constexpr std::size_t many_times = 4;

} // namespace

void FluidNetwork::set_rate_on(Flow& flow, std::size_t link, double rate)
{
  const Crossing crossing = this->crossing(flow, link);
  FlowsOn& on = this->on(crossing);
  double& there = on.rates[static_cast<std::size_t>(crossing.place)];
  on.sum += rate - there;
  there = rate;
}

void FluidNetwork::freeze_one(Flow& flow, double level, int bottleneck)
{
  flow.frozen = true;
  --thawed_;
  flow.rate = std::min(level, flow.limit);
  flow.bottleneck = bottleneck;
  ++work_.frozen;
  flow.frozen_as = frozen_++;
  for (const int link : flow.links()) {
    at_link(link).left -= flow.rate;
    --at_link(link).unfrozen;
  }
}

void FluidNetwork::freeze(int id, double level, int bottleneck)
{
  if (Flow& flow = at(id); flow.follower < 0) {
    if (!flow.frozen)
      freeze_one(flow, level, bottleneck);
    return;
  }
  stack_.push_back(id);
  while (!stack_.empty()) {
    const int current = stack_.back();
    stack_.pop_back();
    Flow& flow = at(current);
    if (flow.frozen)
      continue;
    freeze_one(flow, level, current == id ? bottleneck : -1);
    if (flow.follower >= 0 && at(flow.follower).held)
      stack_.push_back(flow.follower);
  }
}

void FluidNetwork::solve()
{
  solve_at_ = never;
  ++work_.solves;
  work_.most_flows = std::max(work_.most_flows, active_.size());
  const long frozen_before = work_.frozen;
  if (following_ > 0 || share_out_all_ || !mend_levels()) {
    solve_touched();
    note_levels();
  }
  const double shortest_batch = with_lead_ > 0 && active_.size() > few_flows ? batches_.earliest() : never;
  granularity_ = shortest_batch < never ? shortest_batch : 0;
  work_.last_frozen = work_.frozen - frozen_before;
  picked_.clear();
  for (const int link : touched_)
    at_link(link).is_touched = false;
  touched_.clear();
}

/// Events of followers are taken together within a part of the shortest whole time of such a flow, at present rates.
void FluidNetwork::expect_batch(int id)
{
  const Flow& flow = at(id);
  if (flow.batched)
    batches_.set(static_cast<std::size_t>(flow.slot),
                 flow.rate > 0 ? batching * (flow.sent + flow.remaining) / flow.rate : never);
}

/// Rates of the flows that have come, of those whose bottleneck has changed, and of those that these take along.
void FluidNetwork::solve_touched()
{
  for (const int id : suspects_)
    if (at(id).slot >= 0)
      pick(id);
  suspects_.clear();
  for (const int link : touched_) {
    const FlowsOn& on = at_link(link);
    for (std::size_t k = 0; k < on.flows.size() && on.bottlenecked > 0; ++k)
      if (const int id = on.flows[k]; id >= 0 && at(id).bottleneck == link)
        pick(id);
  }
  std::size_t computed = 0;
  do {
    computed += picked_.size();
    if (share_out_all_ || computed > many_times * active_.size()) // a few more flows at a time, through all of them
      for (const int id : active_)
        pick(id);
    fill_picked();
  } while (pick_those_without_bottleneck());
  for (const int id : picked_)
    put_back(id);
  for (const int id : picked_) {
    const Flow& flow = at(id);
    if (flow.rate != flow.old_rate)
      expect_end(id);
    if (flow.leader >= 0)
      expect_catch_up(id);
    if (flow.follower >= 0)
      expect_catch_up(flow.follower);
  }
}

void FluidNetwork::pick(int id)
{
  for (;;) {
    Flow& flow = at(id);
    if (flow.picked)
      return;
    flow.picked = true;
    flow.old_rate = flow.rate;
    settle(flow);
    picked_.push_back(id);
    for (std::size_t link = 0; link < flow.links().size(); ++link) {
      set_rate_on(flow, link, 0);
      ++at_link(flow.links()[link]).picked;
    }
    if (flow.bottleneck >= 0)
      --at_link(flow.bottleneck).bottlenecked;
    // Who stands at its limit behind it goes as it goes.
    id = flow.follower;
    if (id < 0 || !(at(id).held || may_hold(at(id))))
      return;
  }
}

/// Undoes pick(), with the new rate.
void FluidNetwork::put_back(int id)
{
  Flow& flow = at(id);
  flow.picked = false;
  for (std::size_t link = 0; link < flow.links().size(); ++link) {
    set_rate_on(flow, link, flow.rate);
    --at_link(flow.links()[link]).picked;
  }
  if (flow.bottleneck >= 0)
    ++at_link(flow.bottleneck).bottlenecked;
}

/// Shares out what the flows that are not picked leave.
void FluidNetwork::fill_picked()
{
  levels_.clear();
  frozen_ = 0;
  region_.clear();
  thawed_ = picked_.size();
  for (const int id : picked_) {
    Flow& flow = at(id);
    flow.frozen = false;
    flow.held = may_hold(flow);
    double limit = flow.limit;
    if (flow.held && !at(flow.leader).picked)
      limit = std::min(limit, at(flow.leader).rate);
    if (limit < never)
      levels_.emplace_back(limit, -1 - id);
    for (const int link : flow.links())
      if (!std::exchange(at_link(link).in_region, true))
        region_.push_back(link);
  }
  for (const int link : region_) {
    FlowsOn& on = at_link(link);
    on.in_region = false;
    on.unfrozen = on.picked;
    if (on.picked == on.live) {
      on.left = on.capacity;
      levels_.emplace_back(on.left / on.unfrozen, link);
    } else { // most capacities limit no flow: a lower bound shows it
      on.roughly_known = true;
      levels_.emplace_back(std::max(on.capacity * (1 - rough) - on.sum, 0.0) / on.unfrozen, link);
    }
  }
  fill();
}

/// Takes in the flows that have lost their bottleneck to the new rates of those picked; false where there are none: the
/// rates are fair.
bool FluidNetwork::pick_those_without_bottleneck()
{
  for (const int link : region_)
    at_link(link).fair_level = at_link(link).highest = -1;
  for (const int id : picked_) {
    const Flow& flow = at(id);
    for (const int link : flow.links())
      at_link(link).highest = std::max(at_link(link).highest, flow.rate);
    if (flow.bottleneck >= 0)
      at_link(flow.bottleneck).fair_level = flow.rate;
  }
  // On most capacities nothing can have changed for the flows that are not picked.
  const auto may_stand = [](const FlowsOn& on) {
    return on.picked == on.live || (on.fair_level < 0 && on.bottlenecked == 0);
  };
  for (const int link : region_) { // before any rate is taken out
    FlowsOn& on = at_link(link);
    if (on.roughly_known && !may_stand(on))
      work_out_left(on);
    on.roughly_known = false;
  }
  const std::size_t before = picked_.size();
  for (const int link : region_) {
    const FlowsOn& on = at_link(link);
    if (may_stand(on))
      continue;
    const bool full = on.left <= on.capacity * rounding_of_rates;
    for (const int id : on.flows) {
      if (id < 0 || at(id).picked)
        continue;
      const Flow& flow = at(id);
      const bool takes_too_much = on.fair_level >= 0 && flow.rate > on.fair_level * (1 + rounding_of_rates);
      const bool free = flow.bottleneck == link && (!full || on.highest > flow.rate * (1 + rounding_of_rates));
      if (takes_too_much || free)
        pick(id);
    }
  }
  return picked_.size() > before;
}

/// Progressive filling of `levels_`: (level, capacity) or (limit, -1 - flow). Levels only grow while flows freeze, so
/// an entry that has become stale is put back with its new level when it comes up.
void FluidNetwork::fill()
{
  int scans = levels_.size() > few_levels ? most_scans : 0;
  if (scans == most_scans)
    std::ranges::make_heap(levels_, Higher{});
  while (thawed_ > 0 && !levels_.empty()) {
    const auto [level, what] = take_lowest_level(scans);
    ++work_.levels;
    if (what < 0) {
      freeze(-1 - what, level, -1);
      continue;
    }
    FlowsOn& on = at_link(what);
    if (on.unfrozen == 0)
      continue;
    if (on.roughly_known) {
      const double exact = std::max(left_by_others(on), 0.0) / on.picked;
      work_out_left(on);
      levels_.emplace_back(exact, what);
      if (scans == most_scans)
        std::ranges::push_heap(levels_, Higher{});
      continue;
    }
    const double current = std::max(on.left, 0.0) / on.unfrozen;
    if (current > level * (1 + relative_zero)) {
      levels_.emplace_back(current, what);
      if (scans == most_scans)
        std::ranges::push_heap(levels_, Higher{});
      continue;
    }
    for (const int id : on.flows)
      if (id >= 0 && !at(id).frozen)
        freeze(id, level, what);
  }
}

/// What the flows that are not picked leave of a capacity.
double FluidNetwork::left_by_others(FlowsOn& on)
{
  double left = on.capacity;
  for (const double rate : on.rates)
    left -= rate;
  on.sum = on.capacity - left;
  return left;
}

/// What is left of a capacity now, where only a bound was known: as if it had been followed from the start, in the same
/// order.
void FluidNetwork::work_out_left(FlowsOn& on)
{
  on.roughly_known = false;
  on.left = left_by_others(on);
  taken_.clear();
  for (const int id : on.flows)
    if (id >= 0 && at(id).picked && at(id).frozen)
      taken_.emplace_back(at(id).frozen_as, at(id).rate);
  std::ranges::sort(taken_);
  for (const auto& [order, rate] : taken_)
    on.left -= rate;
}

std::pair<double, int> FluidNetwork::take_lowest_level(int& scans)
{
  if (scans == most_scans) {
    std::ranges::pop_heap(levels_, Higher{});
  } else {
    std::swap(*std::ranges::max_element(levels_, Higher{}), levels_.back());
    if (++scans == most_scans)
      std::ranges::make_heap(levels_.begin(), levels_.end() - 1, Higher{});
  }
  const std::pair<double, int> lowest = levels_.back();
  levels_.pop_back();
  return lowest;
}

/// Takes the places of ended flows out of the list of a capacity; the others keep their order.
void FluidNetwork::close_gaps(FlowsOn& on)
{
  std::size_t kept = 0;
  for (std::size_t k = 0; k < on.flows.size(); ++k) {
    const int id = on.flows[k];
    if (id < 0)
      continue;
    on.flows[kept] = id;
    on.rates[kept] = on.rates[k];
    Flow& flow = at(id);
    for (Crossing& crossing : flow.near)
      if (crossing.on >= 0 && &this->on(crossing) == &on)
        crossing.place = static_cast<int>(kept);
    ++kept;
  }
  on.flows.resize(kept);
  on.rates.resize(kept);
  if (kept == 0)
    on.sum = 0;
}

} // namespace trainyard
