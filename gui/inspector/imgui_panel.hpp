// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <QString>

#include "gui/inspector/inspector_state.hpp"

namespace trainyard::gui {

/// What the user is about to type, kept between frames.
struct InspectorInput {
  char until[32] = "0.1 s";
  char filter[64] = "";
  bool hours = false; // the time above is one of a queue
};

/// What was clicked in this frame.
struct InspectorRequest {
  enum class Kind { none, start, step, run_until, run, pause } kind = Kind::none;
  int instants = 1;
  double time = 0; // s
  QString policy;  // of a start
  int point = -1;  // of a start; below 0: the last
};

struct InspectorView {
  const InspectorState& state;
  bool alive = false;
  bool busy = false;
  QString message;
  QStringList policies; // of a queue that compares several
  QStringList points;   // of a sweep
  int point = -1;       // which of them it is; below 0: not told yet
};

/// All texts of the panel in the chosen language, for the glyphs of its font.
QString inspector_texts();

/// "90", "0.5 s", "2 h", "1.5 d" or "20 min" in seconds; below 0 where it is not time.
double seconds_of(const QString& words);

/// Draws the panel into the whole of the current ImGui display.
InspectorRequest draw_inspector(const InspectorView& view, InspectorInput& input);

} // namespace trainyard::gui
