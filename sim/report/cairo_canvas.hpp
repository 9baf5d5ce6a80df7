// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "sim/report/canvas.hpp"

#include <array>
#include <cairo.h>
#include <map>
#include <memory>
#include <string>
#include <tuple>

namespace trainyard {

/// Draws on a surface of cairo.
class CairoCanvas final : public Canvas
{
public:
  /// The caller keeps it.
  explicit CairoCanvas(cairo_t* cairo);

  void colour(Colour colour, double opacity) override;
  void line(double x1, double y1, double x2, double y2, double width, bool dashed) override;
  void rectangle(double x, double y, double width, double height) override;
  void disc(double x, double y, double radius) override;
  void polygon(std::span<const std::pair<double, double>> corners) override;
  void text(double x, double y, const std::string& text, double size, Anchor anchor, bool bold) override;
  double text_width(const std::string& text, double size, bool bold) override;
  void clip(double x, double y, double width, double height) override;
  void unclip() override;

private:
  void use_font(double size, bool bold);

  cairo_t* cairo_;
  std::array<std::unique_ptr<cairo_font_face_t, decltype(&cairo_font_face_destroy)>, 2> fonts_; // regular, bold
  std::map<std::tuple<double, bool, std::string>, double> widths_; // of texts by size and weight
};

} // namespace trainyard
