// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <QString>

namespace trainyard::gui {

/// From seconds to pixels and back, for a part of a timeline.
struct TimeScale {
  double begin = 0;
  double end = 1;
  int width = 1; // pixels

  bool operator==(const TimeScale&) const = default;
  double pixels_per_second() const { return width / (end - begin); }
  double x(double seconds) const { return (seconds - begin) * pixels_per_second(); }
  double seconds(double x) const { return begin + x / pixels_per_second(); }
  /// Zooms by @p factor (below 1: closer) keeping the time under @p x in place, within [low, high].
  void zoom(double factor, double x, double low, double high);
  void pan(double pixels, double low, double high);
};

/// Distance of tick marks (1, 2 or 5 times a power of ten) so that they stand at least @p pixels apart.
double tick_distance(const TimeScale& scale, double pixels);
QString time_text(double seconds, double distance);

} // namespace trainyard::gui
