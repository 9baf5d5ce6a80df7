// SPDX-License-Identifier: Apache-2.0
#include "sim/sources/queue/queue_decisions.hpp"

#include "sim/sources/queue/outcomes.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>

namespace trainyard {
namespace {

constexpr Instant shortest_wake{1'000'000};

} // namespace

bool QueueDecisions::start(JobId id, int gpus, int gpu_type)
{
  check_phase(id, JobPhase::waiting, "was started, but does not wait");
  check_size(id, gpus);
  ResourceRequest request = request_of(workload().job(id), gpus, gpu_type);
  std::optional<Allocation> place = find_place(workload(), id, cluster_, request);
  if (!place) {
    book_.reasons().does_not_fit(id, request, book_.now());
    return false;
  }
  run(id, request, std::move(*place));
  return true;
}

void QueueDecisions::start_at(JobId id, Allocation place)
{
  check_phase(id, JobPhase::waiting, "was started, but does not wait");
  check_size(id, place.gpus);
  run(id, request_of(workload().job(id), place.gpus), std::move(place));
}

void QueueDecisions::withdraw(JobId id, WaitReason reason)
{
  lives_.withdraw(id);
  if (reason != WaitReason::none)
    book_.state_of(id).reason = reason;
  book_.happened().changed = true;
}

void QueueDecisions::run(JobId id, const ResourceRequest& request, Allocation&& place)
{
  cluster_.take(request, place);
  const bool again = book_.state(id).first_start >= Instant{0};
  const int gpus = place.gpus;
  book_.run(id, std::move(place), again ? cost_of_return(id, gpus) : options_.start_cost);
  if (again)
    book_.note(JobEvent::What::resumed, id);
  book_.happened().changed = true;
  book_.sent().tell(id, JobNews::What::started, book_.state(id).held);
  policy_.started(book_, id);
}

/// What a job that was stopped pays on its new GPUs before it works.
Instant QueueDecisions::cost_of_return(JobId id, int gpus) const
{
  const JobSize size = workload().size_of(workload().job(id), gpus);
  const Instant load = Instant{options_.restart_cost} + size.load;
  return options_.save_before_release ? load : options_.checkpoint_cost + size.save + load;
}

void QueueDecisions::preempt(JobId id)
{
  check_phase(id, JobPhase::running, "was preempted, but does not run");
  ++book_.state_of(id).preemptions;
  book_.count_stop(false);
  book_.note(JobEvent::What::preempted, id);
  book_.save(id);
  book_.stop(id);
  book_.sent().tell(id, JobNews::What::preempted, {});
  book_.wait(id);
  book_.happened().changed = true;
}

bool QueueDecisions::resize(JobId id, int gpus)
{
  check_phase(id, JobPhase::running, "was resized, but does not run");
  check_size(id, gpus);
  const JobState& job = book_.state(id);
  if (job.held.gpus == gpus)
    return true;
  const Allocation before = job.held;
  const ResourceRequest old_request =
      request_of(workload().job(id), before.gpus, workload().gpu_types.empty() ? -1 : before.gpu_type);
  const ResourceRequest request = request_of(workload().job(id), gpus);
  std::optional<Allocation> place;
  cluster_.try_out([&] {
    cluster_.give(before);
    place = find_place(workload(), id, cluster_, request);
    cluster_.take(old_request, before);
  });
  if (!place)
    return false;
  book_.count_stop(false);
  book_.save(id);
  policy_.stopped(book_, id);
  book_.release(id);
  cluster_.take(request, *place);
  book_.settle(id, std::move(*place), cost_of_return(id, gpus));
  book_.happened().changed = true;
  policy_.started(book_, id);
  return true;
}

bool QueueDecisions::fits_without(JobId id, std::span<const JobId> stopped)
{
  bool fits = false;
  cluster_.try_out([&] {
    for (const JobId other : stopped)
      cluster_.give(book_.state(other).held);
    fits = find_place(workload(), id, cluster_, request_of(workload().job(id))).has_value();
    for (const JobId other : stopped) {
      const Allocation& held = book_.state(other).held;
      cluster_.take(request_of(workload().job(other), held.gpus), held);
    }
  });
  return fits;
}

std::optional<Allocation> QueueDecisions::preview(JobId id)
{
  check_phase(id, JobPhase::waiting, "was to be placed, but does not wait");
  return find_place(workload(), id, cluster_, request_of(workload().job(id)));
}

void QueueDecisions::hold(JobId id, WaitReason reason, JobId blocker, Instant planned)
{
  book_.reasons().set(id, reason, blocker, book_.now(), planned);
}

void QueueDecisions::wake_at(Instant time)
{
  if (is_finite(time))
    wakes_.push(time > book_.now() ? time : book_.now() + shortest_wake);
}

void QueueDecisions::set_node(int node, bool up)
{
  if (cluster_.counted() || node < 0 || node >= cluster_.nodes().size())
    throw std::invalid_argument{"no machine number " + std::to_string(node)};
  if (!up) {
    std::vector<JobId> hit;
    for (const JobId id : book_.running())
      if (const std::vector<TaskShare>& shares = book_.state(id).held.shares;
          std::ranges::find(shares, node, &TaskShare::node) != shares.end())
        hit.push_back(id);
    std::ranges::sort(hit);
    for (const JobId id : hit)
      fail(id);
  }
  cluster_.set_up(node, up);
  book_.happened().changed = true;
}

void QueueDecisions::fail(JobId id)
{
  JobState& job = book_.state_of(id);
  if (job.phase != JobPhase::running)
    return;
  ++job.failures;
  book_.note(JobEvent::What::failed, id);
  const std::int64_t gpus = job.held.milli();
  book_.stop(id);
  const Instant done = workload().job(id).duration - job.remaining;
  const Instant kept = checkpointed(done, book_.sent().checkpoint_interval(id, options_.checkpoint_interval));
  job.remaining += done - kept;
  job.lost_time += GpuTime{gpus, done - kept};
  book_.count_stop(true);
  book_.sent().tell(id, JobNews::What::failed, job.held, done - kept);
  book_.wait(id);
  book_.happened().changed = true;
}

void QueueDecisions::check_phase(JobId id, JobPhase phase, const char* done) const
{
  if (book_.state(id).phase != phase)
    throw std::logic_error{"job " + std::to_string(id.index) + " " + done};
}

void QueueDecisions::check_size(JobId id, int gpus) const
{
  const TraceJob& job = workload().job(id);
  if (gpus != 0 && !workload().runs_on(job, gpus))
    throw std::logic_error{"job " + std::to_string(id.index) + " cannot run on " + std::to_string(gpus) +
                           " GPUs; it needs " + workload().sizes_text(job)};
}

} // namespace trainyard
