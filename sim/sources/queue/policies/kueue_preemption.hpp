// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/core/instant.hpp"
#include "models/job/kueue_rules.hpp"
#include "models/job/workload.hpp"

#include <cstdint>
#include <limits>
#include <map>
#include <span>
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

/// So much of a resource of a flavor.
struct KueueUse {
  int kind = 0; // KueueQuotas::kind
  std::int64_t amount = 0;
  bool scarce = false; // of a request: it is not free, so that jobs would have to stop for it
};

/// A job that asks a cluster queue for resources of flavors.
struct KueueRequest {
  JobId job;
  int queue = 0;
  std::vector<KueueUse> uses; // each kind once; empty: it needs no quota
  float priority = 0;
  std::vector<std::pair<int, int>> flavors = {}; // pod set of the job, flavor that it gets

  void use(const KueueUse& more);
  std::int64_t amount(int kind) const;
};

/// A job that has its quota, whether it has found machines or not.
struct KueueAdmission {
  int queue = 0;
  std::vector<KueueUse> uses;
  float priority = 0;
  Instant since;
  std::int64_t order = 0;                        // of all admissions
  int failures = 0;                              // of the job until then
  std::vector<std::pair<int, int>> flavors = {}; // as of the request
};

/// Whether a job fits the quota.
struct KueueFit {
  enum class Mode : std::uint8_t {
    no,
    nobody_to_stop, // it may stop others, but there are none that would help
    preempts,       // jobs of its own queue, perhaps of others
    reclaims,       // jobs of other queues only
    fits
  };
  Mode mode = Mode::no;
  int borrows = 0;            // height of the subtree that has the quota; 0: its queue
  std::vector<JobId> targets; // to be stopped for it

  /// Kueue's preference BorrowingOverPreemption.
  bool better_than(const KueueFit& other) const
  {
    return mode != other.mode ? mode > other.mode : mode != Mode::no && borrows < other.borrows;
  }
};

/// Who holds which quota, and who would be stopped for whom.
class KueueBook
{
public:
  /// @p rules outlive this. @p fair: jobs are stopped for fair shares of what is borrowed, too.
  KueueBook(const KueueRules& rules, bool fair) : rules_{rules}, quotas_{rules}, fair_{fair} {}

  KueueQuotas& quotas() { return quotas_; }
  const KueueQuotas& quotas() const { return quotas_; }

  const KueueAdmission* admission(JobId id) const
  {
    const auto found = admitted_.find(id);
    return found == admitted_.end() ? nullptr : &found->second;
  }
  bool admitted(JobId id) const { return admitted_.contains(id); }
  void admit(const KueueRequest& request, Instant now, int failures);
  /// Nothing happens where it has no quota.
  void release(JobId id);
  void count_failures(JobId id, int failures);

  /// Whether so much of one resource of one flavor would do for the request, whatever else it uses.
  KueueFit fit(KueueRequest request, int kind, std::int64_t amount);
  /// The fewest jobs, roughly, whose quota lets all of the request fit; those that hold nothing scarce stay. Empty:
  /// none do.
  std::vector<JobId> targets(const KueueRequest& request);
  /// Whether it fits once @p targets have given back their quota.
  bool still_fits(const KueueRequest& request, std::span<const JobId> targets);

private:
  struct Candidate {
    JobId job;
    int common = -1;              // the lowest cohort above both queues; -1: the same queue
    bool never_borrowing = false; // only where the request does not borrow
  };
  struct Candidates {
    std::vector<Candidate> by_hierarchy; // on quota that the request's side of the tree has a better right to
    std::vector<Candidate> by_priority;
    std::vector<Candidate> same_queue;
  };

  std::vector<JobId> by_rights(const KueueRequest& request);
  Candidates candidates(const KueueRequest& request) const;
  void collect(const KueueRequest& request, int cohort, int common, int skip, bool better_right,
               std::vector<Candidate>& found) const;
  void collect_queue(const KueueRequest& request, int queue, int common, bool better_right,
                     std::vector<Candidate>& found) const;
  bool may_stop(const KueueRequest& request, JobId id, const KueueAdmission& other) const;
  bool is_valid(const KueueRequest& request, const Candidate& one, bool borrowing) const;
  bool fits_now(const KueueRequest& request, bool borrowing) const;
  /// Whether the node uses no more than its quota of what is scarce.
  bool within_nominal(const KueueRequest& request, int node) const;
  /// Whether the job holds something that is scarce.
  static bool holds_scarce(const KueueRequest& request, const KueueAdmission& other);
  void add(const KueueRequest& request); // for a while
  void remove(const KueueRequest& request);
  /// As `by_rights`, with fair sharing.
  std::vector<JobId> fair_targets(const KueueRequest& request);
  bool stop_while_unfair(const KueueRequest& request, std::vector<JobId>& stopped);
  /// The jobs, which are stopped, without those that need not be. None is stopped any more.
  std::vector<JobId> only_needed(const KueueRequest& request, std::vector<JobId> stopped, bool borrowing);
  std::vector<JobId> attempt(const KueueRequest& request, const std::vector<Candidate>& all, bool borrowing);
  void give(JobId id); // for a while
  void take(JobId id);

  const KueueClusterQueue& rule(int queue) const { return rules_.cluster_queues[static_cast<std::size_t>(queue)]; }

  const KueueRules& rules_;
  KueueQuotas quotas_;
  bool fair_;
  std::map<JobId, KueueAdmission> admitted_;
  std::int64_t admissions_ = 0;
};

} // namespace trainyard
