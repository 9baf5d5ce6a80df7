// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <filesystem>
#include <string>
#include <vector>

namespace trainyard::calibrate {

/// A plot as a list of shapes, in pixels from the top left, written as SVG, or as PNG where simcal was built with
/// cairo.
struct Drawing {
  struct Line {
    std::vector<std::pair<double, double>> points;
    std::string colour;
    double width = 1;
    bool dashed = false;
  };
  struct Dot {
    double x = 0, y = 0, radius = 3;
    std::string colour;
  };
  struct Text {
    double x = 0, y = 0;
    std::string text;
    double size = 12;
    int anchor = 0; // -1 begins here, 0 centred, 1 ends here
    std::string colour = "#222222";
    bool upright = false; // turned by 90 degrees
  };

  double width = 640;
  double height = 420;
  std::vector<Line> lines;
  std::vector<Dot> dots;
  std::vector<Text> texts;
};

std::string svg_text(const Drawing& drawing);
/// Throws std::runtime_error where it cannot be written, or where simcal was built without cairo.
void write_png(const Drawing& drawing, const std::filesystem::path& file);
bool can_write_png();

} // namespace trainyard::calibrate
