// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "calibrate/drawing.hpp"
#include "models/cost/profile.hpp"

#include <string>
#include <vector>

namespace trainyard::calibrate {

/// Machine, doubts, constants with error bars, curves with fits, and missing parts, as text.
std::string show_text(const Profile& profile, const std::string& now);

/// One curve: measured medians with quartiles, fit and limit; rate over size, both logarithmic.
Drawing draw_curve(const CalibratedCurve& curve);

/// A constant of two profiles.
struct Difference {
  std::string name;
  std::string unit;
  std::optional<Bounded> before;
  std::optional<Bounded> after;
  double relative = 0;       // after / before - 1
  bool within_bars = false;  // the intervals overlap
  bool within_limit = false; // |relative| <= limit
};

std::vector<Difference> differences(const Profile& before, const Profile& after, double limit);
std::string diff_text(const Profile& before, const Profile& after, double limit);

/// "25.3 us", "1.21 GB/s", "94.8 %", "3.2 TFLOP/s" for a value in base units.
std::string with_unit(double value, const std::string& unit);

} // namespace trainyard::calibrate
