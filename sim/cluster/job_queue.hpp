// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/core/instant.hpp"
#include "models/job/workload.hpp"
#include "sim/cluster/resources.hpp"

#include <optional>
#include <string>
#include <vector>

namespace trainyard {

/// A job that another source of work sends to the queue while the run goes on.
struct SentJob {
  std::string name;
  std::string model; // the scenario's job whose step is simulated; empty: `work` holds wherever it runs
  std::string user;
  std::string team; // empty: none
  int gpus = 1;     // may be split over machines in any way
  double priority = 0;
  Instant work;                               // at speed 1
  Instant estimate;                           // of `work`: what policies plan with
  Instant withheld;                           // the last part of the work, which cannot be done before feed()
  std::optional<Instant> checkpoint_interval; // of work; absent: that of the queue
};

/// What happened to such a job.
struct JobNews {
  enum class What {
    started,   // it holds `held`
    preempted, // the policy stopped it; it waits again, with its progress
    failed,    // its machine or process failed; it waits again, with the work of its last checkpoint
    worked,    // all its work is done; it keeps its GPUs until complete()
    refused    // it can never run
  };
  JobId job;
  What what = What::started;
  Allocation held;
  Instant stalled; // with `worked`: time on its GPUs without the data to go on
  Instant undone;  // with `failed`: work since the last checkpoint, at speed 1
};

/// A queue that takes jobs of other sources of work and tells what becomes of them. Times are those of the Kernel.
class JobQueue
{
public:
  virtual ~JobQueue() = default;
  /// The job is submitted at @p now; the queue decides at that instant.
  virtual JobId send(Instant now, const SentJob& job) = 0;
  /// It leaves, whether it waits or runs.
  virtual void withdraw(Instant now, JobId id) = 0;
  /// It leaves after all its work is done. Throws std::logic_error for any other job.
  virtual void complete(Instant now, JobId id) = 0;
  /// From now on all but the last @p withheld of its work can be done.
  virtual void feed(Instant now, JobId id, Instant withheld) = 0;
  /// Work done so far, at speed 1.
  virtual Instant done(Instant now, JobId id) = 0;
  /// When a running job ends at its present speed; `end_of_time` where it stands still.
  virtual Instant expected_end(Instant now, JobId id) = 0;
  virtual bool has_news() const = 0;
  /// In the order in which it happened, since this was asked last.
  virtual std::vector<JobNews> take_news() = 0;
};

} // namespace trainyard
