// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/job/workload.hpp"
#include "sim/sources/queue/policies/decayed_usage.hpp"

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace trainyard {

/// Slurm's Fair Tree: accounts (teams) below the root, users below their accounts. Among siblings, who has used less of
/// what all of them used than its share of their shares comes first, with everything below it. The factor of a user is
/// its rank among all, 1 for the first. Source: Slurm, "Fair Tree Fairshare Algorithm"
/// (https://slurm.schedmd.com/fair_tree.html).
class FairTree
{
public:
  /// @p shares: "physics=40 physics.alice=2 chemistry=60"; who is not named has 1. Usage counts half after @p
  /// half_life. Throws std::invalid_argument for what cannot be read, and names that the workload does not have.
  FairTree(const Workload& workload, const std::string& shares, Instant half_life);

  /// GPUs held by a job of this account and user change by so many from @p now on.
  void change(int account, int user, double gpus, Instant now);
  /// Ranks all users anew.
  void rank(Instant now);
  /// 0 < factor <= 1; 1 where the user has not been ranked yet.
  double factor(int account, int user) const;

private:
  Instant half_life_;
  std::map<int, double> account_shares_;
  std::map<std::pair<int, int>, double> user_shares_;
  std::map<std::pair<int, int>, DecayedUsage> usage_; // by account and user: all that the workload has
  std::map<std::pair<int, int>, double> factors_;
};

} // namespace trainyard
