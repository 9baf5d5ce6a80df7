// SPDX-License-Identifier: Apache-2.0
// As cairo would write it, in a fraction of the time: each row is stored as its difference from the row above, which is
// nothing for most rows of a plot, and what is left is packed without much trying. Source: W3C, Portable Network
// Graphics (PNG) Specification, sections 5.3, 9.2 and 11.2.
#include "sim/report/png.hpp"

#include <cstdint>
#include <cstring>
#include <new>
#include <vector>
#include <zlib.h>

namespace trainyard {
namespace {

/// A number of a PNG file: the highest byte first.
std::string big_endian(std::uint32_t number)
{
  std::string bytes;
  for (const unsigned shift : {24U, 16U, 8U, 0U})
    bytes += static_cast<char>(number >> shift & 0xFFU);
  return bytes;
}

/// A piece of a PNG file: length, type and content, checksum of both.
std::string png_chunk(const char* type, const std::string& content)
{
  const std::string checked = type + content;
  const auto checksum = crc32(0, reinterpret_cast<const Bytef*>(checked.data()), static_cast<uInt>(checked.size()));
  return big_endian(static_cast<std::uint32_t>(content.size())) + checked +
         big_endian(static_cast<std::uint32_t>(checksum));
}

/// Rows of red, green and blue, each as its difference from the one above, packed.
std::string packed_rows(const PixelRows& pixels)
{
  z_stream stream{};
  if (deflateInit2(&stream, 1, Z_DEFLATED, MAX_WBITS, MAX_MEM_LEVEL, Z_DEFAULT_STRATEGY) != Z_OK)
    throw std::bad_alloc{};
  std::string packed;
  std::vector<unsigned char> block(1U << 16U); // plots shrink to little more: memory for the worst case is not touched
  const auto pack = [&](int flush) {
    do {
      stream.next_out = block.data();
      stream.avail_out = static_cast<uInt>(block.size());
      deflate(&stream, flush); // never fails: there is always room
      packed.append(reinterpret_cast<const char*>(block.data()), block.size() - stream.avail_out);
    } while (stream.avail_out == 0);
  };
  constexpr unsigned char difference_from_above = 2;
  std::vector<unsigned char> row(1 + 3 * pixels.width);
  row.front() = difference_from_above;
  const std::vector<unsigned char> nothing(4 * pixels.width);
  const unsigned char* above = nothing.data();
  for (std::size_t y = 0; y < pixels.height; ++y) {
    const unsigned char* line = pixels.data + y * pixels.stride;
    unsigned char* out = row.data() + 1;
    if (std::memcmp(line, above, 4 * pixels.width) == 0) {
      std::memset(out, 0, 3 * pixels.width);
    } else {
      for (std::size_t x = 0; x < pixels.width; ++x) {
        std::uint32_t pixel = 0, other = 0; // 0xXXRRGGBB
        std::memcpy(&pixel, line + 4 * x, sizeof pixel);
        std::memcpy(&other, above + 4 * x, sizeof other);
        for (const unsigned shift : {16U, 8U, 0U})
          *out++ = static_cast<unsigned char>((pixel >> shift) - (other >> shift));
      }
    }
    above = line;
    stream.next_in = row.data();
    stream.avail_in = static_cast<uInt>(row.size());
    pack(y + 1 < pixels.height ? Z_NO_FLUSH : Z_FINISH);
  }
  deflateEnd(&stream);
  return packed;
}

} // namespace

std::string png_of(const PixelRows& pixels)
{
  const std::string eight_bits_of_red_green_blue{"\x08\x02\0\0\0", 5};
  return "\x89PNG\r\n\x1a\n" +
         png_chunk("IHDR", big_endian(static_cast<std::uint32_t>(pixels.width)) +
                               big_endian(static_cast<std::uint32_t>(pixels.height)) + eight_bits_of_red_green_blue) +
         png_chunk("IDAT", packed_rows(pixels)) + png_chunk("IEND", {});
}

} // namespace trainyard
