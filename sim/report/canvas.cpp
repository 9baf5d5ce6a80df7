// SPDX-License-Identifier: Apache-2.0
#include "sim/report/canvas.hpp"

#include "models/core/loaded_part.hpp"
#include "sim/report/drawing_part.hpp"
#include "sim/report/output_file.hpp"

#include <array>
#include <cmath>
#include <numbers>

namespace trainyard {

void Canvas::marker(double x, double y, double radius, std::size_t shape)
{
  if (shape % 8 == 0)
    return disc(x, y, radius);
  // square, triangle, diamond, pentagon, triangle down, hexagon, flat diamond: polygons by corners and turn
  constexpr int corners[] = {0, 4, 3, 4, 5, 3, 6, 4};
  constexpr double turns[] = {0, 0.125, -0.25, 0, -0.25, 0.25, 0, 0};
  const int count = corners[shape % 8];
  const double flat = shape % 8 == 7 ? 0.55 : 1;
  std::array<std::pair<double, double>, 6> places;
  for (int i = 0; i < count; ++i) {
    const double angle = 2 * std::numbers::pi * (turns[shape % 8] + static_cast<double>(i) / count);
    places[static_cast<std::size_t>(i)] = {x + 1.2 * radius * std::cos(angle),
                                           y + 1.2 * flat * radius * std::sin(angle)};
  }
  polygon(std::span{places}.first(static_cast<std::size_t>(count)));
}

void draw_to_files(const std::filesystem::path& path, double width, double height,
                   const std::function<void(Canvas&)>& paint)
{
  const std::string png = path.string() + ".png", svg = path.string() + ".svg";
  Pictures drawn;
  part_function<void(const std::string&, double, double, const std::function<void(Canvas&)>&, Pictures&)>(
      "drawing", "trainyard_draw")(png, width, height, paint, drawn);
  write_file(png, drawn.png);
  write_file(svg, drawn.svg);
}

void write_report_pdf(const ReportDocument& document, const std::filesystem::path& file)
{
  part_function<void(const ReportDocument&, const std::filesystem::path&)>("drawing", "trainyard_write_pdf")(document,
                                                                                                             file);
}

} // namespace trainyard
