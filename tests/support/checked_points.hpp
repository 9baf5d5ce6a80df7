// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "sim/run/simulate.hpp"

#include <string>
#include <vector>

namespace trainyard::tests {

/// The points of a scenario; throws InputError with its faults.
inline std::vector<CheckedPoint> checked_points(const std::string& text, const std::string& file)
{
  Diagnostics diagnostics;
  const Document document = parse_document(text, file, diagnostics);
  diagnostics.throw_if_errors();
  std::vector<CheckedPoint> points = check_points(document, diagnostics);
  diagnostics.throw_if_errors();
  return points;
}

} // namespace trainyard::tests
