// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "sim/cluster/speed/speed_model.hpp"

#include <algorithm>
#include <span>
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
      const auto index = static_cast<std::size_t>(link);
      if (index >= users_.size())
        users_.resize(index + 1);
      Users& users = users_[index];
      users.jobs.emplace_back(id, share);
      users.total += share;
    }
    links_[id.index] = std::move(links);
  }

  void remove(JobId id)
  {
    for (const auto& [link, share] : links_of(id)) {
      Users& users = users_[static_cast<std::size_t>(link)];
      std::erase_if(users.jobs, [&](const auto& user) { return user.first == id; });
      users.total = 0; // added up again, so that no rounding piles up
      for (const auto& [job, part] : users.jobs)
        users.total += part;
    }
    links_.erase(id.index);
  }

  /// The jobs that contend with the job directly, in order of id; without itself.
  std::vector<JobId> neighbours(JobId id) const
  {
    std::size_t most = 0;
    for (const auto& [link, share] : links_of(id))
      most += users_[static_cast<std::size_t>(link)].jobs.size();
    std::vector<JobId> found;
    found.reserve(most);
    for (const auto& [link, share] : links_of(id))
      if (const Users& users = users_[static_cast<std::size_t>(link)]; users.can_fill())
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
      for (const auto& [link, share] : links_of(found[next])) {
        const Users& users = users_[static_cast<std::size_t>(link)];
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
  std::span<const LinkShare> links_of(JobId id) const
  {
    const auto found = links_.find(id.index);
    return found == links_.end() ? std::span<const LinkShare>{} : std::span<const LinkShare>{found->second};
  }

  std::vector<Users> users_;                              // by link
  std::unordered_map<int, std::vector<LinkShare>> links_; // by job, whose ids need not be small; looked up only
};

} // namespace trainyard
