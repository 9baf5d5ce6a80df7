// SPDX-License-Identifier: Apache-2.0
#include "models/core/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace trainyard {
namespace {

/// Continued fraction of the incomplete beta function, evaluated from the front by Lentz's method.
double beta_fraction(double a, double b, double x)
{
  constexpr double tiny = 1e-300;
  const auto floored = [](double value) { return std::abs(value) < tiny ? tiny : value; };
  double c = 1, d = 1 / floored(1 - (a + b) * x / (a + 1));
  double result = d;
  for (int m = 1; m <= 500; ++m) {
    const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1 / floored(1 + even * d);
    c = floored(1 + even / c);
    result *= d * c;
    const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 / floored(1 + odd * d);
    c = floored(1 + odd / c);
    const double change = d * c;
    result *= change;
    if (std::abs(change - 1) < 1e-14)
      break;
  }
  return result;
}

/// Regularised incomplete beta function I_x(a, b).
double incomplete_beta(double a, double b, double x)
{
  if (x <= 0)
    return 0;
  if (x >= 1)
    return 1;
  const double front = std::exp(std::lgamma(a + b) - std::lgamma(a) - std::lgamma(b) + a * std::log(x) + b * std::log1p(-x));
  if (x < (a + 1) / (a + b + 2)) // the side on which the fraction converges fast
    return front * beta_fraction(a, b, x) / a;
  return 1 - front * beta_fraction(b, a, 1 - x) / b;
}

double mean_of(std::span<const double> values)
{
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double deviation_of(std::span<const double> values, double mean)
{
  double squares = 0;
  for (const double value : values)
    squares += (value - mean) * (value - mean);
  return std::sqrt(squares / static_cast<double>(values.size() - 1));
}

std::vector<double> ranks_of(std::span<const double> values)
{
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return values[i]; });
  std::vector<double> ranks(values.size());
  for (std::size_t first = 0; first < order.size();) {
    std::size_t last = first;
    while (last < order.size() && values[order[last]] == values[order[first]])
      ++last;
    for (std::size_t i = first; i < last; ++i)
      ranks[order[i]] = static_cast<double>(first + last - 1) / 2;
    first = last;
  }
  return ranks;
}

} // namespace

double student_t_probability(double t, double freedom)
{
  const double tail = incomplete_beta(freedom / 2, 0.5, freedom / (freedom + t * t)) / 2;
  return t > 0 ? 1 - tail : tail;
}

double student_t_quantile(double probability, double freedom)
{
  if (probability == 0.5)
    return 0;
  if (probability < 0.5)
    return -student_t_quantile(1 - probability, freedom);
  double low = 0, high = 1;
  while (student_t_probability(high, freedom) < probability && high < 1e12)
    high *= 2;
  for (int i = 0; i < 200 && high - low > 1e-13 * high; ++i) {
    const double middle = (low + high) / 2;
    (student_t_probability(middle, freedom) < probability ? low : high) = middle;
  }
  return (low + high) / 2;
}

MeanInterval mean_interval(std::span<const double> values, double confidence)
{
  constexpr double infinity = std::numeric_limits<double>::infinity();
  if (values.empty())
    return {0, -infinity, infinity, 0};
  const double mean = mean_of(values);
  const int n = static_cast<int>(values.size());
  if (n == 1)
    return {mean, -infinity, infinity, 1};
  if (std::ranges::all_of(values, [&](double value) { return value == values.front(); }))
    return {values.front(), values.front(), values.front(), n};
  const double half = student_t_quantile((1 + confidence) / 2, n - 1) * deviation_of(values, mean) / std::sqrt(static_cast<double>(n));
  return {mean, mean - half, mean + half, n};
}

double paired_p_value(std::span<const double> differences)
{
  if (differences.empty() || std::ranges::all_of(differences, [](double d) { return d == 0; }))
    return 1;
  if (differences.size() == 1)
    return 1;
  const double mean = mean_of(differences);
  const double deviation = deviation_of(differences, mean);
  if (deviation <= 1e-12 * std::abs(mean))
    return 0;
  const double n = static_cast<double>(differences.size());
  return 2 * student_t_probability(-std::abs(mean) / (deviation / std::sqrt(n)), n - 1);
}

std::vector<double> holm_adjusted(const std::vector<double>& p_values)
{
  std::vector<std::size_t> order(p_values.size());
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return p_values[i]; });
  std::vector<double> adjusted(p_values.size());
  double largest = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    largest = std::max(largest, std::min(1.0, p_values[order[i]] * static_cast<double>(order.size() - i)));
    adjusted[order[i]] = largest;
  }
  return adjusted;
}

double rank_correlation(std::span<const double> a, std::span<const double> b)
{
  if (a.size() != b.size() || a.size() < 3)
    return 0;
  const std::vector<double> x = ranks_of(a), y = ranks_of(b);
  const double mean = static_cast<double>(a.size() - 1) / 2;
  double xy = 0, xx = 0, yy = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    xy += (x[i] - mean) * (y[i] - mean);
    xx += (x[i] - mean) * (x[i] - mean);
    yy += (y[i] - mean) * (y[i] - mean);
  }
  return xx > 0 && yy > 0 ? xy / std::sqrt(xx * yy) : 0;
}

} // namespace trainyard
