#include "sim/engine/fluid_network.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace trainyard {
namespace {

constexpr double never = std::numeric_limits<double>::infinity();
/// Where more flows than this run at once, events of following flows within this share of the shortest flow's whole time are taken
/// together.
constexpr std::size_t few_flows = 300;
constexpr double batching = 0.003;
constexpr double relative_zero = 1e-12;
/// Progressive filling mostly ends after few levels: so many are found by looking through them before they are sorted.
constexpr int most_scans = 6;
constexpr std::size_t few_levels = 256;
/// Rates that differ by less are equal where it is checked whether a flow still has its bottleneck: sums over many flows have been rounded.
constexpr double rounding_of_rates = 1e-11;

using Level = std::pair<double, int>;

bool higher(const Level& a, const Level& b)
{
  return a.first > b.first || (a.first == b.first && a.second > b.second);
}

} // namespace

FluidNetwork::FluidNetwork(const std::vector<double>& capacities)
    : capacities_{capacities}, flows_on_(capacities.size()), left_(capacities.size()), unfrozen_(capacities.size()),
      used_at_(capacities.size()), is_touched_(capacities.size()), in_region_(capacities.size()), fair_level_(capacities.size()),
      highest_(capacities.size()), solve_at_{never}
{
}

std::size_t FluidNetwork::keep(Callback callback)
{
  if (free_callbacks_.empty()) {
    callbacks_.push_back(std::move(callback));
    owners_.push_back(owner_);
    return callbacks_.size() - 1;
  }
  const std::size_t slot = free_callbacks_.back();
  free_callbacks_.pop_back();
  callbacks_[slot] = std::move(callback);
  owners_[slot] = owner_;
  return slot;
}

Network::Callback FluidNetwork::take(std::size_t slot)
{
  free_callbacks_.push_back(slot);
  return std::move(callbacks_[slot]);
}

void FluidNetwork::timer(double delay, Callback callback)
{
  timers_.push({now_ + std::max(delay, 0.0), order_++, keep(std::move(callback))});
}

int FluidNetwork::flow(const FlowRequest& request, Callback done)
{
  if (request.connection >= 0) {
    const auto connection = static_cast<std::size_t>(request.connection);
    if (connection >= open_.size())
      open_.resize(connection + 1, -1);
    if (open_[connection] < 0)
      open_[connection] = new_flow(request);
    join(open_[connection], request.bytes, std::move(done));
    return open_[connection];
  }
  const int id = new_flow(request);
  at(id).remaining = request.bytes;
  done_[static_cast<std::size_t>(id)] = std::move(done);
  if (request.follows >= 0)
    follow(request.follows, id, request.lead, true);
  return id;
}

void FluidNetwork::touch(int link)
{
  if (std::exchange(is_touched_[static_cast<std::size_t>(link)], char{1}) == 0)
    touched_.push_back(link);
}

int FluidNetwork::new_flow(const FlowRequest& request)
{
  int id = static_cast<int>(flows_.size());
  if (free_ids_.empty()) {
    flows_.emplace_back();
    messages_.emplace_back();
    done_.emplace_back();
  } else {
    id = free_ids_.back();
    free_ids_.pop_back();
  }
  Flow& flow = at(id);
  flow = Flow{};
  flow.since = now_;
  flow.path = request.links;
  flow.links = *request.links;
  flow.limit = request.limit;
  flow.connection = request.connection;
  flow.slot = static_cast<int>(active_.size());
  flow.owner = owner_;
  active_.push_back(id);
  ends_.push_back(never);
  for (std::size_t k = 0; k < flow.links.size(); ++k) {
    const int link = flow.links[k];
    FlowsOn& on = flows_on_[static_cast<std::size_t>(link)];
    if (on.live++ == 0) {
      used_at_[static_cast<std::size_t>(link)] = static_cast<int>(used_.size());
      used_.push_back(link);
    }
    if (k < remembered_places)
      flow.place[k] = static_cast<int>(on.flows.size());
    on.flows.push_back(id);
    on.rates.push_back(0);
    touch(link);
  }
  pick(id);
  solve_at_ = now_;
  return id;
}

void FluidNetwork::set_next_end(int connection)
{
  const Messages& messages = messages_[static_cast<std::size_t>(connection)];
  Flow& flow = at(connection);
  flow.messages = static_cast<double>(messages.size());
  flow.remaining = (messages.top().ends_at - flow.served) * flow.messages;
}

void FluidNetwork::join(int connection, double bytes, Callback done)
{
  settle(at(connection));
  messages_[static_cast<std::size_t>(connection)].push({at(connection).served + bytes, order_++, keep(std::move(done))});
  set_next_end(connection);
  expect_end(connection);
}

/// Ends the message of a connection that is due, with those that end at the same time.
void FluidNetwork::end_message(int connection, Endings& done)
{
  Messages& messages = messages_[static_cast<std::size_t>(connection)];
  Flow& flow = at(connection);
  flow.served = messages.top().ends_at;
  while (!messages.empty() && messages.top().ends_at <= flow.served * (1 + relative_zero)) {
    const std::size_t slot = messages.top().callback;
    const NetworkOwner owner = owners_[slot];
    done.emplace_back(take(slot), owner);
    messages.pop();
  }
  if (messages.empty())
    return;
  set_next_end(connection);
  expect_end(connection);
}

void FluidNetwork::follow(int leader, int follower, double lead, bool pipelined)
{
  if (!pipelined || leader < 0 || follower < 0 || leader == follower || at(leader).slot < 0 || at(follower).slot < 0)
    return;
  Flow& flow = at(follower);
  if (flow.leader >= 0)
    at(flow.leader).follower = -1;
  if (at(leader).follower >= 0)
    unchain(at(at(leader).follower));
  if (flow.chained_at < 0) {
    flow.chained_at = static_cast<int>(chained_.size());
    chained_.push_back(follower);
  }
  if (flow.lead <= 0 && lead > 0)
    ++with_lead_;
  at(leader).follower = follower;
  flow.leader = leader;
  flow.lead = lead;
}

void FluidNetwork::unchain(Flow& follower)
{
  follower.leader = -1;
  const auto place = static_cast<std::size_t>(std::exchange(follower.chained_at, -1));
  chained_[place] = chained_.back();
  if (place < chained_.size() - 1)
    at(chained_[place]).chained_at = static_cast<int>(place);
  chained_.pop_back();
}

/// The follower of a running flow stands at its limit.
bool FluidNetwork::may_hold(const Flow& flow) const
{
  if (flow.leader < 0)
    return false;
  const Flow& leader = flows_[static_cast<std::size_t>(flow.leader)];
  // A gap that cannot move the clock any more counts as none, and a held flow is let go at a wider gap only: else the same instant would
  // come up again and again. 1e-4 B per second of the clock is what 1e11 B/s carry within the clock's resolution of 1e-15.
  const double ahead = sent(leader);
  const double rounding = std::max({flow.lead * 1e-9, ahead * relative_zero, 1e-3, now_ * 1e-4});
  return sent(flow) >= ahead + flow.lead - (flow.held ? 8 : 1) * rounding;
}

/// What stands beside the flow among those on the link-th of its capacities.
double& FluidNetwork::rate_on(Flow& flow, std::size_t link)
{
  FlowsOn& on = flows_on_[static_cast<std::size_t>(flow.links[link])];
  if (link < remembered_places)
    return on.rates[static_cast<std::size_t>(flow.place[link])];
  const auto id = static_cast<int>(&flow - flows_.data());
  return on.rates[static_cast<std::size_t>(std::ranges::find(on.flows, id) - on.flows.begin())];
}

void FluidNetwork::freeze_one(Flow& flow, double level, int bottleneck)
{
  flow.frozen = true;
  --thawed_;
  flow.rate = std::min(level, flow.limit);
  flow.bottleneck = bottleneck;
  ++work_.frozen;
  for (const int link : flow.links) {
    left_[static_cast<std::size_t>(link)] -= flow.rate;
    --unfrozen_[static_cast<std::size_t>(link)];
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

/// Adds up what the flow has sent at the rate that it has had.
void FluidNetwork::settle(Flow& flow) const
{
  const double bytes = flow.rate * (now_ - flow.since);
  flow.since = now_;
  if (bytes <= 0)
    return;
  flow.sent += bytes;
  flow.remaining -= bytes;
  if (flow.connection >= 0)
    flow.served += bytes / flow.messages;
}

void FluidNetwork::solve()
{
  solve_at_ = never;
  ++work_.solves;
  work_.most_flows = std::max(work_.most_flows, active_.size());
  const long frozen_before = work_.frozen;
  granularity_ = 0;
  if (with_lead_ > 0)
    solve_all();
  else
    solve_touched();
  work_.last_frozen = work_.frozen - frozen_before;
  for (const int id : picked_)
    put_back(id);
  picked_.clear();
  for (const int link : touched_)
    is_touched_[static_cast<std::size_t>(link)] = 0;
  touched_.clear();
}

void FluidNetwork::solve_all()
{
  rates_stale_ = true;
  levels_.clear();
  thawed_ = active_.size();
  for (const int id : active_) {
    Flow& flow = at(id);
    settle(flow);
    flow.frozen = false;
    flow.held = may_hold(flow);
    if (flow.limit < never)
      levels_.emplace_back(flow.limit, -1 - id);
  }
  for (const int link : used_) {
    const auto l = static_cast<std::size_t>(link);
    left_[l] = capacities_[l];
    unfrozen_[l] = flows_on_[l].live;
    levels_.emplace_back(left_[l] / unfrozen_[l], link);
  }
  fill();
  for (const int id : active_)
    expect_end(id);
  if (active_.size() <= few_flows)
    return;
  granularity_ = never;
  for (const int id : active_) {
    const Flow& flow = at(id);
    if (flow.lead > 0 && flow.rate > 0)
      granularity_ = std::min(granularity_, batching * (flow.sent + flow.remaining) / flow.rate);
  }
  if (granularity_ == never)
    granularity_ = 0;
}

/// Rates of the flows that have come, of those whose bottleneck has changed, and of those that these take along.
void FluidNetwork::solve_touched()
{
  if (rates_stale_)
    refresh_rates();
  for (const int link : touched_) {
    const FlowsOn& on = flows_on_[static_cast<std::size_t>(link)];
    for (std::size_t k = 0; k < on.flows.size() && on.bottlenecked > 0; ++k)
      if (const int id = on.flows[k]; id >= 0 && at(id).bottleneck == link)
        pick(id);
  }
  do
    fill_picked();
  while (pick_those_without_bottleneck());
  for (const int id : picked_)
    if (const Flow& flow = at(id); flow.rate != flow.old_rate)
      expect_end(id);
}

void FluidNetwork::pick(int id)
{
  Flow& flow = at(id);
  if (flow.picked)
    return;
  flow.picked = true;
  flow.old_rate = flow.rate;
  settle(flow);
  picked_.push_back(id);
  for (std::size_t link = 0; link < flow.links.size(); ++link) {
    rate_on(flow, link) = 0;
    ++flows_on_[static_cast<std::size_t>(flow.links[link])].picked;
  }
  if (flow.bottleneck >= 0)
    --flows_on_[static_cast<std::size_t>(flow.bottleneck)].bottlenecked;
}

/// Undoes pick(), with the new rate.
void FluidNetwork::put_back(int id)
{
  Flow& flow = at(id);
  flow.picked = false;
  for (std::size_t link = 0; link < flow.links.size(); ++link) {
    rate_on(flow, link) = flow.rate;
    --flows_on_[static_cast<std::size_t>(flow.links[link])].picked;
  }
  if (flow.bottleneck >= 0)
    ++flows_on_[static_cast<std::size_t>(flow.bottleneck)].bottlenecked;
}

void FluidNetwork::refresh_rates()
{
  rates_stale_ = false;
  for (const int link : used_)
    flows_on_[static_cast<std::size_t>(link)].picked = flows_on_[static_cast<std::size_t>(link)].bottlenecked = 0;
  for (const int id : active_) {
    Flow& flow = at(id);
    for (std::size_t link = 0; link < flow.links.size(); ++link) {
      rate_on(flow, link) = flow.picked ? 0 : flow.rate;
      flows_on_[static_cast<std::size_t>(flow.links[link])].picked += flow.picked ? 1 : 0;
    }
    if (flow.bottleneck >= 0 && !flow.picked)
      ++flows_on_[static_cast<std::size_t>(flow.bottleneck)].bottlenecked;
  }
}

/// Shares out what the flows that are not picked leave.
void FluidNetwork::fill_picked()
{
  levels_.clear();
  region_.clear();
  thawed_ = picked_.size();
  for (const int id : picked_) {
    Flow& flow = at(id);
    flow.frozen = false;
    if (flow.limit < never)
      levels_.emplace_back(flow.limit, -1 - id);
    for (const int link : flow.links)
      if (std::exchange(in_region_[static_cast<std::size_t>(link)], char{1}) == 0)
        region_.push_back(link);
  }
  for (const int link : region_) {
    const auto l = static_cast<std::size_t>(link);
    in_region_[l] = 0;
    const FlowsOn& on = flows_on_[l];
    double left = capacities_[l];
    if (on.picked < on.live)
      for (const double rate : on.rates)
        left -= rate;
    left_[l] = left;
    unfrozen_[l] = on.picked;
    levels_.emplace_back(std::max(left_[l], 0.0) / unfrozen_[l], link);
  }
  fill();
}

/// Takes in the flows that have lost their bottleneck to the new rates of those picked; false where there are none: the rates are fair.
bool FluidNetwork::pick_those_without_bottleneck()
{
  for (const int link : region_)
    fair_level_[static_cast<std::size_t>(link)] = highest_[static_cast<std::size_t>(link)] = -1;
  for (const int id : picked_) {
    const Flow& flow = at(id);
    for (const int link : flow.links)
      highest_[static_cast<std::size_t>(link)] = std::max(highest_[static_cast<std::size_t>(link)], flow.rate);
    if (flow.bottleneck >= 0)
      fair_level_[static_cast<std::size_t>(flow.bottleneck)] = flow.rate;
  }
  const std::size_t before = picked_.size();
  for (const int link : region_) {
    const auto l = static_cast<std::size_t>(link);
    const FlowsOn& on = flows_on_[l];
    if (on.picked == on.live || (fair_level_[l] < 0 && on.bottlenecked == 0))
      continue;
    const bool full = left_[l] <= capacities_[l] * rounding_of_rates;
    for (const int id : on.flows) {
      if (id < 0 || at(id).picked)
        continue;
      const Flow& flow = at(id);
      const bool takes_too_much = fair_level_[l] >= 0 && flow.rate > fair_level_[l] * (1 + rounding_of_rates);
      const bool free = flow.bottleneck == link && (!full || highest_[l] > flow.rate * (1 + rounding_of_rates));
      if (takes_too_much || free)
        pick(id);
    }
  }
  return picked_.size() > before;
}

/// Progressive filling of `levels_`: (level, capacity) or (limit, -1 - flow). Levels only grow while flows freeze, so an entry that has
/// become stale is put back with its new level when it comes up.
void FluidNetwork::fill()
{
  int scans = levels_.size() > few_levels ? most_scans : 0;
  if (scans == most_scans)
    std::ranges::make_heap(levels_, higher);
  while (thawed_ > 0 && !levels_.empty()) {
    const auto [level, what] = take_lowest_level(scans);
    ++work_.levels;
    if (what < 0) {
      freeze(-1 - what, level, -1);
      continue;
    }
    const auto link = static_cast<std::size_t>(what);
    if (unfrozen_[link] == 0)
      continue;
    const double current = std::max(left_[link], 0.0) / unfrozen_[link];
    if (current > level * (1 + relative_zero)) {
      levels_.emplace_back(current, what);
      if (scans == most_scans)
        std::ranges::push_heap(levels_, higher);
      continue;
    }
    for (const int id : flows_on_[link].flows)
      if (id >= 0 && !at(id).frozen)
        freeze(id, level, what);
  }
}

std::pair<double, int> FluidNetwork::take_lowest_level(int& scans)
{
  if (scans == most_scans) {
    std::ranges::pop_heap(levels_, higher);
  } else {
    std::swap(*std::ranges::max_element(levels_, higher), levels_.back());
    if (++scans == most_scans)
      std::ranges::make_heap(levels_.begin(), levels_.end() - 1, higher);
  }
  const std::pair<double, int> lowest = levels_.back();
  levels_.pop_back();
  return lowest;
}

/// When the flow, or a connection's next message, ends as things stand.
void FluidNetwork::expect_end(int id)
{
  const Flow& flow = at(id);
  ends_.set(static_cast<std::size_t>(flow.slot), flow.rate > 0 ? flow.since + flow.remaining / flow.rate : never);
}

double FluidNetwork::next_flow_event()
{
  return std::min(std::max(ends_.earliest(), now_), next_catch_up());
}

double FluidNetwork::next_catch_up() const
{
  double next = never;
  for (const int id : chained_) {
    const Flow& flow = flows_[static_cast<std::size_t>(id)];
    if (flow.rate <= 0 || flow.held)
      continue;
    const Flow& leader = flows_[static_cast<std::size_t>(flow.leader)];
    if (flow.rate > leader.rate * (1 + 1e-9)) {
      const double gap = std::max(0.0, sent(leader) + flow.lead - sent(flow));
      next = std::min(next, std::max(now_ + gap / (flow.rate - leader.rate), now_ + granularity_ * 0.5));
    }
  }
  return next;
}

/// Whether nothing is left of it, as far as the clock and the sums can tell.
bool FluidNetwork::at_end(const Flow& flow) const
{
  const double left = remaining(flow);
  return left <= sent(flow) * relative_zero || left <= flow.rate * std::max(now_, 1e-9) * 1e-15;
}

void FluidNetwork::end_flows()
{
  ended_.clear();
  ends_.visit_until(now_ * (1 + relative_zero), [this](std::size_t slot) {
    if (ends_.at(slot) <= now_ || at_end(at(active_[slot])))
      ended_.push_back(active_[slot]);
  });
  for (const int id : chained_) {
    const Flow& flow = at(id);
    if (!flow.held && may_hold(flow) && flow.rate > at(flow.leader).rate)
      solve_at_ = std::min(solve_at_, now_);
  }
  std::ranges::sort(ended_);
  Endings done;
  for (const int id : ended_) {
    Flow& flow = at(id);
    settle(flow);
    if (flow.connection >= 0) {
      end_message(id, done);
      if (!messages_[static_cast<std::size_t>(id)].empty())
        continue;
      open_[static_cast<std::size_t>(flow.connection)] = -1;
    }
    // The bandwidth of a ring's edge is handed on within a fraction of a chunk; that of any other flow at once.
    solve_at_ = std::min(solve_at_, now_ + (flow.lead > 0 ? granularity_ : 0));
    if (flow.connection < 0)
      done.emplace_back(std::move(done_[static_cast<std::size_t>(id)]), flow.owner);
    remove(id);
  }
  for (const auto& [callback, owner] : done) {
    owner_ = owner;
    callback();
  }
}

void FluidNetwork::remove(int id)
{
  Flow& flow = at(id);
  if (flow.bottleneck >= 0 && !flow.picked)
    --flows_on_[static_cast<std::size_t>(flow.bottleneck)].bottlenecked;
  for (std::size_t k = 0; k < flow.links.size(); ++k) {
    const int link = flow.links[k];
    const auto l = static_cast<std::size_t>(link);
    FlowsOn& on = flows_on_[l];
    double& rate = rate_on(flow, k);
    rate = 0;
    on.flows[static_cast<std::size_t>(&rate - on.rates.data())] = -1;
    on.picked -= flow.picked ? 1 : 0;
    touch(link);
    if (2 * --on.live <= static_cast<int>(on.flows.size()))
      close_gaps(l);
    if (on.live == 0) {
      used_at_[static_cast<std::size_t>(used_.back())] = used_at_[l];
      used_[static_cast<std::size_t>(used_at_[l])] = used_.back();
      used_.pop_back();
    }
  }
  active_[static_cast<std::size_t>(flow.slot)] = active_.back();
  at(active_.back()).slot = flow.slot;
  active_.pop_back();
  ends_.remove(static_cast<std::size_t>(flow.slot));
  flow.slot = -1;
  if (flow.follower >= 0)
    unchain(at(flow.follower));
  if (flow.leader >= 0) {
    at(flow.leader).follower = -1;
    unchain(flow);
  }
  if (flow.lead > 0)
    --with_lead_;
  free_ids_.push_back(id);
}

/// Takes the places of ended flows out of the list of a capacity; the others keep their order.
void FluidNetwork::close_gaps(std::size_t link)
{
  FlowsOn& on = flows_on_[link];
  std::size_t kept = 0;
  for (std::size_t k = 0; k < on.flows.size(); ++k) {
    const int id = on.flows[k];
    if (id < 0)
      continue;
    on.flows[kept] = id;
    on.rates[kept] = on.rates[k];
    Flow& flow = at(id);
    for (std::size_t l = 0; l < std::min(remembered_places, flow.links.size()); ++l)
      if (flow.links[l] == static_cast<int>(link))
        flow.place[l] = static_cast<int>(kept);
    ++kept;
  }
  on.flows.resize(kept);
  on.rates.resize(kept);
}

std::vector<PendingEvent> FluidNetwork::pending(std::size_t most) const
{
  std::vector<std::pair<PendingEvent, long>> events; // with the order of equal times: timers by request, then flows
  for (const Timer& timer : timers_.all())
    events.push_back({{timer.time, owners_[timer.callback], false}, timer.order});
  for (const int id : active_) {
    const Flow& flow = flows_[static_cast<std::size_t>(id)];
    events.push_back({{flow.rate > 0 ? now_ + remaining(flow) / flow.rate : never, flow.owner, true}, order_ + id});
  }
  const auto sooner = [](const auto& a, const auto& b) { return std::pair{a.first.time, a.second} < std::pair{b.first.time, b.second}; };
  const std::size_t kept = std::min(most, events.size());
  std::ranges::partial_sort(events, events.begin() + static_cast<std::ptrdiff_t>(kept), sooner);
  std::vector<PendingEvent> result;
  for (std::size_t i = 0; i < kept; ++i)
    result.push_back(events[i].first);
  return result;
}

std::vector<ActiveFlow> FluidNetwork::flows() const
{
  std::vector<ActiveFlow> result;
  for (const int id : active_) {
    const Flow& flow = flows_[static_cast<std::size_t>(id)];
    result.push_back({flow.owner, flow.path, sent(flow), remaining(flow), flow.rate, flow.limit, flow.bottleneck, flow.held});
  }
  return result;
}

void FluidNetwork::run(const Callback& begin)
{
  begin();
  for (;;) {
    if (solve_at_ <= now_)
      solve();
    ++work_.instants;
    if (watcher_ != nullptr)
      watcher_->instant(*this);
    const double flows = next_flow_event();
    const double timers = timers_.empty() ? never : timers_.top().time;
    const double next = std::min({flows, timers, solve_at_});
    if (next == never)
      break;
    now_ = next;
    // Rates are worked out once for all that happens at one instant.
    while (!timers_.empty() && timers_.top().time <= now_) {
      const std::size_t slot = timers_.top().callback;
      timers_.pop();
      owner_ = owners_[slot];
      const Callback callback = take(slot);
      callback();
    }
    end_flows();
  }
}

} // namespace trainyard
