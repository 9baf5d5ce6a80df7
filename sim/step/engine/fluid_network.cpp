// SPDX-License-Identifier: Apache-2.0
#include "sim/step/engine/fluid_network.hpp"

#include "models/core/interrupt.hpp"

namespace trainyard {
namespace {

constexpr double never = std::numeric_limits<double>::infinity();
constexpr double relative_zero = 1e-12;

} // namespace

FluidNetwork::FluidNetwork(const std::vector<double>& capacities) : solve_at_{never}
{
  grow(capacities);
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
  if (request.links->empty() && request.limit == never) { // nothing holds it back
    timer(0, std::move(done));
    return -1;
  }
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

void FluidNetwork::touch(int where)
{
  if (!std::exchange(load(where).is_touched, true))
    touched_.push_back(where);
}

int FluidNetwork::new_flow(const FlowRequest& request)
{
  int id = static_cast<int>(flows_.size());
  if (free_ids_.empty()) {
    flows_.emplace_back();
    rates_.push_back(0);
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
  flow.crossed = static_cast<int>(request.links->size());
  flow.limit = request.limit;
  flow.connection = request.connection;
  flow.shared = request.connection >= 0;
  flow.slot = static_cast<int>(active_.size());
  flow.owner = owner_;
  active_.push_back(id);
  ends_.push_back(never);
  catch_ups_.push_back(never);
  batches_.push_back(never);
  for (std::size_t k = 0; k < flow.links().size(); ++k)
    cross(id, k);
  pick(id);
  solve_at_ = now_;
  return id;
}

/// Puts the flow on the list of the k-th of its capacities.
void FluidNetwork::cross(int id, std::size_t k)
{
  Flow& flow = at(id);
  const int link = flow.links()[k];
  int& where = where_[static_cast<std::size_t>(link)];
  if (where < 0) {
    where = static_cast<int>(loads_.size());
    const double capacity = capacities_[static_cast<std::size_t>(link)];
    loads_.push_back({.capacity = capacity, .level = capacity});
    flows_on_.emplace_back().link = link;
  }
  FlowsOn& on = flows_on(where);
  ++on.live;
  if (k < remembered) {
    flow.on[k] = where;
    flow.places[k] = static_cast<int>(on.flows.size());
  }
  on.flows.push_back(id);
  touch(where);
}

void FluidNetwork::grow(const std::vector<double>& capacities)
{
  capacities_ = capacities;
  where_.resize(capacities.size(), -1);
}

void FluidNetwork::widen(std::span<const std::vector<int>* const> paths)
{
  wider_.clear(); // slots of flows; each is on the list of the first of its capacities
  for (const std::vector<int>* path : paths)
    if (const int first = where_[static_cast<std::size_t>(path->front())]; first >= 0)
      for (const int id : flows_on(first).flows)
        if (id >= 0 && at(id).path == path && path->size() > at(id).links().size())
          wider_.push_back(at(id).slot);
  std::ranges::sort(wider_);
  for (const int slot : wider_) {
    const int id = active_[static_cast<std::size_t>(slot)];
    Flow& flow = at(id);
    const std::size_t before = flow.links().size();
    flow.crossed = static_cast<int>(flow.path->size());
    for (std::size_t k = before; k < flow.links().size(); ++k) {
      cross(id, k);
      if (flow.picked)
        ++flows_on(where(flow, k)).picked;
      else
        load(where(flow, k)).sum += flow.rate;
    }
    solve_at_ = now_;
  }
}

void FluidNetwork::cancel(int program, std::span<double> sent_by)
{
  if (static_cast<std::size_t>(program) >= cancelled_.size())
    cancelled_.resize(static_cast<std::size_t>(program) + 1);
  cancelled_[static_cast<std::size_t>(program)] = true;
  for (std::size_t slot = active_.size(); slot-- > 0;) { // the last one takes the place of one that is removed
    const int id = active_[slot];
    Flow& flow = at(id);
    if (flow.owner.program != program)
      continue;
    settle(flow);
    if (flow.connection < 0) {
      sent_by[static_cast<std::size_t>(flow.owner.operation)] += flow.sent;
      done_[static_cast<std::size_t>(id)] = {};
    } else {
      Messages& messages = messages_[static_cast<std::size_t>(id)];
      for (; !messages.empty(); messages.pop()) {
        const std::size_t callback = messages.top().callback;
        sent_by[static_cast<std::size_t>(owners_[callback].operation)] -= messages.top().ends_at - flow.served;
        take(callback);
      }
      open_[static_cast<std::size_t>(flow.connection)] = -1;
    }
    std::erase(picked_, id);
    remove(id);
    solve_at_ = now_;
  }
}

void FluidNetwork::restart()
{
  timers_ = {};
  callbacks_.clear();
  free_callbacks_.clear();
  owners_.clear();
  cancelled_.clear();
  open_.clear();
  now_ = granularity_ = 0;
  solve_at_ = never;
  order_ = 0;
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
  messages_[static_cast<std::size_t>(connection)].push(
      {at(connection).served + bytes, order_++, keep(std::move(done))});
  set_next_end(connection);
  expect_end(at(connection));
}

/// Ends the due message of a connection, and those that end at the same time.
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
  expect_end(flow);
}

void FluidNetwork::follow(int leader, int follower, double lead, bool pipelined)
{
  if (!pipelined || leader < 0 || follower < 0 || leader == follower || at(leader).slot < 0 || at(follower).slot < 0)
    return;
  Flow& flow = at(follower);
  if (flow.leader >= 0)
    at(flow.leader).follower = -1;
  else
    ++following_;
  if (at(leader).follower >= 0)
    let_go(at(leader).follower);
  if (flow.lead <= 0 && lead > 0)
    ++with_lead_;
  at(leader).follower = follower;
  flow.leader = leader;
  flow.lead = lead;
  flow.batched = lead > 0;
  if (flow.batched)
    expect_batch(flow);
  suspects_.push_back(follower);
}

/// It follows nobody any more.
void FluidNetwork::let_go(int follower)
{
  Flow& flow = at(follower);
  flow.leader = -1;
  --following_;
  catch_ups_.set(static_cast<std::size_t>(flow.slot), never);
  suspects_.push_back(follower);
}

/// The follower of a running flow stands at its limit.
bool FluidNetwork::may_hold(const Flow& flow) const
{
  if (flow.leader < 0)
    return false;
  const Flow& leader = flows_[static_cast<std::size_t>(flow.leader)];
  // A gap that cannot move the clock any more counts as none, and a held flow is let go at a wider gap only: else the
  // same instant would come up repeatedly. 1e-4 B per second of the clock is what 1e11 B/s carry within the clock's
  // resolution of 1e-15.
  const double ahead = sent(leader);
  const double rounding = std::max({flow.lead * 1e-9, ahead * relative_zero, 1e-3, now_ * 1e-4});
  return sent(flow) >= ahead + flow.lead - (flow.held ? 8 : 1) * rounding;
}

double FluidNetwork::next_flow_event()
{
  return std::min(std::max(ends_.earliest(), now_), next_catch_up());
}

/// The time at which the flow comes to stand at its limit behind its leader, at the present rates of both.
void FluidNetwork::expect_catch_up(int id)
{
  const Flow& flow = at(id);
  double time = never;
  if (flow.leader >= 0 && !flow.held)
    if (const Flow& leader = at(flow.leader); flow.rate > leader.rate * (1 + 1e-9))
      time = now_ + std::max(0.0, sent(leader) + flow.lead - sent(flow)) / (flow.rate - leader.rate);
  catch_ups_.set(static_cast<std::size_t>(flow.slot), time);
}

double FluidNetwork::next_catch_up()
{
  const double next = following_ > 0 ? catch_ups_.earliest() : never;
  return next == never ? never : std::max(next, now_ + granularity_ * 0.5);
}

/// Whether nothing is left of it, as far as the clock and the sums can tell.
bool FluidNetwork::at_end(const Flow& flow) const
{
  const double left = remaining(flow);
  return left <= sent(flow) * relative_zero || left <= flow.rate * std::max(now_, 1e-9) * 1e-15;
}

void FluidNetwork::end_flows()
{
  const double soon = now_ * (1 + relative_zero);
  if (following_ == 0 && !(ends_.earliest() <= soon))
    return;
  ended_.clear();
  ends_.visit_until(soon, [this](std::size_t slot) {
    if (ends_.at(slot) <= now_ || at_end(at(active_[slot])))
      ended_.push_back(active_[slot]);
  });
  due_.clear();
  if (following_ > 0)
    catch_ups_.visit_until(soon, [this](std::size_t slot) { due_.push_back(active_[slot]); });
  for (const int id : due_)
    if (may_hold(at(id))) {
      suspects_.push_back(id);
      solve_at_ = std::min(solve_at_, now_);
    } else {
      expect_catch_up(id);
    }
  std::ranges::sort(ended_);
  Endings done;
  done.swap(endings_);
  for (const int id : ended_) {
    Flow& flow = at(id);
    settle(flow);
    if (flow.connection >= 0) {
      end_message(id, done);
      if (messages_[static_cast<std::size_t>(id)].empty()) {
        ends_.set(static_cast<std::size_t>(flow.slot), never);
        idle_.push_back(id);
        solve_at_ = std::min(solve_at_, now_);
      }
      continue;
    }
    // The bandwidth of a ring's edge is handed on within a fraction of a chunk; that of any other flow at once.
    solve_at_ = std::min(solve_at_, now_ + (flow.lead > 0 ? granularity_ : 0));
    done.emplace_back(std::move(done_[static_cast<std::size_t>(id)]), flow.owner);
    remove(id);
  }
  for (const auto& [callback, owner] : done) {
    owner_ = owner;
    callback();
  }
  done.clear();
  done.swap(endings_); // its memory
}

/// Connections that carry no further message.
void FluidNetwork::close_idle()
{
  for (const int id : idle_)
    if (const Flow& flow = at(id);
        flow.slot >= 0 && flow.connection >= 0 && messages_[static_cast<std::size_t>(id)].empty()) {
      open_[static_cast<std::size_t>(flow.connection)] = -1;
      remove(id);
    }
  idle_.clear();
}

void FluidNetwork::remove(int id)
{
  Flow& flow = at(id);
  if (flow.bottleneck >= 0 && !flow.picked)
    --load(flow.bottleneck).bottlenecked;
  set_rate_on_links(id, 0);
  for (std::size_t k = 0; k < flow.links().size(); ++k) {
    const int where = this->where(flow, k);
    FlowsOn& on = flows_on(where);
    *(k < remembered ? on.flows.begin() + flow.places[k] : std::ranges::find(on.flows, id)) = -1;
    on.picked -= flow.picked ? 1 : 0;
    touch(where);
    if (2 * --on.live <= static_cast<int>(on.flows.size()))
      close_gaps(where);
  }
  if (flow.follower >= 0)
    let_go(flow.follower);
  if (flow.leader >= 0) {
    at(flow.leader).follower = -1;
    --following_;
  }
  active_[static_cast<std::size_t>(flow.slot)] = active_.back();
  at(active_.back()).slot = flow.slot;
  active_.pop_back();
  ends_.remove(static_cast<std::size_t>(flow.slot));
  catch_ups_.remove(static_cast<std::size_t>(flow.slot));
  batches_.remove(static_cast<std::size_t>(flow.slot));
  flow.slot = -1;
  if (flow.lead > 0)
    --with_lead_;
  free_ids_.push_back(id);
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
  const auto sooner = [](const auto& a, const auto& b) {
    return std::pair{a.first.time, a.second} < std::pair{b.first.time, b.second};
  };
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
    const int bottleneck =
        flow.bottleneck < 0 ? flow.bottleneck : flows_on_[static_cast<std::size_t>(flow.bottleneck)].link;
    result.push_back(
        {flow.owner, flow.path, sent(flow), remaining(flow), flow.rate, flow.limit, bottleneck, flow.held});
  }
  return result;
}

void FluidNetwork::run(const Callback& begin)
{
  begin();
  const bool to_the_end = false;
  advance(never, to_the_end);
}

void FluidNetwork::advance(double until, const bool& stop)
{
  while (!stop) {
    // What timers of this instant start changes the rates too: they are computed once, after it.
    const bool more_now = !timers_.empty() && timers_.top().time <= now_ && watcher_ == nullptr;
    if (solve_at_ <= now_ && !more_now) {
      close_idle();
      solve();
    }
    ++work_.instants;
    check_interrupt();
    if (watcher_ != nullptr)
      watcher_->instant(*this);
    const double flows = next_flow_event();
    const double timers = timers_.empty() ? never : timers_.top().time;
    const double next = std::min({flows, timers, solve_at_});
    if (next == never || next > until) {
      if (until < never)
        now_ = std::max(now_, until);
      break;
    }
    now_ = next;
    // Rates are computed once for all that happens at one instant.
    while (!timers_.empty() && timers_.top().time <= now_) {
      const std::size_t slot = timers_.top().callback;
      timers_.pop();
      owner_ = owners_[slot];
      const Callback callback = take(slot);
      if (!is_cancelled(owner_))
        callback();
    }
    end_flows();
  }
  close_idle();
}

} // namespace trainyard
