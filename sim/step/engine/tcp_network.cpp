// SPDX-License-Identifier: Apache-2.0
#include "sim/step/engine/tcp_network.hpp"

#include "models/core/interrupt.hpp"

#include <algorithm>
#include <cmath>

namespace trainyard {
namespace {

constexpr double never = std::numeric_limits<double>::infinity();
constexpr double segment = 1448;                     // bytes: 1,500 less the headers of IP and TCP with a time stamp
constexpr double first_window = 10 * segment;        // RFC 6928
constexpr double silence = 0.2;                      // s: the smallest retransmission timeout of Linux (TCP_RTO_MIN)
constexpr double kept = 0.7;                         // of a window at a loss (RFC 9438, 4.6)
constexpr double aimd = 3 * (1 - kept) / (1 + kept); // segments per window that arrives (RFC 9438, 4.3)
constexpr double cubic = 0.4;                        // segments/s^3 (RFC 9438, 5)
constexpr double kept_ready = 0.75;                  // of a window: slow start after silence ends there (RFC 2861)
/// Shares are computed again where a window has grown by this share of it.
constexpr double notable = 0.05;
constexpr double relative_zero = 1e-12;

} // namespace

TcpNetwork::TcpNetwork(std::vector<double> capacities, double queue, RandomStream losses)
    : capacities_{std::move(capacities)}, queue_{queue}, losses_{losses}, left_(capacities_.size()),
      weights_(capacities_.size())
{
}

void TcpNetwork::timer(double delay, Callback callback)
{
  std::size_t slot = callbacks_.size();
  if (free_.empty()) {
    callbacks_.push_back(std::move(callback));
  } else {
    slot = free_.back();
    free_.pop_back();
    callbacks_[slot] = std::move(callback);
  }
  timers_.push({now_ + std::max(delay, 0.0), order_++, slot});
}

int TcpNetwork::flow(const FlowRequest& request, Callback done)
{
  if (request.bytes <= 0 || (request.links->empty() && request.limit == never)) { // nothing holds it back
    timer(0, std::move(done));
    return -1;
  }
  const auto [entry, fresh] = index_.try_emplace(request.links, connections_.size());
  if (fresh)
    connections_.push_back({.links = request.links,
                            .limit = request.limit,
                            .window = first_window,
                            .slow_until = never,
                            .card = request.card,
                            .card_rate = request.card_rate,
                            .messages = {}});
  Connection& connection = connections_[entry->second];
  if (connection.messages.empty()) {
    if (now_ - connection.silent_since >= silence && connection.window > first_window) {
      if (connection.slow_until < never)
        connection.slow_until = std::max(connection.slow_until, kept_ready * connection.window);
      connection.window = first_window;
    }
    connection.fresh = true;
    active_.push_back(entry->second);
    changed_ = true;
  }
  connection.messages.push_back({request.bytes, std::move(done)});
  return -1;
}

/// Progressive filling: the level of all that are not at a bottleneck grows until another link is full; each gets the
/// level times its window.
void TcpNetwork::share_out()
{
  changed_ = false;
  crossed_.clear();
  for (const std::size_t index : active_) {
    connections_[index].shared_out = false;
    crossed_.insert(crossed_.end(), connections_[index].links->begin(), connections_[index].links->end());
  }
  std::ranges::sort(crossed_);
  crossed_.erase(std::unique(crossed_.begin(), crossed_.end()), crossed_.end());
  for (std::size_t open = active_.size(); open > 0;) {
    for (const int link : crossed_) {
      left_[static_cast<std::size_t>(link)] = capacities_[static_cast<std::size_t>(link)];
      weights_[static_cast<std::size_t>(link)] = 0;
    }
    for (const std::size_t index : active_) {
      const Connection& connection = connections_[index];
      for (const int link : *connection.links)
        if (connection.shared_out)
          left_[static_cast<std::size_t>(link)] -= connection.rate;
        else
          weights_[static_cast<std::size_t>(link)] += connection.window;
    }
    const auto level_of = [this](int link) {
      const auto l = static_cast<std::size_t>(link);
      return weights_[l] > 0 ? std::max(left_[l], 0.0) / weights_[l] : never;
    };
    double level = never;
    for (const int link : crossed_)
      level = std::min(level, level_of(link));
    for (const std::size_t index : active_)
      if (const Connection& connection = connections_[index]; !connection.shared_out)
        level = std::min(level, connection.limit / connection.window);
    const double full = level * (1 + relative_zero);
    for (const std::size_t index : active_) {
      Connection& connection = connections_[index];
      if (connection.shared_out)
        continue;
      const auto narrow = std::ranges::find_if(*connection.links, [&](int link) { return level_of(link) <= full; });
      if (narrow == connection.links->end() && connection.limit / connection.window > full)
        continue;
      connection.bottleneck = narrow == connection.links->end() ? -1 : *narrow;
      connection.shared_out = true;
      connection.rate = std::min(level * connection.window, connection.limit);
      --open;
    }
  }
}

/// Windows of those that have just begun, where the only one that they meet has its queue at its own card.
void TcpNetwork::meet()
{
  for (const std::size_t index : active_) {
    Connection& fresh = connections_[index];
    if (!std::exchange(fresh.fresh, false) || fresh.bottleneck < 0)
      continue;
    const Connection* other = nullptr;
    int others = 0;
    for (const std::size_t known : active_)
      if (const Connection& there = connections_[known];
          &there != &fresh && !there.fresh && there.bottleneck == fresh.bottleneck) {
        other = &there;
        ++others;
      }
    const double rate = capacities_[static_cast<std::size_t>(fresh.bottleneck)];
    if (others != 1 || other->card == fresh.card || other->card < 0 || other->card_rate > rate * (1 + relative_zero))
      continue;
    if (const double soon = std::min(fresh.slow_until, other->window); soon > fresh.window) {
      fresh.window = soon;
      changed_ = true;
    }
  }
}

/// What the window grows by while @p sent bytes arrive. One that its own limit holds back does not.
double TcpNetwork::growth(const Connection& connection, double sent) const
{
  if (connection.bottleneck < 0)
    return 0;
  if (connection.window < connection.slow_until)
    return std::min(sent, connection.slow_until - connection.window);
  const double additive = aimd * segment * sent / connection.window;
  const double until_largest = std::cbrt(connection.largest / segment * (1 - kept) / cubic);
  const double since = now_ - connection.lost_at - until_largest;
  const double by_time = cubic * since * since * since * segment + connection.largest - connection.window;
  return std::max(additive, std::min(by_time, sent / 2)); // CUBIC is never faster than by half of what arrives
}

/// Losses where what waits at a link is more than its queue holds: of one connection after another, drawn by its rate,
/// in slow start by twice that, for it sends two segments for each one that arrives.
void TcpNetwork::lose()
{
  for (const int link : crossed_) {
    for (;;) {
      double waiting = 0, draws = 0;
      const auto draw = [](const Connection& connection) {
        return connection.rate * (connection.window < connection.slow_until ? 2 : 1);
      };
      for (const std::size_t index : active_)
        if (const Connection& connection = connections_[index]; connection.bottleneck == link) {
          waiting += connection.window;
          draws += draw(connection);
        }
      if (waiting <= queue_)
        break;
      double drawn = losses_.uniform() * draws;
      Connection* loser = nullptr;
      for (const std::size_t index : active_)
        if (Connection& connection = connections_[index]; connection.bottleneck == link && drawn >= 0) {
          loser = &connection;
          drawn -= draw(connection);
        }
      if (loser == nullptr || loser->window <= 2 * segment)
        break; // more connections than the queue has room for
      loser->largest = loser->window;
      loser->window = loser->slow_until = std::max(loser->window * kept, 2 * segment);
      loser->lost_at = now_;
      changed_ = true;
    }
  }
}

/// The end of a message, or a window that has grown.
double TcpNetwork::next_change() const
{
  double next = never;
  for (const std::size_t index : active_) {
    const Connection& connection = connections_[index];
    if (connection.rate <= 0)
      continue;
    double left = never;
    for (const Message& message : connection.messages)
      left = std::min(left, message.left);
    const double until_end = left * static_cast<double>(connection.messages.size());
    next = std::min(next, now_ + until_end / connection.rate);
    if (const double grown = growth(connection, until_end); grown > notable * connection.window)
      next = std::min(next, now_ + until_end / connection.rate * notable * connection.window / grown);
  }
  return next;
}

void TcpNetwork::let_pass(double until)
{
  for (const std::size_t index : active_) {
    Connection& connection = connections_[index];
    const double sent = connection.rate * (until - now_);
    for (Message& message : connection.messages)
      message.left -= sent / static_cast<double>(connection.messages.size());
    if (const double grown = growth(connection, sent); grown > 0) {
      connection.window += grown;
      changed_ = true;
    }
  }
  now_ = until;
}

void TcpNetwork::end_messages()
{
  std::vector<Callback> done;
  for (const std::size_t index : active_) {
    Connection& connection = connections_[index];
    // What the clock cannot tell from nothing counts as nothing.
    const double nothing = connection.rate * std::max(now_, 1e-9) * 1e-14 + 1e-9;
    for (Message& message : connection.messages)
      if (message.left <= nothing)
        done.push_back(std::move(message.done));
    std::erase_if(connection.messages, [&](const Message& message) { return message.left <= nothing; });
    if (connection.messages.empty()) {
      connection.silent_since = now_;
      connection.rate = 0;
      connection.bottleneck = -1;
      changed_ = true;
    }
  }
  std::erase_if(active_, [this](std::size_t index) { return connections_[index].messages.empty(); });
  for (const Callback& callback : done)
    callback();
}

void TcpNetwork::run(const Callback& begin)
{
  begin();
  for (;;) {
    check_interrupt();
    if (changed_) {
      share_out();
      meet();
      lose();
      if (changed_)
        share_out();
    }
    const double timers = timers_.empty() ? never : timers_.top().time;
    const double next = std::min(timers, next_change());
    if (next == never)
      break;
    let_pass(next);
    while (!timers_.empty() && timers_.top().time <= now_) {
      const std::size_t slot = timers_.top().callback;
      timers_.pop();
      const Callback callback = std::move(callbacks_[slot]);
      free_.push_back(slot);
      callback();
    }
    end_messages();
  }
}

} // namespace trainyard
