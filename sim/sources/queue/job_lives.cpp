// SPDX-License-Identifier: Apache-2.0
#include "sim/sources/queue/job_lives.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace trainyard {

JobLives::JobLives(JobBook& book, const ClusterState& cluster, QueuePolicy& policy, const SchedulingOptions& options)
    : book_{book}, cluster_{cluster}, policy_{policy}, options_{options}, workload_{book.workload()}, possible_{policy}
{
  for (const auto& [waits, awaited] : workload_.dependencies) {
    ++book_.state_of(waits).unmet;
    successors_[awaited.index].push_back(waits);
  }
  for (auto& [awaited, waiting] : successors_)
    std::ranges::sort(waiting); // who become ready together come in order of submission
}

bool JobLives::end_due()
{
  bool worked = false;
  while (const std::optional<JobId> id = book_.ends().take(book_.now())) {
    const JobState& job = book_.state(*id);
    if (job.doomed) {
      run_out_of_memory(*id);
    } else if (job.killed) { // the requested time is over: the rest of its work is never done
      book_.state_of(*id).remaining = Instant{0};
      finish(*id);
    } else if (!book_.sent().contains(*id)) {
      finish(*id);
    } else if (job.withheld > Instant{0}) {
      book_.run_dry(*id);
    } else {
      book_.work_done(*id);
      worked = true;
    }
  }
  return worked;
}

JobId JobLives::send(const SentJob& sent)
{
  if (growing_ == nullptr)
    throw std::logic_error{"this queue takes no jobs of others"};
  TraceJob job;
  job.submit = book_.now();
  job.duration = sent.work;
  job.estimate = sent.estimate;
  job.gpus = sent.gpus;
  job.priority = static_cast<float>(sent.priority);
  job.user = growing_->users.index_of(sent.user);
  job.team = growing_->teams.index_of(sent.team);
  job.model = growing_->models.index_of(sent.model);
  std::vector<TraceJob>& jobs = growing_->jobs;
  const auto place = std::upper_bound(jobs.begin() + static_cast<std::ptrdiff_t>(next_), jobs.end(), job.submit,
                                      [](Instant time, const TraceJob& other) { return time < other.submit; });
  const std::ptrdiff_t at = place - jobs.begin();
  jobs.insert(place, job);
  growing_->job_names.insert(growing_->job_names.begin() + at, sent.name);
  const JobId id{static_cast<int>(at)};
  book_.insert(id, sent);
  successors_.clear();
  for (auto& [waits, awaited] : growing_->dependencies) {
    waits.index += waits >= id ? 1 : 0;
    awaited.index += awaited >= id ? 1 : 0;
    successors_[awaited.index].push_back(waits);
  }
  return id;
}

void JobLives::withdraw(JobId id)
{
  JobState& job = book_.state_of(id);
  if (job.phase == JobPhase::impossible)
    return;
  book_.stop_saving(id);
  if (job.phase == JobPhase::running)
    book_.stop(id);
  else if (job.phase == JobPhase::waiting)
    book_.wait_no_more(id);
  else if (job.phase != JobPhase::pending)
    throw std::logic_error{"job " + std::to_string(id.index) + " was withdrawn, but has left"};
  if (job.phase != JobPhase::pending)
    policy_.withdrawn(book_, id);
  job.phase = JobPhase::withdrawn;
  book_.happened().touched = true;
}

void JobLives::complete(JobId id)
{
  if (book_.state(id).phase != JobPhase::running || !book_.sent().worked(id))
    throw std::logic_error{"job " + std::to_string(id.index) + " was completed, but its work is not done"};
  finish(id);
  book_.happened().touched = true;
}

void JobLives::submit(JobId id)
{
  JobState& job = book_.state_of(id);
  job.remaining = workload_.job(id).duration;
  if (job.phase == JobPhase::impossible || job.phase == JobPhase::withdrawn)
    return;
  if (!possible_.could_run(workload_, cluster_, id)) {
    give_up(id, WaitReason::never_fits);
    return;
  }
  if (job.unmet > 0) {
    book_.reasons().set(id, WaitReason::dependency, {}, book_.now());
    return;
  }
  job.ready = book_.now();
  book_.wait(id);
}

/// It never runs, nor does what depends on it.
void JobLives::give_up(JobId id, WaitReason reason)
{
  JobState& job = book_.state_of(id);
  job.phase = JobPhase::impossible;
  job.reason = reason;
  book_.sent().tell(id, JobNews::What::refused, job.held);
  const auto found = successors_.find(id.index);
  if (found == successors_.end())
    return;
  for (const JobId next : found->second)
    if (book_.state(next).phase == JobPhase::pending)
      give_up(next, WaitReason::dependency);
}

/// Its processes did not get their GPU memory. It waits again, or is given up.
void JobLives::run_out_of_memory(JobId id)
{
  book_.note(JobEvent::What::out_of_memory, id);
  book_.stop(id);
  book_.happened().changed = true;
  if (++book_.state_of(id).out_of_memory < options_.out_of_memory_tries)
    book_.wait(id);
  else
    give_up(id, WaitReason::out_of_memory);
}

void JobLives::finish(JobId id)
{
  JobState& job = book_.state_of(id);
  book_.stop(id);
  job.remaining = Instant{0};
  job.end = book_.now();
  job.phase = JobPhase::finished;
  book_.count_end(id);
  book_.happened().changed = true;
  if (successors_.empty())
    return;
  const auto found = successors_.find(id.index);
  if (found == successors_.end())
    return;
  for (const JobId next : found->second) {
    JobState& waits = book_.state_of(next);
    if (--waits.unmet == 0 && waits.phase == JobPhase::pending && static_cast<std::size_t>(next.index) < next_) {
      waits.ready = book_.now();
      book_.wait(next);
    }
  }
}

} // namespace trainyard
