// SPDX-License-Identifier: Apache-2.0
#include "models/results/model_error.hpp"

#include "models/core/csv.hpp"
#include "models/core/data_folder.hpp"
#include "models/core/diagnostics.hpp"
#include "models/core/text.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <utility>

namespace trainyard {

namespace {

/// No published table repeats a step: another run is taken to be up to 5 % off in 8 of 10 cases, the least half width
/// of all kinds (LEAST of results/make_error_model.py), by a Laplace distribution as of errors of one system. The
/// prediction is inside.
ModelError measured_again(double off)
{
  constexpr double half_80 = 0.05;
  const double own = half_80 / std::log(5.0), half_95 = own * std::log(20.0);
  ModelError error{.shared = 0, .own = own, .units = 1, .kind = "measured"};
  error.middle = off;
  error.low_95 = std::min(off * std::exp(-half_95), 1.0);
  error.low_80 = std::min(off * std::exp(-half_80), 1.0);
  error.high_80 = std::max(off * std::exp(half_80), 1.0);
  error.high_95 = std::max(off * std::exp(half_95), 1.0);
  return error;
}

} // namespace

double ModelError::deviation() const
{
  constexpr double half_of_80 = 1.2816;
  return std::log(high_80 / low_80) / 2 / half_of_80;
}

ModelError ModelError::beside_chance(double half_width) const
{
  const double chance = std::log1p(half_width), share_80 = 1.2816 / 1.96; // of a normal distribution
  const auto end = [&](double factor, double share) {
    const double sum = std::hypot(std::log(factor / middle), share * chance);
    return middle * std::exp(factor < middle ? -sum : sum);
  };
  ModelError both = *this;
  both.low_95 = end(std::min(low_95, std::nextafter(middle, 0)), 1);
  both.low_80 = end(std::min(low_80, std::nextafter(middle, 0)), share_80);
  both.high_80 = end(high_80, share_80);
  both.high_95 = end(high_95, 1);
  return both;
}

double ModelError::share_below(double factor) const
{
  constexpr std::array<double, 5> levels = {0.025, 0.1, 0.5, 0.9, 0.975};
  const std::array<double, 5> ends = {low_95, low_80, middle, high_80, high_95};
  if (factor < ends.front())
    return levels.front();
  for (std::size_t i = 1; i < ends.size(); ++i)
    if (factor < ends[i])
      return levels[i - 1] +
             (levels[i] - levels[i - 1]) * std::log(factor / ends[i - 1]) / std::log(ends[i] / ends[i - 1]);
  return levels.back();
}

ModelErrors ModelErrors::read(const std::filesystem::path& file)
{
  const CsvTable table = read_csv(file);
  const auto fail = [&](int line, const std::string& why) {
    throw InputError{fmt::format("{}:{}: {}; results/make_error_model.py writes this file", table.file, line, why)};
  };
  constexpr std::array<std::pair<const char*, double ModelError::*>, 7> columns = {{{"low_95", &ModelError::low_95},
                                                                                    {"low_80", &ModelError::low_80},
                                                                                    {"middle", &ModelError::middle},
                                                                                    {"high_80", &ModelError::high_80},
                                                                                    {"high_95", &ModelError::high_95},
                                                                                    {"shared", &ModelError::shared},
                                                                                    {"own", &ModelError::own}}};
  ModelErrors errors;
  for (const CsvTable::Row& row : table.rows) {
    const auto number = [&](const char* name) {
      const double value = as_number<double>(table.cell(row, name)).value_or(-1);
      if (!(value >= 0 && std::isfinite(value)))
        fail(row.line, fmt::format("'{}' is '{}', and no number from 0 on", name, table.cell(row, name)));
      return value;
    };
    ModelError error;
    for (const auto& [name, member] : columns)
      error.*member = number(name);
    if (!(error.low_95 > 0 && error.low_95 <= error.low_80 && error.low_80 <= error.middle &&
          error.middle <= error.high_80 && error.high_80 <= error.high_95))
      fail(row.line, "the ends of the intervals are not in order");
    error.units = static_cast<int>(number("units"));
    error.kind = table.cell(row, "kind");
    if (!errors.rows_[table.cell(row, "kind")].emplace(number("size_from"), error).second)
      fail(row.line, fmt::format("kind '{}' has this size twice", table.cell(row, "kind")));
  }
  for (const auto& [kind, sizes] : errors.rows_)
    if (sizes.begin()->first > 0)
      fail(1, fmt::format("kind '{}' has no row for size_from 0", kind));
  if (!errors.rows_.contains(""))
    fail(1, "there is no row for all kinds together");
  return errors;
}

const ModelError& ModelErrors::row_of(std::string_view name, double size) const
{
  auto found = rows_.find(name);
  while (found == rows_.end()) { // the row of all kinds is always there
    const std::size_t space = name.rfind(' ');
    name = name.substr(0, space == std::string_view::npos ? 0 : space);
    found = rows_.find(name);
  }
  return std::prev(found->second.upper_bound(size))->second;
}

ModelError ModelErrors::of(const AnswerKind& kind) const
{
  constexpr std::string_view with_row = "row ";
  if (kind.name.empty())
    return {};
  if (kind.name == "measured")
    return measured_again(kind.size);
  const ModelError& found = row_of(kind.name, kind.size);
  if (!kind.name.starts_with(with_row))
    return found;
  const ModelError& without = row_of(std::string_view{kind.name}.substr(with_row.size()), kind.size);
  const bool narrower = found.high_80 / found.low_80 < without.high_80 / without.low_80 &&
                        found.high_95 / found.low_95 < without.high_95 / without.low_95;
  return narrower ? found : without;
}

double surely_longer(double ratio, double scale)
{
  return scale > 0 ? 1 - std::exp(-std::log(std::max(ratio, 1.0)) / scale) / 2 : 1;
}

double scale_between(const ModelError& a, const ModelError& b)
{
  return std::hypot(std::max(a.own, b.own), std::hypot(a.shared, b.shared) / std::sqrt(2));
}

Expected expected_of(std::span<const double> steps, double chosen, double own)
{
  // The steps that were found stand for those that there are; a normal error of each leads from one to the chosen.
  double weights = 0, sum = 0;
  Expected expected;
  for (const double step : steps) {
    const double away = own > 0 ? std::log(step / chosen) / own : 0;
    const double weight = std::exp(-away * away / 2);
    weights += weight;
    sum += weight * step;
    expected.others += step < chosen || surely_longer(step / chosen, own) < decided ? 1 : 0;
  }
  expected.step = weights > 0 ? std::max(sum / weights, chosen) : chosen;
  expected.others -= expected.others > 0 ? 1 : 0;
  return expected;
}

const ModelErrors& model_errors()
{
  static const ModelErrors errors = ModelErrors::read(data_folder() / "results" / "error_model.csv");
  return errors;
}

} // namespace trainyard
