// SPDX-License-Identifier: Apache-2.0
// Waves of thread blocks counted by hand.
#include "models/cost/matrix_time.hpp"

#include <gtest/gtest.h>

namespace trainyard {
namespace {

constexpr double rate = 4e12;
constexpr double fast_memory = 1e30;

double ideal(const MatrixSize& size)
{
  return 2 * size.rows * size.columns * size.depth * size.products / rate;
}

TEST(MatrixTime, WithoutMultiprocessorsIsFlopOverRate)
{
  const MatrixSize size{3, 5, 7, 2};
  EXPECT_DOUBLE_EQ(matrix_time(size, {rate, fast_memory, 0}), 2 * 3 * 5 * 7 * 2 / rate);
}

TEST(MatrixTime, WholeWavesOfLargeTilesReachTheRate)
{
  const MatrixSize size{1024, 1024, 1024, 1}; // 64 tiles of 128x128 on 4 multiprocessors: 16 waves
  EXPECT_DOUBLE_EQ(matrix_time(size, {rate, fast_memory, 4}), ideal(size));
}

TEST(MatrixTime, OneLargeTileIsCutIntoSmallerOnes)
{
  // 128x128 would keep one of four busy (4 x), two of 128x64 two (2 x / 0.93), four of 64x64 all of them (1 / 0.85).
  const MatrixSize size{128, 128, 100, 1};
  EXPECT_DOUBLE_EQ(matrix_time(size, {rate, fast_memory, 4}), ideal(size) / 0.85);
}

TEST(MatrixTime, TheLastWaveTakesAsLongAsAFullOne)
{
  // 9 products of 32x32 on 8 multiprocessors: two waves for any tile, and no tile is smaller.
  const MatrixSize size{32, 32, 100, 9};
  EXPECT_DOUBLE_EQ(matrix_time(size, {rate, fast_memory, 8}), ideal(size) / 0.5 * 16 / 9);
}

TEST(MatrixTime, ADeepProductIsSplitAndItsSumsAreAdded)
{
  // One tile of 32x32 and 4,096 deep on 16 multiprocessors: 16 parts of 256 keep all busy at half the rate. Their sums,
  // 32 x 32 x 4 B, are written 16 times and read 16 times, and the result is written: 33 passes.
  const MatrixSize size{32, 32, 4096, 1};
  EXPECT_DOUBLE_EQ(matrix_time(size, {rate, fast_memory, 16}), ideal(size) / 0.5);
  EXPECT_DOUBLE_EQ(matrix_time(size, {rate, 1e15, 16}), ideal(size) / 0.5 + 32 * 32 * 4 * 33 / 1e15);
}

TEST(MatrixTime, AnotherRowNeverMakesItFasterPerTile)
{
  double last = 0;
  for (int rows = 128; rows <= 128 * 64; rows += 128) {
    const double time = matrix_time({static_cast<double>(rows), 512, 1152, 1}, {rate, 600e9, 80});
    EXPECT_GE(time, last * (1 - 1e-12)) << rows;
    last = time;
  }
}

} // namespace
} // namespace trainyard
