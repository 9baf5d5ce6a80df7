// SPDX-License-Identifier: Apache-2.0
#include "gui/timeline/timeline.hpp"

namespace trainyard::gui {

std::vector<std::uint32_t> kinds_of(const Timeline& timeline)
{
  std::vector<std::uint32_t> kinds;
  QHash<QString, std::uint32_t> known;
  for (int i = 0; i < timeline.names.size(); ++i) {
    const QString& category = timeline.categories[i];
    const bool alone = category.isEmpty() || category == QLatin1String("other");
    const QString what = alone ? QLatin1Char('\n') + timeline.names[i] : category;
    kinds.push_back(known.insert(what, known.value(what, static_cast<std::uint32_t>(known.size()))).value());
  }
  return kinds;
}

void add_detail(Timeline& timeline)
{
  const std::vector<std::uint32_t> kinds = kinds_of(timeline);
  for (Lane& lane : timeline.lanes)
    lane.detail = detail_of(lane.spans, kinds);
}

} // namespace trainyard::gui
