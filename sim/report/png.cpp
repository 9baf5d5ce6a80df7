// SPDX-License-Identifier: Apache-2.0
// PNG files in a fraction of the time that cairo takes: a byte for each pixel names one of 256 colours. Each row is
// stored as its difference from the row above, which is nothing for most rows of a plot. Many such rows are packed
// once, and the others without much trying. Source: W3C, Portable Network Graphics (PNG) Specification,
// sections 5.3, 9.2 and 11.2.
#include "sim/report/png.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <functional>
#include <map>
#include <new>
#include <numeric>
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
    if (deflateInit2(&stream_, 1, Z_DEFLATED, without_frame, memory_level, Z_RLE) != Z_OK)
      throw std::bad_alloc{};
  }
  ~Packer() { deflateEnd(&stream_); }
  Packer(const Packer&) = delete;
  Packer& operator=(const Packer&) = delete;

  void add(std::span<unsigned char> bytes)
  {
    sum_ = adler32(sum_, bytes.data(), static_cast<uInt>(bytes.size()));
    pack(bytes, Z_NO_FLUSH);
  }

  void add_many(std::span<unsigned char> bytes, std::size_t times)
  {
    pack({}, Z_FULL_FLUSH);
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
    pack({}, Z_FINISH);
    return "\x78\x01" + packed_ + big_endian(static_cast<std::uint32_t>(sum_));
  }

private:
  void pack(std::span<unsigned char> bytes, int flush)
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

constexpr std::uint32_t white = 0xFFFFFF;
constexpr std::size_t most_colours = 256;

/// The same for colours that differ little: the highest bits of each part. Of @p dropped bits blue loses the first,
/// then red, then green, which eyes see best.
std::uint32_t kind_of(std::uint32_t colour, unsigned dropped)
{
  const auto kept = [](unsigned bits) { return 0xFFU << bits & 0xFFU; };
  return colour & (kept((dropped + 1) / 3) << 16U | kept(dropped / 3) << 8U | kept((dropped + 2) / 3));
}

} // namespace

PngRows::PngRows(std::size_t width) : width_{width}, above_(pixels_of_a_row(width), 0xFF000000U | white)
{
  recent_.fill({white, 0});
  known_.emplace(white, 0);
  colours_.push_back(white);
}

std::uint16_t PngRows::place_of(std::uint32_t colour)
{
  auto& [recent, place] = recent_[(colour ^ colour >> 9U) % recent_.size()];
  if (recent != colour) {
    // Half of the places are for exact colours, the other half for those of five bits of each part that come later.
    const std::uint32_t kept = known_.size() < 1U << 15U ? colour : kind_of(colour, 9);
    const auto [known, fresh] = known_.try_emplace(kept, static_cast<std::uint16_t>(colours_.size()));
    if (fresh)
      colours_.push_back(kept);
    recent = colour;
    place = known->second;
  }
  return place;
}

void PngRows::add(std::span<const std::uint32_t> row)
{
  for (std::size_t begin = 0; begin < above_.size(); begin += block_width) {
    const auto now = row.subspan(begin).first<block_width>();
    const auto above = std::span{above_}.subspan(begin).first<block_width>();
    std::uint32_t differences = 0;
    for (std::size_t x = 0; x < block_width; ++x)
      differences |= now[x] ^ above[x];
    if (differences == 0)
      continue;
    std::ranges::copy(now, above.begin());
    Block& block = blocks_.emplace_back(Block{height_, static_cast<std::uint32_t>(begin / block_width), {}});
    std::ranges::transform(now, block.colours.begin(),
                           [&](std::uint32_t pixel) { return place_of(pixel & 0xFFFFFFU); });
  }
  ++height_;
}

/// Pixels that each of colours_ covers.
std::vector<std::size_t> PngRows::areas() const
{
  std::vector<std::size_t> pixels(colours_.size());
  const Block blank;
  std::vector<const Block*> now(above_.size() / block_width, &blank);
  const auto count = [&](const Block& block, std::size_t column, std::size_t end) {
    const std::size_t visible = std::min(block_width, width_ - column * block_width);
    for (std::size_t x = 0; x < visible; ++x)
      pixels[block.colours[x]] += end - block.row;
  };
  for (const Block& block : blocks_) {
    count(*now[block.column], block.column, block.row);
    now[block.column] = &block;
  }
  for (std::size_t column = 0; column < now.size(); ++column)
    count(*now[column], column, height_);
  return pixels;
}

PngRows::Palette PngRows::palette() const
{
  const std::vector<std::size_t> pixels = areas();
  std::vector<std::uint32_t> by_area(colours_.size());
  std::iota(by_area.begin(), by_area.end(), 0U);
  std::ranges::stable_sort(by_area.begin() + 1, by_area.end(), std::ranges::greater{},
                           [&](std::uint32_t place) { return pixels[place]; });

  // The colour that covers most of each kind comes first; room that is left is for those that cover most of all.
  std::map<std::uint32_t, std::uint8_t> entry_of_kind;
  std::vector<std::uint32_t> chosen;
  unsigned dropped = colours_.size() > most_colours ? 9 : 0;
  for (;; ++dropped) {
    entry_of_kind.clear();
    chosen.clear();
    for (const std::uint32_t place : by_area) {
      const auto entry = static_cast<std::uint8_t>(chosen.size());
      if (entry_of_kind.try_emplace(kind_of(colours_[place], dropped), entry).second)
        chosen.push_back(place);
      if (chosen.size() > most_colours)
        break;
    }
    if (chosen.size() <= most_colours)
      break;
  }
  Palette palette{{}, std::vector<std::uint8_t>(colours_.size())};
  std::vector<char> exact(colours_.size());
  for (const std::uint32_t place : chosen)
    exact[place] = 1;
  for (const std::uint32_t place : by_area)
    if (chosen.size() < most_colours && exact[place] == 0) {
      exact[place] = 1;
      chosen.push_back(place);
    }
  for (std::size_t entry = 0; entry < chosen.size(); ++entry) {
    palette.entries.push_back(colours_[chosen[entry]]);
    palette.entry_of[chosen[entry]] = static_cast<std::uint8_t>(entry);
  }
  for (const std::uint32_t place : by_area)
    if (exact[place] == 0)
      palette.entry_of[place] = entry_of_kind.at(kind_of(colours_[place], dropped));
  return palette;
}

/// Each row as its difference from the one above, packed.
std::string PngRows::packed_rows(const std::vector<std::uint8_t>& entry_of) const
{
  constexpr unsigned char difference_from_above = 2;
  constexpr std::size_t worth_a_piece = 4; // rows: a piece takes some 20 bytes
  Packer packer;
  std::vector<unsigned char> same(1 + width_), row(1 + above_.size()), now(above_.size());
  same.front() = row.front() = difference_from_above;
  std::size_t y = 0;
  const auto repeat_until = [&](std::size_t end) {
    if (end - y >= worth_a_piece)
      packer.add_many(same, end - y);
    else
      for (; y < end; ++y)
        packer.add(same);
    y = end;
  };
  for (auto block = blocks_.begin(); block != blocks_.end();) {
    repeat_until(block->row);
    row.assign(row.size(), 0);
    row.front() = difference_from_above;
    for (; block != blocks_.end() && block->row == y; ++block)
      for (std::size_t x = 0; x < block_width; ++x) {
        const std::size_t at = block->column * block_width + x;
        const std::uint8_t entry = entry_of[block->colours[x]];
        row[1 + at] = static_cast<unsigned char>(entry - now[at]);
        now[at] = entry;
      }
    packer.add({row.data(), 1 + width_});
    ++y;
  }
  repeat_until(height_);
  return packer.finish();
}

std::string PngRows::file() const
{
  const auto [entries, entry_of] = palette();
  std::string colours;
  for (const std::uint32_t entry : entries)
    colours += big_endian(entry).substr(1);
  const std::string eight_bits_that_name_a_colour{"\x08\x03\0\0\0", 5};
  return "\x89PNG\r\n\x1a\n" +
         png_chunk("IHDR", big_endian(static_cast<std::uint32_t>(width_)) +
                               big_endian(static_cast<std::uint32_t>(height_)) + eight_bits_that_name_a_colour) +
         png_chunk("PLTE", colours) + png_chunk("IDAT", packed_rows(entry_of)) + png_chunk("IEND", {});
}

} // namespace trainyard
