// SPDX-License-Identifier: Apache-2.0
#include "sim/results/crowded_links.hpp"

#include <algorithm>

namespace trainyard {

void CrowdedLinks::add(std::size_t job, const StepTrace& trace, double times, Seconds begin, Seconds end)
{
  if (!(end > begin))
    return;
  for (const LinkUse& use : trace.links)
    uses_.push_back({use.link.index, static_cast<int>(loads_.size()), use.bytes * times});
  by_job_.emplace_back(job, loads_.size());
  loads_.push_back({begin, end, {}});
}

void CrowdedLinks::find_busiest()
{
  std::ranges::sort(by_job_);
  std::ranges::stable_sort(uses_, {}, &Use::link);
  for (auto first = uses_.begin(); first != uses_.end();) {
    const auto last = std::find_if(first, uses_.end(), [first](const Use& use) { return use.link != first->link; });
    if (last - first > 1)
      find_busiest_at({first, last});
    first = last;
  }
  uses_ = {};
}

void CrowdedLinks::find_busiest_at(std::span<const Use> uses)
{
  spans_.clear();
  blocks_.clear();
  for (const Use& use : uses) {
    const Load& load = loads_[static_cast<std::size_t>(use.load)];
    if (!(use.bytes.value() > 0))
      continue;
    if (spans_.size() % Block::width == 0)
      blocks_.push_back({load.begin, load.end});
    spans_.push_back({use.bytes, load.begin, load.end});
    blocks_.back() = {std::min(blocks_.back().begin, load.begin), std::max(blocks_.back().end, load.end)};
  }
  const LinkId link{uses.front().link};
  const BytesPerSecond rate = cluster_.link(link).data_rate();
  for (const Use& use : uses) {
    Load& own = loads_[static_cast<std::size_t>(use.load)];
    Bytes carried;
    int jobs = 0;
    for (std::size_t block = 0; block < blocks_.size(); ++block) {
      if (!(blocks_[block].end > own.begin && blocks_[block].begin < own.end))
        continue;
      const std::size_t last = std::min(spans_.size(), (block + 1) * Block::width);
      for (std::size_t i = block * Block::width; i < last; ++i) {
        const Span& other = spans_[i];
        const Seconds together = std::min(own.end, other.end) - std::max(own.begin, other.begin);
        if (!(together > Seconds{}))
          continue;
        carried += other.bytes * (together / (other.end - other.begin));
        ++jobs;
      }
    }
    const double utilisation = std::min(1.0, carried / rate / (own.end - own.begin));
    if (jobs > 1 && (!own.busiest || utilisation > own.busiest->utilisation))
      own.busiest = {link, utilisation, jobs};
  }
}

std::optional<CrowdedLink> CrowdedLinks::busiest_of(std::size_t job) const
{
  const auto own = std::ranges::lower_bound(by_job_, job, {}, &std::pair<std::size_t, std::size_t>::first);
  return own == by_job_.end() || own->first != job ? std::nullopt : loads_[own->second].busiest;
}

} // namespace trainyard
