// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "sim/cluster/cluster_state.hpp"
#include "sim/cluster/resources.hpp"
#include "sim/cluster/wait_log.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <span>
#include <utility>
#include <vector>

namespace trainyard {

/// Numbers the smallest requests with which jobs start, so that one check is enough for equal requests.
class RequestClasses
{
public:
  /// @p resizes: elastic jobs may start with fewer GPUs than they ask for.
  RequestClasses(const Workload& workload, bool resizes) : workload_{workload}, resizes_{resizes} {}

  std::size_t of(JobId id)
  {
    if (of_job_.empty())
      of_job_.assign(workload_.jobs.size(), -1);
    int& known = of_job_[static_cast<std::size_t>(id.index)];
    if (known < 0)
      known = numbers_.try_emplace(request(id), static_cast<int>(numbers_.size())).first->second;
    return static_cast<std::size_t>(known);
  }
  /// A job was put into the workload at this place.
  void inserted(std::size_t at)
  {
    if (!of_job_.empty())
      of_job_.insert(of_job_.begin() + static_cast<std::ptrdiff_t>(at), -1);
  }
  ResourceRequest request(JobId id) const
  {
    const TraceJob& job = workload_.job(id);
    return request_of(job, resizes_ ? job.smallest_gpus() : job.gpus);
  }

private:
  const Workload& workload_;
  bool resizes_;
  std::map<ResourceRequest, int> numbers_;
  std::vector<int> of_job_; // -1: not asked for yet
};

/// Why the jobs of the queue wait: what its policy says, and otherwise what the machines lack.
class WaitReasons
{
public:
  /// @p resizes: as QueuePolicy's. @p log: what is written; nothing where it is not enabled.
  WaitReasons(const Workload& workload, ClusterState& cluster, bool resizes, WaitLog log)
      : cluster_{cluster}, log_{std::move(log)}, requests_{workload, resizes},
        each_decision_{std::max<std::size_t>(10, 1'000'000 / std::max<std::size_t>(1, workload.jobs.size()))}
  {
  }

  const WaitLog& log() const { return log_; }
  /// All records, in order of their end.
  std::vector<WaitRecord> take() { return log_.take(); }
  /// A job has been put into the workload at @p at; the later ones have moved up.
  void inserted(std::size_t at)
  {
    requests_.inserted(at);
    log_.inserted(at);
  }
  void set(JobId id, WaitReason reason, JobId blocker, Instant now, Instant planned = Instant{-1})
  {
    if (log_.enabled())
      log_.set(id, reason, blocker, now, cluster_.free_gpus(), planned);
  }
  void begin(JobId id, Instant now)
  {
    if (!log_.enabled())
      return;
    log_.begin(id, now, cluster_.free_gpus());
    fresh_.push_back(id);
  }
  /// The policy is about to decide.
  void decides() { blocked_ = {}; }
  /// It has tried to start a job that does not fit.
  void does_not_fit(JobId id, const ResourceRequest& request, Instant now);
  /// The policy decides only later; what waits without a reason waits for that.
  void decides_later(std::span<const JobId> waiting, Instant now);
  /// The policy has decided, and the log is enabled: the reasons of waiting jobs for which it gave none. Of a queue of
  /// more than 100 not at every decision, so that the work stays in proportion, but for jobs that have come since.
  /// @p usual: QueuePolicy::usual_reason().
  void decided(std::span<const JobId> waiting, WaitReason usual, Instant now)
  {
    ++unnoted_;
    if (waiting.size() <= 100 || waiting.size() <= each_decision_ * unnoted_) {
      note_unsaid(waiting, usual, now);
      unnoted_ = 0;
    } else {
      std::erase_if(fresh_, [this](JobId id) { return !log_.waits(id); });
      note_unsaid(fresh_, usual, now);
    }
    fresh_.clear();
  }

private:
  void note_unsaid(std::span<const JobId> waiting, WaitReason usual, Instant now);

  ClusterState& cluster_;
  WaitLog log_;
  RequestClasses requests_;
  JobId blocked_;             // the first job that the decision could not start
  std::size_t each_decision_; // reasons of a longer queue that are noted at a decision, on average
  std::size_t unnoted_ = 0;   // decisions since reasons were noted
  std::vector<JobId> fresh_;  // their waits have begun since the last decision
};

} // namespace trainyard
