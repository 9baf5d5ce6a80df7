#include "sim/scheduling/scheduling.hpp"

#include <algorithm>
#include <queue>
#include <stdexcept>
#include <string>
#include <tuple>

namespace trainyard {

Seconds ClusterView::progress(JobId id) const
{
  const JobState& now = state(id);
  const Seconds left = now.phase == JobPhase::running ? now.end - now_ : now.remaining;
  return job(id).duration - left;
}

Seconds ClusterView::estimated_remaining(JobId id) const
{
  return std::max(Seconds{0}, job(id).estimate - progress(id));
}

namespace {

struct EndEvent {
  Seconds time;
  std::uint64_t sequence = 0;
  JobId job;
  std::uint32_t version = 0;
};

struct Later {
  bool operator()(const EndEvent& a, const EndEvent& b) const { return std::tie(a.time, a.sequence) > std::tie(b.time, b.sequence); }
};

class Replay final : public ClusterView, public Decisions
{
public:
  Replay(const Workload& workload, ClusterState& cluster, QueuePolicy& policy)
      : ClusterView{workload, cluster}, workload_{workload}, cluster_{cluster}, policy_{policy}
  {
    states_.resize(workload.jobs.size());
  }

  void run()
  {
    std::size_t next = 0;
    while (next < workload_.jobs.size() || !running_.empty()) {
      drop_stale_ends();
      now_ = ends_.empty() ? workload_.jobs[next].submit : ends_.top().time;
      if (next < workload_.jobs.size())
        now_ = std::min(now_, workload_.jobs[next].submit);
      while (!ends_.empty() && ends_.top().time == now_) {
        finish(ends_.top().job);
        ends_.pop();
        drop_stale_ends();
      }
      for (; next < workload_.jobs.size() && workload_.jobs[next].submit == now_; ++next)
        arrive(JobId{static_cast<int>(next)});
      policy_.decide(*this, *this);
    }
    for (const JobId id : waiting_)
      state_of(id).phase = JobPhase::stalled;
  }

  bool start(JobId id) override
  {
    JobState& job = state_of(id);
    if (job.phase != JobPhase::waiting)
      throw std::logic_error{"job " + std::to_string(id.index) + " was started, but does not wait"};
    const ResourceRequest request = request_of(workload_.job(id));
    std::optional<Allocation> place = cluster_.find(request);
    if (!place) {
      job.reason = cluster_.reason(request);
      return false;
    }
    cluster_.take(request, *place);
    remove(waiting_, job);
    job.held = std::move(*place);
    job.reason = WaitReason::none;
    add(running_, id, JobPhase::running);
    job.since = now_;
    job.end = now_ + job.remaining;
    if (job.first_start < Seconds{0})
      job.first_start = now_;
    ends_.push({job.end, sequence_++, id, job.version});
    return true;
  }

  void preempt(JobId id) override
  {
    JobState& job = state_of(id);
    if (job.phase != JobPhase::running)
      throw std::logic_error{"job " + std::to_string(id.index) + " was preempted, but does not run"};
    job.remaining = job.end - now_;
    ++job.version;
    ++job.preemptions;
    cluster_.give(job.held);
    remove(running_, job);
    add(waiting_, id, JobPhase::waiting);
    policy_.arrived(*this, id);
  }

  SchedulingResult result() const
  {
    SchedulingResult result;
    result.jobs.reserve(states_.size());
    for (std::size_t i = 0; i < states_.size(); ++i) {
      const JobState& job = states_[i];
      const bool done = job.phase == JobPhase::finished;
      result.jobs.push_back({job.first_start, done ? job.end : Seconds{-1}, job.preemptions, job.phase, job.reason});
      if (!done)
        continue;
      ++result.finished;
      result.makespan = std::max(result.makespan, job.end);
      result.mean_jct += job.end - workload_.jobs[i].submit;
      result.mean_wait += job.first_start - workload_.jobs[i].submit;
    }
    if (result.finished > 0) {
      result.mean_jct /= result.finished;
      result.mean_wait /= result.finished;
    }
    return result;
  }

private:
  JobState& state_of(JobId id) { return states_.at(static_cast<std::size_t>(id.index)); }

  void drop_stale_ends()
  {
    while (!ends_.empty() && ends_.top().version != state_of(ends_.top().job).version)
      ends_.pop();
  }

  void add(std::vector<JobId>& list, JobId id, JobPhase phase)
  {
    state_of(id).phase = phase;
    state_of(id).position = static_cast<int>(list.size());
    list.push_back(id);
  }

  void remove(std::vector<JobId>& list, const JobState& job)
  {
    const JobId last = list.back();
    list[static_cast<std::size_t>(job.position)] = last;
    state_of(last).position = job.position;
    list.pop_back();
  }

  void arrive(JobId id)
  {
    JobState& job = state_of(id);
    job.remaining = workload_.job(id).duration;
    if (!cluster_.could_fit(request_of(workload_.job(id)))) {
      job.phase = JobPhase::impossible;
      job.reason = WaitReason::never_fits;
      return;
    }
    add(waiting_, id, JobPhase::waiting);
    policy_.arrived(*this, id);
  }

  void finish(JobId id)
  {
    JobState& job = state_of(id);
    job.remaining = Seconds{0};
    ++job.version;
    cluster_.give(job.held);
    remove(running_, job);
    job.held = {};
    job.phase = JobPhase::finished;
  }

  const Workload& workload_;
  ClusterState& cluster_;
  QueuePolicy& policy_;
  std::priority_queue<EndEvent, std::vector<EndEvent>, Later> ends_;
  std::uint64_t sequence_ = 0;
};

} // namespace

SchedulingResult simulate_queue(const Workload& workload, const ClusterShape& shape, QueuePolicy& policy, PlacementPolicy* placement)
{
  Seconds before{0};
  for (const TraceJob& job : workload.jobs) {
    if (job.submit < before || job.duration < Seconds{0} || !is_finite(job.submit) || !is_finite(job.duration))
      throw std::invalid_argument{"line " + std::to_string(job.row) + ": submit times must not go backwards, durations not be negative"};
    before = job.submit;
  }
  ClusterState cluster{shape, placement};
  Replay replay{workload, cluster, policy};
  replay.run();
  return replay.result();
}

} // namespace trainyard
