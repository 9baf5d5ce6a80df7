// SPDX-License-Identifier: Apache-2.0
// The one place that says of an answer how far it may be off.
#pragma once
#include "models/core/message.hpp"
#include "models/results/column.hpp"
#include "models/results/model_error.hpp"
#include "sim/results/results.hpp"

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace trainyard {

/// Errors of the model and chance together: factors from the predicted step to the measured one.
ModelError error_of(const JobRow& row);

/// "low_80": "low end of what is 80 % sure, errors and chance".
std::string end_meaning(const std::string& part);

namespace figure_ends {

/// Of a step, of what grows with it, or of a rate, which is the lower the longer the step takes; nothing where the
/// answer is exact. @p Most: what the figure can be, 0: anything.
template <class Row, auto ErrorOf, auto Figure, auto End, bool Rate, int Most = 0>
std::optional<double> of(const Row& row)
{
  const std::optional<double> figure = Figure(row);
  const ModelError error = figure ? ErrorOf(row) : ModelError{};
  if (!figure || error.units == 0)
    return std::nullopt;
  const double end = Rate ? *figure / error.*End : *figure * error.*End;
  return Most > 0 ? std::min(end, static_cast<double>(Most)) : end;
}

} // namespace figure_ends

/// Puts the ends of a figure's intervals behind its column @p name.
template <auto ErrorOf, auto Figure, WithStep With, int Most = 0, class Row>
void add_ends(std::vector<ResultColumn<Row>>& columns, const std::string& name, unsigned places = in_csv | in_json)
{
  using E = ModelError;
  constexpr bool rate = With == WithStep::as_rate;
  constexpr auto low_95 = rate ? &E::high_95 : &E::low_95, low_80 = rate ? &E::high_80 : &E::low_80,
                 high_80 = rate ? &E::low_80 : &E::high_80, high_95 = rate ? &E::low_95 : &E::high_95;
  const auto column = std::ranges::find(columns, name, &ResultColumn<Row>::name);
  column->with_step = With;
  const std::pair<const char*, std::optional<double> (*)(const Row&)> ends[] = {
      {"low_95", figure_ends::of<Row, ErrorOf, Figure, low_95, rate, Most>},
      {"low_80", figure_ends::of<Row, ErrorOf, Figure, low_80, rate, Most>},
      {"high_80", figure_ends::of<Row, ErrorOf, Figure, high_80, rate, Most>},
      {"high_95", figure_ends::of<Row, ErrorOf, Figure, high_95, rate, Most>}};
  std::vector<ResultColumn<Row>> more;
  for (const auto& [part, end] : ends)
    more.push_back({part_name(name, part), end, column->unit, end_meaning(part), places});
  columns.insert(column + 1, more.begin(), more.end());
}

/// "2,180 to 2,740", what a rate is with 80 %; "exact".
std::string sure_text(double rate, const ModelError& error);

/// How far answers of each of these kinds were off, once.
Messages errors_told(std::span<const ModelError> errors);
Messages errors_told(const std::vector<JobRow>& rows);

} // namespace trainyard
