// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace trainyard::calibrate {

/// @p groups products of rows x depth and depth x columns in one call.
struct ProductShape {
  int rows = 1;    // M: tokens of a micro-batch
  int columns = 1; // N
  int depth = 1;   // K
  int groups = 1;

  double flop() const { return 2.0 * rows * columns * depth * groups; }
  bool operator==(const ProductShape&) const = default;
};

/// "8192x1280x8192", of several products "1024x3584x4096x8".
std::string to_text(const ProductShape& shape);

/// Such texts behind each other, between commas or on lines of their own, '#' begins a comment. Throws InputError with
/// the text that is none; @p place: option or file.
std::vector<ProductShape> read_shapes(std::string_view text, const std::string& place);

/// One layer of a transformer on one rank.
struct LayerSizes {
  int hidden = 4096;
  int ffn = 14336;
  int heads = 32;
  int kv_heads = 8;
  bool gated = true;
  int tokens = 8192; // of a micro-batch
  int tp = 1;
  int experts = 1; // that a rank holds
};

/// "hidden=8192,ffn=28672,heads=64,kv_heads=8,tokens=8192,tp=8,experts=1"; what is left out is as above. Throws
/// InputError: a key that is none, a number out of range, sizes that tp does not divide.
LayerSizes read_layer(std::string_view text);

/// Its products after division: queries with keys and values, output of attention, feed-forward network up and down;
/// with experts the last two also as one call of equal products beside one product with as many rows.
std::vector<ProductShape> products_of(const LayerSizes& layer);

} // namespace trainyard::calibrate
