// SPDX-License-Identifier: Apache-2.0
#include "models/core/safe_text.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <random>

namespace trainyard {
namespace {

/// Bytes of the character at the beginning of @p text; 0: it is none.
std::size_t length_of_character(std::string_view text)
{
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned lead = byte(0);
  const std::size_t length = lead < 0x80                   ? 1
                             : lead >= 0xC2 && lead < 0xE0 ? 2
                             : lead >= 0xE0 && lead < 0xF0 ? 3
                             : lead >= 0xF0 && lead < 0xF5 ? 4
                                                           : 0;
  if (length == 0 || length > text.size())
    return 0;
  for (std::size_t k = 1; k < length; ++k)
    if ((byte(k) & 0xC0U) != 0x80U)
      return 0;
  // longer than it need be, a half of a pair of UTF-16, beyond U+10FFFF
  const bool wrong = (lead == 0xE0 && byte(1) < 0xA0) || (lead == 0xED && byte(1) > 0x9F) ||
                     (lead == 0xF0 && byte(1) < 0x90) || (lead == 0xF4 && byte(1) > 0x8F);
  return wrong ? 0 : length;
}

std::string code(const char* format, unsigned value)
{
  std::array<char, 16> text{};
  std::snprintf(text.data(), text.size(), format, value);
  return text.data();
}

/// How a character that is not shown as it is reads; empty: as it is.
std::string code_of(std::string_view character)
{
  const auto byte = [&](std::size_t i) -> unsigned { return static_cast<unsigned char>(character[i]); };
  if (character.size() == 1)
    return (byte(0) < 0x20 && byte(0) != '\n' && byte(0) != '\t') || byte(0) == 0x7F ? code("\\x%02x", byte(0)) : "";
  if (character.size() == 2) // U+0080 to U+009F steer as well
    return byte(0) == 0xC2 && byte(1) < 0xA0 ? code("\\x%02x", byte(1)) : "";
  const unsigned number = (byte(0) & 0x0FU) << 12U | (byte(1) & 0x3FU) << 6U | (byte(2) & 0x3FU);
  const bool turns =
      character.size() == 3 && ((number >= 0x202A && number <= 0x202E) || (number >= 0x2066 && number <= 0x2069));
  return turns ? code("\\u%04x", number) : "";
}

/// A byte that is not UTF-8, and a number that nobody can guess.
std::string random_mark()
{
  std::random_device device;
  return "\xFF" + code("%08x", device()) + code("%08x", device());
}

const std::string mark = random_mark(); // before any child is forked: theirs is the same

} // namespace

std::size_t first_invalid_utf8(std::string_view text)
{
  for (std::size_t i = 0; i < text.size();) {
    if (std::uint64_t eight = 0; i + sizeof eight <= text.size()) { // most text is ASCII
      std::memcpy(&eight, text.data() + i, sizeof eight);
      if ((eight & 0x8080808080808080U) == 0) {
        i += sizeof eight;
        continue;
      }
    }
    const std::size_t length = length_of_character(text.substr(i));
    if (length == 0)
      return i;
    i += length;
  }
  return std::string_view::npos;
}

std::string valid_utf8(std::string_view text, const std::function<void(std::size_t)>& replaced)
{
  std::string result;
  for (std::size_t begin = 0;;) {
    const std::size_t bad = first_invalid_utf8(text.substr(begin));
    result += text.substr(begin, bad);
    if (bad == std::string_view::npos)
      return result;
    result += "\uFFFD";
    if (replaced)
      replaced(begin + bad);
    begin += bad + 1;
  }
}

std::string printable(std::string_view text)
{
  std::string result;
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t length = length_of_character(text.substr(i));
    const std::string_view character = text.substr(i, std::max<std::size_t>(length, 1));
    const std::string told =
        length == 0 ? code("\\x%02x", static_cast<unsigned char>(character.front())) : code_of(character);
    result += told.empty() ? character : std::string_view{told};
    i += character.size();
  }
  return result;
}

std::string one_line(std::string_view text)
{
  std::string result = printable(text);
  for (std::size_t at = result.find_first_of("\n\t"); at != std::string::npos; at = result.find_first_of("\n\t", at))
    result.replace(at, 1, result[at] == '\n' ? "\\x0a" : "\\x09");
  return result;
}

std::string terminal_style(std::string_view style)
{
  return mark + std::string{style} + "m";
}

std::string for_terminal(std::string_view text)
{
  std::string result;
  for (std::size_t at = text.find(mark); at != std::string_view::npos; at = text.find(mark)) {
    const std::size_t end = text.find('m', at);
    result += printable(text.substr(0, at)) + "\033[";
    result += text.substr(at + mark.size(), end - at - mark.size() + 1);
    text.remove_prefix(end + 1);
  }
  return result + printable(text);
}

} // namespace trainyard
