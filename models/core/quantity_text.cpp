// SPDX-License-Identifier: Apache-2.0
#include "models/core/quantity_text.hpp"

#include "models/core/longest_time.hpp"
#include "models/core/text.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <span>

namespace trainyard {
namespace {

struct Unit {
  std::string_view name;
  double factor;
  bool print = true; // used by to_text
};

constexpr std::array duration_units{Unit{"ns", 1e-9}, Unit{"us", 1e-6}, Unit{"\u00b5s", 1e-6, false},
                                    Unit{"ms", 1e-3}, Unit{"s", 1},     Unit{"min", 60},
                                    Unit{"h", 3600},  Unit{"d", 86400}, Unit{"w", 604800, false}};
constexpr std::array bytes_units{Unit{"B", 1},
                                 Unit{"kB", 1e3},
                                 Unit{"MB", 1e6},
                                 Unit{"GB", 1e9},
                                 Unit{"TB", 1e12},
                                 Unit{"KiB", 1024, false},
                                 Unit{"MiB", 1048576, false},
                                 Unit{"GiB", 1073741824, false},
                                 Unit{"TiB", 1099511627776, false}};
constexpr std::array bandwidth_units{Unit{"B/s", 1},
                                     Unit{"kB/s", 1e3},
                                     Unit{"MB/s", 1e6},
                                     Unit{"GB/s", 1e9},
                                     Unit{"TB/s", 1e12},
                                     Unit{"KiB/s", 1024, false},
                                     Unit{"MiB/s", 1048576, false},
                                     Unit{"GiB/s", 1073741824, false},
                                     Unit{"TiB/s", 1099511627776, false},
                                     Unit{"bit/s", 1.0 / 8, false},
                                     Unit{"kbit/s", 1e3 / 8, false},
                                     Unit{"Mbit/s", 1e6 / 8, false},
                                     Unit{"Gbit/s", 1e9 / 8, false},
                                     Unit{"Tbit/s", 1e12 / 8, false}};
constexpr std::array flops_units{Unit{"flop", 1},           Unit{"Mflop", 1e6},        Unit{"Gflop", 1e9},
                                 Unit{"Tflop", 1e12},       Unit{"Pflop", 1e15},       Unit{"FLOP", 1, false},
                                 Unit{"MFLOP", 1e6, false}, Unit{"GFLOP", 1e9, false}, Unit{"TFLOP", 1e12, false},
                                 Unit{"PFLOP", 1e15, false}};
constexpr std::array flops_rate_units{Unit{"flop/s", 1},
                                      Unit{"Mflop/s", 1e6},
                                      Unit{"GFLOP/s", 1e9},
                                      Unit{"TFLOP/s", 1e12},
                                      Unit{"PFLOP/s", 1e15},
                                      Unit{"Gflop/s", 1e9, false},
                                      Unit{"Tflop/s", 1e12, false},
                                      Unit{"Pflop/s", 1e15, false},
                                      Unit{"TFLOPS", 1e12, false},
                                      Unit{"GFLOPS", 1e9, false}};
constexpr std::array power_units{Unit{"W", 1}, Unit{"kW", 1e3}, Unit{"MW", 1e6}};
constexpr std::array money_rate_units{Unit{"$/h", 1}, Unit{"USD/h", 1, false}, Unit{"$/month", 1 / 730.0, false}};
constexpr std::array money_units{Unit{"$", 1}, Unit{"USD", 1, false}};
constexpr std::array ratio_units{Unit{"%", 0.01, false}, Unit{"x", 1, false}};
constexpr std::array temperature_units{Unit{"C", 1}, Unit{"\u00b0C", 1, false}};

struct Kind {
  std::string_view what;
  std::span<const Unit> units;
  std::string_view example;
};

Kind describe(QuantityKind kind)
{
  switch (kind) {
  case QuantityKind::duration:
    return {"duration", duration_units, "5 ms"};
  case QuantityKind::bytes:
    return {"number of bytes", bytes_units, "16 GiB"};
  case QuantityKind::bandwidth:
    return {"bandwidth", bandwidth_units, "25 Gbit/s"};
  case QuantityKind::flops:
    return {"number of operations", flops_units, "8 Gflop"};
  case QuantityKind::flops_rate:
    return {"computing rate", flops_rate_units, "15.7 TFLOP/s"};
  case QuantityKind::power:
    return {"power", power_units, "300 W"};
  case QuantityKind::money_rate:
    return {"price per hour", money_rate_units, "2.5 $/h"};
  case QuantityKind::money:
    return {"price", money_units, "100 $"};
  case QuantityKind::temperature:
    return {"temperature", temperature_units, "60 C"};
  case QuantityKind::ratio:
    break;
  }
  return {"ratio", ratio_units, "0.9"};
}

std::string significant(double value, int digits)
{
  std::array<char, 64> text{}; // as printf's %g, with a point in every locale: 4,022 GB would be read as thousands
  return {text.data(),
          std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::general, std::min(digits, 40))
              .ptr};
}

QuantityText wrong(std::string message)
{
  return {0, std::move(message)};
}

} // namespace

QuantityText parse_quantity(std::string_view text, QuantityKind kind)
{
  const Kind expected = describe(kind);
  const std::string_view whole = trimmed(text);
  const std::string shown{whole.substr(0, 40)};
  double number = 0;
  const auto [end, status] = std::from_chars(whole.data(), whole.data() + whole.size(), number);
  if (status == std::errc::result_out_of_range || (status == std::errc{} && !std::isfinite(number)))
    return wrong("'" + shown + "' is out of range");
  if (status != std::errc{})
    return wrong("'" + shown + "' is not a " + std::string{expected.what} + "; write for example '" +
                 std::string{expected.example} + "'");
  const std::string_view unit = trimmed(whole.substr(static_cast<std::size_t>(end - whole.data())));
  if (unit.empty()) {
    if (kind == QuantityKind::ratio)
      return {number, {}};
    return wrong("'" + shown + "' has no unit; a " + std::string{expected.what} + " is written like '" +
                 std::string{expected.example} + "'");
  }
  for (const Unit& known : expected.units)
    if (unit == known.name)
      return {number * known.factor, {}};
  if (kind == QuantityKind::bandwidth && (unit == "Gbps" || unit == "Mbps" || unit == "GBps" || unit == "MBps"))
    return wrong("unit '" + std::string{unit} +
                 "' can mean bits or bytes; write 'Gbit/s' for bits or 'GB/s' for bytes");
  std::string names;
  for (const Unit& known : expected.units)
    names += (names.empty() ? "" : ", ") + std::string{known.name};
  return wrong("unknown unit '" + std::string{unit.substr(0, 40)} + "' for a " + std::string{expected.what} +
               "; known: " + names);
}

QuantityText parse_time(std::string_view text)
{
  QuantityText time = parse_quantity(text, QuantityKind::duration);
  if (time && time.value > longest_time.value())
    time.error = beyond_longest_time;
  return time;
}

std::string to_text(double value, QuantityKind kind, int digits)
{
  const Kind known = describe(kind);
  const Unit* best = nullptr;
  for (const Unit& unit : known.units) {
    if (!unit.print)
      continue;
    if (best == nullptr || std::abs(value) >= unit.factor * 0.9999999)
      best = &unit;
  }
  if (best == nullptr)
    return significant(value, digits);
  if (value == 0)
    for (const Unit& unit : known.units)
      if (unit.factor == 1)
        best = &unit;
  return significant(value / best->factor, digits) + ' ' + std::string{best->name};
}

std::string to_text(Seconds seconds)
{
  return to_text(seconds.value(), QuantityKind::duration, 4);
}

std::string to_text(Bytes bytes)
{
  return to_text(bytes.value(), QuantityKind::bytes, 4);
}

std::string to_text(BytesPerSecond bandwidth)
{
  return to_text(bandwidth.value(), QuantityKind::bandwidth, 4);
}

namespace {

constexpr std::array kind_names{
    std::pair{QuantityKind::duration, "duration"},       std::pair{QuantityKind::bytes, "bytes"},
    std::pair{QuantityKind::bandwidth, "bandwidth"},     std::pair{QuantityKind::flops, "flops"},
    std::pair{QuantityKind::flops_rate, "flops_rate"},   std::pair{QuantityKind::power, "power"},
    std::pair{QuantityKind::money_rate, "money_rate"},   std::pair{QuantityKind::money, "money"},
    std::pair{QuantityKind::temperature, "temperature"}, std::pair{QuantityKind::ratio, "ratio"}};

} // namespace

std::vector<std::string> unit_names(QuantityKind kind)
{
  std::vector<std::string> names;
  for (const Unit& unit : describe(kind).units)
    names.emplace_back(unit.name);
  return names;
}

std::string kind_name(QuantityKind kind)
{
  for (const auto& [known, name] : kind_names)
    if (known == kind)
      return name;
  return {};
}

std::optional<QuantityKind> kind_of_name(const std::string& name)
{
  for (const auto& [kind, known] : kind_names)
    if (name == known)
      return kind;
  return std::nullopt;
}

} // namespace trainyard
