// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "gui/timeline/time_scale.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace trainyard::gui {

/// A piece of work on a lane. Spans of a lane are sorted and do not overlap.
struct Span {
  double begin = 0; // s
  double end = 0;   // s
  std::uint32_t name = 0;
};

/// What a lane looks like from afar: its time is cut into stretches of equal length, and of each is known which work
/// took most of it. Every level has half as many stretches as the one before it, the first one for four spans on
/// average; together they take about a twelfth of the memory of the spans.
struct LaneDetail {
  /// The name in the upper 24 bits; in the lower 8 the share of the stretch that is busy, 1 to 255; 0 where nothing
  /// happened.
  using Stretch = std::uint32_t;
  struct Level {
    double length = 0; // of a stretch, s
    std::vector<Stretch> stretches;
  };
  double begin = 0; // s
  double end = 0;   // s
  std::vector<Level> levels;
};

/// Looks at all spans of a lane. @p kinds tells which names belong together ("forward" of all layers): the kind that
/// took most of a stretch wins, and is shown by the name of it that took most. Names marked in @p favoured (none: no
/// name) win against all others, however short. Lanes of few spans have no detail; they are drawn span by span.
LaneDetail detail_of(const std::vector<Span>& spans, const std::vector<std::uint32_t>& kinds,
                     const std::vector<char>& favoured = {});

/// A lane as a row of pixels.
struct LaneRow {
  std::vector<std::uint32_t> pixels; // RGB32
  std::vector<std::size_t> wide;     // spans that take at least as many pixels as asked for
};

/// Draws a lane: a span that is wider than a pixel where it is, of those that share a pixel the one that takes most of
/// it. Where more than a few share every pixel, the detail is drawn: what took most of the pixel, the paler the less it
/// was busy. Costs O(pixels) either way.
/// @p colours are by name.
LaneRow draw_lane(const std::vector<Span>& spans, const LaneDetail& detail, const TimeScale& scale,
                  const std::vector<std::uint32_t>& colours, std::uint32_t background, int wide = 40);

} // namespace trainyard::gui
