// SPDX-License-Identifier: Apache-2.0
#include "gui/timeline/timeline_view.hpp"

#include <QHash>

#include <algorithm>
#include <array>

namespace trainyard::gui {

std::vector<LaneGroup> groups_of(const Timeline& timeline)
{
  const bool by_process = std::any_of(timeline.lanes.begin(), timeline.lanes.end(),
                                      [&](const Lane& lane) { return lane.process != timeline.lanes.front().process; });
  std::vector<LaneGroup> groups;
  QHash<QString, std::size_t> known;
  for (std::size_t i = 0; i < timeline.lanes.size(); ++i) {
    const Lane& lane = timeline.lanes[i];
    const QString job = lane.process.section(QLatin1String(" ("), 0, 0); // the point stands above the lanes
    const QString name = by_process                             ? lane.process
                         : lane.name.contains(QLatin1Char('/')) ? lane.name.section(QLatin1Char('/'), 0, 0)
                                                                : job;
    auto found = known.constFind(name);
    if (found == known.constEnd()) {
      found = known.insert(name, groups.size());
      groups.push_back({name, {}});
    }
    groups[found.value()].lanes.push_back(static_cast<int>(i));
  }
  return groups;
}

std::vector<TimelineRow> rows_of(const std::vector<LaneGroup>& groups, const QSet<int>& folded, const QSet<int>& pinned,
                                 const std::function<bool(int)>& shown)
{
  std::vector<TimelineRow> first;
  std::vector<TimelineRow> rest;
  for (int g = 0; g < static_cast<int>(groups.size()); ++g) {
    const std::vector<int>& lanes = groups[static_cast<std::size_t>(g)].lanes;
    const bool headed = groups.size() > 1 && lanes.size() > 1;
    bool any = false;
    const std::size_t head = rest.size();
    for (const int lane : lanes) {
      if (!shown(lane))
        continue;
      any = true;
      if (pinned.contains(lane))
        first.push_back({g, lane});
      else if (!headed || !folded.contains(g))
        rest.push_back({g, lane});
    }
    if (any && headed)
      rest.insert(rest.begin() + static_cast<std::ptrdiff_t>(head), TimelineRow{g, -1});
  }
  first.insert(first.end(), rest.begin(), rest.end());
  return first;
}

GroupPicture picture_of(const Timeline& timeline, const std::vector<int>& lanes, const TimeScale& scale,
                        const std::vector<std::uint32_t>& colours)
{
  constexpr std::size_t most = 200;
  constexpr std::uint32_t nothing = 0; // no colour: those have 255 in the highest byte
  const auto width = static_cast<std::size_t>(std::max(0, scale.width));
  std::vector<std::array<std::uint32_t, 4>> sums(width); // red, green, blue, count
  std::size_t looked = 0;
  const std::size_t step = std::max<std::size_t>(1, (lanes.size() + most - 1) / most);
  for (std::size_t i = 0; i < lanes.size(); i += step) {
    const Lane& lane = timeline.lanes[static_cast<std::size_t>(lanes[i])];
    const LaneRow row = draw_lane(lane.spans, lane.detail, scale, colours, nothing);
    ++looked;
    for (std::size_t x = 0; x < width; ++x) {
      const std::uint32_t pixel = row.pixels[x];
      if (pixel == nothing)
        continue;
      sums[x][0] += (pixel >> 16U) & 0xffU;
      sums[x][1] += (pixel >> 8U) & 0xffU;
      sums[x][2] += pixel & 0xffU;
      ++sums[x][3];
    }
  }
  GroupPicture picture{std::vector<std::uint32_t>(width, 0), std::vector<float>(width, 0)};
  for (std::size_t x = 0; x < width; ++x) {
    const auto [red, green, blue, count] = sums[x];
    if (count == 0)
      continue;
    picture.colours[x] = 0xff000000U | ((red / count) << 16U) | ((green / count) << 8U) | (blue / count);
    picture.shares[x] = static_cast<float>(count) / static_cast<float>(looked);
  }
  return picture;
}

} // namespace trainyard::gui
