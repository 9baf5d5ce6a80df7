// SPDX-License-Identifier: Apache-2.0
#include "sim/report/svg_canvas.hpp"

#include <cmath>
#include <fmt/format.h>

namespace trainyard {
namespace {

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
  for (const char letter : text)
    if (letter == '&')
      result += "&amp;";
    else if (letter == '<')
      result += "&lt;";
    else if (letter == '>')
      result += "&gt;";
    else // XML knows no other control characters
      result += static_cast<unsigned char>(letter) < 0x20 && letter != '\t' && letter != '\n' ? ' ' : letter;
  return result;
}

} // namespace

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

} // namespace trainyard
