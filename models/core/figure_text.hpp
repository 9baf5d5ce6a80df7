// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/core/instant.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace trainyard {

/// Numbers as tables and plots show them.
/// 3 significant digits below 1,000, whole with thousands separators above: "12.3", "1,234".
std::string rate_text(double rate);
/// A whole number with thousands separators: "22", "1,234".
std::string count_text(std::uint64_t count);
/// "12.3 ms", "1.23 s", "456 us", "2.1 h"; "0" for nothing.
std::string time_text(Seconds seconds);
/// The same in the unit of the largest of a column, so that the others compare with it: "0.13 h" below "11.1 h".
std::string time_text(Seconds seconds, Seconds largest);
/// "71 %"
std::string percent_text(double share);

/// A time in s, exact, with as many decimals as there are: "93600", "0.000000001".
std::string exact_seconds(Instant time);

/// A cell of a CSV file: quoted as RFC 4180 asks, where needed.
std::string csv_text(std::string_view text);
/// The same at the end of a line.
void append_csv_text(std::string& line, std::string_view text);

/// Columns that a text takes on a terminal: one for a character, two for one of Chinese, Japanese or Korean.
std::size_t text_width(std::string_view text);

/// What stands behind an estimate that may be off: " ±1.2 %"; " (6.93 to 16.1)" with what @p ends says where the
/// interval is wide; nothing where it is below a thousandth of the mean.
std::string interval_text(double mean, double low, double high, const std::function<std::string()>& ends);

} // namespace trainyard
