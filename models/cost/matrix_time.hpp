// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace trainyard {

/// A batch of equal matrix products: rows x depth times depth x columns, `products` of them at once.
struct MatrixSize {
  double rows = 1;
  double columns = 1;
  double depth = 1;
  double products = 1;
};

/// What runs it.
struct MatrixEngine {
  double flop_per_s = 0;         // that products reach which fill the chip, > 0
  double memory_bytes_per_s = 0; // reachable, > 0
  int multiprocessors = 0;       // 0: not known, every product fills the chip
};

/// Time of the products in seconds, of the best of the usual kernels.
///
/// A kernel cuts the result into tiles, one thread block each; blocks run on the multiprocessors in waves, and the last
/// wave takes as long as a full one ("tile and wave quantisation", NVIDIA, Matrix Multiplication Background User's
/// Guide). Where tiles are too few, the depth is split among several blocks, whose sums are then read and added.
/// Smaller tiles reach less of the rate, since each value that is read into the multiprocessor serves fewer
/// multiplications: 128x128 all of it, 128x64 93 %, 64x64 85 %, 64x32 70 %, 32x32 50 % (assumed).
double matrix_time(const MatrixSize& size, const MatrixEngine& engine);

} // namespace trainyard
