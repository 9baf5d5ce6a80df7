// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "sim/cluster/speed/speed_model.hpp"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace trainyard {

/// Which job loads which link: the contention graph of the running jobs. Two jobs are neighbours where they share a
/// link that its users together could load beyond its capacity.
class Contention
{
public:
  void add(JobId id, std::vector<LinkShare> links)
  {
    if (links.empty())
      return;
    for (const auto& [link, share] : links) {
      Users& users = users_[link];
      users.jobs.emplace_back(id, share);
      users.total += share;
    }
    links_[id.index] = std::move(links);
  }

  void remove(JobId id)
  {
    const auto found = links_.find(id.index);
    if (found == links_.end())
      return;
    for (const auto& [link, share] : found->second) {
      const auto users = users_.find(link);
      std::erase_if(users->second.jobs, [&](const auto& user) { return user.first == id; });
      if (users->second.jobs.empty()) {
        users_.erase(users);
        continue;
      }
      users->second.total = 0; // added up again, so that no rounding piles up
      for (const auto& [job, part] : users->second.jobs)
        users->second.total += part;
    }
    links_.erase(found);
  }

  /// The jobs that contend with the job directly, in order of id; without itself.
  std::vector<JobId> neighbours(JobId id) const
  {
    std::vector<JobId> found;
    const auto links = links_.find(id.index);
    if (links == links_.end())
      return found;
    for (const auto& [link, share] : links->second)
      if (const Users& users = users_.at(link); users.can_fill())
        for (const auto& [other, part] : users.jobs)
          if (other != id)
            found.push_back(other);
    std::ranges::sort(found);
    const auto repeated = std::ranges::unique(found);
    found.erase(repeated.begin(), repeated.end());
    return found;
  }

  /// All jobs that contend with the job, directly or through others; in order of id, the job itself included.
  std::vector<JobId> component(JobId id) const
  {
    std::vector<JobId> found{id};
    std::unordered_set<int> seen_links;
    std::unordered_set<int> seen{id.index};
    for (std::size_t next = 0; next < found.size(); ++next) {
      const auto links = links_.find(found[next].index);
      if (links == links_.end())
        continue;
      for (const auto& [link, share] : links->second) {
        const Users& users = users_.at(link);
        if (!users.can_fill() || !seen_links.insert(link).second)
          continue;
        for (const auto& [other, part] : users.jobs)
          if (seen.insert(other.index).second)
            found.push_back(other);
      }
    }
    std::ranges::sort(found);
    return found;
  }

private:
  struct Users {
    std::vector<std::pair<JobId, double>> jobs; // and the share of each
    double total = 0;
    bool can_fill() const { return jobs.size() > 1 && total > 1 + 1e-9; }
  };
  std::unordered_map<int, Users> users_; // looked up only, never walked
  std::unordered_map<int, std::vector<LinkShare>> links_;
};

} // namespace trainyard
