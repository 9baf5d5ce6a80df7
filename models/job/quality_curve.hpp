// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/core/units.hpp"

#include <filesystem>
#include <utility>
#include <vector>

namespace trainyard {

/// How good a deployed model is (its accuracy, 0 to 1) by the age of its data.
///
/// Either points, with straight lines between them and their first and last values before and behind; or
/// floor + (fresh - floor) 2^(-age / half_life).
struct QualityCurve {
  double fresh = 1, floor = 0;
  Seconds half_life;                              // of what is above the floor
  std::vector<std::pair<Seconds, double>> points; // by age

  bool known() const { return half_life > Seconds{} || !points.empty(); }
  double at(Seconds age) const;
  /// The lowest from age @p young to age @p old.
  double lowest(Seconds young, Seconds old) const;
  /// Quality times time, while the age goes from @p young to @p old.
  Seconds over(Seconds young, Seconds old) const;
};

/// A table with the columns age_h and quality. Throws InputError with the line where it is none.
std::vector<std::pair<Seconds, double>> read_quality(const std::filesystem::path& file);

} // namespace trainyard
