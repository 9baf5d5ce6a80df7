// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace trainyard {

/// What quotas are of: GPUs, CPU cores, bytes of memory, pods (tasks).
enum class KueueResource : std::uint8_t { gpu, cpu, memory, pods };
inline constexpr int kueue_resources = 4;

/// Machines whose GPUs, CPU and memory have quotas of their own (Kueue's ResourceFlavor).
struct KueueFlavor {
  std::string name;
  std::string gpu;                // GPU type; empty: any
  std::vector<std::string> nodes; // names of machines or of their groups; empty: all
};

/// A quota of one resource: CPU cores, bytes of memory or pods.
struct KueueAmount {
  double nominal = -1;                                              // negative: there is no quota of it
  double borrowing_limit = std::numeric_limits<double>::infinity(); // beyond its own
  double lending_limit = std::numeric_limits<double>::infinity();   // of its own
};

/// What a cluster queue or cohort has of a flavor. The flavors with quotas of the same resources are a resource group:
/// jobs have all of them from one flavor.
struct KueueQuota {
  std::string flavor;
  double nominal = 0; // GPUs; negative: there is no quota of them
  double borrowing_limit = std::numeric_limits<double>::infinity();
  double lending_limit = std::numeric_limits<double>::infinity();
  KueueAmount cpu;
  KueueAmount memory;
  KueueAmount pods;

  KueueAmount of(KueueResource resource) const
  {
    switch (resource) {
    case KueueResource::cpu:
      return cpu;
    case KueueResource::memory:
      return memory;
    case KueueResource::pods:
      return pods;
    case KueueResource::gpu:
      break;
    }
    return {nominal, borrowing_limit, lending_limit};
  }
  bool covers(KueueResource resource) const { return of(resource).nominal >= 0; }
  /// A bit for each resource that it covers, the first for GPUs.
  unsigned covered() const
  {
    unsigned bits = 0;
    for (int i = 0; i < kueue_resources; ++i)
      bits |= covers(static_cast<KueueResource>(i)) ? 1U << i : 0U;
    return bits;
  }
};

struct KueueCohort {
  std::string name;
  std::string parent; // a cohort; empty: none
  std::vector<KueueQuota> quotas;
  double weight = 1; // of fair sharing
};

/// Whose jobs may be stopped.
enum class KueuePreemption : std::uint8_t { never, lower_priority, lower_or_newer_equal_priority, any };

/// Source of names and defaults: Kueue's ClusterQueue (https://kueue.sigs.k8s.io/docs/concepts/cluster_queue/).
struct KueueClusterQueue {
  std::string name;               // the team of its jobs
  std::string cohort;             // empty: none
  std::vector<KueueQuota> quotas; // in the order in which its jobs try the flavors
  bool strict_fifo = false;       // queueingStrategy
  KueuePreemption within_cluster_queue = KueuePreemption::never;
  KueuePreemption reclaim_within_cohort = KueuePreemption::never;
  bool borrow_within_cohort = false; // of lower priority
  double max_priority_threshold = std::numeric_limits<double>::infinity();
  bool try_next_before_borrowing = false; // whenCanBorrow
  bool try_next_before_preempting = true; // whenCanPreempt
  double weight = 1;                      // of fair sharing
};

/// What becomes of a job that asks for a resource of which its cluster queue has no quota: it never starts, or that
/// resource is not limited. Source: Kueue, keps/7513-quota-check-strategy (resources.quotaCheckStrategy of its
/// configuration; default BlockUndeclared).
enum class KueueUndeclared : std::uint8_t {
  by_queue, // not limited in a queue that has quotas of GPUs alone; elsewhere the job never starts
  block,
  ignore
};

/// Quotas of Kueue: the section `kueue` of a scenario.
struct KueueRules {
  KueueUndeclared undeclared = KueueUndeclared::by_queue;
  std::vector<KueueFlavor> flavors;
  std::vector<KueueCohort> cohorts;
  std::vector<KueueClusterQueue> cluster_queues;
};

} // namespace trainyard
