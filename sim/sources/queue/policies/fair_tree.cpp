// SPDX-License-Identifier: Apache-2.0
#include "sim/sources/queue/policies/fair_tree.hpp"

#include "models/core/closest.hpp"
#include "models/core/text.hpp"
#include "models/job/batch_rules.hpp"

#include <algorithm>
#include <limits>
#include <ranges>
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

[[noreturn]] void unknown(const std::vector<std::string>& known, const std::string& name, const char* what)
{
  throw std::invalid_argument{std::string{"shares: there is no "} + what + " '" + name + "' in the workload" +
                              did_you_mean(name, known)};
}

} // namespace

FairTree::FairTree(const Workload& workload, const std::string& shares, Instant half_life)
    : workload_{workload}, half_life_{half_life}, accounts_(1), numbers_{{BatchAssociation::root, 0}}
{
  for (const TraceJob& job : workload.jobs)
    user_of(job.team, job.user);
  read_shares(shares);
}

int FairTree::account_number(const std::string& name)
{
  if (const auto known = numbers_.find(name); known != numbers_.end())
    return known->second;
  const int parent = workload_.rules == nullptr ? 0 : account_number(workload_.rules->above(name));
  accounts_.push_back({.parent = parent});
  return numbers_[name] = static_cast<int>(accounts_.size()) - 1;
}

FairTree::User& FairTree::user_of(int account, int user)
{
  const auto [found, fresh] = users_.try_emplace({account, user});
  if (fresh)
    found->second.account = account_number(workload_.teams.name(account));
  return found->second;
}

void FairTree::read_shares(const std::string& shares)
{
  std::istringstream words{shares};
  for (std::string word; words >> word;) {
    const std::size_t equals = word.rfind('=');
    const auto share = equals == std::string::npos ? std::nullopt : as_number<double>(word.substr(equals + 1));
    if (!share || !(*share >= 0) || !std::isfinite(*share))
      throw std::invalid_argument{"shares: '" + word + "' is not ACCOUNT=SHARE or ACCOUNT.USER=SHARE"};
    const std::string name = word.substr(0, equals);
    const std::size_t dot = name.find('.');
    const auto account = numbers_.find(name.substr(0, dot));
    if (account == numbers_.end()) {
      const auto names = std::views::keys(numbers_);
      unknown({names.begin(), names.end()}, name.substr(0, dot), "account (team)");
    }
    if (dot == std::string::npos) {
      accounts_[static_cast<std::size_t>(account->second)].share = *share;
      continue;
    }
    std::vector<std::string> members;
    for (auto& [who, user] : users_)
      if (user.account == account->second) {
        members.push_back(workload_.users.name(who.second));
        if (members.back() == name.substr(dot + 1))
          user.share = *share;
      }
    if (std::ranges::find(members, name.substr(dot + 1)) == members.end())
      unknown(members, name.substr(dot + 1), "user");
  }
}

void FairTree::change(int account, int user, double gpus, Instant now)
{
  DecayedUsage& usage = user_of(account, user).usage; // a new one of jobs that came from elsewhere
  usage.bring_forward(now, half_life_);
  usage.rate += gpus;
}

void FairTree::rank(Instant now)
{
  for (Account& account : accounts_)
    account.used = account.shares_below = 0;
  const auto at = [&](int number) -> Account& { return accounts_[static_cast<std::size_t>(number)]; };
  for (auto& [who, user] : users_) {
    user.usage.bring_forward(now, half_life_);
    at(user.account).used += user.usage.used;
    at(user.account).shares_below += user.share;
  }
  for (std::size_t i = accounts_.size(); i-- > 1;) { // those below stand behind
    at(accounts_[i].parent).used += accounts_[i].used;
    at(accounts_[i].parent).shares_below += accounts_[i].share;
  }
  std::vector<std::vector<Sibling>> below(accounts_.size());
  const auto enter = [&](int parent, double used, double share, int account, User* user) {
    below[static_cast<std::size_t>(parent)].push_back(
        {over_use(used, at(parent).used, share, at(parent).shares_below), account, user});
  };
  for (auto& [who, user] : users_)
    enter(user.account, user.usage.used, user.share, 0, &user);
  for (std::size_t i = 1; i < accounts_.size(); ++i)
    enter(accounts_[i].parent, accounts_[i].used, accounts_[i].share, static_cast<int>(i), nullptr);
  std::size_t ranked = 0;
  rank_level(below.front(), below, ranked);
}

void FairTree::rank_level(std::vector<Sibling> level, const std::vector<std::vector<Sibling>>& below,
                          std::size_t& ranked)
{
  // Equal ones: users before accounts.
  std::ranges::stable_sort(level, {}, [](const Sibling& one) { return std::pair{one.over_use, one.user == nullptr}; });
  const auto all = static_cast<double>(users_.size());
  for (std::size_t i = 0; i < level.size();) {
    std::size_t end = i;
    std::vector<Sibling> together;
    const double factor = (all - static_cast<double>(ranked)) / all;
    for (; end < level.size() && level[end].over_use == level[i].over_use &&
           (level[end].user == nullptr) == (level[i].user == nullptr);
         ++end) {
      if (level[end].user != nullptr) {
        level[end].user->factor = factor;
        ++ranked;
        continue;
      }
      const auto& its = below[static_cast<std::size_t>(level[end].account)];
      together.insert(together.end(), its.begin(), its.end());
    }
    if (!together.empty())
      rank_level(std::move(together), below, ranked);
    i = end;
  }
}

double FairTree::factor(int account, int user) const
{
  const auto found = users_.find({account, user});
  return found == users_.end() ? 1 : found->second.factor;
}

} // namespace trainyard
