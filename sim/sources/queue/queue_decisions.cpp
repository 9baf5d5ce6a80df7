// SPDX-License-Identifier: Apache-2.0
#include "sim/sources/queue/queue_decisions.hpp"

#include "sim/cluster/cluster_state.hpp"
#include "sim/sources/queue/outcomes.hpp"

#include <algorithm>
#include <functional>
#include <iterator>
#include <stdexcept>
#include <string>
#include <utility>

namespace trainyard {
namespace {

constexpr Instant shortest_wake{1'000'000};

bool holds_on(const JobState& job, int node)
{
  return std::ranges::find(job.held.shares, node, &TaskShare::node) != job.held.shares.end();
}

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
  shrunk_.erase(id);
  const bool again = book_.state(id).first_start >= Instant{0};
  const int gpus = place.gpus;
  book_.run(id, std::move(place), book_.cost_of_start(id, gpus));
  if (again)
    book_.note(JobEvent::What::resumed, id);
  book_.happened().changed = true;
  book_.tell_start(id);
  policy_.started(book_, id);
}

void QueueDecisions::preempt(JobId id)
{
  check_phase(id, JobPhase::running, "was preempted, but does not run");
  ++book_.state_of(id).preemptions;
  book_.state_of(id).failed = false;
  book_.count_stop(false);
  book_.note(JobEvent::What::preempted, id);
  const bool begun = book_.has_begun(id);
  book_.save(id);
  book_.stop(id);
  if (begun) {
    note_saved(id);
    book_.tell_stop(id);
  }
  book_.wait(id);
  book_.happened().changed = true;
}

bool QueueDecisions::resize(JobId id, int gpus)
{
  shrunk_.erase(id);
  return give_size(id, gpus);
}

bool QueueDecisions::give_size(JobId id, int gpus)
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
  const bool begun = book_.has_begun(id);
  book_.save(id);
  policy_.stopped(book_, id);
  book_.release(id);
  if (begun)
    note_saved(id);
  cluster_.take(request, *place);
  book_.settle(id, std::move(*place), book_.cost_of_start(id, gpus));
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

std::optional<Allocation> QueueDecisions::preview(JobId id, std::span<const ClosedNodes> closed)
{
  check_phase(id, JobPhase::waiting, "was to be placed, but does not wait");
  return find_place(workload(), id, cluster_, request_of(workload().job(id)), closed);
}

void QueueDecisions::hold(JobId id, WaitReason reason, JobId blocker, Instant planned)
{
  book_.reasons().set(id, reason, blocker, book_.now(), planned);
}

void QueueDecisions::wake_at(Instant time)
{
  if (is_finite(time))
    wakes_.insert(time > book_.now() ? time : book_.now() + shortest_wake);
}

void QueueDecisions::set_node(int node, bool up)
{
  if (cluster_.counted() || node < 0 || node >= cluster_.nodes().size())
    throw std::invalid_argument{"no machine number " + std::to_string(node)};
  if (!up) {
    std::vector<JobId> given; // they have GPUs there, on which others save
    for (const JobId id : book_.running())
      if (holds_on(book_.state(id), node) && !book_.has_begun(id))
        given.push_back(id);
    std::ranges::sort(given);
    for (const JobId id : given) {
      book_.stop(id);
      book_.wait(id);
    }
    for (const JobId id : jobs_on(node))
      if (book_.state(id).phase != JobPhase::running || !holds_on(book_.state(id), node))
        lose_save(id);
      else if (std::optional<Allocation> left = left_without(id, node))
        go_on(id, std::move(*left));
      else
        fail(id);
  }
  cluster_.set_up(node, up);
  if (up)
    grow_back();
  book_.happened().changed = true;
}

/// Jobs that work or save there, in order of their numbers.
std::vector<JobId> QueueDecisions::jobs_on(int node) const
{
  std::vector<JobId> jobs = book_.saving_on(node);
  for (const JobId id : book_.running())
    if (holds_on(book_.state(id), node) && book_.has_begun(id))
      jobs.push_back(id);
  std::ranges::sort(jobs);
  jobs.erase(std::ranges::unique(jobs).begin(), jobs.end());
  return jobs;
}

/// The GPUs that a job keeps where it loses a machine, those of the machines with most of them first, cut to a number
/// on which it runs. Nothing: it has to wait.
std::optional<Allocation> QueueDecisions::left_without(JobId id, int node)
{
  const TraceJob& job = workload().job(id);
  if (!options_.shrink_after_failure || !job.elastic())
    return std::nullopt;
  const Allocation held = book_.state(id).held;
  std::vector<ChosenGpus> left;
  for (const TaskShare& share : held.shares) {
    if (share.node == node)
      continue;
    auto machine = std::ranges::find(left, share.node, &ChosenGpus::node);
    if (machine == left.end())
      machine = left.insert(left.end(), {.node = share.node, .gpus = {}});
    for (int gpu = 0; gpu < 32; ++gpu)
      if ((share.gpu_mask >> gpu & 1U) != 0)
        machine->gpus.push_back(gpu);
  }
  const auto task = static_cast<std::size_t>(request_of(job).tasks > 0 ? request_of(job).task.gpus : 1);
  std::size_t count = 0;
  for (ChosenGpus& machine : left) {
    machine.gpus.resize(machine.gpus.size() / task * task);
    count += machine.gpus.size();
  }
  int size = workload().size_up_to(job, static_cast<int>(count));
  while (size > 0 && static_cast<std::size_t>(size) % task != 0)
    size = workload().size_up_to(job, size - 1);
  if (size == 0)
    return std::nullopt;
  std::erase_if(left, [](const ChosenGpus& machine) { return machine.gpus.empty(); });
  std::ranges::stable_sort(left, std::greater{}, [](const ChosenGpus& machine) { return machine.gpus.size(); });
  for (; count > static_cast<std::size_t>(size); count -= task) {
    left.back().gpus.resize(left.back().gpus.size() - task);
    if (left.back().gpus.empty())
      left.pop_back();
  }
  std::optional<Allocation> place;
  cluster_.try_out([&] {
    cluster_.give(held);
    try {
      place = chosen_place(workload(), id, cluster_.nodes(), left);
    } catch (const std::invalid_argument&) { // its tasks of this size do not fit there
    }
    cluster_.take(request_of(job, held.gpus), held);
  });
  return place;
}

/// A running job has lost a machine, and goes on with other GPUs that it held.
void QueueDecisions::go_on(JobId id, Allocation&& place)
{
  const Allocation& held = book_.state(id).held;
  const int before = shrunk_.contains(id) ? shrunk_.at(id).before : held.gpus;
  const std::int64_t milli = held.milli();
  begin_failure(id);
  policy_.stopped(book_, id);
  book_.release(id);
  lose_work(id, milli);
  shrunk_[id] = {.before = before, .at = book_.now()};
  const int gpus = place.gpus;
  cluster_.take(request_of(workload().job(id), gpus), place);
  book_.settle(id, std::move(place), book_.cost_of_loading(id, gpus));
  book_.note(JobEvent::What::resumed, id);
  policy_.started(book_, id);
}

/// A machine has been repaired: jobs that went on without one take back as many GPUs as they had, the first submitted
/// first, before jobs that wait.
void QueueDecisions::grow_back()
{
  std::erase_if(shrunk_, [&](const auto& entry) { return book_.state(entry.first).phase != JobPhase::running; });
  for (auto entry = shrunk_.begin(); entry != shrunk_.end();) {
    const auto& [id, was] = *entry;
    const TraceJob& job = workload().job(id);
    const int now = book_.state(id).held.gpus;
    int size = was.before;
    while (size > now && !give_size(id, size))
      size = workload().size_up_to(job, size - 1);
    entry = book_.state(id).held.gpus >= was.before ? shrunk_.erase(entry) : std::next(entry);
  }
}

void QueueDecisions::fail(JobId id)
{
  JobState& job = book_.state_of(id);
  if (job.phase != JobPhase::running || !book_.has_begun(id))
    return;
  begin_failure(id);
  job.failed = true;
  const std::int64_t milli = job.held.milli();
  book_.stop(id);
  const Instant lost = lose_work(id, milli);
  book_.sent().tell(id, JobNews::What::failed, job.held, lost);
  book_.wait(id);
  book_.happened().changed = true;
}

/// Counts and notes a failure; a job that loses several machines in one instant fails once.
void QueueDecisions::begin_failure(JobId id)
{
  if (const auto shrunk = shrunk_.find(id); shrunk != shrunk_.end() && shrunk->second.at == book_.now())
    return;
  ++book_.state_of(id).failures;
  book_.note(JobEvent::What::failed, id);
}

/// A stopped job saves all that it has done.
void QueueDecisions::note_saved(JobId id)
{
  const Instant done = workload().job(id).duration - book_.state(id).remaining;
  Saved& saved = saved_[id];
  saved = {.kept = done, .before = std::max(saved.kept, book_.last_checkpoint(id, done))};
}

/// A machine fails while a stopped job saves there. What the job has got elsewhere meanwhile it gives back: it has not
/// begun there.
void QueueDecisions::lose_save(JobId id)
{
  const std::int64_t milli = book_.stop_saving(id);
  const JobPhase phase = book_.state(id).phase;
  if (phase != JobPhase::waiting && phase != JobPhase::running)
    return; // it has left
  begin_failure(id);
  if (phase == JobPhase::running) {
    book_.stop(id);
  } else {
    book_.wait_no_more(id);
    policy_.withdrawn(book_, id);
  }
  saved_[id].kept = saved_[id].before;
  book_.sent().tell(id, JobNews::What::failed, {}, lose_work(id, milli));
  book_.wait(id);
}

/// What a stopped job has done since its last checkpoint is to be done again; how much that is.
Instant QueueDecisions::lose_work(JobId id, std::int64_t milli)
{
  JobState& job = book_.state_of(id);
  const Instant done = workload().job(id).duration - job.remaining;
  const auto saved = saved_.find(id);
  const Instant kept =
      std::max(saved == saved_.end() ? Instant{} : saved->second.kept, book_.last_checkpoint(id, done));
  job.remaining += done - kept;
  book_.undo(id, done - kept);
  job.lost_time += GpuTime{milli, job.speed > 0 ? time_at(job.speed, done - kept) : done - kept};
  book_.count_stop(true);
  return done - kept;
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
