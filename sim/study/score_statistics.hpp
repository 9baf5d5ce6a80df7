// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

namespace trainyard {

/// Errors of one unit (table x strategy family x network), in percent of the measured step time.
struct ErrorSummary {
  int n = 0;
  double median = 0;
  double p90 = 0; // linear interpolation between order statistics (type 7, as numpy)
  double mean = 0;
};

/// NaN entries are left out.
ErrorSummary summarise(std::vector<double> errors_pct);

/// |predicted / measured - 1| in % of step time.
double error_pct(double predicted_step, double measured_step);

} // namespace trainyard
