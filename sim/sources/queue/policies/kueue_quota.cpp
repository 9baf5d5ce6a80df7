// SPDX-License-Identifier: Apache-2.0
#include "sim/sources/queue/policies/kueue_quota.hpp"

#include <algorithm>
#include <cmath>

namespace trainyard {

KueueQuotas::KueueQuotas(const KueueRules& rules) : queues_{static_cast<int>(rules.cluster_queues.size())}
{
  nodes_.resize(rules.cluster_queues.size());
  std::vector<std::string> cohorts;
  for (const KueueCohort& one : rules.cohorts)
    cohort(one.name, cohorts);
  const auto put_below = [&](int node, const std::string& name) {
    if (name.empty())
      return;
    const int above = cohort(name, cohorts); // may add one
    nodes_[at(node)].parent = above;
  };
  for (int i = 0; i < queues_; ++i) {
    put_below(i, rules.cluster_queues[at(i)].cohort);
    nodes_[at(i)].weight = rules.cluster_queues[at(i)].weight;
  }
  for (std::size_t i = 0; i < rules.cohorts.size(); ++i) {
    put_below(queues_ + static_cast<int>(i), rules.cohorts[i].parent);
    nodes_[static_cast<std::size_t>(queues_) + i].weight = rules.cohorts[i].weight;
  }
  for (Node& node : nodes_)
    node.quotas.resize(rules.flavors.size());
  for (int i = 0; i < queues_; ++i)
    read(i, rules.cluster_queues[at(i)].quotas, rules.flavors);
  for (std::size_t i = 0; i < rules.cohorts.size(); ++i)
    read(queues_ + static_cast<int>(i), rules.cohorts[i].quotas, rules.flavors);
  const int all = static_cast<int>(nodes_.size());
  for (int node = 0; node < all; ++node)
    if (parent(node) >= 0)
      nodes_[at(parent(node))].children.push_back(node);
  for (int node = 0; node < all; ++node)
    if (parent(node) < 0)
      sum_up(node);
}

int KueueQuotas::cohort(const std::string& name, std::vector<std::string>& names)
{
  const auto found = std::ranges::find(names, name);
  const auto number = found - names.begin();
  if (found == names.end()) {
    names.push_back(name);
    nodes_.emplace_back();
  }
  return queues_ + static_cast<int>(number);
}

void KueueQuotas::read(int node, const std::vector<KueueQuota>& quotas, const std::vector<KueueFlavor>& flavors)
{
  const auto milli = [](double gpus) {
    return std::isfinite(gpus) ? std::int64_t{std::llround(gpus * 1000)} : no_limit;
  };
  for (const KueueQuota& one : quotas) {
    const auto flavor = std::ranges::find(flavors, one.flavor, &KueueFlavor::name) - flavors.begin();
    Quota& mine = nodes_[at(node)].quotas[static_cast<std::size_t>(flavor)];
    mine.nominal = milli(one.nominal);
    mine.borrowing_limit = milli(one.borrowing_limit);
    mine.lending_limit = milli(one.lending_limit);
  }
}

void KueueQuotas::sum_up(int node)
{
  for (Quota& one : nodes_[at(node)].quotas)
    one.subtree = one.nominal;
  for (const int child : children(node)) {
    sum_up(child);
    for (std::size_t flavor = 0; flavor < nodes_[at(node)].quotas.size(); ++flavor)
      nodes_[at(node)].quotas[flavor].subtree +=
          nodes_[at(child)].quotas[flavor].subtree - guaranteed(child, static_cast<int>(flavor));
  }
}

int KueueQuotas::root(int node) const
{
  while (parent(node) >= 0)
    node = parent(node);
  return node;
}

std::int64_t KueueQuotas::guaranteed(int node, int flavor) const
{
  return std::max<std::int64_t>(0, quota(node, flavor).subtree - quota(node, flavor).lending_limit);
}

std::int64_t KueueQuotas::own_left(int node, int flavor) const
{
  return std::max<std::int64_t>(0, guaranteed(node, flavor) - used(node, flavor));
}

std::int64_t KueueQuotas::available(int node, int flavor) const
{
  const Quota& own = quota(node, flavor);
  if (parent(node) < 0)
    return own.subtree - own.used;
  const std::int64_t kept = guaranteed(node, flavor);
  const std::int64_t lent_and_unused = own.subtree - kept - std::max<std::int64_t>(0, own.used - kept);
  return own_left(node, flavor) + std::min(available(parent(node), flavor), lent_and_unused + own.borrowing_limit);
}

std::int64_t KueueQuotas::potential(int node, int flavor) const
{
  const Quota& own = quota(node, flavor);
  if (parent(node) < 0)
    return own.subtree;
  return std::min(own.subtree + own.borrowing_limit, guaranteed(node, flavor) + potential(parent(node), flavor));
}

std::pair<bool, std::int64_t> KueueQuotas::within(int node, int flavor, std::int64_t more) const
{
  return {!would_borrow(node, flavor, more), std::max<std::int64_t>(0, more - own_left(node, flavor))};
}

/// Levels below the node; a cohort without anything below it has none.
int KueueQuotas::height(int node) const
{
  int most = std::min<int>(1, static_cast<int>(children(node).size()));
  for (const int child : children(node))
    if (is_cohort(child))
      most = std::max(most, height(child) + 1);
  return most;
}

KueueQuotas::Borrowing KueueQuotas::borrowing(int queue, int flavor, std::int64_t more) const
{
  int node = parent(queue);
  if (node < 0 || !would_borrow(queue, flavor, more))
    return {0, node >= 0};
  more -= own_left(queue, flavor);
  while (would_borrow(node, flavor, more) && parent(node) >= 0) {
    more -= own_left(node, flavor);
    node = parent(node);
  }
  return {height(node), parent(node) >= 0};
}

double KueueQuotas::share(int node) const
{
  if (parent(node) < 0)
    return 0;
  std::int64_t borrowed = 0, lendable = 0;
  for (int flavor = 0; flavor < static_cast<int>(nodes_[at(node)].quotas.size()); ++flavor) {
    borrowed += std::max<std::int64_t>(0, used(node, flavor) - quota(node, flavor).subtree);
    lendable += potential(parent(node), flavor);
  }
  if (borrowed == 0 || lendable == 0)
    return 0;
  return static_cast<double>(borrowed) / static_cast<double>(lendable) /
         nodes_[at(node)].weight; // of weight 0: infinite
}

void KueueQuotas::add(int node, int flavor, std::int64_t more)
{
  const std::int64_t above = more - own_left(node, flavor);
  quota(node, flavor).used += more;
  if (above > 0 && parent(node) >= 0)
    add(parent(node), flavor, above);
}

void KueueQuotas::remove(int node, int flavor, std::int64_t less)
{
  const std::int64_t in_parent = used(node, flavor) - guaranteed(node, flavor);
  quota(node, flavor).used -= less;
  if (in_parent > 0 && parent(node) >= 0)
    remove(parent(node), flavor, std::min(less, in_parent));
}

} // namespace trainyard
