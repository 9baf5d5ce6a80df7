// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/core/instant.hpp"
#include "models/job/workload.hpp"

#include <cmath>
#include <map>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

namespace trainyard {

/// GPU time held so far, in which each part counts half after a half-life. Source: Slurm, PriorityDecayHalfLife.
struct DecayedUsage {
  double used = 0; // GPU-seconds until `at`, decayed
  double rate = 0; // GPUs held since then
  Instant at;

  void bring_forward(Instant now, Instant half_life)
  {
    const double decay = std::exp2((at - now) / half_life);
    used = used * decay + rate * half_life.value() / std::numbers::ln2 * (1 - decay);
    at = now;
  }
};

/// Slurm's Fair Tree: accounts (teams) below the root or the account that the section `slurm` puts above them, users
/// below their accounts. Among siblings, who has used less of what all of them used than its share of their shares
/// comes first, with everything below it; equal users have one rank, and what is below equal accounts is ranked
/// together. The factor of a user is its rank among all, 1 for the first. Source: Slurm, "Fair Tree Fairshare
/// Algorithm" (https://slurm.schedmd.com/fair_tree.html).
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
  struct Account {
    double share = 1;
    int parent = -1; // stands before it in the list; the root has none
    double used = 0; // with all that is below
    double shares_below = 0;
  };
  struct User {
    int account = 0;
    double share = 1;
    DecayedUsage usage;
    double factor = 1;
  };
  /// A user, or where there is none an account.
  struct Sibling {
    double over_use = 0;
    int account = 0;
    User* user = nullptr;
  };

  int account_number(const std::string& name);
  User& user_of(int account, int user);
  void read_shares(const std::string& shares);
  void rank_level(std::vector<Sibling> level, const std::vector<std::vector<Sibling>>& below, std::size_t& ranked);

  const Workload& workload_;
  Instant half_life_;
  std::vector<Account> accounts_;
  std::map<std::string, int> numbers_;        // of accounts
  std::map<std::pair<int, int>, User> users_; // by account (team) and user
};

} // namespace trainyard
