// SPDX-License-Identifier: Apache-2.0
// As cairo would write it, in a fraction of the time: each row is stored as its difference from the row above, which is
// nothing for most rows of a plot. Many such rows are packed once, and the others without much trying. Source: W3C,
// Portable Network Graphics (PNG) Specification, sections 5.3, 9.2 and 11.2.
#include "sim/report/png.hpp"

#include <algorithm>
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

/// A stream of packed bytes in pieces of which none looks back at another. So a piece that comes again is not packed
/// again. Source: RFC 1950 (frame and checksum), RFC 1951 (blocks).
class Packer
{
public:
  Packer()
  {
    constexpr int without_frame = -MAX_WBITS;
    constexpr int memory_level = 7; // its table is cleared before and after each piece
    if (deflateInit2(&stream_, 1, Z_DEFLATED, without_frame, memory_level, Z_DEFAULT_STRATEGY) != Z_OK)
      throw std::bad_alloc{};
  }
  ~Packer() { deflateEnd(&stream_); }
  Packer(const Packer&) = delete;
  Packer& operator=(const Packer&) = delete;

  void add(std::vector<unsigned char>& bytes)
  {
    sum_ = adler32(sum_, bytes.data(), static_cast<uInt>(bytes.size()));
    pack(bytes, Z_NO_FLUSH);
  }

  void add_many(std::vector<unsigned char>& bytes, std::size_t times)
  {
    std::vector<unsigned char> nothing;
    pack(nothing, Z_FULL_FLUSH);
    const std::size_t before = packed_.size();
    pack(bytes, Z_FULL_FLUSH);
    const std::string piece = packed_.substr(before);
    const uLong sum = adler32(1, bytes.data(), static_cast<uInt>(bytes.size()));
    for (std::size_t i = 0; i < times; ++i) {
      sum_ = adler32_combine(sum_, sum, static_cast<z_off_t>(bytes.size()));
      if (i > 0)
        packed_ += piece;
    }
  }

  std::string finish()
  {
    std::vector<unsigned char> nothing;
    pack(nothing, Z_FINISH);
    return "\x78\x01" + packed_ + big_endian(static_cast<std::uint32_t>(sum_));
  }

private:
  void pack(std::vector<unsigned char>& bytes, int flush)
  {
    stream_.next_in = bytes.data();
    stream_.avail_in = static_cast<uInt>(bytes.size());
    do {
      stream_.next_out = block_.data();
      stream_.avail_out = static_cast<uInt>(block_.size());
      deflate(&stream_, flush); // never fails: there is always room
      packed_.append(reinterpret_cast<const char*>(block_.data()), block_.size() - stream_.avail_out);
    } while (stream_.avail_out == 0);
  }

  z_stream stream_{};
  uLong sum_ = 1;
  std::string packed_;
  std::vector<unsigned char> block_ = std::vector<unsigned char>(1U << 16U); // plots shrink to little more
};

/// Rows of red, green and blue, each as its difference from the one above, packed.
std::string packed_rows(const PixelRows& pixels)
{
  constexpr unsigned char difference_from_above = 2;
  constexpr std::size_t worth_a_piece = 4; // rows: a piece takes some 20 bytes
  const std::size_t row_bytes = 4 * pixels.width;
  Packer packer;
  std::vector<unsigned char> row(1 + 3 * pixels.width);
  const std::vector<unsigned char> nothing(row_bytes);
  const unsigned char* above = nothing.data();
  for (std::size_t y = 0; y < pixels.height;) {
    std::ranges::fill(row, 0);
    row.front() = difference_from_above;
    std::size_t same = 0;
    while (y + same < pixels.height && std::memcmp(pixels.data + (y + same) * pixels.stride, above, row_bytes) == 0)
      ++same;
    if (same >= worth_a_piece)
      packer.add_many(row, same);
    else
      for (std::size_t i = 0; i < same; ++i)
        packer.add(row);
    y += same;
    if (y == pixels.height)
      break;
    const unsigned char* line = pixels.data + y * pixels.stride;
    constexpr std::size_t block = 16; // pixels: most are as those above them
    for (std::size_t x = 0; x < pixels.width; ++x) {
      if (x % block == 0 && x + block <= pixels.width && std::memcmp(line + 4 * x, above + 4 * x, 4 * block) == 0) {
        x += block - 1;
        continue;
      }
      std::uint32_t pixel = 0, other = 0; // 0xXXRRGGBB
      std::memcpy(&pixel, line + 4 * x, sizeof pixel);
      std::memcpy(&other, above + 4 * x, sizeof other);
      if (pixel == other)
        continue;
      unsigned char* out = row.data() + 1 + 3 * x;
      for (const unsigned shift : {16U, 8U, 0U})
        *out++ = static_cast<unsigned char>((pixel >> shift) - (other >> shift));
    }
    packer.add(row);
    above = line;
    ++y;
  }
  return packer.finish();
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
