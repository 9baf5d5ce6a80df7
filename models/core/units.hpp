// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cmath>
#include <compare>

namespace trainyard {

/// A double with a dimension: the exponents of second, byte, flop, hour, watt and dollar. Adding or comparing different
/// dimensions does not compile. Energy and money are counted in hours, as on bills.
///
/// Use `.value()` (in these units) only for input and output: files, SimGrid, the screen.
template <int... Exponents>
class Quantity
{
public:
  constexpr Quantity() = default;
  constexpr explicit Quantity(double value) : value_{value} {}

  constexpr double value() const { return value_; }

  constexpr auto operator<=>(const Quantity&) const = default;
  constexpr Quantity operator-() const { return Quantity{-value_}; }
  constexpr Quantity& operator+=(Quantity other)
  {
    value_ += other.value_;
    return *this;
  }
  constexpr Quantity& operator-=(Quantity other)
  {
    value_ -= other.value_;
    return *this;
  }
  constexpr Quantity& operator*=(double factor)
  {
    value_ *= factor;
    return *this;
  }
  constexpr Quantity& operator/=(double divisor)
  {
    value_ /= divisor;
    return *this;
  }

private:
  double value_ = 0;
};

template <int... D>
constexpr Quantity<D...> operator+(Quantity<D...> a, Quantity<D...> b)
{
  return a += b;
}

template <int... D>
constexpr Quantity<D...> operator-(Quantity<D...> a, Quantity<D...> b)
{
  return a -= b;
}

template <int... D>
constexpr Quantity<D...> operator*(Quantity<D...> a, double factor)
{
  return a *= factor;
}

template <int... D>
constexpr Quantity<D...> operator*(double factor, Quantity<D...> a)
{
  return a *= factor;
}

template <int... D>
constexpr Quantity<D...> operator/(Quantity<D...> a, double divisor)
{
  return a /= divisor;
}

/// Product of two quantities; a plain number where the dimensions cancel.
template <int... A, int... B>
constexpr auto operator*(Quantity<A...> a, Quantity<B...> b)
{
  if constexpr (((A + B == 0) && ...))
    return a.value() * b.value();
  else
    return Quantity<(A + B)...>{a.value() * b.value()};
}

/// Quotient of two quantities; a plain number where the dimensions cancel.
template <int... A, int... B>
constexpr auto operator/(Quantity<A...> a, Quantity<B...> b)
{
  if constexpr (((A == B) && ...))
    return a.value() / b.value();
  else
    return Quantity<(A - B)...>{a.value() / b.value()};
}

template <int... D>
bool is_finite(Quantity<D...> quantity)
{
  return std::isfinite(quantity.value());
}

using Seconds = Quantity<1, 0, 0, 0, 0, 0>;
using Bytes = Quantity<0, 1, 0, 0, 0, 0>;
using Flops = Quantity<0, 0, 1, 0, 0, 0>;
using BytesPerSecond = Quantity<-1, 1, 0, 0, 0, 0>;
using FlopsPerSecond = Quantity<-1, 0, 1, 0, 0, 0>;
using SecondsPerByte = Quantity<1, -1, 0, 0, 0, 0>;
using Hours = Quantity<0, 0, 0, 1, 0, 0>;
using Watts = Quantity<0, 0, 0, 0, 1, 0>;
using WattHours = Quantity<0, 0, 0, 1, 1, 0>;
using Dollars = Quantity<0, 0, 0, 0, 0, 1>;
using DollarsPerHour = Quantity<0, 0, 0, -1, 0, 1>;

constexpr Hours in_hours(Seconds time)
{
  return Hours{time.value() / 3600};
}

inline namespace literals {

constexpr Seconds operator""_s(long double value)
{
  return Seconds{static_cast<double>(value)};
}
constexpr Seconds operator""_s(unsigned long long value)
{
  return Seconds{static_cast<double>(value)};
}
constexpr Seconds operator""_ms(long double value)
{
  return Seconds{static_cast<double>(value) * 1e-3};
}
constexpr Seconds operator""_ms(unsigned long long value)
{
  return Seconds{static_cast<double>(value) * 1e-3};
}
constexpr Seconds operator""_us(long double value)
{
  return Seconds{static_cast<double>(value) * 1e-6};
}
constexpr Seconds operator""_us(unsigned long long value)
{
  return Seconds{static_cast<double>(value) * 1e-6};
}
constexpr Bytes operator""_B(unsigned long long value)
{
  return Bytes{static_cast<double>(value)};
}
constexpr Bytes operator""_MB(long double value)
{
  return Bytes{static_cast<double>(value) * 1e6};
}
constexpr Bytes operator""_MB(unsigned long long value)
{
  return Bytes{static_cast<double>(value) * 1e6};
}
constexpr Bytes operator""_GB(unsigned long long value)
{
  return Bytes{static_cast<double>(value) * 1e9};
}
constexpr BytesPerSecond operator""_GBps(long double value)
{
  return BytesPerSecond{static_cast<double>(value) * 1e9};
}
constexpr BytesPerSecond operator""_GBps(unsigned long long value)
{
  return BytesPerSecond{static_cast<double>(value) * 1e9};
}
constexpr BytesPerSecond operator""_Gbitps(long double value)
{
  return BytesPerSecond{static_cast<double>(value) * 1e9 / 8};
}
constexpr BytesPerSecond operator""_Gbitps(unsigned long long value)
{
  return BytesPerSecond{static_cast<double>(value) * 1e9 / 8};
}

} // namespace literals

} // namespace trainyard
