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

/// The packed rows of a file of 8 bits of red, green and blue; checks all that is not packed.
std::string rows_of(const std::string& png, std::size_t width, std::size_t height)
{
  EXPECT_EQ(png.substr(0, 8), "\x89PNG\r\n\x1a\n");
  std::string packed;
  std::string types;
  for (std::size_t at = 8; at < png.size();) {
    const std::size_t length = big_endian_at(png, at);
    const std::string checked = png.substr(at + 4, 4 + length);
    EXPECT_EQ(big_endian_at(png, at + 8 + length),
              crc32(0, reinterpret_cast<const Bytef*>(checked.data()), static_cast<uInt>(checked.size())));
    types += checked.substr(0, 4) + " ";
    if (checked.starts_with("IHDR")) {
      EXPECT_EQ(big_endian_at(checked, 4), width);
      EXPECT_EQ(big_endian_at(checked, 8), height);
      EXPECT_EQ(checked.substr(12), std::string("\x08\x02\0\0\0", 5));
    }
    if (checked.starts_with("IDAT"))
      packed += checked.substr(4);
    at += 12 + length;
  }
  EXPECT_EQ(types, "IHDR IDAT IEND ");
  std::string rows(height * (1 + 3 * width), '\0');
  uLongf size = rows.size();
  EXPECT_EQ(uncompress(reinterpret_cast<Bytef*>(rows.data()), &size, reinterpret_cast<const Bytef*>(packed.data()),
                       static_cast<uLong>(packed.size())),
            Z_OK);
  EXPECT_EQ(size, rows.size());
  return rows;
}

/// Draws the rectangles, each over those before it, and compares all pixels.
void expect_pixels(std::size_t width, std::size_t height, const std::vector<Rectangle>& rectangles)
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
  const std::string rows = rows_of(tests::read_bytes(path.string() + ".png"), width, height);
  for (const char* ending : {".png", ".svg"})
    std::filesystem::remove(path.string() + ending);

  std::vector<Rgb> expected(width * height);
  for (const Rectangle& one : rectangles)
    for (std::size_t y = one.y; y < std::min(height, one.y + one.height); ++y)
      for (std::size_t x = one.x; x < std::min(width, one.x + one.width); ++x)
        expected[y * width + x] = one.colour;
  std::size_t wrong = 0;
  std::vector<unsigned char> row(3 * width);
  for (std::size_t y = 0; y < height; ++y) {
    const char* line = rows.data() + y * (1 + 3 * width);
    ASSERT_EQ(line[0], 2) << "row " << y << " is not the difference from the one above";
    for (std::size_t i = 0; i < row.size(); ++i) {
      row[i] = static_cast<unsigned char>(row[i] + static_cast<unsigned char>(line[1 + i]));
      wrong += row[i] != expected[y * width + i / 3].bytes[i % 3] ? 1U : 0U;
    }
  }
  EXPECT_EQ(wrong, 0U) << width << " x " << height;
}

TEST(Png, AnEmptyPictureIsWhite)
{
  expect_pixels(1, 1, {});
  expect_pixels(2185, 422, {});
}

TEST(Png, RepetitionsOfEveryLengthAreReadAgain)
{
  // A row that begins with n pixels of one colour: n - 1 of them are a repetition, up to 86 pixels at once.
  std::vector<Rectangle> steps;
  for (std::size_t y = 0; y < 300; ++y)
    steps.push_back({0, y, y + 1, 1, {{10, static_cast<unsigned char>(y % 200), 77}}});
  expect_pixels(302, 300, steps);
}

TEST(Png, EqualRowsOfEveryNumberAreReadAgain)
{
  // Many equal rows are packed once. A stripe of n rows has n - 1 that are equal to the one above it; the last rows of
  // the picture too.
  std::vector<Rectangle> stripes;
  std::size_t y = 0;
  for (std::size_t rows = 1; rows <= 12; y += rows++)
    stripes.push_back({3 * rows, y, 500, rows, {{200, static_cast<unsigned char>(20 * rows), 3}}});
  expect_pixels(700, y + y % 2, stripes);
}

TEST(Png, RandomPicturesAreReadAgain)
{
  std::mt19937 random{5};
  const auto below = [&](std::size_t limit) { return static_cast<std::size_t>(random() % limit); };
  for (int picture = 0; picture < 40; ++picture) {
    const std::size_t width = 1 + below(400), height = 1 + below(60), largest = 1 + below(30);
    std::vector<Rectangle> rectangles(below(3000));
    for (Rectangle& one : rectangles)
      one = {below(width),
             below(height),
             1 + below(largest),
             1 + below(largest),
             {{static_cast<unsigned char>(below(256)), static_cast<unsigned char>(below(256)),
               static_cast<unsigned char>(below(256))}}};
    expect_pixels(width, height, rectangles);
  }
}

} // namespace
} // namespace trainyard
