// SPDX-License-Identifier: Apache-2.0
#include "sim/report/cairo_canvas.hpp"

#include "models/core/safe_text.hpp"
#include "sim/report/canvas.hpp"
#include "sim/report/drawing_part.hpp"

#include <cairo-ft.h>
#include <fmt/format.h>
#include <png.h>

#include <bit>
#include <cmath>
#include <numbers>
#include <span>
#include <stdexcept>
#include <unistd.h>

namespace trainyard {
namespace {

/// Writes SVG, with texts as text: they can be searched and copied.
class SvgCanvas final : public Canvas
{
public:
  /// @p measure knows how wide texts are; the caller keeps it.
  SvgCanvas(Canvas& measure, double width, double height);

  void colour(Colour colour, double opacity) override;
  void line(double x1, double y1, double x2, double y2, double width, bool dashed) override;
  void rectangle(double x, double y, double width, double height) override;
  void disc(double x, double y, double radius) override;
  void polygon(std::span<const std::pair<double, double>> corners) override;
  void text(double x, double y, const std::string& text, double size, Anchor anchor, bool bold) override;
  double text_width(const std::string& text, double size, bool bold) override;
  void clip(double x, double y, double width, double height) override;
  void unclip() override;

  /// The whole file.
  std::string text() const { return text_ + "</svg>\n"; }

private:
  std::string paint(const char* what) const;

  Canvas& measure_;
  std::string text_;
  std::string colour_;
  double opacity_ = 1;
  int clips_ = 0;
};

/// A hundredth of a point is less than any screen shows.
double rounded(double points)
{
  return std::round(points * 100) / 100 + 0.0;
}

std::string box(double x, double y, double width, double height)
{
  return fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"", rounded(x), rounded(y), rounded(width),
                     rounded(height));
}

std::string escaped(const std::string& text)
{
  std::string result;
  for (const char letter : printable(text))
    if (letter == '&')
      result += "&amp;";
    else if (letter == '<')
      result += "&lt;";
    else if (letter == '>')
      result += "&gt;";
    else
      result += letter;
  return result;
}

SvgCanvas::SvgCanvas(Canvas& measure, double width, double height)
    : measure_{measure}, text_{fmt::format(
                             "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\" "
                             "width=\"{0}pt\" height=\"{1}pt\" viewBox=\"0 0 {0} {1}\" "
                             "font-family=\"DejaVu Sans, Bitstream Vera Sans, Verdana, sans-serif\">\n"
                             "<rect width=\"{0}\" height=\"{1}\" fill=\"#ffffff\"/>\n",
                             rounded(width), rounded(height))},
      colour_{"#000000"}
{
}

void SvgCanvas::colour(Colour colour, double opacity)
{
  const auto byte = [](double share) { return static_cast<int>(std::lround(255 * share)); };
  colour_ = fmt::format("#{:02x}{:02x}{:02x}", byte(colour.red), byte(colour.green), byte(colour.blue));
  opacity_ = opacity;
}

/// The attributes for the present colour.
std::string SvgCanvas::paint(const char* what) const
{
  return opacity_ < 1 ? fmt::format(" {0}=\"{1}\" {0}-opacity=\"{2}\"", what, colour_, rounded(opacity_))
                      : fmt::format(" {}=\"{}\"", what, colour_);
}

void SvgCanvas::line(double x1, double y1, double x2, double y2, double width, bool dashed)
{
  text_ +=
      fmt::format("<line x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\" stroke-width=\"{}\" stroke-linecap=\"round\"{}{}/>\n",
                  rounded(x1), rounded(y1), rounded(x2), rounded(y2), rounded(width),
                  dashed ? " stroke-dasharray=\"4 3\"" : "", paint("stroke"));
}

void SvgCanvas::rectangle(double x, double y, double width, double height)
{
  text_ += box(x, y, width, height) + paint("fill") + "/>\n";
}

void SvgCanvas::disc(double x, double y, double radius)
{
  text_ +=
      fmt::format("<circle cx=\"{}\" cy=\"{}\" r=\"{}\"{}/>\n", rounded(x), rounded(y), rounded(radius), paint("fill"));
}

void SvgCanvas::polygon(std::span<const std::pair<double, double>> corners)
{
  text_ += "<polygon points=\"";
  for (const auto& [x, y] : corners)
    text_ += fmt::format("{},{} ", rounded(x), rounded(y));
  text_.back() = '"';
  text_ += paint("fill") + "/>\n";
}

void SvgCanvas::text(double x, double y, const std::string& text, double size, Anchor anchor, bool bold)
{
  text_ +=
      fmt::format("<text x=\"{}\" y=\"{}\" font-size=\"{}\"{}{}{}>{}</text>\n", rounded(x), rounded(y), rounded(size),
                  anchor == Anchor::right    ? " text-anchor=\"end\""
                  : anchor == Anchor::centre ? " text-anchor=\"middle\""
                                             : "",
                  bold ? " font-weight=\"bold\"" : "", paint("fill"), escaped(text));
}

double SvgCanvas::text_width(const std::string& text, double size, bool bold)
{
  return measure_.text_width(text, size, bold);
}

void SvgCanvas::clip(double x, double y, double width, double height)
{
  ++clips_;
  text_ += fmt::format("<clipPath id=\"clip{}\">{}/></clipPath>\n<g clip-path=\"url(#clip{})\">\n", clips_,
                       box(x, y, width, height), clips_);
}

void SvgCanvas::unclip()
{
  text_ += "</g>\n";
}

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
  cairo_rectangle(cairo_, x, y, width, height);
  cairo_fill(cairo_);
}

void CairoCanvas::disc(double x, double y, double radius)
{
  cairo_new_path(cairo_);
  cairo_arc(cairo_, x, y, radius, 0, 2 * std::numbers::pi);
  cairo_fill(cairo_);
}

void CairoCanvas::polygon(std::span<const std::pair<double, double>> corners)
{
  if (corners.empty())
    return;
  cairo_new_path(cairo_);
  for (const auto& [x, y] : corners)
    cairo_line_to(cairo_, x, y);
  cairo_close_path(cairo_);
  cairo_fill(cairo_);
}

void CairoCanvas::text(double x, double y, const std::string& text, double size, Anchor anchor, bool bold)
{
  const double width = text_width(text, size, bold);
  use_font(size, bold);
  cairo_move_to(cairo_, anchor == Anchor::left ? x : anchor == Anchor::right ? x - width : x - width / 2, y);
  cairo_show_text(cairo_, printable(text).c_str());
}

/// Everything is painted once for the PNG and once for the SVG, and names are tried letter by letter: each width is
/// asked for several times.
double CairoCanvas::text_width(const std::string& text, double size, bool bold)
{
  const auto [width, fresh] = widths_.try_emplace({size, bold, text}, 0.0);
  if (fresh) {
    use_font(size, bold);
    cairo_text_extents_t extents;
    cairo_text_extents(cairo_, printable(text).c_str(), &extents);
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
  const SurfaceOwner image{cairo_image_surface_create(CAIRO_FORMAT_ARGB32, static_cast<int>(width * pixels_per_point),
                                                      static_cast<int>(height * pixels_per_point)),
                           cairo_surface_destroy};
  const std::unique_ptr<cairo_t, decltype(&cairo_destroy)> cairo{cairo_create(image.get()), cairo_destroy};
  cairo_set_source_rgb(cairo.get(), 1, 1, 1);
  cairo_paint(cairo.get());
  cairo_scale(cairo.get(), pixels_per_point, pixels_per_point);
  CairoCanvas canvas{cairo.get()};
  paint(canvas);
  check(cairo_status(cairo.get()), name);
  cairo_surface_flush(image.get());

  // libpng, because cairo tries every filter on every row and takes three times as long.
  png_image picture{};
  picture.version = PNG_IMAGE_VERSION;
  picture.width = static_cast<png_uint_32>(cairo_image_surface_get_width(image.get()));
  picture.height = static_cast<png_uint_32>(cairo_image_surface_get_height(image.get()));
  picture.format = std::endian::native == std::endian::little ? PNG_FORMAT_BGRA : PNG_FORMAT_ARGB;
  picture.flags = PNG_IMAGE_FLAG_FAST;
  png_alloc_size_t bytes = PNG_IMAGE_PNG_SIZE_MAX(picture);
  drawn.png.resize(bytes);
  if (png_image_write_to_memory(&picture, drawn.png.data(), &bytes, 0, cairo_image_surface_get_data(image.get()),
                                cairo_image_surface_get_stride(image.get()), nullptr) == 0)
    throw std::runtime_error{fmt::format("cannot draw '{}': {}", name, picture.message)};
  drawn.png.resize(bytes);
  SvgCanvas svg{canvas, width, height};
  paint(svg);
  drawn.svg = svg.text();
}
