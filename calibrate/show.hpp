// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/cost/profile.hpp"

#include <string>
#include <utility>
#include <vector>

namespace trainyard::calibrate {

/// A plot as a list of shapes, in pixels from the top left, written as SVG.
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

/// Machine, doubts, constants with error bars, curves with fits, and missing parts, as text.
std::string show_text(const Profile& profile, const std::string& now);

/// One curve: measured medians with quartiles, fit and limit; rate over size, both logarithmic.
Drawing draw_curve(const CalibratedCurve& curve);

/// A constant of two profiles.
struct Difference {
  std::string name;
  std::string unit;
  std::optional<Bounded> before;
  std::optional<Bounded> after;
  double relative = 0;       // after / before - 1
  bool within_bars = false;  // the intervals overlap
  bool within_limit = false; // |relative| <= limit
};

std::vector<Difference> differences(const Profile& before, const Profile& after, double limit);
std::string diff_text(const Profile& before, const Profile& after, double limit);

/// "25.3 us", "1.21 GB/s", "94.8 %", "3.2 TFLOP/s" for a value in base units.
std::string with_unit(double value, const std::string& unit);

} // namespace trainyard::calibrate
