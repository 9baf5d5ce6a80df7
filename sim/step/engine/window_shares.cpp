// SPDX-License-Identifier: Apache-2.0
#include "sim/step/engine/window_shares.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace trainyard {

WindowShares::WindowShares(const Cluster& cluster)
    : control_{Registry<CongestionControl>::instance().create(cluster.tcp().congestion_control)},
      chance_{Random{cluster.hash_seed()}.stream("windows")}
{
  const TcpSpec& tcp = cluster.tcp();
  const double room = tcp.queue_packets > 0 ? tcp.queue_packets * segment_on_line : tcp.queue.value();
  for (const Link& link : cluster.links())
    queues_.push_back({.room = link.kind == LinkKind::ethernet ? room : 0, .rate = link.data_rate().value()});
}

/// Those of its queue.
std::vector<WindowShares::Connection*> WindowShares::waiting(std::size_t queue)
{
  std::vector<Connection*> there;
  for (const int index : queues_[queue].busy)
    if (Connection& it = connections_.at(index); it.waits_at == queue)
      there.push_back(&it);
  return there;
}

/// Bytes/s by which a window grows after slow start.
double WindowShares::growth(const Queue& queue, std::size_t connections) const
{
  const double largest = std::max(queue.room / static_cast<double>(connections), smallest_window);
  return control_->growth(largest, queue.room / queue.rate);
}

/// Windows until now.
void WindowShares::grow(std::size_t index, double now)
{
  Queue& queue = queues_[index];
  const double seconds = now - std::exchange(queue.since, now);
  if (seconds <= 0 || queue.busy.empty())
    return;
  const std::vector<Connection*> there = waiting(index);
  double all = 0;
  for (const Connection* it : there)
    all += it->sender.window;
  for (Connection* it : there) {
    TcpSender& sender = it->sender;
    if (sender.window < sender.slow_until) // by what is acknowledged
      sender.window =
          std::min(sender.window * (1 + seconds * queue.rate / all), std::max(sender.slow_until, sender.window));
    else
      sender.window += seconds * growth(queue, there.size());
  }
}

/// What finds the queue full.
void WindowShares::lose(std::size_t index)
{
  const std::vector<Connection*> there = waiting(index);
  double all = 0;
  for (const Connection* it : there)
    all += it->sender.window;
  const double lost = (all - queues_[index].room) / segment_on_line; // segments
  if (lost <= 0)
    return;
  for (Connection* it : there)
    if (TcpSender& sender = it->sender; chance_.uniform() < 1 - std::exp(-lost * sender.window / all))
      sender.window = sender.slow_until = std::max(sender.window * control_->kept_share(), smallest_window);
}

/// Shares of those that wait here, and when they change next.
void WindowShares::look_ahead(std::size_t index, double now)
{
  Queue& queue = queues_[index];
  std::erase(expecting_, index);
  queue.next = infinite;
  if (queue.busy.empty())
    return;
  const std::vector<Connection*> there = waiting(index);
  if (there.empty())
    return;
  double all = 0, grows = 0;
  bool starts = false;
  for (const Connection* it : there)
    all += it->sender.window;
  for (const Connection* it : there) {
    const bool slow_start = it->sender.window < it->sender.slow_until;
    starts = starts || slow_start;
    grows += slow_start ? it->sender.window / all * queue.rate : growth(queue, there.size());
  }
  double seconds = std::max(queue.room - all, 0.0) / grows + queue.room / queue.rate;
  if (starts)
    seconds = std::min(seconds, all / queue.rate);
  queue.next = now + seconds;
  expecting_.push_back(index);
  const double mean = all / static_cast<double>(there.size());
  for (const int connection : queue.busy)
    if (Connection& it = connections_.at(connection); it.waits_at == index) {
      it.sender.round_trip = std::min(all, queue.room) / queue.rate;
      if (const double share = it.sender.window / mean; std::exchange(it.share, share) != share)
        changed_.push_back(connection);
    }
}

/// Who sends over its queues changes: windows until now.
void WindowShares::stir(const Connection& connection, double now)
{
  const auto touch = [&](std::size_t queue) {
    if (!std::exchange(queues_[queue].stirred, true)) {
      stirred_.push_back(queue);
      grow(queue, now);
    }
  };
  for (const std::size_t queue : connection.queues) {
    touch(queue);
    for (const int other : queues_[queue].busy)
      for (const std::size_t its : connections_.at(other).queues)
        touch(its);
  }
}

/// Who sends over its queues has changed: each waits where most others per bandwidth do.
void WindowShares::settle(const Connection& connection, double now)
{
  const auto share = [this](std::size_t queue) {
    return queues_[queue].rate / static_cast<double>(queues_[queue].busy.size());
  };
  for (const std::size_t queue : connection.queues)
    for (const int other : queues_[queue].busy) {
      Connection& it = connections_.at(other);
      it.waits_at = *std::ranges::min_element(it.queues, {}, share);
    }
  for (const std::size_t queue : std::exchange(stirred_, {})) {
    queues_[queue].stirred = false;
    look_ahead(queue, now);
  }
}

void WindowShares::begin(int connection, const std::vector<int>& links, double now)
{
  if (control_ == nullptr)
    return;
  Connection& it = connections_[connection];
  if (!std::exchange(it.began, true)) {
    for (const int link : links)
      if (const auto index = static_cast<std::size_t>(link); index < queues_.size() && queues_[index].room > 0)
        it.queues.push_back(index);
  } else {
    be_silent(it.sender, now - it.silent_since);
  }
  if (it.queues.empty())
    return;
  stir(it, now);
  it.busy = true;
  for (const std::size_t queue : it.queues)
    queues_[queue].busy.push_back(connection);
  settle(it, now);
}

void WindowShares::end(int connection, double now)
{
  const auto found = connections_.find(connection);
  if (found == connections_.end() || !found->second.busy)
    return;
  Connection& it = found->second;
  stir(it, now);
  it.busy = false;
  it.silent_since = now;
  for (const std::size_t queue : it.queues)
    std::erase(queues_[queue].busy, connection);
  settle(it, now);
}

double WindowShares::next() const
{
  double next = infinite;
  for (const std::size_t queue : expecting_)
    next = std::min(next, queues_[queue].next);
  return next;
}

void WindowShares::change(double now)
{
  for (const std::size_t queue : std::vector{expecting_})
    if (queues_[queue].next <= now) {
      grow(queue, now);
      lose(queue);
      look_ahead(queue, now);
    }
}

std::vector<int> WindowShares::changed()
{
  return std::exchange(changed_, {});
}

double WindowShares::of(int connection) const
{
  const auto found = connections_.find(connection);
  return found == connections_.end() ? 1 : found->second.share;
}

} // namespace trainyard
