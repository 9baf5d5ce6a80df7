// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/core/instant.hpp"

#include <cstdint>
#include <string>

namespace trainyard {

/// Integers that hold the GPU time of the largest clusters in thousandths of GPUs times nanoseconds.
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
  Wide gpu = 0;    // 10^-3 GPU × 10^-9 s
  Wide cpu = 0;    // 10^-3 core × 10^-9 s
  Wide memory = 0; // MiB × 10^-9 s

  void add(const Amount& amount, Instant time)
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

/// GPU-seconds of 10^-12 GPU-seconds, rounded to a double.
constexpr double gpu_seconds(Wide gpu_time)
{
  return static_cast<double>(gpu_time) / 1e12;
}

/// "12:04:10", "day 3 12:04:10" after the start, to the nearest second.
std::string clock_text(Instant time);

} // namespace trainyard
