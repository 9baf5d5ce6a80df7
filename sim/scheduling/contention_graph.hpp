#pragma once
#include "models/job/workload.hpp"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <vector>

namespace trainyard {

/// Who loads which link: the contention graph of the running jobs.
class Contention
{
public:
  void add(JobId id, std::vector<int> links)
  {
    if (links.empty())
      return;
    for (const int link : links)
      users_[link].push_back(id);
    links_[id.index] = std::move(links);
  }

  void remove(JobId id)
  {
    const auto found = links_.find(id.index);
    if (found == links_.end())
      return;
    for (const int link : found->second)
      std::erase(users_[link], id);
    links_.erase(found);
  }

  /// Everybody who shares a link with the job, directly or through others; in order of id, the job itself included.
  std::vector<JobId> component(JobId id) const
  {
    std::vector<JobId> found{id};
    std::map<int, bool> seen_links;
    std::map<JobId, bool> seen{{id, true}};
    for (std::size_t next = 0; next < found.size(); ++next) {
      const auto links = links_.find(found[next].index);
      if (links == links_.end())
        continue;
      for (const int link : links->second) {
        if (!seen_links.try_emplace(link, true).second)
          continue;
        for (const JobId other : users_.at(link))
          if (seen.try_emplace(other, true).second)
            found.push_back(other);
      }
    }
    std::ranges::sort(found);
    return found;
  }

private:
  std::unordered_map<int, std::vector<JobId>> users_; // looked up only, never walked
  std::unordered_map<int, std::vector<int>> links_;
};

} // namespace trainyard
