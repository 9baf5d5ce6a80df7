// SPDX-License-Identifier: Apache-2.0
// As cairo would write it, in a fraction of the time: each row is stored as its difference from the row above, which is
// nothing for most rows of a plot, and pixels that repeat the one before are all that the packing looks for.
// Sources: W3C, Portable Network Graphics (PNG) Specification, sections 5.3, 9.2 and 11.2; RFC 1950, section 2.2; RFC
// 1951, sections 3.2.2 to 3.2.7.
#include "sim/report/png.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <queue>
#include <utility>
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

constexpr std::size_t letters = 286;     // of a packed stream: bytes, its end, lengths of repetitions
constexpr unsigned end_of_block = 256;   // the letter
constexpr unsigned longest_code = 15;    // bits
constexpr unsigned longest_repeat = 258; // bytes: 86 pixels

struct Letter {
  unsigned letter = 0, extra_bits = 0, extra = 0;
};

/// Each length of a repetition as a letter and what follows it (RFC 1951, section 3.2.5).
std::array<Letter, longest_repeat + 1> letters_of_lengths()
{
  std::array<Letter, longest_repeat + 1> result;
  unsigned length = 3;
  for (unsigned letter = end_of_block + 1; letter < letters - 1; ++letter) {
    const unsigned bits = letter < 265 ? 0 : (letter - 261) / 4;
    for (unsigned extra = 0; extra < 1U << bits && length < longest_repeat; ++extra)
      result[length++] = {letter, bits, extra};
  }
  result[longest_repeat] = {letters - 1, 0, 0};
  return result;
}

/// Bits of each letter's code: Huffman's, none longer than a code may be. 0: the letter does not occur.
std::array<unsigned, letters> code_lengths(std::array<std::uint32_t, letters> counts)
{
  struct Node {
    std::uint32_t count = 0;
    std::size_t parent = 0;
  };
  for (;;) {
    std::vector<Node> nodes;
    using Entry = std::pair<std::uint32_t, std::size_t>;
    std::priority_queue<Entry, std::vector<Entry>, std::greater<>> rarest;
    std::array<std::size_t, letters> leaf{};
    for (std::size_t letter = 0; letter < letters; ++letter)
      if (counts[letter] > 0) {
        leaf[letter] = nodes.size();
        rarest.emplace(counts[letter], nodes.size());
        nodes.push_back({counts[letter], 0});
      }
    while (rarest.size() > 1) {
      const auto [one, first] = rarest.top();
      rarest.pop();
      const auto [other, second] = rarest.top();
      rarest.pop();
      nodes[first].parent = nodes[second].parent = nodes.size();
      rarest.emplace(one + other, nodes.size());
      nodes.push_back({one + other, 0});
    }
    std::vector<unsigned> depth(nodes.size());
    for (std::size_t node = nodes.size() - 1; node-- > 0;) // a parent comes after its children
      depth[node] = depth[nodes[node].parent] + 1;
    std::array<unsigned, letters> lengths{};
    for (std::size_t letter = 0; letter < letters; ++letter)
      if (counts[letter] > 0)
        lengths[letter] = depth[leaf[letter]];
    if (*std::ranges::max_element(lengths) <= longest_code)
      return lengths;
    for (std::uint32_t& count : counts)
      count = (count + 1) / 2;
  }
}

/// The codes of these lengths, their first bit lowest (RFC 1951, section 3.2.2).
std::array<unsigned, letters> codes_of(const std::array<unsigned, letters>& lengths)
{
  std::array<unsigned, longest_code + 2> next{};
  for (const unsigned length : lengths)
    if (length > 0)
      ++next[length + 1];
  for (unsigned length = 1; length < next.size(); ++length)
    next[length] = (next[length] + next[length - 1]) << 1U;
  std::array<unsigned, letters> codes{};
  for (std::size_t letter = 0; letter < letters; ++letter) {
    if (lengths[letter] == 0)
      continue;
    const unsigned code = next[lengths[letter]]++;
    for (unsigned bit = 0; bit < lengths[letter]; ++bit)
      codes[letter] |= (code >> bit & 1U) << (lengths[letter] - 1 - bit);
  }
  return codes;
}

/// Writes numbers of some bits, the lowest bit first.
class Bits
{
public:
  /// @p most: bytes that will be written at most.
  explicit Bits(std::size_t most) : bytes_(most + sizeof held_, '\0') {}

  /// Up to 32 bits.
  void put(unsigned number, unsigned count)
  {
    held_ |= std::uint64_t{number} << held_bits_;
    held_bits_ += count;
    for (; held_bits_ >= 32; held_bits_ -= 32, held_ >>= 32U)
      write(4);
  }
  std::string bytes()
  {
    write((held_bits_ + 7) / 8);
    bytes_.resize(size_);
    return std::move(bytes_);
  }

private:
  void write(std::size_t count)
  {
    for (std::size_t i = 0; i < count; ++i)
      bytes_[size_++] = static_cast<char>(held_ >> 8 * i & 0xFFU);
  }

  std::string bytes_;
  std::size_t size_ = 0;
  std::uint64_t held_ = 0;
  unsigned held_bits_ = 0;
};

/// Bytes that are packed: one by one, or as repetitions of the three before.
class Packing
{
public:
  /// The rows begin with it.
  void byte(unsigned value)
  {
    token(value);
    first_ += value;
    second_ += first_;
  }

  void pixels(std::uint32_t colour, std::size_t count)
  {
    const std::array<unsigned, 3> channels{colour >> 16U & 0xFFU, colour >> 8U & 0xFFU, colour & 0xFFU};
    for (const unsigned channel : channels)
      token(channel);
    std::size_t left = 3 * (count - 1);
    for (; left > longest_repeat; left -= longest_repeat)
      token(end_of_block + longest_repeat);
    if (left > 0)
      token(end_of_block + static_cast<unsigned>(left));
    if (colour == 0) {
      second_ += 3 * count * first_;
      return;
    }
    for (std::size_t i = 0; i < count; ++i)
      for (const unsigned channel : channels)
        second_ += first_ += channel;
  }

  void end_row()
  {
    first_ %= prime;
    second_ %= prime;
  }

  std::string stream() const
  {
    const std::array<Letter, longest_repeat + 1> of_lengths = letters_of_lengths();
    std::array<std::uint32_t, letters> counts{};
    ++counts[end_of_block];
    for (const std::uint16_t token : tokens_)
      ++counts[token < end_of_block ? token : of_lengths[token - end_of_block].letter];
    const std::array<unsigned, letters> lengths = code_lengths(counts);
    const std::array<unsigned, letters> codes = codes_of(lengths);
    constexpr std::size_t bytes_of_head = 200;
    std::size_t most_bits = 0;
    for (std::size_t letter = 0; letter < letters; ++letter)
      most_bits += counts[letter] * (lengths[letter] + (letter > end_of_block ? 6 : 0)); // 5 more, and the distance
    Bits bits{bytes_of_head + most_bits / 8};
    bits.put(1, 1); // the last block,
    bits.put(2, 2); // with codes of its own:
    bits.put(letters - 257, 5);
    bits.put(2, 5); // codes for three distances, of which the third one is used
    bits.put(15, 4);
    for (unsigned code = 0; code < 19; ++code) // lengths of codes are numbers of four bits
      bits.put(code < 3 ? 0 : 4, 3);
    const auto length = [&](unsigned number) {
      bits.put((number & 1U) << 3U | (number & 2U) << 1U | (number & 4U) >> 1U | number >> 3U, 4);
    };
    for (const unsigned number : lengths)
      length(number);
    for (const unsigned number : {0U, 0U, 1U})
      length(number);
    for (const std::uint16_t token : tokens_) {
      if (token < end_of_block) {
        bits.put(codes[token], lengths[token]);
        continue;
      }
      const Letter& repeat = of_lengths[token - end_of_block];
      const unsigned length_bits = lengths[repeat.letter];
      bits.put(codes[repeat.letter] | repeat.extra << length_bits, // then the code of the distance, 0
               length_bits + repeat.extra_bits + 1);
    }
    bits.put(codes[end_of_block], lengths[end_of_block]);
    return "\x78\x01" + bits.bytes() + big_endian(static_cast<std::uint32_t>(second_ << 16U | first_));
  }

private:
  static constexpr std::uint64_t prime = 65521;

  void token(unsigned value) { tokens_.push_back(static_cast<std::uint16_t>(value)); }

  std::vector<std::uint16_t> tokens_;    // a byte, or end_of_block + the length of a repetition
  std::uint64_t first_ = 1, second_ = 0; // sums of Adler's checksum
};

/// Each byte of a pixel less that of the pixel above.
std::uint32_t difference(std::uint32_t pixel, std::uint32_t above)
{
  std::uint32_t result = 0;
  for (const unsigned shift : {16U, 8U, 0U})
    result |= (((pixel >> shift) - (above >> shift)) & 0xFFU) << shift;
  return result;
}

std::uint32_t pixel_at(const unsigned char* line, std::size_t x)
{
  std::uint32_t pixel = 0; // 0xXXRRGGBB
  std::memcpy(&pixel, line + 4 * x, sizeof pixel);
  return pixel;
}

/// The first pixel from @p x on that is not as the one above, or @p end.
std::size_t first_unequal(const unsigned char* line, const unsigned char* above, std::size_t x, std::size_t end)
{
  for (const std::size_t block : {1024U, 32U})
    while (x + block <= end && std::memcmp(line + 4 * x, above + 4 * x, 4 * block) == 0)
      x += block;
  while (x < end && pixel_at(line, x) == pixel_at(above, x))
    ++x;
  return x;
}

/// Rows of red, green and blue, each as its difference from the one above, packed.
std::string packed_rows(const PixelRows& pixels)
{
  Packing packing;
  constexpr unsigned difference_from_above = 2;
  const std::vector<unsigned char> nothing(4 * pixels.width);
  const unsigned char* above = nothing.data();
  for (std::size_t y = 0; y < pixels.height; ++y) {
    const unsigned char* line = pixels.data + y * pixels.stride;
    packing.byte(difference_from_above);
    for (std::size_t x = 0; x < pixels.width;) {
      const std::size_t begin = x;
      x = first_unequal(line, above, x, pixels.width);
      if (x > begin)
        packing.pixels(0, x - begin);
      if (x == pixels.width)
        break;
      const std::size_t first = x;
      const std::uint32_t colour = difference(pixel_at(line, x), pixel_at(above, x));
      for (++x; x < pixels.width && pixel_at(line, x) != pixel_at(above, x) &&
                difference(pixel_at(line, x), pixel_at(above, x)) == colour;)
        ++x;
      packing.pixels(colour, x - first);
    }
    packing.end_row();
    above = line;
  }
  return packing.stream();
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
