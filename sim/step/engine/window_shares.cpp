// SPDX-License-Identifier: Apache-2.0
#include "sim/step/engine/window_shares.hpp"

#include <algorithm>
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

double WindowShares::drawn()
{
  const double kept = control_->kept_share();
  return (kept + (1 - kept) * chance_.uniform()) / ((1 + kept) / 2);
}

bool WindowShares::begin(int connection, const std::vector<int>& links, double now)
{
  if (control_ == nullptr)
    return false;
  Connection& it = connections_[connection];
  if (!std::exchange(it.began, true)) {
    for (const int link : links)
      if (const auto index = static_cast<std::size_t>(link); index < queues_.size() && queues_[index].room > 0)
        it.queues.push_back(index);
    it.silent_since = -1;
  }
  if (it.queues.empty())
    return false;
  it.busy = true;
  for (const std::size_t queue : it.queues)
    ++queues_[queue].busy;
  if (it.silent_since < 0 || now - it.silent_since > smallest_timeout)
    it.share = drawn();
  return !std::exchange(it.watched, true);
}

void WindowShares::end(int connection, double now)
{
  const auto found = connections_.find(connection);
  if (found == connections_.end() || !found->second.busy)
    return;
  Connection& it = found->second;
  it.busy = false;
  it.silent_since = now;
  for (const std::size_t queue : it.queues)
    --queues_[queue].busy;
}

double WindowShares::lasts(int connection) const
{
  const Connection& it = connections_.at(connection);
  // Where its share is smallest.
  const auto share = [this](std::size_t queue) { return queues_[queue].rate / std::max(queues_[queue].busy, 1); };
  const Queue& queue = queues_[*std::ranges::min_element(it.queues, {}, share)];
  const double largest = std::max(queue.room / std::max(queue.busy, 1), smallest_window);
  return control_->between_losses(largest, queue.room / queue.rate) / (1 - control_->kept_share());
}

bool WindowShares::change(int connection)
{
  Connection& it = connections_.at(connection);
  if (!it.busy) {
    it.watched = false;
    return false;
  }
  it.share = drawn();
  return true;
}

double WindowShares::of(int connection) const
{
  const auto found = connections_.find(connection);
  return found == connections_.end() ? 1 : found->second.share;
}

} // namespace trainyard
