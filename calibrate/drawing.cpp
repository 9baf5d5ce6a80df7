// SPDX-License-Identifier: Apache-2.0
#include "calibrate/drawing.hpp"

#include "calibrate/measurement.hpp"

#include <cstdlib>
#include <stdexcept>

#ifdef SIMCAL_CAIRO
#include <cairo/cairo.h>
#endif

namespace trainyard::calibrate {
namespace {

std::string escaped(const std::string& text)
{
  std::string out;
  for (const char c : text)
    out += c == '<' ? "&lt;" : c == '>' ? "&gt;" : c == '&' ? "&amp;" : std::string{c};
  return out;
}

} // namespace

std::string svg_text(const Drawing& drawing)
{
  const std::string w = to_string(drawing.width), h = to_string(drawing.height);
  std::string out =
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" + w + "\" height=\"" + h + "\" viewBox=\"0 0 " + w + " " +
      h + "\" font-family=\"DejaVu Sans, sans-serif\">\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n";
  for (const Drawing::Line& line : drawing.lines) {
    out += "<polyline fill=\"none\" stroke=\"" + line.colour + "\" stroke-width=\"" + to_string(line.width) + "\"" +
           (line.dashed ? " stroke-dasharray=\"6 4\"" : "") + " points=\"";
    for (const auto& [x, y] : line.points)
      out += to_string(x, 6) + "," + to_string(y, 6) + " ";
    out += "\"/>\n";
  }
  for (const Drawing::Dot& dot : drawing.dots)
    out += "<circle cx=\"" + to_string(dot.x, 6) + "\" cy=\"" + to_string(dot.y, 6) + "\" r=\"" +
           to_string(dot.radius) + "\" fill=\"" + dot.colour + "\"/>\n";
  for (const Drawing::Text& text : drawing.texts) {
    const std::string place = "x=\"" + to_string(text.x, 6) + "\" y=\"" + to_string(text.y, 6) + "\"";
    out +=
        "<text " + place + " font-size=\"" + to_string(text.size) + "\" fill=\"" + text.colour + "\" text-anchor=\"" +
        (text.anchor < 0   ? "start"
         : text.anchor > 0 ? "end"
                           : "middle") +
        "\"" +
        (text.upright ? " transform=\"rotate(-90 " + to_string(text.x, 6) + " " + to_string(text.y, 6) + ")\"" : "") +
        ">" + escaped(text.text) + "</text>\n";
  }
  return out + "</svg>\n";
}

#ifdef SIMCAL_CAIRO

namespace {

void set_colour(cairo_t* cairo, const std::string& colour)
{
  const long rgb = std::strtol(colour.c_str() + 1, nullptr, 16);
  cairo_set_source_rgb(cairo, static_cast<double>(rgb >> 16) / 255, static_cast<double>((rgb >> 8) & 255) / 255,
                       static_cast<double>(rgb & 255) / 255);
}

} // namespace

bool can_write_png()
{
  return true;
}

void write_png(const Drawing& drawing, const std::filesystem::path& file)
{
  cairo_surface_t* surface =
      cairo_image_surface_create(CAIRO_FORMAT_RGB24, static_cast<int>(drawing.width), static_cast<int>(drawing.height));
  cairo_t* cairo = cairo_create(surface);
  cairo_set_source_rgb(cairo, 1, 1, 1);
  cairo_paint(cairo);
  for (const Drawing::Line& line : drawing.lines) {
    set_colour(cairo, line.colour);
    cairo_set_line_width(cairo, line.width);
    const double dashes[] = {6, 4};
    cairo_set_dash(cairo, dashes, line.dashed ? 2 : 0, 0);
    for (const auto& [x, y] : line.points)
      cairo_line_to(cairo, x, y);
    cairo_stroke(cairo);
  }
  for (const Drawing::Dot& dot : drawing.dots) {
    set_colour(cairo, dot.colour);
    cairo_arc(cairo, dot.x, dot.y, dot.radius, 0, 6.2832);
    cairo_fill(cairo);
  }
  cairo_select_font_face(cairo, "DejaVu Sans", CAIRO_FONT_SLANT_NORMAL, CAIRO_FONT_WEIGHT_NORMAL);
  for (const Drawing::Text& text : drawing.texts) {
    set_colour(cairo, text.colour);
    cairo_set_font_size(cairo, text.size);
    cairo_text_extents_t extents;
    cairo_text_extents(cairo, text.text.c_str(), &extents);
    cairo_save(cairo);
    cairo_translate(cairo, text.x, text.y);
    if (text.upright)
      cairo_rotate(cairo, -1.5708);
    cairo_move_to(cairo, -extents.x_advance * (text.anchor + 1) / 2, 0);
    cairo_show_text(cairo, text.text.c_str());
    cairo_restore(cairo);
  }
  const cairo_status_t status = cairo_surface_write_to_png(surface, file.c_str());
  cairo_destroy(cairo);
  cairo_surface_destroy(surface);
  if (status != CAIRO_STATUS_SUCCESS)
    throw std::runtime_error{"cannot write '" + file.string() + "': " + cairo_status_to_string(status)};
}

#else

bool can_write_png()
{
  return false;
}

void write_png(const Drawing&, const std::filesystem::path& file)
{
  throw std::runtime_error{"cannot write '" + file.string() + "': this simcal was built without cairo; use --svg"};
}

#endif

} // namespace trainyard::calibrate
