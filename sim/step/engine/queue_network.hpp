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

/// Every link is a first-come first-served queue of turns. A message has turns of at most 4 MB, one after the other. So
/// those that meet share a link about equally, and a small one waits for no more than a turn of each large one (deficit
/// round robin, Shreedhar and Varghese, SIGCOMM 1995). A turn passes through its links at once (cut-through) and ends
/// when the last of them is done with it.
///
/// The size of a turn is assumed. Each turn is an event. Larger turns for larger messages would need fewer, but
/// messages would share links in proportion to their turns.
class QueueNetwork final : public Network
{
public:
  /// Keeps looking at @p capacities.
  explicit QueueNetwork(const std::vector<double>& capacities) : capacities_{capacities}, free_at_(capacities.size(), 0)
  {
  }

  double now() const override { return now_; }

  void timer(double delay, Callback callback) override { end_after(delay, kept({.bytes = 0}, std::move(callback))); }

  int flow(const FlowRequest& request, Callback done) override
  {
    take_turn(kept(request, std::move(done)));
    return -1;
  }

  void run(const Callback& begin) override
  {
    begin();
    while (!events_.empty()) {
      const auto [time, request, index] = events_.top();
      events_.pop();
      now_ = time;
      if (pending_[index].rest.bytes > 0) {
        take_turn(index);
        continue;
      }
      const Callback callback = std::move(pending_[index].then);
      unused_.push_back(index);
      callback();
    }
  }

private:
  static constexpr double turn = 4e6; // bytes

  /// What comes when the last turn of a message has ended, or a timer.
  struct Pending {
    FlowRequest rest; // of the message, to be sent
    Callback then;
  };

  std::size_t kept(const FlowRequest& message, Callback then)
  {
    if (unused_.empty()) {
      unused_.push_back(pending_.size());
      pending_.emplace_back();
    }
    const std::size_t index = unused_.back();
    unused_.pop_back();
    pending_[index] = {message, std::move(then)};
    return index;
  }

  void end_after(double delay, std::size_t index) { events_.push({now_ + std::max(delay, 0.0), requests_++, index}); }

  void take_turn(std::size_t index)
  {
    FlowRequest& message = pending_[index].rest;
    const double bytes = std::min(message.bytes, turn);
    double end = now_ + bytes / message.limit;
    for (const int link : *message.links) {
      const auto l = static_cast<std::size_t>(link);
      free_at_[l] = std::max(free_at_[l], now_) + bytes / capacities_[l];
      end = std::max(end, free_at_[l]);
    }
    message.bytes -= bytes;
    end_after(end - now_, index);
  }

  using Event = std::tuple<double, std::size_t, std::size_t>; // time, number of the request, pending
  const std::vector<double>& capacities_;
  std::vector<double> free_at_; // by capacity, s
  std::vector<Pending> pending_;
  std::vector<std::size_t> unused_; // of pending_
  std::size_t requests_ = 0;
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
  double now_ = 0;
};

} // namespace trainyard
