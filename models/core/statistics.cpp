// SPDX-License-Identifier: Apache-2.0
#include "models/core/statistics.hpp"

#include <boost/math/distributions/binomial.hpp>
#include <boost/math/distributions/students_t.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace trainyard {
namespace {

// In double alone: Boost's default computes in long double, and sets tables of it up at every start.
using StudentsT =
    boost::math::students_t_distribution<double,
                                         boost::math::policies::policy<boost::math::policies::promote_double<false>>>;

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
  return boost::math::cdf(StudentsT{freedom}, t);
}

double student_t_quantile(double probability, double freedom)
{
  return boost::math::quantile(StudentsT{freedom}, probability);
}

std::size_t most_below_quantile(std::size_t values, double q, double confidence)
{
  return static_cast<std::size_t>(
      boost::math::quantile(boost::math::binomial{static_cast<double>(values), q}, confidence));
}

double quantile(std::vector<double> samples, double q)
{
  if (samples.empty())
    return 0;
  std::ranges::sort(samples);
  const double place = std::clamp(q, 0.0, 1.0) * static_cast<double>(samples.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const std::size_t above = std::min(below + 1, samples.size() - 1);
  return samples[below] + (place - static_cast<double>(below)) * (samples[above] - samples[below]);
}

double standard_error(std::span<const double> values)
{
  const double mean = mean_of(values), count = static_cast<double>(values.size());
  double squares = 0;
  for (const double value : values)
    squares += (value - mean) * (value - mean);
  return std::sqrt(squares / (count - 1) / count);
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
  const double half =
      student_t_quantile((1 + confidence) / 2, n - 1) * deviation_of(values, mean) / std::sqrt(static_cast<double>(n));
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
