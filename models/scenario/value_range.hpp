// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/scenario/document.hpp"

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <vector>

namespace trainyard {

/// Values of one path of a sweep: a list as given, or a range written out.
///
/// Ranges: "8..64:8" (step 8), "1..64*2" (each twice the one before), "10..400:10 Gbit/s"; the step is 1 where none is
/// given. As a map: {from: 8, to: 64, step: 8}, {from: 1, to: 64, factor: 2}, {from: 1 us, to: 1 ms, count: 7, scale:
/// log}. A text without ".." and any other map is a list of one. Throws std::invalid_argument with the reason: ends
/// that are not numbers, different units, an empty range, a step in the wrong direction, more than 10^6 values, a
/// scale without a count.
std::vector<DocumentNode> range_values(const DocumentNode& node);

/// A dimension to draw samples from: the ends of a range, or a list of choices.
struct SampledRange {
  double from = 0;
  double to = 0;
  std::string unit;
  bool integer = false; // both ends are whole and without unit
  bool logarithmic = false;
  std::vector<DocumentNode> choices; // not empty: from and to do not count

  /// The value at @p u in [0, 1).
  DocumentNode at(double u) const;
};

/// Reads "A..B", {from, to, scale: log, integer: true}, or a list. Throws as range_values.
SampledRange sampled_range(const DocumentNode& node);

/// JSON Schema of what range_values takes (with @p sampled: sampled_range).
nlohmann::ordered_json range_schema(bool sampled);

/// A list of values as they are written on a command line: "1,2,4", "25,100 Gbit/s" (the last unit counts for all),
/// "8..64:8",
/// "[{mode: ring}, {mode: tree}]". Throws std::invalid_argument.
DocumentNode command_line_values(const std::string& text);

} // namespace trainyard
