// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/core/instant.hpp"
#include "models/job/workload.hpp"
#include "sim/sources/queue/policies/kueue_quota.hpp"

#include <cstdint>
#include <map>
#include <span>
#include <vector>

namespace trainyard {

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
};

/// A job that has its quota, whether it has found machines or not.
struct KueueAdmission {
  int queue = 0;
  std::vector<KueueUse> uses;
  float priority = 0;
  Instant since;
  std::int64_t order = 0; // of all admissions
  int failures = 0;       // of the job until then
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
