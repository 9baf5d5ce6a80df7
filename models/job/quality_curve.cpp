// SPDX-License-Identifier: Apache-2.0
#include "models/job/quality_curve.hpp"

#include "models/core/csv.hpp"
#include "models/core/diagnostics.hpp"
#include "models/core/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>

namespace trainyard {
namespace {

/// Ages at which the curve bends, in between.
std::vector<Seconds> pieces(const QualityCurve& curve, Seconds young, Seconds old)
{
  std::vector<Seconds> ages{young};
  for (const auto& [age, quality] : curve.points)
    if (young < age && age < old)
      ages.push_back(age);
  ages.push_back(old);
  return ages;
}

} // namespace

double QualityCurve::at(Seconds age) const
{
  if (points.empty())
    return floor + (fresh - floor) * std::exp2(-(age / half_life));
  const auto next = std::ranges::lower_bound(points, age, {}, &std::pair<Seconds, double>::first);
  if (next == points.begin())
    return next->second;
  if (next == points.end())
    return points.back().second;
  const auto& [before, quality] = *std::prev(next);
  return quality + (next->second - quality) * ((age - before) / (next->first - before));
}

double QualityCurve::lowest(Seconds young, Seconds old) const
{
  double lowest = at(young);
  for (const Seconds age : pieces(*this, young, old))
    lowest = std::min(lowest, at(age));
  return lowest;
}

Seconds QualityCurve::over(Seconds young, Seconds old) const
{
  if (points.empty()) // the integral of 2^(-a / h) is -h / ln 2 of it
    return floor * (old - young) +
           (half_life / std::numbers::ln2) *
               ((fresh - floor) * (std::exp2(-(young / half_life)) - std::exp2(-(old / half_life))));
  Seconds sum;
  const std::vector<Seconds> ages = pieces(*this, young, old);
  for (std::size_t i = 0; i + 1 < ages.size(); ++i)
    sum += (at(ages[i]) + at(ages[i + 1])) / 2 * (ages[i + 1] - ages[i]);
  return sum;
}

std::vector<std::pair<Seconds, double>> read_quality(const std::filesystem::path& file)
{
  const CsvTable table = read_csv(file);
  const auto fault = [&](int line, const std::string& text) {
    return InputError{fmt::format("{}:{}: {}", file.string(), line, text)};
  };
  if (!table.column("age_h") || !table.column("quality"))
    throw fault(1, "the columns must be age_h,quality");
  std::vector<std::pair<Seconds, double>> points;
  for (const CsvTable::Row& row : table.rows) {
    const std::optional<double> age = as_number<double>(table.cell(row, "age_h"));
    const std::optional<double> quality = as_number<double>(table.cell(row, "quality"));
    if (!age || !(*age >= 0) || !quality || !(*quality >= 0 && *quality <= 1))
      throw fault(row.line, "an age in hours from 0 on and a quality from 0 to 1 are needed");
    if (!points.empty() && Seconds{*age * 3600} <= points.back().first)
      throw fault(row.line, "ages must grow from row to row");
    points.emplace_back(Seconds{*age * 3600}, *quality);
  }
  if (points.empty())
    throw fault(1, "the table has no rows");
  return points;
}

} // namespace trainyard
