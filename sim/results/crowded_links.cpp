// SPDX-License-Identifier: Apache-2.0
#include "sim/results/crowded_links.hpp"

#include <algorithm>

namespace trainyard {

void CrowdedLinks::add(std::size_t job, const StepTrace& trace, double times, Seconds begin, Seconds end)
{
  if (!(end > begin))
    return;
  loads_[job] = {&trace, begin, end};
  for (const LinkUse& use : trace.links) {
    if (!(use.bytes.value() > 0))
      continue;
    Uses& uses = uses_[use.link.index];
    if (uses.all.size() % Uses::width == 0)
      uses.blocks.push_back({begin, end});
    uses.all.push_back({use.bytes * times, begin, end});
    uses.blocks.back() = {std::min(uses.blocks.back().begin, begin), std::max(uses.blocks.back().end, end)};
  }
}

std::optional<CrowdedLink> CrowdedLinks::busiest_of(std::size_t job) const
{
  const auto own = loads_.find(job);
  if (own == loads_.end())
    return std::nullopt;
  const auto& [trace, begin, end] = own->second;
  std::optional<CrowdedLink> busiest;
  for (const LinkUse& use : trace->links) {
    const auto found = uses_.find(use.link.index);
    if (found == uses_.end() || found->second.all.size() < 2)
      continue;
    Bytes carried;
    int jobs = 0;
    const auto& [all, blocks] = found->second;
    for (std::size_t block = 0; block < blocks.size(); ++block) {
      if (!(blocks[block].end > begin && blocks[block].begin < end))
        continue;
      const std::size_t last = std::min(all.size(), (block + 1) * Uses::width);
      for (std::size_t i = block * Uses::width; i < last; ++i) {
        const Use& other = all[i];
        const Seconds together = std::min(end, other.end) - std::max(begin, other.begin);
        if (!(together > Seconds{}))
          continue;
        carried += other.bytes * (together / (other.end - other.begin));
        ++jobs;
      }
    }
    const double utilisation = std::min(1.0, carried / cluster_.link(use.link).data_rate() / (end - begin));
    if (jobs > 1 && (!busiest || utilisation > busiest->utilisation))
      busiest = {use.link, utilisation, jobs};
  }
  return busiest;
}

} // namespace trainyard
