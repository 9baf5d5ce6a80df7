// SPDX-License-Identifier: Apache-2.0
// Texts looked through eight characters at a time, in one number.
#pragma once
#include <cstdint>
#include <cstring>
#include <string_view>

namespace trainyard::eight_characters {

inline constexpr std::uint64_t ones = 0x0101010101010101U, tops = 0x8080808080808080U;

/// Eight times the character.
constexpr std::uint64_t all(char c)
{
  return ones * static_cast<unsigned char>(c);
}

/// Among `tops` a bit is set if and only if one of the eight is this character.
constexpr std::uint64_t any(std::uint64_t eight, char c)
{
  const std::uint64_t other = eight ^ all(c);
  return (other - ones) & ~other;
}

/// Whether @p unlike sets none of `tops` for any eight characters of the text; the last ones are filled up with blanks.
template <class Unlike>
bool none(std::string_view text, const Unlike& unlike)
{
  std::uint64_t found = 0;
  for (; text.size() >= sizeof found; text.remove_prefix(sizeof found)) {
    std::uint64_t eight = 0;
    std::memcpy(&eight, text.data(), sizeof eight);
    found |= unlike(eight);
  }
  std::uint64_t rest = all(' ');
  for (const char c : text)
    rest = rest << 8U | static_cast<unsigned char>(c);
  return ((found | unlike(rest)) & tops) == 0;
}

} // namespace trainyard::eight_characters
