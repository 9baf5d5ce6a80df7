// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace trainyard {

/// Machines whose GPUs have quotas of their own (Kueue's ResourceFlavor).
struct KueueFlavor {
  std::string name;
  std::string gpu;                // GPU type; empty: any
  std::vector<std::string> nodes; // names of machines or of their groups; empty: all
};

/// GPUs of a flavor that a cluster queue or cohort has.
struct KueueQuota {
  std::string flavor;
  double nominal = 0;
  double borrowing_limit = std::numeric_limits<double>::infinity(); // beyond its own
  double lending_limit = std::numeric_limits<double>::infinity();   // of its own
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

/// Quotas of Kueue: the section `kueue` of a scenario.
struct KueueRules {
  std::vector<KueueFlavor> flavors;
  std::vector<KueueCohort> cohorts;
  std::vector<KueueClusterQueue> cluster_queues;
};

} // namespace trainyard
