// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/job/kueue_rules.hpp"

#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace trainyard {

/// Quotas and use of cluster queues and of the cohorts above them, by flavor and resource (`kind`), in thousandths of
/// GPUs and CPU cores, MiB and pods. A node lends its cohort what it does not use, up to its lending limit, and borrows
/// from it up to its borrowing limit. Source: Kueue, pkg/cache/resource_node.go (commit 034454c).
class KueueQuotas
{
public:
  explicit KueueQuotas(const KueueRules& rules);

  /// The number of a resource of a flavor.
  static int kind(int flavor, KueueResource resource) { return flavor * kueue_resources + static_cast<int>(resource); }
  static int flavor(int kind) { return kind / kueue_resources; }

  /// The node of a cluster queue is its number in the rules.
  int parent(int node) const { return nodes_[at(node)].parent; } // -1: none
  const std::vector<int>& children(int cohort) const { return nodes_[at(cohort)].children; }
  bool is_cohort(int node) const { return node >= queues_; }
  int root(int node) const;

  std::int64_t nominal(int node, int kind) const { return quota(node, kind).nominal; }
  std::int64_t used(int node, int kind) const { return quota(node, kind).used; }
  std::int64_t borrowing_limit(int node, int kind) const { return quota(node, kind).borrowing_limit; }
  /// What it may start now.
  std::int64_t available(int node, int kind) const;
  /// What it might start if nobody ran.
  std::int64_t potential(int node, int kind) const;
  bool within_nominal(int node, int kind) const { return quota(node, kind).used <= quota(node, kind).subtree; }
  bool would_borrow(int node, int kind, std::int64_t more) const
  {
    return quota(node, kind).used + more > quota(node, kind).subtree;
  }
  /// Whether so much more is within the quota of the node, and what of it is not guaranteed there.
  std::pair<bool, std::int64_t> within(int node, int kind, std::int64_t more) const;
  struct Borrowing {
    int height = 0;       // of the lowest subtree that has so much left; 0: the queue's own quota
    bool smaller = false; // than the whole tree
  };
  Borrowing borrowing(int queue, int kind, std::int64_t more) const;

  /// What the node borrows of all that its parent could have, of the resource of which that is most (its dominant
  /// resource), over its weight; 0: it borrows nothing. Source: Kueue, pkg/cache/fair_sharing.go (commit 0236a85).
  double share(int node) const;

  void add(int node, int kind, std::int64_t more);
  void remove(int node, int kind, std::int64_t less);

  static constexpr std::int64_t no_limit = std::numeric_limits<std::int64_t>::max() / 4; // sums of it still fit

private:
  struct Quota {
    std::int64_t nominal = 0;
    std::int64_t borrowing_limit = no_limit;
    std::int64_t lending_limit = no_limit;
    std::int64_t subtree = 0; // its own, and what its children lend
    std::int64_t used = 0;    // of that
  };
  struct Node {
    int parent = -1;
    std::vector<int> children;
    std::vector<Quota> quotas; // by kind
    double weight = 1;
  };

  static std::size_t at(int index) { return static_cast<std::size_t>(index); }
  const Quota& quota(int node, int kind) const { return nodes_[at(node)].quotas[at(kind)]; }
  Quota& quota(int node, int kind) { return nodes_[at(node)].quotas[at(kind)]; }
  /// What it does not lend.
  std::int64_t guaranteed(int node, int kind) const;
  std::int64_t own_left(int node, int kind) const;
  int height(int node) const;
  int cohort(const std::string& name, std::vector<std::string>& names);
  void read(int node, const std::vector<KueueQuota>& quotas, const std::vector<KueueFlavor>& flavors);
  void sum_up(int node);

  int queues_;
  std::vector<Node> nodes_; // cluster queues, then cohorts
};

} // namespace trainyard
