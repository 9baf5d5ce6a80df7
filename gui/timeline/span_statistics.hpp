// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "gui/timeline/timeline.hpp"

#include <vector>

namespace trainyard::gui {

/// What the spans of one name, or of one kind, did within a range of time.
struct SpanSum {
  QString category;
  QString name; // empty: all of the kind
  qint64 count = 0;
  double total = 0; // s, within the range
  double shortest = 0;
  double longest = 0;
  double share = 0; // of the time of all lanes that were looked at
};

/// Sums over some lanes: every kind, the one that took most first, followed by its names. @p names: at most so many of
/// each kind.
std::vector<SpanSum> sums_of(const Timeline& timeline, const std::vector<int>& lanes, double begin, double end,
                             std::size_t names = 50);

} // namespace trainyard::gui
