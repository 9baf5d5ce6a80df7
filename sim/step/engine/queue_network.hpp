// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "sim/step/engine/network.hpp"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <queue>
#include <tuple>
#include <utility>
#include <vector>

namespace trainyard {

/// Every link is a first-come first-served queue of turns: messages have turns of at most 4 MB, one after the other, so
/// that those that meet share a link about equally, and small ones do not wait for large ones (deficit round robin,
/// Shreedhar and Varghese, SIGCOMM 1995). A turn passes through its links at once (cut-through) and ends when the last
/// of them is done with it.
class QueueNetwork final : public Network
{
public:
  /// Keeps looking at @p capacities.
  explicit QueueNetwork(const std::vector<double>& capacities) : capacities_{capacities}, free_at_(capacities.size(), 0)
  {
  }

  double now() const override { return now_; }

  void timer(double delay, Callback callback) override
  {
    if (unused_.empty()) {
      unused_.push_back(callbacks_.size());
      callbacks_.emplace_back();
    }
    callbacks_[unused_.back()] = std::move(callback);
    events_.push({now_ + std::max(delay, 0.0), requests_++, unused_.back()});
    unused_.pop_back();
  }

  int flow(const FlowRequest& request, Callback done) override
  {
    const double bytes = std::min(request.bytes, turn);
    double end = now_ + bytes / request.limit;
    for (const int link : *request.links) {
      const auto l = static_cast<std::size_t>(link);
      free_at_[l] = std::max(free_at_[l], now_) + bytes / capacities_[l];
      end = std::max(end, free_at_[l]);
    }
    if (request.bytes <= turn) {
      timer(end - now_, std::move(done));
      return -1;
    }
    FlowRequest rest = request;
    rest.bytes -= turn;
    timer(end - now_, [this, rest, done = std::move(done)]() mutable { flow(rest, std::move(done)); });
    return -1;
  }

  void run(const Callback& begin) override
  {
    begin();
    while (!events_.empty()) {
      const auto [time, request, index] = events_.top();
      events_.pop();
      now_ = time;
      const Callback callback = std::move(callbacks_[index]);
      unused_.push_back(index);
      callback();
    }
  }

private:
  static constexpr double turn = 4e6; // bytes

  using Event = std::tuple<double, std::size_t, std::size_t>; // time, number of the request, callback
  const std::vector<double>& capacities_;
  std::vector<double> free_at_; // by capacity, s
  std::vector<Callback> callbacks_;
  std::vector<std::size_t> unused_; // callbacks
  std::size_t requests_ = 0;
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
  double now_ = 0;
};

} // namespace trainyard
