// SPDX-License-Identifier: Apache-2.0
#include "calibrate/token.hpp"

#include "models/core/diagnostics.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <sys/random.h>

namespace trainyard::calibrate {

std::string fresh_token()
{
  std::array<unsigned char, 8> bytes{};
  if (::getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size()))
    throw std::runtime_error{std::string{"the system gives no random numbers for the token: "} + std::strerror(errno)};
  std::string text;
  for (const unsigned char byte : bytes) {
    text += "0123456789abcdef"[byte >> 4U];
    text += "0123456789abcdef"[byte & 15U];
  }
  return text;
}

void check_token(std::string_view token)
{
  const bool plain = std::ranges::all_of(token, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
  });
  if (!plain || token.size() < 8 || token.size() > longest_token)
    throw InputError{"--token: a token has 8 to " + std::to_string(longest_token) + " letters, digits, '-' and '_'"};
}

bool same_token(std::string_view a, std::string_view b)
{
  const auto padded = [](std::string_view text) {
    std::array<unsigned char, longest_token + 1> bytes{};
    std::copy_n(text.begin(), std::min(text.size(), bytes.size()), bytes.begin());
    return bytes;
  };
  const auto first = padded(a), second = padded(b);
  unsigned difference = a.size() == b.size() ? 0U : 1U;
  for (std::size_t i = 0; i < first.size(); ++i)
    difference |= static_cast<unsigned>(first[i] ^ second[i]);
  return difference == 0;
}

} // namespace trainyard::calibrate
