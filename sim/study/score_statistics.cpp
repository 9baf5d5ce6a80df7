// SPDX-License-Identifier: Apache-2.0
#include "sim/study/score_statistics.hpp"

#include "models/core/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace trainyard {
ErrorSummary summarise(std::vector<double> errors_pct)
{
  std::erase_if(errors_pct, [](double error) { return !std::isfinite(error); });
  if (errors_pct.empty())
    return {};
  std::ranges::sort(errors_pct);
  return {static_cast<int>(errors_pct.size()), quantile(errors_pct, 0.5), quantile(errors_pct, 0.9),
          std::accumulate(errors_pct.begin(), errors_pct.end(), 0.0) / static_cast<double>(errors_pct.size())};
}

double error_pct(double predicted_step, double measured_step)
{
  return 100 * std::abs(predicted_step / measured_step - 1);
}

} // namespace trainyard
