// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <span>
#include <vector>

namespace trainyard {

/// Repeated timings of one size. Samples are grouped by the round in which they were taken: rounds lie minutes apart,
/// so that the slow drift of a machine shows between them and not only the noise within one.
struct SampledPoint {
  double size = 0;                          // bytes or flop, > 0
  std::vector<std::vector<double>> seconds; // [round][sample], each > 0
};

/// time(size) = start_up + size / rate for sizes in [from, to].
struct FitPiece {
  double from = 0;
  double to = 0;
  double start_up =
      0;           // seconds; >= 0 in the first piece, later ones may be negative: buffers take the first bytes at once
  double rate = 0; // size units per second, > 0
};

/// A value with the interval that holds it with 95 % probability.
struct Bounded {
  double value = 0;
  double low = 0;
  double high = 0;
};

/// How a time grows with size, and how sure that is.
struct PiecewiseFit {
  std::vector<FitPiece> pieces; // in order of size; empty where there are no points
  Bounded start_up;             // of the first piece: what the smallest message costs
  Bounded rate;                 // of the last piece: what large ones reach
  double largest_relative_residual = 0;
};

/// Value of a piecewise fit; beyond the ends the outer pieces go on.
double time_at(const PiecewiseFit& fit, double size);

/// Piecewise latency–bandwidth: the break points between at most @p most_pieces straight lines are chosen by dynamic
/// programming over the sizes, each line by least squares of relative errors through the medians, and a further piece
/// must pay for itself (Bayesian information criterion). Intervals by bootstrap: rounds are drawn with replacement,
/// then samples within each round; 95 % percentiles, widened so that they hold the values fitted to each round alone.
///
/// Points need not be sorted; those without samples are left out. Two sizes at least give a line; with one, start_up is
/// 0.
PiecewiseFit fit_piecewise(std::span<const SampledPoint> points, int most_pieces = 3, std::uint64_t seed = 1);

/// Median with a bootstrap interval over rounds and samples, as above, of one repeated measurement.
Bounded bounded_median(std::span<const std::vector<double>> rounds, std::uint64_t seed = 1);

/// All rounds in one.
std::vector<double> pooled(std::span<const std::vector<double>> rounds);

} // namespace trainyard
