// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/core/units.hpp"
#include "sim/cluster/event_loop.hpp"

#include <functional>
#include <limits>
#include <map>
#include <optional>

namespace trainyard {

/// A link that its transfers share evenly; one that cannot use its share (its own limit is lower) leaves the rest to
/// the others (max-min).
class SharedLink
{
public:
  SharedLink(EventLoop& loop, BytesPerSecond capacity) : loop_{loop}, capacity_{capacity.value()} {}

  /// Starts a transfer; @p done is called at its end. Returns its number. Nothing to send ends at this very instant,
  /// but later than now's caller.
  int start(Bytes bytes, BytesPerSecond limit, std::function<void()> done);
  void stop(int transfer);
  std::size_t transfers() const { return transfers_.size(); }

private:
  struct Transfer {
    double left = 0; // bytes
    double limit = std::numeric_limits<double>::infinity();
    double rate = 0;
    std::function<void()> done;
  };
  void advance();
  void share();

  EventLoop& loop_;
  double capacity_;
  int next_ = 0;
  Instant since_{};
  std::map<int, Transfer> transfers_;
  std::optional<EventLoop::Key> due_;
};

} // namespace trainyard
