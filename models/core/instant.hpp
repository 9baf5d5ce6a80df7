// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/core/units.hpp"

#include <chrono>
#include <compare>
#include <concepts>
#include <cstdint>
#include <limits>

namespace trainyard {

/// A time since the start of a run, or a time span, in whole nanoseconds: sums and differences are exact. Reaches 146
/// years; what is longer is `end_of_time`, and sums never wrap.
///
/// Seconds become instants by themselves, rounded to the nearest nanosecond; the way back is asked for: seconds().
class Instant
{
public:
  constexpr Instant() = default;
  constexpr explicit Instant(std::int64_t nanoseconds) : count_{nanoseconds} {}
  constexpr Instant(Seconds time) : count_{rounded(time.value() * 1e9)} {}
  template <std::integral Count, class Period>
  constexpr Instant(std::chrono::duration<Count, Period> time)
      : count_{std::chrono::duration<double, std::nano>{time}.count() < static_cast<double>(longest)
                   ? std::chrono::nanoseconds{time}.count()
                   : longest}
  {
  }

  /// Nanoseconds.
  constexpr std::int64_t count() const { return count_; }
  /// Seconds, the nearest double: for priorities, files and the screen.
  constexpr double value() const { return static_cast<double>(count_) / 1e9; }

  constexpr auto operator<=>(const Instant&) const = default;
  constexpr Instant operator-() const { return Instant{-count_}; }
  constexpr Instant& operator+=(Instant other)
  {
    if (__builtin_add_overflow(count_, other.count_, &count_))
      count_ = other.count_ > 0 ? furthest : -furthest;
    return *this;
  }
  constexpr Instant& operator-=(Instant other)
  {
    if (__builtin_sub_overflow(count_, other.count_, &count_))
      count_ = other.count_ < 0 ? furthest : -furthest;
    return *this;
  }
  friend constexpr Instant operator+(Instant a, Instant b) { return a += b; }
  friend constexpr Instant operator-(Instant a, Instant b) { return a -= b; }
  /// What is left after whole periods.
  friend constexpr Instant operator%(Instant time, Instant period) { return Instant{time.count_ % period.count_}; }
  friend constexpr double operator/(Instant a, Instant b)
  {
    return static_cast<double>(a.count_) / static_cast<double>(b.count_);
  }
  template <std::integral Count>
  friend constexpr Instant operator*(Count count, Instant time)
  {
    const auto times = static_cast<std::int64_t>(count);
    std::int64_t product = 0;
    if (__builtin_mul_overflow(times, time.count_, &product))
      product = (times < 0) == (time.count_ < 0) ? furthest : -furthest;
    return Instant{product};
  }
  /// To the nearest nanosecond.
  template <std::floating_point Factor>
  friend constexpr Instant operator*(Factor factor, Instant time)
  {
    return Instant{rounded(static_cast<double>(time.count_) * factor)};
  }
  template <class Factor>
  friend constexpr Instant operator*(Instant time, Factor factor)
  {
    return factor * time;
  }
  template <class Divisor>
  requires std::integral<Divisor> || std::floating_point<Divisor>
  friend constexpr Instant operator/(Instant time, Divisor divisor)
  {
    return Instant{rounded(static_cast<double>(time.count_) / static_cast<double>(divisor))};
  }

private:
  static constexpr std::int64_t furthest = std::numeric_limits<std::int64_t>::max();
  static constexpr std::int64_t longest = furthest / 2;

  static constexpr std::int64_t rounded(double nanoseconds)
  {
    if (!(nanoseconds < static_cast<double>(longest)))
      return longest;
    if (nanoseconds <= -static_cast<double>(longest))
      return -longest;
    const auto whole = static_cast<std::int64_t>(nanoseconds);
    const double rest = nanoseconds - static_cast<double>(whole);
    return whole + (rest >= 0.5 ? 1 : 0) - (rest <= -0.5 ? 1 : 0);
  }

  std::int64_t count_ = 0;
};

inline constexpr Instant end_of_time{std::numeric_limits<std::int64_t>::max() / 2};

constexpr bool is_finite(Instant time)
{
  return time < end_of_time;
}

constexpr Seconds seconds(Instant time)
{
  return Seconds{time.value()};
}

} // namespace trainyard
