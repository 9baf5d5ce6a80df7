// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cmath>
#include <compare>

namespace trainyard {

/// A double with a dimension: second^T * byte^B * flop^F. Adding or comparing different dimensions does not compile.
///
/// Use `.value()` (SI base units: s, B, flop) only for input and output: files, SimGrid, the screen.
template <int T, int B, int F>
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

template <int T, int B, int F>
constexpr Quantity<T, B, F> operator+(Quantity<T, B, F> a, Quantity<T, B, F> b)
{
  return a += b;
}

template <int T, int B, int F>
constexpr Quantity<T, B, F> operator-(Quantity<T, B, F> a, Quantity<T, B, F> b)
{
  return a -= b;
}

template <int T, int B, int F>
constexpr Quantity<T, B, F> operator*(Quantity<T, B, F> a, double factor)
{
  return a *= factor;
}

template <int T, int B, int F>
constexpr Quantity<T, B, F> operator*(double factor, Quantity<T, B, F> a)
{
  return a *= factor;
}

template <int T, int B, int F>
constexpr Quantity<T, B, F> operator/(Quantity<T, B, F> a, double divisor)
{
  return a /= divisor;
}

/// Product of two quantities; a plain number where the dimensions cancel.
template <int T1, int B1, int F1, int T2, int B2, int F2>
constexpr auto operator*(Quantity<T1, B1, F1> a, Quantity<T2, B2, F2> b)
{
  if constexpr (T1 + T2 == 0 && B1 + B2 == 0 && F1 + F2 == 0)
    return a.value() * b.value();
  else
    return Quantity<T1 + T2, B1 + B2, F1 + F2>{a.value() * b.value()};
}

/// Quotient of two quantities; a plain number where the dimensions cancel.
template <int T1, int B1, int F1, int T2, int B2, int F2>
constexpr auto operator/(Quantity<T1, B1, F1> a, Quantity<T2, B2, F2> b)
{
  if constexpr (T1 == T2 && B1 == B2 && F1 == F2)
    return a.value() / b.value();
  else
    return Quantity<T1 - T2, B1 - B2, F1 - F2>{a.value() / b.value()};
}

template <int T, int B, int F>
bool is_finite(Quantity<T, B, F> quantity)
{
  return std::isfinite(quantity.value());
}

using Seconds = Quantity<1, 0, 0>;
using Bytes = Quantity<0, 1, 0>;
using Flops = Quantity<0, 0, 1>;
using BytesPerSecond = Quantity<-1, 1, 0>;
using FlopsPerSecond = Quantity<-1, 0, 1>;
using SecondsPerByte = Quantity<1, -1, 0>;

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
