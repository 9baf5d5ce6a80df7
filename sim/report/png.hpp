// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace trainyard {

/// A PNG file of up to 256 colours, made row by row from above. Of each row only the blocks of 16 pixels that differ
/// from those above stay in memory, 40 B each: little of a plot, and of a picture that changes everywhere 2.5 B a
/// pixel.
///
/// Letters with smooth edges have more colours. Then those that cover most are kept, and each other one becomes the
/// one that covers most of those like it.
class PngRows
{
public:
  explicit PngRows(std::size_t width);

  /// Pixels of a row that is so wide, and of some behind it that are not shown: whole blocks are compared.
  static std::size_t pixels_of_a_row(std::size_t width)
  {
    return (width + block_width - 1) / block_width * block_width;
  }
  /// Pixels 0xXXRRGGBB.
  void add(std::span<const std::uint32_t> row);
  /// The bytes of the file. Throws std::bad_alloc without memory to pack it.
  std::string file() const;

private:
  static constexpr std::size_t block_width = 16; // pixels
  /// Pixels that are not as those above them.
  struct Block {
    std::uint32_t row = 0, column = 0;                // column of blocks
    std::array<std::uint16_t, block_width> colours{}; // places in colours_
  };

  struct Palette {
    std::vector<std::uint32_t> entries; // colours
    std::vector<std::uint8_t> entry_of; // which stands for each of colours_
  };

  std::uint16_t place_of(std::uint32_t colour);
  std::vector<std::size_t> areas() const;
  Palette palette() const;
  std::string packed_rows(const std::vector<std::uint8_t>& entry_of) const;

  std::size_t width_;
  std::uint32_t height_ = 0;
  std::vector<std::uint32_t> above_; // the last row, in whole blocks; white above the first one
  std::deque<Block> blocks_;
  std::vector<std::uint32_t> colours_; // white is the first
  std::unordered_map<std::uint32_t, std::uint16_t> known_;
  std::array<std::pair<std::uint32_t, std::uint16_t>, 1024> recent_; // the same for colours that came last
};

} // namespace trainyard
