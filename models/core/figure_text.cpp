// SPDX-License-Identifier: Apache-2.0
#include "models/core/figure_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace trainyard {
namespace {

constexpr double most_digits = 1e15; // what a double holds exactly; above, an exponent says more than digits

/// Three significant digits without an exponent, unless the number is beyond any real one.
std::string three_digits(double value)
{
  const double size = std::abs(value);
  if (size >= most_digits)
    return fmt::format("{:.2e}", value);
  if (size >= 99.95)
    return fmt::format("{:.0f}", value);
  if (size >= 9.995)
    return fmt::format("{:.1f}", value);
  return fmt::format("{:.2f}", value);
}

} // namespace

std::string rate_text(double rate)
{
  if (!std::isfinite(rate))
    return "-";
  if (std::abs(rate) < 999.5 || std::abs(rate) >= most_digits)
    return three_digits(rate);
  std::string digits = fmt::format("{:.0f}", rate);
  for (std::size_t at = digits.size(); at > 3 && digits[at - 4] != '-';) {
    at -= 3;
    digits.insert(at, ",");
  }
  return digits;
}

std::string count_text(std::uint64_t count)
{
  return count < 1000 ? std::to_string(count) : rate_text(static_cast<double>(count));
}

std::string time_text(Seconds seconds)
{
  return time_text(seconds, seconds);
}

std::string time_text(Seconds seconds, Seconds largest)
{
  const double value = seconds.value(), most = std::abs(largest.value());
  if (!std::isfinite(value))
    return "-";
  if (value == 0)
    return "0";
  const auto in_unit = [](double number) {
    return std::abs(number) < 0.095 ? fmt::format("{:.2g}", number) : three_digits(number);
  };
  if (most < 0.9995e-3)
    return in_unit(value * 1e6) + " us";
  if (most < 0.9995)
    return in_unit(value * 1e3) + " ms";
  if (most < 600)
    return in_unit(value) + " s";
  if (most < 36000)
    return in_unit(value / 60) + " min";
  return in_unit(value / 3600) + " h";
}

std::string percent_text(double share)
{
  return std::isfinite(share) ? fmt::format("{:.0f} %", 100 * share) : std::string{"-"};
}

std::string exact_seconds(Instant time)
{
  const auto whole = time.count() / 1'000'000'000, rest = time.count() % 1'000'000'000;
  if (rest == 0)
    return fmt::format("{}", whole);
  std::string text = fmt::format("{}{}.{:09}", time.count() < 0 && whole == 0 ? "-" : "", whole, std::abs(rest));
  text.erase(text.find_last_not_of('0') + 1);
  return text;
}

void append_csv_text(std::string& line, std::string_view text)
{
  if (std::ranges::none_of(text, [](char c) { return c == ',' || c == '"' || c == '\n' || c == '\r'; })) {
    line += text;
    return;
  }
  line += '"';
  for (std::size_t quote = text.find('"'); quote != std::string_view::npos; quote = text.find('"')) {
    line.append(text.substr(0, quote + 1)) += '"';
    text.remove_prefix(quote + 1);
  }
  line.append(text) += '"';
}

std::string csv_text(std::string_view text)
{
  std::string cell;
  append_csv_text(cell, text);
  return cell;
}

std::size_t text_width(std::string_view text)
{
  const auto byte = [&](std::size_t at) -> unsigned {
    return at < text.size() ? static_cast<unsigned char>(text[at]) : 0U;
  };
  std::size_t width = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if ((byte(i) & 0xC0U) == 0x80U)
      continue; // not the first byte of a character
    ++width;
    if ((byte(i) & 0xF0U) != 0xE0U)
      continue;
    const unsigned code = (byte(i) & 0xFU) << 12U | (byte(i + 1) & 0x3FU) << 6U | (byte(i + 2) & 0x3FU);
    const bool wide = (code >= 0x1100 && code <= 0x115f) || (code >= 0x2e80 && code <= 0xd7a3) ||
                      (code >= 0xf900 && code <= 0xfaff) || (code >= 0xfe30 && code <= 0xfe6f) ||
                      (code >= 0xff00 && code <= 0xff60);
    width += wide ? 1 : 0;
  }
  return width;
}

std::string interval_text(double mean, double low, double high, const std::function<std::string()>& ends)
{
  const double half = (high - low) / 2;
  constexpr double told_by_ends = 0.3; // of the mean: beyond, an interval of ratios reaches much farther up than down
  if (half > told_by_ends * mean)
    return fmt::format(" ({})", ends());
  return half > 0.0005 * mean ? fmt::format(" ±{:.1f} %", 100 * half / mean) : std::string{};
}

} // namespace trainyard
