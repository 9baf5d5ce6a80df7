// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "sim/step/engine/network.hpp"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <queue>
#include <utility>
#include <vector>

namespace trainyard {

/// Every link is a first-come first-served queue; a message passes through its links at once (cut-through) and ends
/// when the last of them is done with it.
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
    callbacks_.push_back(std::move(callback));
    events_.push({now_ + std::max(delay, 0.0), callbacks_.size() - 1});
  }

  int flow(const FlowRequest& request, Callback done) override
  {
    double end = now_ + request.bytes / request.limit;
    for (const int link : *request.links) {
      const auto l = static_cast<std::size_t>(link);
      free_at_[l] = std::max(free_at_[l], now_) + request.bytes / capacities_[l];
      end = std::max(end, free_at_[l]);
    }
    timer(end - now_, std::move(done));
    return -1;
  }

  void run(const Callback& begin) override
  {
    begin();
    while (!events_.empty()) {
      const auto [time, index] = events_.top();
      events_.pop();
      now_ = time;
      const Callback callback = std::move(callbacks_[index]);
      callback();
    }
  }

private:
  using Event = std::pair<double, std::size_t>;
  const std::vector<double>& capacities_;
  std::vector<double> free_at_; // by capacity, s
  std::vector<Callback> callbacks_;
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
  double now_ = 0;
};

} // namespace trainyard
