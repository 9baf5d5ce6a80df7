// SPDX-License-Identifier: Apache-2.0
#include "sim/report/canvas.hpp"

#include "sim/report/output_file.hpp"

#include <cairo-svg.h>
#include <cairo.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <new>
#include <numbers>
#include <stdexcept>
#include <string_view>
#include <sys/mman.h>
#include <vector>
#include <zlib.h>

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

/// The memory of a picture, in few large pages where the system has them: it is touched once, and each page is asked
/// for by itself.
class Pixels
{
public:
  explicit Pixels(std::size_t bytes)
      : data_{static_cast<unsigned char*>(std::aligned_alloc(page, (bytes + page - 1) / page * page)), std::free}
  {
    if (data_ == nullptr)
      throw std::bad_alloc{};
    madvise(data_.get(), (bytes + page - 1) / page * page, MADV_HUGEPAGE); // a wish
  }
  unsigned char* data() const { return data_.get(); }

private:
  static constexpr std::size_t page = 2U << 20U;
  std::unique_ptr<unsigned char, decltype(&std::free)> data_;
};

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

/// As cairo would write it, in a fraction of the time: each row is stored as its difference from the row above, which
/// is nothing for most rows of a plot, and what is left is packed without much trying. Source: W3C, Portable Network
/// Graphics (PNG) Specification, sections 5.3, 9.2 and 11.2.
std::string png_of(cairo_surface_t* surface, const std::filesystem::path& file)
{
  cairo_surface_flush(surface);
  const auto width = static_cast<std::size_t>(cairo_image_surface_get_width(surface));
  const auto height = static_cast<std::size_t>(cairo_image_surface_get_height(surface));
  const auto stride = static_cast<std::size_t>(cairo_image_surface_get_stride(surface));
  const unsigned char* pixels = cairo_image_surface_get_data(surface);
  z_stream stream{};
  if (deflateInit2(&stream, 1, Z_DEFLATED, MAX_WBITS, MAX_MEM_LEVEL, Z_DEFAULT_STRATEGY) != Z_OK)
    throw std::runtime_error{fmt::format("cannot draw '{}': no memory to pack it", file.string())};
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
  std::vector<unsigned char> row(1 + 3 * width);
  row.front() = difference_from_above;
  const std::vector<unsigned char> nothing(4 * width);
  const unsigned char* above = nothing.data();
  for (std::size_t y = 0; y < height; ++y) {
    const unsigned char* line = pixels + y * stride;
    unsigned char* out = row.data() + 1;
    if (std::memcmp(line, above, 4 * width) == 0) {
      std::memset(out, 0, 3 * width);
    } else {
      for (std::size_t x = 0; x < width; ++x) {
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
    pack(y + 1 < height ? Z_NO_FLUSH : Z_FINISH);
  }
  deflateEnd(&stream);
  const std::string eight_bits_of_red_green_blue{"\x08\x02\0\0\0", 5};
  return "\x89PNG\r\n\x1a\n" +
         png_chunk("IHDR", big_endian(static_cast<std::uint32_t>(width)) +
                               big_endian(static_cast<std::uint32_t>(height)) + eight_bits_of_red_green_blue) +
         png_chunk("IDAT", packed) + png_chunk("IEND", {});
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
  const int columns = static_cast<int>(width * pixels_per_point), rows = static_cast<int>(height * pixels_per_point);
  const int stride = cairo_format_stride_for_width(CAIRO_FORMAT_RGB24, columns);
  const Pixels pixels{static_cast<std::size_t>(std::max(stride, 1)) * static_cast<std::size_t>(std::max(rows, 1))};
  const SurfaceOwner image{
      cairo_image_surface_create_for_data(pixels.data(), CAIRO_FORMAT_RGB24, columns, rows, stride),
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
