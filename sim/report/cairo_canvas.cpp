// SPDX-License-Identifier: Apache-2.0
#include "sim/report/cairo_canvas.hpp"

#include "sim/report/drawing_part.hpp"
#include "sim/report/png.hpp"
#include "sim/report/svg_canvas.hpp"

#include <cairo-ft.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <numbers>
#include <ranges>
#include <span>
#include <stdexcept>
#include <unistd.h>
#include <vector>

namespace trainyard {
namespace {

using SurfaceOwner = std::unique_ptr<cairo_surface_t, decltype(&cairo_surface_destroy)>;

void check(cairo_status_t status, const std::string& file)
{
  if (status != CAIRO_STATUS_SUCCESS)
    throw std::runtime_error{fmt::format("cannot draw '{}': {}", file, cairo_status_to_string(status))};
}

/// A font of a file; it lives as long as cairo needs it.
struct FontFile {
  FT_Library library = nullptr;
  FT_Face face = nullptr;
  ~FontFile()
  {
    if (face != nullptr)
      FT_Done_Face(face);
    if (library != nullptr)
      FT_Done_FreeType(library);
  }
};

/// DejaVu Sans from where Debian, Fedora and Arch keep it: to ask fontconfig where it lies takes longer than to draw.
/// Null where it is not there.
cairo_font_face_t* known_font(bool bold)
{
  const char* const name = bold ? "DejaVuSans-Bold.ttf" : "DejaVuSans.ttf";
  for (const char* const folder :
       {"/usr/share/fonts/truetype/dejavu/", "/usr/share/fonts/dejavu-sans-fonts/", "/usr/share/fonts/TTF/"}) {
    const std::string path = std::string{folder} + name;
    if (::access(path.c_str(), R_OK) != 0)
      continue;
    auto file = std::make_unique<FontFile>();
    if (FT_Init_FreeType(&file->library) != 0 || FT_New_Face(file->library, path.c_str(), 0, &file->face) != 0)
      continue;
    static const cairo_user_data_key_t key{};
    cairo_font_face_t* const font = cairo_ft_font_face_create_for_ft_face(file->face, 0);
    const auto end = [](void* kept) { delete static_cast<FontFile*>(kept); };
    if (cairo_font_face_set_user_data(font, &key, file.get(), end) != CAIRO_STATUS_SUCCESS) {
      cairo_font_face_destroy(font);
      continue;
    }
    static_cast<void>(file.release());
    return font;
  }
  return nullptr;
}

} // namespace

CairoCanvas::CairoCanvas(cairo_t* cairo)
    : cairo_{cairo}, fonts_{{{nullptr, cairo_font_face_destroy}, {nullptr, cairo_font_face_destroy}}}
{
  const std::unique_ptr<cairo_font_options_t, decltype(&cairo_font_options_destroy)> options{
      cairo_font_options_create(), cairo_font_options_destroy};
  cairo_font_options_set_hint_style(options.get(), CAIRO_HINT_STYLE_NONE); // at this size nobody sees it
  cairo_font_options_set_antialias(options.get(), CAIRO_ANTIALIAS_GRAY);
  cairo_set_font_options(cairo, options.get());
}

void CairoCanvas::colour(Colour colour, double opacity)
{
  cairo_set_source_rgba(cairo_, colour.red, colour.green, colour.blue, opacity);
}

void CairoCanvas::line(double x1, double y1, double x2, double y2, double width, bool dashed)
{
  if (hidden(std::min(y1, y2) - width, std::max(y1, y2) + width))
    return;
  const double dashes[] = {4, 3};
  cairo_set_dash(cairo_, dashes, dashed ? 2 : 0, 0);
  cairo_set_line_width(cairo_, width);
  cairo_set_line_cap(cairo_, CAIRO_LINE_CAP_ROUND);
  cairo_move_to(cairo_, x1, y1);
  cairo_line_to(cairo_, x2, y2);
  cairo_stroke(cairo_);
  cairo_set_dash(cairo_, dashes, 0, 0);
}

void CairoCanvas::rectangle(double x, double y, double width, double height)
{
  if (hidden(std::min(y, y + height), std::max(y, y + height)))
    return;
  cairo_rectangle(cairo_, x, y, width, height);
  cairo_fill(cairo_);
}

void CairoCanvas::disc(double x, double y, double radius)
{
  if (hidden(y - radius, y + radius))
    return;
  cairo_new_path(cairo_);
  cairo_arc(cairo_, x, y, radius, 0, 2 * std::numbers::pi);
  cairo_fill(cairo_);
}

void CairoCanvas::polygon(std::span<const std::pair<double, double>> corners)
{
  const auto heights = std::views::values(corners);
  if (corners.empty() || hidden(std::ranges::min(heights), std::ranges::max(heights)))
    return;
  cairo_new_path(cairo_);
  for (const auto& [x, y] : corners)
    cairo_line_to(cairo_, x, y);
  cairo_close_path(cairo_);
  cairo_fill(cairo_);
}

void CairoCanvas::text(double x, double y, const std::string& text, double size, Anchor anchor, bool bold)
{
  if (hidden(y - 1.5 * size, y + size)) // no letter reaches farther from its baseline
    return;
  const double width = text_width(text, size, bold);
  use_font(size, bold);
  cairo_move_to(cairo_, anchor == Anchor::left ? x : anchor == Anchor::right ? x - width : x - width / 2, y);
  cairo_show_text(cairo_, text.c_str());
}

/// Everything is painted once for each band and once for the SVG, and names are tried letter by letter: each width is
/// asked for several times.
double CairoCanvas::text_width(const std::string& text, double size, bool bold)
{
  const auto [width, fresh] = widths_.try_emplace({size, bold, text}, 0.0);
  if (fresh) {
    use_font(size, bold);
    cairo_text_extents_t extents;
    cairo_text_extents(cairo_, text.c_str(), &extents);
    width->second = extents.x_advance;
  }
  return width->second;
}

void CairoCanvas::use_font(double size, bool bold)
{
  auto& font = fonts_[bold ? 1 : 0];
  if (font == nullptr)
    font.reset(known_font(bold));
  if (font == nullptr)
    font.reset(cairo_toy_font_face_create("DejaVu Sans", CAIRO_FONT_SLANT_NORMAL,
                                          bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL));
  cairo_set_font_face(cairo_, font.get());
  cairo_set_font_size(cairo_, size);
}

void CairoCanvas::clip(double x, double y, double width, double height)
{
  cairo_save(cairo_);
  cairo_rectangle(cairo_, x, y, width, height);
  cairo_clip(cairo_);
}

void CairoCanvas::unclip()
{
  cairo_restore(cairo_);
}

} // namespace trainyard

void trainyard_draw(const std::string& name, double width, double height,
                    const std::function<void(trainyard::Canvas&)>& paint, trainyard::Pictures& drawn)
{
  using namespace trainyard;
  constexpr double pixels_per_point = 2;
  // In bands, which stay in the processor's caches and touch little memory; few, because each is painted by itself.
  constexpr int rows_of_a_band = 64, most_bands = 8;
  const int columns = static_cast<int>(width * pixels_per_point), rows = static_cast<int>(height * pixels_per_point);
  const int band_rows = std::max(rows_of_a_band, (rows + most_bands - 1) / most_bands);
  const std::size_t row_pixels = PngRows::pixels_of_a_row(static_cast<std::size_t>(columns));
  std::vector<std::uint32_t> pixels(row_pixels * static_cast<std::size_t>(band_rows), 0xFFFFFFFFU);
  const SurfaceOwner image{cairo_image_surface_create_for_data(reinterpret_cast<unsigned char*>(pixels.data()),
                                                               CAIRO_FORMAT_RGB24, columns, band_rows,
                                                               static_cast<int>(row_pixels * sizeof pixels.front())),
                           cairo_surface_destroy};
  const std::unique_ptr<cairo_t, decltype(&cairo_destroy)> cairo{cairo_create(image.get()), cairo_destroy};
  CairoCanvas canvas{cairo.get()};
  PngRows png{static_cast<std::size_t>(columns)};
  for (int top = 0; top < rows; top += band_rows) {
    cairo_identity_matrix(cairo.get());
    cairo_set_source_rgb(cairo.get(), 1, 1, 1);
    cairo_paint(cairo.get());
    cairo_translate(cairo.get(), 0, -top);
    cairo_scale(cairo.get(), pixels_per_point, pixels_per_point);
    canvas.shows(top / pixels_per_point, (top + band_rows) / pixels_per_point);
    paint(canvas);
    check(cairo_status(cairo.get()), name);
    cairo_surface_flush(image.get());
    for (int row = 0; row < std::min(band_rows, rows - top); ++row)
      png.add(std::span{pixels}.subspan(static_cast<std::size_t>(row) * row_pixels, row_pixels));
  }
  SvgCanvas svg{canvas, width, height};
  paint(svg);
  drawn = {png.file(), svg.text()};
}
