// SPDX-License-Identifier: Apache-2.0
#include "gui/timeline/timeline.hpp"

#include <algorithm>
#include <map>

namespace trainyard::gui {
namespace {

void take(SpanSum& sum, qint64 count, double total, double shortest, double longest)
{
  sum.shortest = sum.count == 0 ? shortest : std::min(sum.shortest, shortest);
  sum.longest = std::max(sum.longest, longest);
  sum.count += count;
  sum.total += total;
}

} // namespace

std::vector<SpanSum> sums_of(const Timeline& timeline, const std::vector<int>& lanes, double begin, double end,
                             std::size_t names)
{
  std::vector<SpanSum> by_name(static_cast<std::size_t>(timeline.names.size()));
  for (const int at : lanes) {
    const std::vector<Span>& spans = timeline.lanes[static_cast<std::size_t>(at)].spans;
    for (auto span = std::upper_bound(spans.begin(), spans.end(), begin,
                                      [](double time, const Span&each) { return time < each.end; });
         span != spans.end() && span->begin < end; ++span) {
      const double length = std::min(span->end, end) - std::max(span->begin, begin);
      take(by_name[span->name], 1, length, length, length);
    }
  }
  const double whole = std::max(1e-300, (end - begin) * static_cast<double>(lanes.size()));
  std::map<QString, std::pair<SpanSum, std::vector<SpanSum>>> by_category;
  for (std::size_t i = 0; i < by_name.size(); ++i) {
    SpanSum& sum = by_name[i];
    if (sum.count == 0)
      continue;
    sum.category = timeline.categories[static_cast<int>(i)];
    sum.name = timeline.names[static_cast<int>(i)];
    sum.share = sum.total / whole;
    auto& [kind, members] = by_category[sum.category];
    kind.category = sum.category;
    take(kind, sum.count, sum.total, sum.shortest, sum.longest);
    members.push_back(sum);
  }
  std::vector<std::pair<SpanSum, std::vector<SpanSum>>> kinds;
  for (auto& [category, kind] : by_category)
    kinds.push_back(std::move(kind));
  const auto more = [](const SpanSum& a, const SpanSum& b) { return a.total > b.total; };
  std::stable_sort(kinds.begin(), kinds.end(), [&](const auto& a, const auto& b) { return more(a.first, b.first); });
  std::vector<SpanSum> result;
  for (auto& [kind, members] : kinds) {
    kind.share = kind.total / whole;
    result.push_back(kind);
    std::stable_sort(members.begin(), members.end(), more);
    members.resize(std::min(members.size(), names));
    result.insert(result.end(), members.begin(), members.end());
  }
  return result;
}

} // namespace trainyard::gui
