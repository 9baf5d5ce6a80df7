// SPDX-License-Identifier: Apache-2.0
// Texts of other people at the two borders of a program: bytes that are no UTF-8 when a file is read, and characters
// that steer a terminal when a text is shown.
#pragma once
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace trainyard {

/// Position of the first byte that is not valid UTF-8 (RFC 3629), or npos.
std::size_t first_invalid_utf8(std::string_view text);

/// With U+FFFD for each byte that is not valid UTF-8; @p replaced hears where each was.
std::string valid_utf8(std::string_view text, const std::function<void(std::size_t at)>& replaced = {});

/// As people can read it: control characters as \x1b, characters that turn the direction of a line as \u202e, bytes
/// that are not UTF-8 as \xfc. Line breaks and tabs stay.
std::string printable(std::string_view text);

/// The same on one line: of a table, or a comment of another format.
std::string one_line(std::string_view text);

/// The start of a style of a terminal: "1" is bold, "0" ends it. No text of a file can be one: only for_terminal()
/// makes an escape code of it.
std::string terminal_style(std::string_view style);

/// The last thing before every terminal: our own styles become escape codes, all else is printable().
std::string for_terminal(std::string_view text);

} // namespace trainyard
