// SPDX-License-Identifier: Apache-2.0
#include "sim/sources/queue/policies/fair_tree.hpp"

#include "models/core/closest.hpp"
#include "models/core/text.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <sstream>
#include <stdexcept>

namespace trainyard {
namespace {

/// How much more of the siblings' usage than of their shares: small is better. Slurm sorts by its inverse.
double over_use(double used, double used_by_all, double share, double shares_of_all)
{
  if (share <= 0)
    return std::numeric_limits<double>::infinity();
  return used_by_all > 0 ? (used / used_by_all) / (share / shares_of_all) : 0;
}

int index_of_name(const NameTable& table, const std::set<int>& present, const std::string& name, const char* what)
{
  std::vector<std::string> known;
  for (const int index : present) {
    if (table.name(index) == name)
      return index;
    known.push_back(table.name(index));
  }
  throw std::invalid_argument{std::string{"shares: there is no "} + what + " '" + name + "' in the workload" +
                              did_you_mean(name, known)};
}

} // namespace

FairTree::FairTree(const Workload& workload, const std::string& shares, Instant half_life) : half_life_{half_life}
{
  std::set<int> accounts, users;
  for (const TraceJob& job : workload.jobs) {
    accounts.insert(job.team);
    users.insert(job.user);
    usage_.try_emplace({job.team, job.user});
  }
  for (const int account : accounts)
    account_shares_[account] = 1;
  for (const auto& [who, usage] : usage_)
    user_shares_[who] = 1;
  std::istringstream words{shares};
  for (std::string word; words >> word;) {
    const std::size_t equals = word.rfind('=');
    const auto share = equals == std::string::npos ? std::nullopt : as_number<double>(word.substr(equals + 1));
    if (!share || !(*share >= 0) || !std::isfinite(*share))
      throw std::invalid_argument{"shares: '" + word + "' is not ACCOUNT=SHARE or ACCOUNT.USER=SHARE"};
    const std::string name = word.substr(0, equals);
    const std::size_t dot = name.find('.');
    const int account = index_of_name(workload.teams, accounts, name.substr(0, dot), "account (team)");
    if (dot == std::string::npos)
      account_shares_[account] = *share;
    else
      user_shares_[{account, index_of_name(workload.users, users, name.substr(dot + 1), "user")}] = *share;
  }
}

void FairTree::change(int account, int user, double gpus, Instant now)
{
  account_shares_.try_emplace(account, 1); // of jobs that came from elsewhere
  user_shares_.try_emplace({account, user}, 1);
  DecayedUsage& usage = usage_[{account, user}];
  usage.bring_forward(now, half_life_);
  usage.rate += gpus;
}

void FairTree::rank(Instant now)
{
  std::map<int, double> used_by; // account
  double used_by_all = 0, shares_of_all = 0;
  for (auto& [who, usage] : usage_) {
    usage.bring_forward(now, half_life_);
    used_by[who.first] += usage.used;
    used_by_all += usage.used;
  }
  for (const auto& [account, share] : account_shares_)
    shares_of_all += share;
  std::map<int, double> user_shares_of; // account
  for (const auto& [who, share] : user_shares_)
    user_shares_of[who.first] += share;
  // The best account first, and in it the best user first; equal ones have the same rank.
  std::vector<std::pair<std::pair<double, double>, std::pair<int, int>>> order;
  order.reserve(usage_.size());
  for (const auto& [who, usage] : usage_)
    order.push_back({{over_use(used_by[who.first], used_by_all, account_shares_[who.first], shares_of_all),
                      over_use(usage.used, used_by[who.first], user_shares_[who], user_shares_of[who.first])},
                     who});
  std::ranges::sort(order);
  const auto all = static_cast<double>(order.size());
  double factor = 1;
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (i == 0 || order[i].first != order[i - 1].first)
      factor = (all - static_cast<double>(i)) / all;
    factors_[order[i].second] = factor;
  }
}

double FairTree::factor(int account, int user) const
{
  const auto found = factors_.find({account, user});
  return found == factors_.end() ? 1 : found->second;
}

} // namespace trainyard
