// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <QSet>
#include <QString>

#include "gui/timeline/timeline.hpp"

#include <functional>
#include <vector>

namespace trainyard::gui {

/// Lanes that belong together: of a machine, a job, a policy.
struct LaneGroup {
  QString name;
  std::vector<int> lanes;
};

/// A row of the view: a lane, or the head of a group (lane below 0).
struct TimelineRow {
  int group = -1;
  int lane = -1;

  bool operator==(const TimelineRow&) const = default;
};

/// Lanes by process where there are several, else by the machine that their names begin with ("worker-0/…").
std::vector<LaneGroup> groups_of(const Timeline& timeline);

/// The rows from above: pinned lanes, then the groups with their lanes. A group of one lane, or the only group, has no
/// head; a folded one has nothing else. @p shown: whether a lane passes the filter.
std::vector<TimelineRow> rows_of(const std::vector<LaneGroup>& groups, const QSet<int>& folded, const QSet<int>& pinned,
                                 const std::function<bool(int lane)>& shown);

/// What several lanes do together, pixel by pixel: which share of them works, and in which colours.
struct GroupPicture {
  std::vector<std::uint32_t> colours; // RGB32, the mean of those that work
  std::vector<float> shares;          // 0…1
};
/// Of a group of many lanes at most 200 are looked at, at even distances.
GroupPicture picture_of(const Timeline& timeline, const std::vector<int>& lanes, const TimeScale& scale,
                        const std::vector<std::uint32_t>& colours);

} // namespace trainyard::gui
