#include "sim/study/score_statistics.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace trainyard {
namespace {

double quantile(const std::vector<double>& sorted, double q)
{
  const double position = q * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(position);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return std::lerp(sorted[below], sorted[above], position - static_cast<double>(below));
}

} // namespace

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
