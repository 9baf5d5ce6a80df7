// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "sim/sources/queue/job_lives.hpp"

#include <map>
#include <optional>
#include <set>
#include <span>
#include <vector>

namespace trainyard {

/// When a policy wants to decide although nothing else happens.
using WakeTimes = std::set<Instant>;

/// What the policy and outside events do to the jobs in the book: everything is checked, and takes effect at once.
class QueueDecisions final : public Decisions, public ClusterControl
{
public:
  QueueDecisions(JobBook& book, JobLives& lives, ClusterState& cluster, QueuePolicy& policy,
                 const SchedulingOptions& options, WakeTimes& wakes)
      : book_{book}, lives_{lives}, cluster_{cluster}, policy_{policy}, options_{options}, wakes_{wakes}
  {
  }

  bool start(JobId id, int gpus, int gpu_type) override;
  void start_at(JobId id, Allocation place) override;
  void withdraw(JobId id, WaitReason reason) override;
  void preempt(JobId id) override;
  bool resize(JobId id, int gpus) override;
  bool fits_without(JobId id, std::span<const JobId> stopped) override;
  std::optional<Allocation> preview(JobId id, std::span<const ClosedNodes> closed) override;
  bool wants_reasons() const override { return book_.reasons().log().enabled(); }
  void hold(JobId id, WaitReason reason, JobId blocker, Instant planned) override;
  void wake_at(Instant time) override;

  const ClusterView& view() const override { return book_; }
  void set_node(int node, bool up) override;
  void fail(JobId id) override;

private:
  const Workload& workload() const { return book_.workload(); }
  void run(JobId id, const ResourceRequest& request, Allocation&& place);
  void check_phase(JobId id, JobPhase phase, const char* done) const;
  void check_size(JobId id, int gpus) const;
  bool give_size(JobId id, int gpus);
  void begin_failure(JobId id);
  std::vector<JobId> jobs_on(int node) const;
  void note_saved(JobId id);
  void lose_save(JobId id);
  Instant lose_work(JobId id, std::int64_t milli);
  std::optional<Allocation> left_without(JobId id, int node);
  void go_on(JobId id, Allocation&& place);
  void grow_back();

  JobBook& book_;
  JobLives& lives_;
  ClusterState& cluster_;
  QueuePolicy& policy_;
  const SchedulingOptions& options_;
  WakeTimes& wakes_;
  struct Shrunk {
    int before = 0; // GPUs
    Instant at;     // of its last failure
  };
  std::map<JobId, Shrunk> shrunk_; // jobs that have lost machines and went on
  struct Saved {
    Instant kept;   // work that the last preemption or resize has saved: no failure loses it any more
    Instant before; // and what was kept before that
  };
  std::map<JobId, Saved> saved_;
};

} // namespace trainyard
