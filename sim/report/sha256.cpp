// SPDX-License-Identifier: Apache-2.0
#include "sim/report/sha256.hpp"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>

namespace trainyard {
namespace {

using Word = std::uint32_t;

/// First 32 bits of the fractional part of a root.
Word fraction_bits(long double root)
{
  return static_cast<Word>((root - std::floor(root)) * 4294967296.0L);
}

struct Constants {
  std::array<Word, 8> start{};  // from the square roots of the first 8 primes
  std::array<Word, 64> round{}; // from the cube roots of the first 64 primes
};

Constants constants()
{
  Constants result;
  std::size_t found = 0;
  for (int candidate = 2; found < result.round.size(); ++candidate) {
    bool prime = true;
    for (int divisor = 2; divisor * divisor <= candidate; ++divisor)
      prime = prime && candidate % divisor != 0;
    if (!prime)
      continue;
    if (found < result.start.size())
      result.start[found] = fraction_bits(std::sqrt(static_cast<long double>(candidate)));
    result.round[found++] = fraction_bits(std::cbrt(static_cast<long double>(candidate)));
  }
  return result;
}

} // namespace

std::string sha256(std::string_view text)
{
  static const Constants values = constants();
  std::string message{text};
  const std::uint64_t bits = static_cast<std::uint64_t>(text.size()) * 8;
  message += '\x80';
  while (message.size() % 64 != 56)
    message += '\0';
  for (int shift = 56; shift >= 0; shift -= 8)
    message += static_cast<char>((bits >> static_cast<unsigned>(shift)) & 0xFFU);

  std::array<Word, 8> hash = values.start;
  for (std::size_t block = 0; block < message.size(); block += 64) {
    std::array<Word, 64> w{};
    for (std::size_t i = 0; i < 64; ++i)
      w[i / 4] = (w[i / 4] << 8U) | static_cast<unsigned char>(message[block + i]);
    for (std::size_t i = 16; i < 64; ++i) {
      const Word s0 = std::rotr(w[i - 15], 7) ^ std::rotr(w[i - 15], 18) ^ (w[i - 15] >> 3U);
      const Word s1 = std::rotr(w[i - 2], 17) ^ std::rotr(w[i - 2], 19) ^ (w[i - 2] >> 10U);
      w[i] = w[i - 16] + s0 + w[i - 7] + s1;
    }
    auto [a, b, c, d, e, f, g, h] = hash;
    for (std::size_t i = 0; i < 64; ++i) {
      const Word t1 =
          h + (std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25)) + ((e & f) ^ (~e & g)) + values.round[i] + w[i];
      const Word t2 = (std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
      h = g;
      g = f;
      f = e;
      e = d + t1;
      d = c;
      c = b;
      b = a;
      a = t1 + t2;
    }
    const std::array<Word, 8> step{a, b, c, d, e, f, g, h};
    for (std::size_t i = 0; i < 8; ++i)
      hash[i] += step[i];
  }
  std::string result;
  for (const Word word : hash)
    result += fmt::format("{:08x}", word);
  return result;
}

} // namespace trainyard
