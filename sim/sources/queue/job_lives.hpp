// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "sim/sources/queue/job_book.hpp"
#include "sim/sources/queue/outcomes.hpp"

#include <unordered_map>
#include <vector>

namespace trainyard {

/// How jobs come and go: submission, the end of their work, death, withdrawal, and what follows for jobs that depend on
/// them.
class JobLives
{
public:
  JobLives(JobBook& book, const ClusterState& cluster, QueuePolicy& policy, const SchedulingOptions& options);

  /// Of the next job that has not been submitted; `end_of_time` where all have been.
  Instant next_submission() const { return next_ < workload_.jobs.size() ? workload_.jobs[next_].submit : end_of_time; }
  /// Whether any job waits, runs or is to come.
  bool unfinished() const
  {
    return !book_.waiting().empty() || !book_.running().empty() || next_ < workload_.jobs.size();
  }
  /// All jobs whose time has come, in order of the workload.
  void submit_due()
  {
    for (; next_submission() <= book_.now(); ++next_)
      submit(JobId{static_cast<int>(next_)});
  }
  /// All ends until now. True where the work of a sent job is done: its sender has to be told first.
  bool end_due();

  // Jobs that others send, as JobQueue says.
  /// @p growing: the book's workload, which takes these jobs.
  void take_jobs_of_others(Workload* growing) { growing_ = growing; }
  JobId send(const SentJob& sent);
  void withdraw(JobId id);
  void complete(JobId id);

private:
  void submit(JobId id);
  void give_up(JobId id, WaitReason reason);
  void run_out_of_memory(JobId id);
  void finish(JobId id);

  JobBook& book_;
  const ClusterState& cluster_;
  QueuePolicy& policy_;
  const SchedulingOptions& options_;
  const Workload& workload_;
  Workload* growing_ = nullptr;
  std::size_t next_ = 0;                                   // job to be submitted
  std::unordered_map<int, std::vector<JobId>> successors_; // by the job that they wait for
  Possible possible_;
};

} // namespace trainyard
