// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/core/units.hpp"
#include "sim/app/command.hpp"
#include "sim/study/point_evaluator.hpp"

#include <functional>
#include <string>

namespace trainyard::app {

/// What a command is about to do.
struct Effort {
  std::string what;  // "1,000,000 designs"
  Seconds time;      // of all of it
  double bytes = 0;  // that it holds at once
  std::string fewer; // how to ask for less: "give fewer --samples"
  bool at_least = false;
};

/// --yes
Option yes_option();

/// Returns at once if the effort is small: below ten minutes and 2 GB. Otherwise says what it is and goes on with
/// --yes, or asks on a terminal. Throws InputError where nobody can answer, or the answer is no.
void agree(const Arguments& arguments, const Effort& effort);

/// Below so many simulations nothing is estimated; the progress shows enough.
inline constexpr double small_study = 1000;

/// The same for @p runs simulations by @p workers processes, each at least as long as that of @p point, which is
/// simulated here. @p bytes_each: what a study keeps of each, besides its figures. @p what: what there are @p count of.
struct StudyEffort {
  double count = 0;
  std::string what;
  double runs = 0;
  int workers = 1;
  double bytes_each = 0;
  std::string fewer;
};
void agree(const Arguments& arguments, const StudyEffort& study, const PointEvaluator& evaluator,
           const std::function<SweepPoint()>& point);

/// Memory of a part of a document.
double bytes_of(const DocumentNode& node);

} // namespace trainyard::app
