// SPDX-License-Identifier: Apache-2.0
// Fits of calibration measurements.
//
// A communication or compute time is close to start_up + size / rate over a range of sizes, but caches, protocol
// changes and buffers bend it. So the sizes are cut into a few ranges, each with a line of its own. Errors are
// relative: a fit that is 5 % off at 64 bytes is as bad as one that is 5 % off at 64 MB.
#include "models/cost/fit.hpp"

#include "models/core/statistics.hpp"

#include "models/core/random.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace trainyard {
namespace {

constexpr int resamples = 200;
constexpr double confidence_tail = 0.025;

struct MedianPoint {
  double size = 0;
  double seconds = 0;
};

struct Line {
  double start_up = 0;
  double rate = 0;
  double squared_error = 0; // sum of squared relative errors
};

/// Least squares of (a + b x - t) / t over points [first, last]; b > 0 and, for the smallest sizes, a >= 0 are kept by
/// fitting again without the other term. Elsewhere a may be negative: a buffer took the first bytes at once.
Line line_through(const std::vector<MedianPoint>& points, std::size_t first, std::size_t last)
{
  double w = 0, wx = 0, wxx = 0, wt = 0, wxt = 0;
  for (std::size_t i = first; i <= last; ++i) {
    const auto [x, t] = points[i];
    const double weight = 1 / (t * t);
    w += weight;
    wx += weight * x;
    wxx += weight * x * x;
    wt += weight * t;
    wxt += weight * x * t;
  }
  const double determinant = w * wxx - wx * wx;
  double a = 0, b = wxt / wxx;
  if (first < last && determinant > 1e-12 * w * wxx) {
    a = (wt * wxx - wx * wxt) / determinant;
    b = (w * wxt - wx * wt) / determinant;
    if (a < 0 && first == 0) {
      a = 0;
      b = wxt / wxx;
    } else if (b <= 0) {
      b = 1e-18; // flat: time does not depend on the size here
      a = wt / w;
    }
  }
  Line line{a, 1 / b, 0};
  for (std::size_t i = first; i <= last; ++i) {
    const double error = (a + b * points[i].size) / points[i].seconds - 1;
    line.squared_error += error * error;
  }
  return line;
}

std::vector<FitPiece> best_pieces(const std::vector<MedianPoint>& points, int most_pieces)
{
  const std::size_t n = points.size();
  if (n == 0)
    return {};
  // A piece has two sizes at least, or three of them once there are enough.
  const std::size_t least = n >= 6 ? 3 : std::min<std::size_t>(n, 2);
  const std::size_t most =
      std::max<std::size_t>(1, std::min<std::size_t>(static_cast<std::size_t>(most_pieces), n / least));
  const double infinity = std::numeric_limits<double>::infinity();
  // cost[k][i]: best error of points 0..i-1 in k pieces
  std::vector<std::vector<double>> cost(most + 1, std::vector<double>(n + 1, infinity));
  std::vector<std::vector<std::size_t>> begin(most + 1, std::vector<std::size_t>(n + 1, 0));
  cost[0][0] = 0;
  for (std::size_t k = 1; k <= most; ++k)
    for (std::size_t i = k * least; i <= n; ++i)
      for (std::size_t j = (k - 1) * least; j + least <= i; ++j) {
        if (cost[k - 1][j] == infinity)
          continue;
        const double total = cost[k - 1][j] + line_through(points, j, i - 1).squared_error;
        if (total < cost[k][i]) {
          cost[k][i] = total;
          begin[k][i] = j;
        }
      }
  std::size_t chosen = 1;
  double best = infinity;
  constexpr double noise_floor = 0.01; // relative: no piece is added to follow less than that
  for (std::size_t k = 1; k <= most; ++k) {
    const double count = static_cast<double>(n);
    const double criterion =
        count * std::log(cost[k][n] / count + noise_floor * noise_floor) + 3 * static_cast<double>(k) * std::log(count);
    if (criterion < best) {
      best = criterion;
      chosen = k;
    }
  }
  std::vector<FitPiece> pieces;
  for (std::size_t k = chosen, end = n; k > 0; --k) {
    const std::size_t first = begin[k][end];
    const Line line = line_through(points, first, end - 1);
    pieces.push_back({points[first].size, points[end - 1].size, line.start_up, line.rate});
    end = first;
  }
  std::ranges::reverse(pieces);
  return pieces;
}

std::vector<MedianPoint> medians(std::span<const SampledPoint> points)
{
  std::vector<MedianPoint> result;
  for (const SampledPoint& point : points)
    if (const double median = quantile(pooled(point.seconds), 0.5); median > 0 && point.size > 0)
      result.push_back({point.size, median});
  std::ranges::sort(result, {}, &MedianPoint::size);
  return result;
}

/// The lines of given ranges through other medians: what a resample changes is the lines, not where they meet.
std::vector<FitPiece> refit(const std::vector<FitPiece>& shape, const std::vector<MedianPoint>& points)
{
  std::vector<FitPiece> pieces;
  for (const FitPiece& piece : shape) {
    std::size_t first = points.size(), last = 0;
    for (std::size_t i = 0; i < points.size(); ++i)
      if (points[i].size >= piece.from && points[i].size <= piece.to) {
        first = std::min(first, i);
        last = i;
      }
    if (first > last)
      return {};
    const Line line = line_through(points, first, last);
    pieces.push_back({piece.from, piece.to, line.start_up, line.rate});
  }
  return pieces;
}

std::size_t draw(RandomStream& random, std::size_t count)
{
  return std::min(count - 1, static_cast<std::size_t>(random.uniform() * static_cast<double>(count)));
}

std::vector<double> resampled(std::span<const std::vector<double>> rounds, RandomStream& random)
{
  std::vector<double> result;
  for (std::size_t r = 0; r < rounds.size(); ++r) {
    const std::vector<double>& round = rounds[draw(random, rounds.size())];
    for (std::size_t i = 0; i < round.size(); ++i)
      result.push_back(round[draw(random, round.size())]);
  }
  return result;
}

Bounded bounded(double value, const std::vector<double>& tries, const std::vector<double>& of_rounds)
{
  Bounded result{value, value, value};
  if (!tries.empty()) {
    result.low = std::min(value, quantile(tries, confidence_tail));
    result.high = std::max(value, quantile(tries, 1 - confidence_tail));
  }
  for (const double round : of_rounds) {
    result.low = std::min(result.low, round);
    result.high = std::max(result.high, round);
  }
  // Samples of one round agree with each other better than rounds do, so the rounds are the blocks: Student's interval
  // of their mean, of logarithms where it can be. Two rounds alone would give bars of six times their distance: they
  // keep their ends.
  if (of_rounds.size() < 3)
    return result;
  const bool ratios = value > 0 && std::ranges::all_of(of_rounds, [](double round) { return round > 0; });
  std::vector<double> scaled = of_rounds;
  if (ratios)
    std::ranges::transform(scaled, scaled.begin(), [](double x) { return std::log(x); });
  const double half = student_t_quantile(0.975, static_cast<double>(scaled.size() - 1)) * standard_error(scaled);
  result.low = std::min(result.low, ratios ? value * std::exp(-half) : value - half);
  result.high = std::max(result.high, ratios ? value * std::exp(half) : value + half);
  return result;
}

} // namespace

std::vector<double> pooled(std::span<const std::vector<double>> rounds)
{
  std::vector<double> all;
  for (const std::vector<double>& round : rounds)
    all.insert(all.end(), round.begin(), round.end());
  return all;
}

double time_at(const PiecewiseFit& fit, double size)
{
  if (fit.pieces.empty())
    return 0;
  const FitPiece* piece = &fit.pieces.front();
  for (const FitPiece& next : fit.pieces)
    if (size >= next.from)
      piece = &next;
  return piece->start_up + size / piece->rate;
}

PiecewiseFit fit_piecewise(std::span<const SampledPoint> points, int most_pieces, std::uint64_t seed)
{
  PiecewiseFit fit;
  const std::vector<MedianPoint> through = medians(points);
  fit.pieces = best_pieces(through, most_pieces);
  if (fit.pieces.empty())
    return fit;
  for (const MedianPoint& point : through)
    fit.largest_relative_residual =
        std::max(fit.largest_relative_residual, std::abs(time_at(fit, point.size) / point.seconds - 1));

  std::vector<double> start_ups, rates, round_start_ups, round_rates;
  const auto keep = [&](std::span<const SampledPoint> sampled, std::vector<double>& to_start_ups,
                        std::vector<double>& to_rates) {
    if (const std::vector<FitPiece> pieces = refit(fit.pieces, medians(sampled)); !pieces.empty()) {
      to_start_ups.push_back(pieces.front().start_up);
      to_rates.push_back(pieces.back().rate);
    }
  };
  RandomStream random = Random{seed}.stream("bootstrap");
  for (int i = 0; i < resamples; ++i) {
    std::vector<SampledPoint> sampled;
    for (const SampledPoint& point : points)
      if (!point.seconds.empty())
        sampled.push_back({point.size, {resampled(point.seconds, random)}});
    keep(sampled, start_ups, rates);
  }
  std::size_t rounds = 0;
  for (const SampledPoint& point : points)
    rounds = std::max(rounds, point.seconds.size());
  for (std::size_t round = 0; rounds > 1 && round < rounds; ++round) {
    std::vector<SampledPoint> alone;
    for (const SampledPoint& point : points)
      if (round < point.seconds.size() && !point.seconds[round].empty())
        alone.push_back({point.size, {point.seconds[round]}});
    if (alone.size() == through.size())
      keep(alone, round_start_ups, round_rates);
  }
  fit.start_up = bounded(fit.pieces.front().start_up, start_ups, round_start_ups);
  fit.rate = bounded(fit.pieces.back().rate, rates, round_rates);
  return fit;
}

Bounded bounded_median(std::span<const std::vector<double>> rounds, std::uint64_t seed)
{
  const double value = quantile(pooled(rounds), 0.5);
  std::vector<double> tries, of_rounds;
  if (!rounds.empty() && std::ranges::none_of(rounds, [](const auto& round) { return round.empty(); })) {
    RandomStream random = Random{seed}.stream("bootstrap");
    for (int i = 0; i < resamples; ++i)
      tries.push_back(quantile(resampled(rounds, random), 0.5));
    for (const std::vector<double>& round : rounds)
      of_rounds.push_back(quantile(round, 0.5));
  }
  return bounded(value, tries, of_rounds);
}

} // namespace trainyard
