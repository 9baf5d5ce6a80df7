// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

namespace trainyard {

/// Of jobs that may be stopped, in the order in which they are: the shortest prefix that is enough, without the jobs of
/// it that need not stop, the last of them first. None where not even all are enough.
///
/// @p enough: (jobs) -> whether it is enough to stop these.
template <class Job, class Enough>
std::vector<Job> fewest_stops(std::vector<Job> jobs, const Enough& enough)
{
  if (jobs.empty() || !enough(jobs))
    return {};
  std::size_t low = 1;
  std::size_t high = jobs.size();
  while (low < high) {
    const std::size_t middle = (low + high) / 2;
    if (enough(std::span{jobs}.first(middle)))
      high = middle;
    else
      low = middle + 1;
  }
  jobs.resize(high);
  for (std::size_t i = jobs.size(); i-- > 0 && jobs.size() > 1;) {
    std::vector<Job> fewer = jobs;
    fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
    if (enough(fewer))
      jobs = std::move(fewer);
  }
  return jobs;
}

} // namespace trainyard
