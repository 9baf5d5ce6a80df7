// SPDX-License-Identifier: Apache-2.0
#include "models/core/random.hpp"

#include <bit>
#include <cmath>

namespace trainyard {
namespace {

/// splitmix64 (Steele, Lea, Flood 2014): spreads a seed over the state.
std::uint64_t mix(std::uint64_t& state)
{
  std::uint64_t z = (state += 0x9E3779B97F4A7C15U);
  z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9U;
  z = (z ^ (z >> 27U)) * 0x94D049BB133111EBU;
  return z ^ (z >> 31U);
}

/// FNV-1a, 64 bit.
std::uint64_t hash(std::string_view text)
{
  std::uint64_t value = 0xCBF29CE484222325U;
  for (const char c : text) {
    value ^= static_cast<unsigned char>(c);
    value *= 0x100000001B3U;
  }
  return value;
}

} // namespace

RandomStream::RandomStream(std::uint64_t seed)
{
  for (std::uint64_t& word : state_)
    word = mix(seed);
}

std::uint64_t RandomStream::next()
{
  const std::uint64_t result = std::rotl(state_[1] * 5, 7) * 9;
  const std::uint64_t shifted = state_[1] << 17U;
  state_[2] ^= state_[0];
  state_[3] ^= state_[1];
  state_[1] ^= state_[2];
  state_[0] ^= state_[3];
  state_[2] ^= shifted;
  state_[3] = std::rotl(state_[3], 45);
  return result;
}

double RandomStream::uniform()
{
  return static_cast<double>(next() >> 11U) * 0x1.0p-53;
}

std::uint64_t RandomStream::below(std::uint64_t bound)
{
  const std::uint64_t rejected = (0 - bound) % bound; // 2^64 mod bound
  std::uint64_t value = next();
  while (value < rejected)
    value = next();
  return value % bound;
}

double RandomStream::exponential(double mean)
{
  return -mean * std::log1p(-uniform());
}

double RandomStream::normal(double mean, double deviation)
{
  if (has_spare_) {
    has_spare_ = false;
    return mean + deviation * spare_;
  }
  double u = 0, v = 0, s = 0;
  do {
    u = 2 * uniform() - 1;
    v = 2 * uniform() - 1;
    s = u * u + v * v;
  } while (s >= 1 || s == 0);
  const double factor = std::sqrt(-2 * std::log(s) / s);
  spare_ = v * factor;
  has_spare_ = true;
  return mean + deviation * u * factor;
}

double RandomStream::log_normal(double median, double sigma)
{
  return median * std::exp(normal(0, sigma));
}

double RandomStream::weibull(double shape, double scale)
{
  return scale * std::pow(-std::log1p(-uniform()), 1 / shape);
}

double RandomStream::gamma(double shape, double scale)
{
  if (shape < 1) {
    const double power = std::pow(1 - uniform(), 1 / shape);
    return gamma(shape + 1, scale) * power;
  }
  const double d = shape - 1.0 / 3;
  const double c = 1 / std::sqrt(9 * d);
  for (;;) {
    const double x = normal(0, 1);
    const double v = std::pow(1 + c * x, 3);
    if (v <= 0)
      continue;
    const double u = 1 - uniform();
    if (std::log(u) < 0.5 * x * x + d - d * v + d * std::log(v))
      return d * v * scale;
  }
}

RandomStream Random::stream(std::string_view name) const
{
  std::uint64_t state = seed_;
  return RandomStream{mix(state) ^ hash(name)};
}

} // namespace trainyard
