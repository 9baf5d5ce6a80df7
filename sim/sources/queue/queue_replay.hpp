// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "sim/sources/queue/job_lives.hpp"
#include "sim/sources/queue/queue_decisions.hpp"
#include "sim/sources/queue/scheduling.hpp"

#include <cstdint>
#include <optional>

namespace trainyard {

/// The clock of a queue: what happens when, and in which order within an instant: ends, outside events, submissions,
/// the policy's decisions, new speeds.
class QueueReplay
{
public:
  QueueReplay(const Workload& workload, const ClusterShape& shape, ClusterState& cluster, QueuePolicy& policy,
              const SchedulingOptions& options);

  /// Once, before everything else.
  void begin() { policy_.begin(book_); }
  /// When something happens next; nothing where nothing can change any more. Asked before every act().
  std::optional<Instant> next_time();
  void act(Instant time);
  /// The next instant, and its time. Nothing: all jobs have ended, or nothing can change any more.
  std::optional<Instant> step();

  // On machines that others use too

  /// @p growing: the workload, where others may send jobs.
  void share(Workload* growing);
  /// Jobs wait, and others have given something back.
  bool may_start() const;
  void notice_gains();
  /// When something happens next; also when GPUs are free for others because a job has saved there.
  std::optional<Instant> next_of_shared();
  /// The run is cut off at this time.
  void stop(Instant time);

  /// What others do to the jobs, and to the links of the queue, at @p now.
  JobLives& lives_at(Instant now);
  JobBook& book_at(Instant now);
  SentJobs& sent() { return book_.sent(); }
  const LinkVisitors& visitors() const { return book_.visitors(); }

  SchedulingResult result();

private:
  void instant(bool outside);
  /// With a period, decisions happen at its multiples only.
  bool may_decide() { return options_.policy_period <= Instant{0} || is_due(); }
  bool is_due();

  ClusterState& cluster_;
  QueuePolicy& policy_;
  const SchedulingOptions& options_;
  JobBook book_;
  JobLives lives_;
  WakeTimes wakes_;
  QueueDecisions decisions_;
  std::int64_t decided_ = 0;       // how often the policy has
  std::optional<Instant> outside_; // next event that does not come from the queue
  Instant next_event_;             // wakes apart
  DecisionBound bound_;
  bool more_ = false;   // something besides wakes is to come
  bool cut_ = false;    // at options_.until
  bool shared_ = false; // with other sources of work
  int fruitless_ = 0;   // wakes in a row that changed nothing
  int in_vain_ = 0;     // decisions in a row on the whole free cluster that started nothing
  Instant started_;     // when a job was last on its way
};

} // namespace trainyard
