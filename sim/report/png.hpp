// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <string>

namespace trainyard {

/// A picture in memory: rows of 4 bytes for each pixel, 0xXXRRGGBB in the order of this machine.
struct PixelRows {
  const unsigned char* data = nullptr;
  std::size_t width = 0, height = 0;
  std::size_t stride = 0; // bytes from one row to the next
};

/// The bytes of its PNG file. Throws std::bad_alloc without memory to pack it.
std::string png_of(const PixelRows& pixels);

} // namespace trainyard
