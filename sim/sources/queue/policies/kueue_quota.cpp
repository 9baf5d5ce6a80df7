// SPDX-License-Identifier: Apache-2.0
#include "sim/sources/queue/policies/kueue_preemption.hpp"

#include <algorithm>
#include <cmath>

namespace trainyard {
namespace {

/// An amount of the rules in the units of this file; a part of a MiB or of a pod is nothing.
std::int64_t counted(KueueResource resource, double amount)
{
  if (!std::isfinite(amount))
    return KueueQuotas::no_limit;
  switch (resource) {
  case KueueResource::memory:
    return std::int64_t{std::llround(std::floor(amount / 1048576))};
  case KueueResource::pods:
    return std::int64_t{std::llround(std::floor(amount))};
  case KueueResource::gpu:
  case KueueResource::cpu:
    break;
  }
  return std::int64_t{std::llround(amount * 1000)};
}

} // namespace

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
    node.quotas.resize(rules.flavors.size() * kueue_resources);
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
  for (const KueueQuota& one : quotas) {
    const auto flavor = std::ranges::find(flavors, one.flavor, &KueueFlavor::name) - flavors.begin();
    for (int i = 0; i < kueue_resources; ++i) {
      const KueueResource resource{static_cast<std::uint8_t>(i)};
      const KueueAmount amount = one.of(resource);
      if (amount.nominal < 0)
        continue;
      Quota& mine = quota(node, kind(static_cast<int>(flavor), resource));
      mine.nominal = counted(resource, amount.nominal);
      mine.borrowing_limit = counted(resource, amount.borrowing_limit);
      mine.lending_limit = counted(resource, amount.lending_limit);
    }
  }
}

void KueueQuotas::sum_up(int node)
{
  for (Quota& one : nodes_[at(node)].quotas)
    one.subtree = one.nominal;
  for (const int child : children(node)) {
    sum_up(child);
    for (int kind = 0; kind < static_cast<int>(nodes_[at(node)].quotas.size()); ++kind)
      quota(node, kind).subtree += quota(child, kind).subtree - guaranteed(child, kind);
  }
}

int KueueQuotas::root(int node) const
{
  while (parent(node) >= 0)
    node = parent(node);
  return node;
}

std::int64_t KueueQuotas::guaranteed(int node, int kind) const
{
  return std::max<std::int64_t>(0, quota(node, kind).subtree - quota(node, kind).lending_limit);
}

std::int64_t KueueQuotas::own_left(int node, int kind) const
{
  return std::max<std::int64_t>(0, guaranteed(node, kind) - used(node, kind));
}

std::int64_t KueueQuotas::available(int node, int kind) const
{
  const Quota& own = quota(node, kind);
  if (parent(node) < 0)
    return own.subtree - own.used;
  const std::int64_t kept = guaranteed(node, kind);
  const std::int64_t lent_and_unused = own.subtree - kept - std::max<std::int64_t>(0, own.used - kept);
  return own_left(node, kind) + std::min(available(parent(node), kind), lent_and_unused + own.borrowing_limit);
}

std::int64_t KueueQuotas::potential(int node, int kind) const
{
  const Quota& own = quota(node, kind);
  if (parent(node) < 0)
    return own.subtree;
  return std::min(own.subtree + own.borrowing_limit, guaranteed(node, kind) + potential(parent(node), kind));
}

std::pair<bool, std::int64_t> KueueQuotas::within(int node, int kind, std::int64_t more) const
{
  return {!would_borrow(node, kind, more), std::max<std::int64_t>(0, more - own_left(node, kind))};
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

KueueQuotas::Borrowing KueueQuotas::borrowing(int queue, int kind, std::int64_t more) const
{
  int node = parent(queue);
  if (node < 0 || !would_borrow(queue, kind, more))
    return {0, node >= 0};
  more -= own_left(queue, kind);
  while (would_borrow(node, kind, more) && parent(node) >= 0) {
    more -= own_left(node, kind);
    node = parent(node);
  }
  return {height(node), parent(node) >= 0};
}

double KueueQuotas::share(int node) const
{
  if (parent(node) < 0)
    return 0;
  double most = 0;
  for (int resource = 0; resource < kueue_resources; ++resource) {
    std::int64_t borrowed = 0, lendable = 0;
    for (int kind = resource; kind < static_cast<int>(nodes_[at(node)].quotas.size()); kind += kueue_resources) {
      borrowed += std::max<std::int64_t>(0, used(node, kind) - quota(node, kind).subtree);
      lendable += potential(parent(node), kind);
    }
    if (borrowed > 0 && lendable > 0)
      most = std::max(most, static_cast<double>(borrowed) / static_cast<double>(lendable));
  }
  return most > 0 ? most / nodes_[at(node)].weight : 0; // of weight 0: infinite
}

void KueueQuotas::add(int node, int kind, std::int64_t more)
{
  const std::int64_t above = more - own_left(node, kind);
  quota(node, kind).used += more;
  if (above > 0 && parent(node) >= 0)
    add(parent(node), kind, above);
}

void KueueQuotas::remove(int node, int kind, std::int64_t less)
{
  const std::int64_t in_parent = used(node, kind) - guaranteed(node, kind);
  quota(node, kind).used -= less;
  if (in_parent > 0 && parent(node) >= 0)
    remove(parent(node), kind, std::min(less, in_parent));
}

} // namespace trainyard
