// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/core/instant.hpp"

#include <chrono>
#include <cmath>
#include <cstdint>
#include <string>

namespace trainyard {

/// Time of a cluster in whole microseconds: sums of it are exact, so that accounts close to the last digit. Reaches
/// 292,000 years.
using Micros = std::chrono::microseconds;

constexpr Micros never = Micros::max();

inline Micros to_micros(Seconds seconds)
{
  return Micros{std::llround(seconds.value() * 1e6)};
}

/// Whole microseconds; what is less is left out.
constexpr Micros to_micros(Instant time)
{
  return Micros{time.count() / 1000};
}

constexpr Seconds to_seconds(Micros time)
{
  return Seconds{static_cast<double>(time.count()) * 1e-6};
}

/// Integers that hold the GPU time of the largest clusters in thousandths of GPUs times microseconds.
__extension__ using Wide = __int128;

/// What is held or free at one moment.
struct Amount {
  std::int64_t gpu_milli = 0;
  std::int64_t cpu_milli = 0;
  std::int64_t memory_mib = 0;

  Amount& operator+=(const Amount& other)
  {
    gpu_milli += other.gpu_milli;
    cpu_milli += other.cpu_milli;
    memory_mib += other.memory_mib;
    return *this;
  }
  Amount& operator-=(const Amount& other)
  {
    gpu_milli -= other.gpu_milli;
    cpu_milli -= other.cpu_milli;
    memory_mib -= other.memory_mib;
    return *this;
  }
  bool operator==(const Amount&) const = default;
};

/// Amounts held over time, exact.
struct AmountTime {
  Wide gpu = 0;    // 10^-3 GPU × 10^-6 s
  Wide cpu = 0;    // 10^-3 core × 10^-6 s
  Wide memory = 0; // MiB × 10^-6 s

  void add(const Amount& amount, Micros time)
  {
    gpu += static_cast<Wide>(amount.gpu_milli) * time.count();
    cpu += static_cast<Wide>(amount.cpu_milli) * time.count();
    memory += static_cast<Wide>(amount.memory_mib) * time.count();
  }
  AmountTime& operator+=(const AmountTime& other)
  {
    gpu += other.gpu;
    cpu += other.cpu;
    memory += other.memory;
    return *this;
  }
  bool operator==(const AmountTime&) const = default;
};

/// The number with its last @p digits digits behind the point: exact_text(1500, 3) = "1.500".
std::string exact_text(Wide value, int digits);

/// GPU-seconds of a GPU time, rounded to a double.
constexpr double gpu_seconds(Wide gpu_time)
{
  return static_cast<double>(gpu_time) * 1e-9;
}

/// "12:04:10", "2 d 12:04:10" after the start; fractions of a second are cut.
std::string clock_text(Micros time);

} // namespace trainyard
