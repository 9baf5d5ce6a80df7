// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <utility>

namespace trainyard {

struct Colour {
  double red = 0;
  double green = 0;
  double blue = 0;
};

/// Okabe and Ito's palette (2008), which readers with any colour vision can tell apart; yellow is left out, it vanishes
/// on white.
inline constexpr std::array<Colour, 7> okabe_ito = {
    Colour{0.000, 0.447, 0.698}, Colour{0.835, 0.369, 0.000}, Colour{0.000, 0.620, 0.451}, Colour{0.800, 0.475, 0.655},
    Colour{0.902, 0.624, 0.000}, Colour{0.337, 0.706, 0.914}, Colour{0.0, 0.0, 0.0}};
inline constexpr Colour ink{0.13, 0.15, 0.18};
inline constexpr Colour quiet_ink{0.42, 0.45, 0.50};
inline constexpr Colour grid_line{0.90, 0.91, 0.92};

enum class Anchor { left, centre, right };

/// The drawing surface of the plots: sizes in points, y downwards.
class Canvas
{
public:
  virtual ~Canvas() = default;
  virtual void colour(Colour colour, double opacity = 1) = 0;
  virtual void line(double x1, double y1, double x2, double y2, double width, bool dashed = false) = 0;
  virtual void rectangle(double x, double y, double width, double height) = 0;
  virtual void disc(double x, double y, double radius) = 0;
  virtual void polygon(std::span<const std::pair<double, double>> corners) = 0;
  /// Baseline at y.
  virtual void text(double x, double y, const std::string& text, double size, Anchor anchor = Anchor::left,
                    bool bold = false) = 0;
  virtual double text_width(const std::string& text, double size, bool bold = false) = 0;
  virtual void clip(double x, double y, double width, double height) = 0;
  virtual void unclip() = 0;

  /// The text, cut with "…" to fit; empty where not even three letters do.
  std::string fitted(const std::string& text, double width, double size)
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
  /// One of eight shapes.
  void marker(double x, double y, double radius, std::size_t shape);
};

/// Draws twice: <path>.png at twice the size in pixels, and <path>.svg. Throws std::runtime_error naming the file that
/// cannot be written.
void draw_to_files(const std::filesystem::path& path, double width, double height,
                   const std::function<void(Canvas&)>& paint);

} // namespace trainyard
