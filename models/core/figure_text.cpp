// SPDX-License-Identifier: Apache-2.0
#include "models/core/figure_text.hpp"

#include "models/core/eight_characters.hpp"

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
  const double value = seconds.value();
  if (!std::isfinite(value))
    return "-";
  if (value == 0)
    return "0";
  if (value < 0.9995e-3)
    return three_digits(value * 1e6) + " us";
  if (value < 0.9995)
    return three_digits(value * 1e3) + " ms";
  if (value < 600)
    return three_digits(value) + " s";
  if (value < 36000)
    return three_digits(value / 60) + " min";
  return three_digits(value / 3600) + " h";
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
  if (eight_characters::none(text, [](std::uint64_t eight) {
        using eight_characters::any;
        return any(eight, ',') | any(eight, '"') | any(eight, '\n') | any(eight, '\r');
      })) {
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
  std::size_t width = 0;
  for (const char c : text)
    width += (static_cast<unsigned char>(c) & 0xC0U) != 0x80U ? 1 : 0;
  return width;
}

} // namespace trainyard
