// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <span>
#include <vector>

namespace trainyard {

/// A mean of some values and the interval that holds the true mean at a confidence level.
struct MeanInterval {
  double mean = 0;
  double low = 0;
  double high = 0;
  int values = 0;

  double half_width() const { return (high - low) / 2; }
};

/// Student's t distribution with @p freedom degrees of freedom (>= 1): P(T <= t).
double student_t_probability(double t, double freedom);
/// The t below which the share @p probability (0…1, both excluded) lies.
double student_t_quantile(double probability, double freedom);

/// Of @p values (>= 1) draws, at most so many are below the quantile @p q, with the given confidence at least.
std::size_t most_below_quantile(std::size_t values, double q, double confidence);

/// Quantile q in [0, 1] by linear interpolation; 0 where there are no samples.
double quantile(std::vector<double> samples, double q);

/// Standard error of the mean of at least two values.
double standard_error(std::span<const double> values);

/// Interval of the mean by Student's t. All values equal: the interval is the value. One value: it has no known end,
/// low = -infinity.
MeanInterval mean_interval(std::span<const double> values, double confidence);

/// Two-sided probability of a mean of differences at least as far from 0 where the true mean is 0 (paired t test). All
/// zero: 1. All equal and not zero: 0. One value that is not zero: 1, it says nothing about chance.
double paired_p_value(std::span<const double> differences);

/// Holm's correction (1979): with m tests at once, probabilities such that "one or more of them wrong" keeps the level.
/// Same order as given.
std::vector<double> holm_adjusted(const std::vector<double>& p_values);

/// Spearman's rank correlation, ties with their mean rank; 0 where one side never changes or there are fewer than 3
/// pairs.
double rank_correlation(std::span<const double> a, std::span<const double> b);

} // namespace trainyard
