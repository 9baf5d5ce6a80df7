// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "sim/report/canvas.hpp"

namespace trainyard {

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

} // namespace trainyard
