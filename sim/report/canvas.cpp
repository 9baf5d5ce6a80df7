// SPDX-License-Identifier: Apache-2.0
#include "sim/report/canvas.hpp"

#include "sim/report/output_file.hpp"

#include <cairo-svg.h>
#include <cairo.h>
#include <fmt/format.h>
#include <png.h>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <numbers>
#include <stdexcept>
#include <string_view>
#include <vector>

namespace trainyard {
namespace {

using SurfaceOwner = std::unique_ptr<cairo_surface_t, decltype(&cairo_surface_destroy)>;

constexpr const char* font = "DejaVu Sans";

cairo_status_t append(void* text, const unsigned char* data, unsigned int length)
{
  static_cast<std::string*>(text)->append(reinterpret_cast<const char*>(data), length);
  return CAIRO_STATUS_SUCCESS;
}

void check(cairo_status_t status, const std::filesystem::path& file)
{
  if (status != CAIRO_STATUS_SUCCESS)
    throw std::runtime_error{fmt::format("cannot draw '{}': {}", file.string(), cairo_status_to_string(status))};
}

void paint_on(cairo_surface_t* surface, const std::function<void(Canvas&)>& paint, double scale,
              const std::filesystem::path& file)
{
  const std::unique_ptr<cairo_t, decltype(&cairo_destroy)> cairo{cairo_create(surface), cairo_destroy};
  cairo_scale(cairo.get(), scale, scale);
  cairo_set_source_rgb(cairo.get(), 1, 1, 1);
  cairo_paint(cairo.get());
  Canvas canvas{cairo.get()};
  paint(canvas);
  check(cairo_status(cairo.get()), file);
}

/// Cairo numbers the surfaces of a process; equal drawings are to be equal bytes, so only the order counts here.
std::string without_surface_numbers(const std::string& svg)
{
  static constexpr std::string_view word = "surface";
  std::map<std::string, std::size_t> seen;
  std::string out;
  std::size_t from = 0;
  for (std::size_t at = svg.find(word); at != std::string::npos; at = svg.find(word, from)) {
    std::size_t end = at + word.size();
    while (end < svg.size() && svg[end] >= '0' && svg[end] <= '9')
      ++end;
    out += svg.substr(from, at - from);
    const std::string number = svg.substr(at + word.size(), end - at - word.size());
    out += word;
    if (!number.empty())
      out += std::to_string(seen.try_emplace(number, seen.size()).first->second);
    from = end;
  }
  return out + svg.substr(from);
}

/// As cairo would write it, in a quarter of the time: lines and flat colours hardly get smaller by trying harder.
std::string png_of(cairo_surface_t* surface, const std::filesystem::path& file)
{
  cairo_surface_flush(surface);
  const int width = cairo_image_surface_get_width(surface), height = cairo_image_surface_get_height(surface);
  const auto stride = static_cast<std::size_t>(cairo_image_surface_get_stride(surface));
  const unsigned char* pixels = cairo_image_surface_get_data(surface);
  std::vector<unsigned char> colours;
  colours.reserve(3 * static_cast<std::size_t>(width) * static_cast<std::size_t>(height));
  for (std::size_t y = 0; y < static_cast<std::size_t>(height); ++y)
    for (std::size_t x = 0; x < static_cast<std::size_t>(width); ++x) {
      std::uint32_t pixel = 0; // 0xXXRRGGBB
      std::memcpy(&pixel, pixels + y * stride + 4 * x, sizeof pixel);
      for (const unsigned shift : {16U, 8U, 0U})
        colours.push_back(static_cast<unsigned char>(pixel >> shift & 0xFFU));
    }
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  image.width = static_cast<png_uint_32>(width);
  image.height = static_cast<png_uint_32>(height);
  image.format = PNG_FORMAT_RGB;
  image.flags = PNG_IMAGE_FLAG_FAST;
  png_alloc_size_t size = PNG_IMAGE_PNG_SIZE_MAX(image);
  std::string bytes(size, '\0');
  if (png_image_write_to_memory(&image, bytes.data(), &size, 0, colours.data(), 0, nullptr) == 0)
    throw std::runtime_error{fmt::format("cannot draw '{}': {}", file.string(), image.message)};
  bytes.resize(size);
  return bytes;
}

} // namespace

void Canvas::colour(Colour colour, double opacity)
{
  cairo_set_source_rgba(cairo_, colour.red, colour.green, colour.blue, opacity);
}

void Canvas::line(double x1, double y1, double x2, double y2, double width, bool dashed)
{
  const double dashes[] = {4, 3};
  cairo_set_dash(cairo_, dashes, dashed ? 2 : 0, 0);
  cairo_set_line_width(cairo_, width);
  cairo_set_line_cap(cairo_, CAIRO_LINE_CAP_ROUND);
  cairo_move_to(cairo_, x1, y1);
  cairo_line_to(cairo_, x2, y2);
  cairo_stroke(cairo_);
  cairo_set_dash(cairo_, dashes, 0, 0);
}

void Canvas::rectangle(double x, double y, double width, double height)
{
  cairo_rectangle(cairo_, x, y, width, height);
  cairo_fill(cairo_);
}

void Canvas::text(double x, double y, const std::string& text, double size, Anchor anchor, bool bold)
{
  const double width = text_width(text, size, bold);
  cairo_move_to(cairo_, anchor == Anchor::left ? x : anchor == Anchor::right ? x - width : x - width / 2, y);
  cairo_show_text(cairo_, text.c_str());
}

double Canvas::text_width(const std::string& text, double size, bool bold)
{
  cairo_select_font_face(cairo_, font, CAIRO_FONT_SLANT_NORMAL,
                         bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
  cairo_set_font_size(cairo_, size);
  cairo_text_extents_t extents;
  cairo_text_extents(cairo_, text.c_str(), &extents);
  return extents.x_advance;
}

std::string Canvas::fitted(const std::string& text, double width, double size)
{
  if (text_width(text, size) <= width)
    return text;
  std::string shorter = text;
  while (!shorter.empty()) {
    do
      shorter.pop_back();
    while (!shorter.empty() && (static_cast<unsigned char>(shorter.back()) & 0x80U) != 0);
    if (shorter.size() < 3)
      return {};
    if (text_width(shorter + "…", size) <= width)
      return shorter + "…";
  }
  return {};
}

void Canvas::marker(double x, double y, double radius, std::size_t shape)
{
  cairo_new_path(cairo_);
  if (shape % 8 == 0) {
    cairo_arc(cairo_, x, y, radius, 0, 2 * std::numbers::pi);
  } else {
    // square, triangle, diamond, pentagon, triangle down, hexagon, flat diamond: polygons by corners and turn
    constexpr int corners[] = {0, 4, 3, 4, 5, 3, 6, 4};
    constexpr double turns[] = {0, 0.125, -0.25, 0, -0.25, 0.25, 0, 0};
    const int count = corners[shape % 8];
    const double flat = shape % 8 == 7 ? 0.55 : 1;
    for (int i = 0; i < count; ++i) {
      const double angle = 2 * std::numbers::pi * (turns[shape % 8] + static_cast<double>(i) / count);
      cairo_line_to(cairo_, x + 1.2 * radius * std::cos(angle), y + 1.2 * flat * radius * std::sin(angle));
    }
    cairo_close_path(cairo_);
  }
  cairo_fill(cairo_);
}

void Canvas::clip(double x, double y, double width, double height)
{
  cairo_save(cairo_);
  cairo_rectangle(cairo_, x, y, width, height);
  cairo_clip(cairo_);
}

void Canvas::unclip()
{
  cairo_restore(cairo_);
}

void draw_to_files(const std::filesystem::path& path, double width, double height,
                   const std::function<void(Canvas&)>& paint)
{
  constexpr double pixels_per_point = 2;
  const std::filesystem::path png = path.string() + ".png";
  const SurfaceOwner image{cairo_image_surface_create(CAIRO_FORMAT_RGB24, static_cast<int>(width * pixels_per_point),
                                                      static_cast<int>(height * pixels_per_point)),
                           cairo_surface_destroy};
  paint_on(image.get(), paint, pixels_per_point, png);
  write_file(png, png_of(image.get(), png));

  const std::filesystem::path svg = path.string() + ".svg";
  std::string bytes;
  {
    const SurfaceOwner vector{cairo_svg_surface_create_for_stream(append, &bytes, width, height),
                              cairo_surface_destroy};
    paint_on(vector.get(), paint, 1, svg);
    cairo_surface_finish(vector.get());
    check(cairo_surface_status(vector.get()), svg);
  }
  write_file(svg, without_surface_numbers(bytes));
}

} // namespace trainyard
