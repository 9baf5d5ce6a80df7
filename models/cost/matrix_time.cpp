// SPDX-License-Identifier: Apache-2.0
#include "models/cost/matrix_time.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace trainyard {
namespace {

struct Tile {
  double rows;
  double columns;
  double speed; // share of the rate
};

constexpr Tile tiles[] = {{128, 128, 1}, {128, 64, 0.93}, {64, 128, 0.93}, {64, 64, 0.85},
                          {64, 32, 0.7}, {32, 64, 0.7},   {32, 32, 0.5}};

/// Sums of a shorter depth than this are not worth a thread block of their own (assumed).
constexpr double shortest_depth = 128;
constexpr int most_splits = 64;

} // namespace

double matrix_time(const MatrixSize& size, const MatrixEngine& engine)
{
  if (engine.multiprocessors <= 0)
    return 2 * size.rows * size.columns * size.depth * size.products / engine.flop_per_s;
  const double of_one = engine.flop_per_s / engine.multiprocessors;
  double best = std::numeric_limits<double>::infinity();
  for (const Tile& tile : tiles) {
    const double blocks = std::ceil(size.rows / tile.rows) * std::ceil(size.columns / tile.columns) * size.products;
    for (int parts = 1; parts <= most_splits && (parts == 1 || size.depth / parts >= shortest_depth); parts *= 2) {
      const double waves = std::ceil(blocks * parts / engine.multiprocessors);
      double time = waves * 2 * tile.rows * tile.columns * std::ceil(size.depth / parts) / (of_one * tile.speed);
      if (parts > 1) // fp32 sums: each part writes its own, all are read, one result is written
        time += size.rows * size.columns * size.products * 4 * (2 * parts + 1) / engine.memory_bytes_per_s;
      best = std::min(best, time);
      if (blocks * parts >= 4 * engine.multiprocessors)
        break; // enough of them: splitting only adds traffic
    }
  }
  return best;
}

} // namespace trainyard
