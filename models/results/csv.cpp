// SPDX-License-Identifier: Apache-2.0
#include "models/results/csv.hpp"

#include "models/core/figure_text.hpp"

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <limits>

namespace trainyard {

const std::string& NumberTexts::operator()(double value)
{
  if (entries_.empty())
    entries_.resize(1024, {std::numeric_limits<double>::quiet_NaN(), {}});
  Entry& entry = entries_[std::bit_cast<std::uint64_t>(value) * 0x9E3779B97F4A7C15U >> 54U];
  if (!(entry.value == value && std::signbit(entry.value) == std::signbit(value)))
    entry = {value, std::isfinite(value) ? fmt::to_string(value) : std::string{}};
  return entry.text;
}

void CsvText::begin_cell()
{
  if (!first_)
    text += ',';
  first_ = false;
}

void CsvText::add(double value, bool in_seconds)
{
  begin_cell();
  if (in_seconds && numbers_.time)
    text += numbers_.time(value);
  else if (numbers_.number)
    text += numbers_.number(value);
  else
    text += shortest_(value);
}

void CsvText::add(const Value& value, std::size_t parts, bool in_seconds)
{
  if (const double* number = std::get_if<double>(&value)) {
    add(*number, in_seconds);
  } else if (const auto* estimate = std::get_if<Estimate>(&value)) {
    for (const double part : {estimate->mean, estimate->low, estimate->high})
      add(part, in_seconds);
  } else if (const auto* spread = std::get_if<Distribution>(&value)) {
    for (const double part : {spread->mean, spread->p50, spread->p95, spread->p99, spread->largest})
      add(part, in_seconds);
  } else if (std::holds_alternative<std::monostate>(value)) {
    for (std::size_t part = 0; part < parts; ++part)
      begin_cell();
  } else {
    begin_cell();
    if (const auto words = words_of(value))
      append_csv_text(text, *words);
    else if (const auto* whole = std::get_if<std::int64_t>(&value))
      text += std::to_string(*whole);
    else
      text += exact_seconds(std::get<Instant>(value));
  }
}

} // namespace trainyard
