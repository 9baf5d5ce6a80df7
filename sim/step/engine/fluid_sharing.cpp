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

void FluidNetwork::set_rate_on_links(int id, double rate)
{
  const double change = rate - std::exchange(rate_of(id), rate);
  on_each(at(id), [&](int where) { load(where).sum += change; });
}

void FluidNetwork::freeze_one(Flow& flow, double level, int bottleneck)
{
  flow.frozen = true;
  --thawed_;
  flow.rate = std::min(level, flow.limit);
  flow.bottleneck = bottleneck;
  ++work_.frozen;
  flow.frozen_as = frozen_++;
  on_each(flow, [&](int where) {
    FlowsOn& on = flows_on(where);
    on.left -= flow.rate;
    --on.unfrozen;
  });
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
  for (const int where : touched_)
    load(where).is_touched = false;
  touched_.clear();
}

/// Events of followers are taken together within a part of the shortest whole time of such a flow, at present rates.
void FluidNetwork::expect_batch(const Flow& flow)
{
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
  for (const int where : touched_) {
    const std::vector<int>& flows = flows_on(where).flows;
    for (std::size_t k = 0; k < flows.size() && load(where).bottlenecked > 0; ++k)
      if (const int id = flows[k]; id >= 0 && at(id).bottleneck == where)
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
      expect_end(flow);
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
    set_rate_on_links(id, 0);
    on_each(flow, [&](int where) { ++flows_on(where).picked; });
    if (flow.bottleneck >= 0)
      --load(flow.bottleneck).bottlenecked;
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
  set_rate_on_links(id, flow.rate);
  on_each(flow, [&](int where) { --flows_on(where).picked; });
  if (flow.bottleneck >= 0)
    ++load(flow.bottleneck).bottlenecked;
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
      levels_.push_back({.level = limit, .what = -1 - id});
    on_each(flow, [&](int where) {
      if (!std::exchange(flows_on(where).in_region, true))
        region_.push_back(where);
    });
  }
  for (const int where : region_) {
    FlowsOn& on = flows_on(where);
    const Load& load = this->load(where);
    on.in_region = false;
    on.unfrozen = on.picked;
    if (on.picked == on.live) {
      on.left = load.capacity;
      levels_.push_back({on.left / on.unfrozen, on.link, where});
    } else { // most capacities limit no flow: a lower bound shows it
      on.roughly_known = true;
      levels_.push_back({std::max(load.capacity * (1 - rough) - load.sum, 0.0) / on.unfrozen, on.link, where});
    }
  }
  fill();
}

/// Takes in the flows that have lost their bottleneck to the new rates of those picked; false where there are none: the
/// rates are fair.
bool FluidNetwork::pick_those_without_bottleneck()
{
  for (const int where : region_)
    flows_on(where).fair_level = flows_on(where).highest = -1;
  for (const int id : picked_) {
    const Flow& flow = at(id);
    on_each(flow, [&](int where) { flows_on(where).highest = std::max(flows_on(where).highest, flow.rate); });
    if (flow.bottleneck >= 0)
      flows_on(flow.bottleneck).fair_level = flow.rate;
  }
  // On most capacities nothing can have changed for the flows that are not picked.
  const auto may_stand = [this](int where) {
    const FlowsOn& on = flows_on(where);
    return on.picked == on.live || (on.fair_level < 0 && load(where).bottlenecked == 0);
  };
  for (const int where : region_) { // before any rate is taken out
    if (flows_on(where).roughly_known && !may_stand(where))
      work_out_left(where);
    flows_on(where).roughly_known = false;
  }
  const std::size_t before = picked_.size();
  for (const int where : region_) {
    const FlowsOn& on = flows_on(where);
    if (may_stand(where))
      continue;
    const bool full = on.left <= load(where).capacity * rounding_of_rates;
    for (const int id : on.flows) {
      if (id < 0 || at(id).picked)
        continue;
      const Flow& flow = at(id);
      const bool takes_too_much = on.fair_level >= 0 && flow.rate > on.fair_level * (1 + rounding_of_rates);
      const bool free = flow.bottleneck == where && (!full || on.highest > flow.rate * (1 + rounding_of_rates));
      if (takes_too_much || free)
        pick(id);
    }
  }
  return picked_.size() > before;
}

/// Progressive filling of `levels_`. Levels only grow while flows freeze, so an entry that has become stale is put back
/// with its new level when it comes up.
void FluidNetwork::fill()
{
  int scans = levels_.size() > few_levels ? most_scans : 0;
  if (scans == most_scans)
    std::ranges::make_heap(levels_, Higher{});
  while (thawed_ > 0 && !levels_.empty()) {
    const auto [level, what, where] = take_lowest_level(scans);
    ++work_.levels;
    if (what < 0) {
      freeze(-1 - what, level, -1);
      continue;
    }
    const FlowsOn& on = flows_on(where);
    if (on.unfrozen == 0)
      continue;
    if (on.roughly_known) {
      const double exact = std::max(left_by_others(where), 0.0) / on.picked;
      work_out_left(where);
      levels_.push_back({exact, what, where});
      if (scans == most_scans)
        std::ranges::push_heap(levels_, Higher{});
      continue;
    }
    const double current = std::max(on.left, 0.0) / on.unfrozen;
    if (current > level * (1 + relative_zero)) {
      levels_.push_back({current, what, where});
      if (scans == most_scans)
        std::ranges::push_heap(levels_, Higher{});
      continue;
    }
    for (const int id : on.flows)
      if (id >= 0 && !at(id).frozen)
        freeze(id, level, where);
  }
}

/// What the flows that are not picked leave of a capacity.
double FluidNetwork::left_by_others(int where)
{
  Load& load = this->load(where);
  double left = load.capacity;
  for (const int id : flows_on(where).flows)
    left -= rate_of(id);
  load.sum = load.capacity - left;
  return left;
}

/// What is left of a capacity now, where only a bound was known: as if it had been followed from the start, in the same
/// order.
void FluidNetwork::work_out_left(int where)
{
  FlowsOn& on = flows_on(where);
  on.roughly_known = false;
  on.left = left_by_others(where);
  taken_.clear();
  for (const int id : on.flows)
    if (id >= 0 && at(id).picked && at(id).frozen)
      taken_.emplace_back(at(id).frozen_as, at(id).rate);
  std::ranges::sort(taken_);
  for (const auto& [order, rate] : taken_)
    on.left -= rate;
}

FluidNetwork::Level FluidNetwork::take_lowest_level(int& scans)
{
  if (scans == most_scans) {
    std::ranges::pop_heap(levels_, Higher{});
  } else {
    std::swap(*std::ranges::max_element(levels_, Higher{}), levels_.back());
    if (++scans == most_scans)
      std::ranges::make_heap(levels_.begin(), levels_.end() - 1, Higher{});
  }
  const Level lowest = levels_.back();
  levels_.pop_back();
  return lowest;
}

/// Takes the places of ended flows out of the list of a capacity; the others keep their order.
void FluidNetwork::close_gaps(int where)
{
  std::vector<int>& flows = flows_on(where).flows;
  std::erase(flows, -1);
  for (std::size_t place = 0; place < flows.size(); ++place) {
    Flow& flow = at(flows[place]);
    const std::size_t k = static_cast<std::size_t>(std::ranges::find(flow.on, where) - flow.on.begin());
    if (k < remembered)
      flow.places[k] = static_cast<int>(place);
  }
  if (flows.empty())
    load(where).sum = 0;
}

} // namespace trainyard
