// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string_view>

namespace trainyard {

/// One stream of pseudo-random numbers (xoshiro256**, Blackman and Vigna 2018); equal on every machine and build.
///
/// The standard library's distributions differ between implementations, so the few we need are ours.
class RandomStream
{
public:
  explicit RandomStream(std::uint64_t seed);

  std::uint64_t next();
  /// Uniform in [0, 1), 53 random bits.
  double uniform();
  /// Uniform integer in [0, bound), bound >= 1, without bias.
  std::uint64_t below(std::uint64_t bound);
  /// Exponential with the given mean (> 0).
  double exponential(double mean);
  /// Normal by the polar method; deviation >= 0.
  double normal(double mean, double deviation);
  /// Log-normal with the given median (> 0) and the deviation sigma of its logarithm (>= 0).
  double log_normal(double median, double sigma);
  /// Weibull with shape (> 0) and scale (> 0).
  double weibull(double shape, double scale);
  /// Gamma with shape (> 0) and scale (> 0), Marsaglia and Tsang 2000.
  double gamma(double shape, double scale);

private:
  std::uint64_t state_[4] = {};
  double spare_ = 0;
  bool has_spare_ = false;
};

/// Source of named streams: one more draw in one component does not shift the others.
class Random
{
public:
  explicit Random(std::uint64_t seed) : seed_{seed} {}

  /// A stream that depends on the seed and the name only.
  RandomStream stream(std::string_view name) const;
  std::uint64_t seed() const { return seed_; }

private:
  std::uint64_t seed_;
};

} // namespace trainyard
