// SPDX-License-Identifier: Apache-2.0
/// PNG files are read again by zlib, which does not know how they were packed, and must hold the pixels that were
/// drawn.
#include "sim/report/canvas.hpp"
#include "tests/support/read_bytes.hpp"

#include <gtest/gtest.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <random>
#include <string>
#include <unistd.h>
#include <utility>
#include <vector>

namespace trainyard {
namespace {

constexpr std::size_t pixels_per_point = 2;

struct Rgb {
  std::array<unsigned char, 3> bytes{255, 255, 255};
};

struct Rectangle {
  std::size_t x = 0, y = 0, width = 0, height = 0; // pixels
  Rgb colour;
};

std::uint32_t big_endian_at(const std::string& bytes, std::size_t at)
{
  std::uint32_t number = 0;
  for (std::size_t i = 0; i < 4; ++i)
    number = number << 8U | static_cast<unsigned char>(bytes.at(at + i));
  return number;
}

struct Picture {
  std::string palette; // red, green and blue of each entry
  std::string rows;    // a byte for the filter, then one for each pixel
};

/// The palette and the packed rows of a file; checks all that is not packed.
Picture picture_of(const std::string& png, std::size_t width, std::size_t height)
{
  EXPECT_EQ(png.substr(0, 8), "\x89PNG\r\n\x1a\n");
  std::string packed, palette, types;
  for (std::size_t at = 8; at < png.size();) {
    const std::size_t length = big_endian_at(png, at);
    const std::string checked = png.substr(at + 4, 4 + length);
    EXPECT_EQ(big_endian_at(png, at + 8 + length),
              crc32(0, reinterpret_cast<const Bytef*>(checked.data()), static_cast<uInt>(checked.size())));
    types += checked.substr(0, 4) + " ";
    if (checked.starts_with("IHDR")) {
      EXPECT_EQ(big_endian_at(checked, 4), width);
      EXPECT_EQ(big_endian_at(checked, 8), height);
      EXPECT_EQ(checked.substr(12), std::string("\x08\x03\0\0\0", 5));
    }
    if (checked.starts_with("PLTE"))
      palette += checked.substr(4);
    if (checked.starts_with("IDAT"))
      packed += checked.substr(4);
    at += 12 + length;
  }
  EXPECT_EQ(types, "IHDR PLTE IDAT IEND ");
  std::string rows(height * (1 + width), '\0');
  uLongf size = rows.size();
  EXPECT_EQ(uncompress(reinterpret_cast<Bytef*>(rows.data()), &size, reinterpret_cast<const Bytef*>(packed.data()),
                       static_cast<uLong>(packed.size())),
            Z_OK);
  EXPECT_EQ(size, rows.size());
  return {palette, rows};
}

/// Draws the rectangles, each over those before it, and compares all pixels; returns how many differ in a part of
/// their colour by more than @p tolerance.
std::size_t wrong_pixels(std::size_t width, std::size_t height, const std::vector<Rectangle>& rectangles,
                         int tolerance = 0)
{
  const std::filesystem::path path =
      std::filesystem::path{::testing::TempDir()} / ("png-" + std::to_string(::getpid()));
  const auto points = [](std::size_t pixels) { return static_cast<double>(pixels) / pixels_per_point; };
  draw_to_files(path, points(width), points(height), [&](Canvas& canvas) {
    for (const Rectangle& one : rectangles) {
      const auto& [red, green, blue] = one.colour.bytes;
      canvas.colour({red / 255.0, green / 255.0, blue / 255.0});
      canvas.rectangle(points(one.x), points(one.y), points(one.width), points(one.height));
    }
  });
  const auto [palette, rows] = picture_of(tests::read_bytes(path.string() + ".png"), width, height);
  for (const char* ending : {".png", ".svg"})
    std::filesystem::remove(path.string() + ending);

  std::vector<Rgb> expected(width * height);
  for (const Rectangle& one : rectangles)
    for (std::size_t y = one.y; y < std::min(height, one.y + one.height); ++y)
      for (std::size_t x = one.x; x < std::min(width, one.x + one.width); ++x)
        expected[y * width + x] = one.colour;
  std::size_t wrong = 0;
  std::vector<unsigned char> row(width);
  for (std::size_t y = 0; y < height; ++y) {
    const char* line = rows.data() + y * (1 + width);
    EXPECT_EQ(line[0], 2) << "row " << y << " is not the difference from the one above";
    for (std::size_t x = 0; x < width; ++x) {
      row[x] = static_cast<unsigned char>(row[x] + static_cast<unsigned char>(line[1 + x]));
      int difference = 0;
      for (std::size_t part = 0; part < 3; ++part)
        difference = std::max(difference, std::abs(static_cast<unsigned char>(palette.at(3U * row[x] + part)) -
                                                   expected[y * width + x].bytes[part]));
      wrong += difference > tolerance ? 1U : 0U;
    }
  }
  return wrong;
}

TEST(Png, AnEmptyPictureIsWhite)
{
  EXPECT_EQ(wrong_pixels(1, 1, {}), 0U);
  EXPECT_EQ(wrong_pixels(2185, 422, {}), 0U);
}

TEST(Png, RepetitionsOfEveryLengthAreReadAgain)
{
  // A row that begins with n pixels of one colour: n - 1 of them are a repetition, up to 86 pixels at once.
  std::vector<Rectangle> steps;
  for (std::size_t y = 0; y < 300; ++y)
    steps.push_back({0, y, y + 1, 1, {{10, static_cast<unsigned char>(y % 200), 77}}});
  EXPECT_EQ(wrong_pixels(302, 300, steps), 0U);
}

TEST(Png, EqualRowsOfEveryNumberAreReadAgain)
{
  // Many equal rows are packed once. A stripe of n rows has n - 1 that are equal to the one above it; the last rows of
  // the picture too.
  std::vector<Rectangle> stripes;
  std::size_t y = 0;
  for (std::size_t rows = 1; rows <= 12; y += rows++)
    stripes.push_back({3 * rows, y, 500, rows, {{200, static_cast<unsigned char>(20 * rows), 3}}});
  EXPECT_EQ(wrong_pixels(700, y + y % 2, stripes), 0U);
}

std::vector<Rectangle> random_rectangles(std::mt19937& random, std::size_t width, std::size_t height,
                                         std::size_t number, const std::vector<Rgb>& colours)
{
  const auto below = [&](std::size_t limit) { return static_cast<std::size_t>(random() % limit); };
  const std::size_t largest = 1 + below(30);
  std::vector<Rectangle> rectangles(number);
  for (Rectangle& one : rectangles)
    one = {below(width), below(height), 1 + below(largest), 1 + below(largest), colours[below(colours.size())]};
  return rectangles;
}

std::vector<Rgb> random_colours(std::mt19937& random, std::size_t number)
{
  std::vector<Rgb> colours(number);
  for (Rgb& one : colours)
    for (unsigned char& part : one.bytes)
      part = static_cast<unsigned char>(random() % 256);
  return colours;
}

TEST(Png, RandomPicturesOfUpTo256ColoursAreReadAgain)
{
  std::mt19937 random{5};
  for (int picture = 0; picture < 40; ++picture) {
    const std::size_t width = 1 + random() % 400, height = 1 + random() % 300;
    const std::vector<Rgb> colours = random_colours(random, 1 + random() % 255); // with white up to 256
    EXPECT_EQ(wrong_pixels(width, height, random_rectangles(random, width, height, random() % 3000, colours)), 0U)
        << width << " x " << height;
  }
}

TEST(Png, OfMoreColoursThoseThatCoverMostAreExactAndTheOthersAlmost)
{
  // 100 colours of 40 x 40 pixels each, and 1,000 others of one pixel: shades of red, as of a letter's edge. All parts
  // keep at least their highest four bits: 128 shades of red, each with 8 of the same green, are 8 kinds then.
  std::mt19937 random{6};
  const std::vector<Rgb> large = random_colours(random, 100);
  std::vector<Rectangle> rectangles;
  for (std::size_t i = 0; i < large.size(); ++i)
    rectangles.push_back({40 * (i % 10), 40 * (i / 10), 40, 40, large[i]});
  EXPECT_EQ(wrong_pixels(400, 500, rectangles), 0U);
  const std::size_t exact = rectangles.size();
  for (std::size_t i = 0; i < 1000; ++i)
    rectangles.push_back({i % 400,
                          420 + i / 400,
                          1,
                          1,
                          {{static_cast<unsigned char>(i % 125 + 100), static_cast<unsigned char>(i / 125 + 40), 40}}});
  EXPECT_EQ(wrong_pixels(400, 500, rectangles, 15), 0U);
  const std::size_t changed = wrong_pixels(400, 500, rectangles);
  EXPECT_GT(changed, 0U);
  EXPECT_LE(changed, rectangles.size() - exact);
}

TEST(Png, PicturesOfAnyNumberOfColoursAreReadable)
{
  // Each pixel another colour, more than there are places for. Two bits of each part at least are kept.
  std::mt19937 random{7};
  std::vector<Rectangle> rectangles;
  for (const Rgb& colour : random_colours(random, 300 * 250))
    rectangles.push_back({rectangles.size() % 300, rectangles.size() / 300, 1, 1, colour});
  EXPECT_EQ(wrong_pixels(300, 250, rectangles, 63), 0U);
}

} // namespace
} // namespace trainyard
