// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/core/instant.hpp"
#include "sim/cluster/clock.hpp"

#include <compare>
#include <cstdint>

namespace trainyard {

/// GPUs held over time, exact: thousandths of GPUs × nanoseconds.
class GpuTime
{
public:
  constexpr GpuTime() = default;
  /// @p milli: thousandths of GPUs.
  constexpr GpuTime(std::int64_t milli, Instant time) : count_{static_cast<Wide>(milli) * time.count()} {}
  /// GPU-seconds.
  constexpr GpuTime(Seconds whole_gpu) : GpuTime{1000, whole_gpu} {}

  /// 10^-12 GPU-seconds.
  constexpr Wide count() const { return count_; }
  /// GPU-seconds, the nearest double: for priorities, files and the screen.
  constexpr double value() const { return static_cast<double>(count_) / 1e12; }

  constexpr auto operator<=>(const GpuTime&) const = default;
  constexpr GpuTime& operator+=(GpuTime other)
  {
    count_ += other.count_;
    return *this;
  }
  constexpr GpuTime& operator-=(GpuTime other)
  {
    count_ -= other.count_;
    return *this;
  }
  friend constexpr GpuTime operator+(GpuTime a, GpuTime b) { return a += b; }
  friend constexpr GpuTime operator-(GpuTime a, GpuTime b) { return a -= b; }
  /// How long so many whole GPUs are held in this time, rounded down.
  friend constexpr Instant operator/(GpuTime time, int gpus)
  {
    return Instant{static_cast<std::int64_t>(time.count_ / 1000 / gpus)};
  }
  friend constexpr double operator/(GpuTime a, GpuTime b)
  {
    return static_cast<double>(a.count_) / static_cast<double>(b.count_);
  }

private:
  Wide count_ = 0;
};

} // namespace trainyard
