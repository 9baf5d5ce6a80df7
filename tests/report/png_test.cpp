// SPDX-License-Identifier: Apache-2.0
#include "sim/report/canvas.hpp"
#include "tests/support/read_bytes.hpp"

#include <gtest/gtest.h>
#include <png.h>

#include <array>
#include <filesystem>
#include <string>
#include <unistd.h>
#include <vector>

namespace trainyard {
namespace {

/// A picture of 3 x 2 points has 6 x 4 pixels: the upper half red, a green point below it, the rest white.
TEST(Png, HoldsThePixelsThatWereDrawn)
{
  const std::filesystem::path path =
      std::filesystem::path{::testing::TempDir()} / ("png-" + std::to_string(::getpid()));
  draw_to_files(path, 3, 2, [&](Canvas& canvas) {
    canvas.colour({1, 0, 0});
    canvas.rectangle(0, 0, 3, 1);
    canvas.colour({0, 1, 0});
    canvas.rectangle(1, 1, 1, 1);
  });
  const std::string bytes = tests::read_bytes(path.string() + ".png");
  for (const char* ending : {".png", ".svg"})
    std::filesystem::remove(path.string() + ending);
  png_image picture{};
  picture.version = PNG_IMAGE_VERSION;
  ASSERT_NE(png_image_begin_read_from_memory(&picture, bytes.data(), bytes.size()), 0) << picture.message;
  picture.format = PNG_FORMAT_RGBA;
  ASSERT_EQ(picture.width, 6U);
  ASSERT_EQ(picture.height, 4U);
  using Pixel = std::array<png_byte, 4>;
  std::vector<Pixel> pixels(24);
  ASSERT_NE(png_image_finish_read(&picture, nullptr, pixels.data(), 0, nullptr), 0) << picture.message;
  for (std::size_t y = 0; y < 4; ++y)
    for (std::size_t x = 0; x < 6; ++x)
      EXPECT_EQ(pixels[6 * y + x], y < 2              ? (Pixel{255, 0, 0, 255})
                                   : x == 2 || x == 3 ? (Pixel{0, 255, 0, 255})
                                                      : (Pixel{255, 255, 255, 255}))
          << x << ", " << y;
}

} // namespace
} // namespace trainyard
