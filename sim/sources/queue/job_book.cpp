// SPDX-License-Identifier: Apache-2.0
// Between two events every running job is carried forward at constant speed.
#include "sim/sources/queue/job_book.hpp"

#include "models/core/conservation.hpp"
#include "sim/cluster/gpu_books.hpp"
#include "sim/sources/queue/outcomes.hpp"

#include <fmt/format.h>

namespace trainyard {
namespace {

std::string whole_seconds(Instant time)
{
  return std::to_string(time.count() / 1'000'000'000) + " s";
}

} // namespace

JobBook::JobBook(const Workload& workload, const ClusterShape& shape, ClusterState& cluster, QueuePolicy& policy,
                 const SchedulingOptions& options)
    : ClusterView{workload, cluster, options.checkpoint_cost + options.restart_cost}, workload_{workload},
      cluster_{cluster}, policy_{policy}, options_{options}, speeds_{workload, options.speed},
      memory_{shape, options.isolated_memory}, reasons_{workload,
                                                        cluster,
                                                        policy.resizes(),
                                                        {options.record_waits, workload.jobs.size(),
                                                         options.most_wait_records}},
      visitors_{workload, options.speed}
{
  states_.resize(workload.jobs.size());
  worked_.resize(workload.jobs.size());
  if (cluster.gpu_types() > 1)
    on_type_.resize(workload.jobs.size());
}

void JobBook::insert(JobId id, const SentJob& job)
{
  states_.insert(states_.begin() + id.index, JobState{});
  worked_.insert(worked_.begin() + id.index, Instant{});
  if (!on_type_.empty())
    on_type_.insert(on_type_.begin() + id.index, std::vector<GpuTime>{});
  state_of(id).withheld = job.withheld;
  reasons_.inserted(static_cast<std::size_t>(id.index));
  sent_.add(id, job.checkpoint_interval);
}

/// From when it works, how fast, until when.
void JobBook::settle(JobId id, Allocation&& place, Instant cost)
{
  JobState& job = state_of(id);
  job.held = std::move(place);
  job.since = job.accounted = now_;
  if (job.first_start < Instant{0}) // also of a job that goes on elsewhere before it has begun
    job.first_start = now_;
  sent_.set_worked(id, false);
  job.doomed = !memory_.take(job.held, workload_.job(id).gpu_memory_mib);
  const Instant begins = saving_accounts_.empty() ? now_ : begins_after_others(id);
  job.since = begins;
  job.work_from = std::min(end_of_time, begins + cost + (job.doomed ? options_.out_of_memory_after : Instant{0}));
  if (job.work_from > now_)
    job.lost_time += GpuTime{job.held.milli(), job.work_from - now_};
  periodic_.begin(id, costs_of_saves(id, job.held.gpus), workload_.job(id).duration - job.remaining);
  job.speed = trace_speed(workload_, workload_.job(id), job.held, options_.elastic_exponent); // until a model is asked
  if (!speeds_.modelled()) {
    plan_end(id);
    return;
  }
  job.end = job.work_from + time_at(job.speed, job.remaining);
  ends_.forget(id);
  speeds_.add({id, &workload_.job(id), &job.held});
}

void JobBook::release(JobId id)
{
  JobState& job = state_of(id);
  const std::size_t records = runs_.size();
  account(id, false);
  if (!saving_accounts_.empty())
    end_wait_for_others(id);
  if (now_ < job.work_from) // the cost of the start or of a checkpoint was not paid in full
    job.lost_time -= GpuTime{job.held.milli(), job.work_from - now_};
  else
    job.begun = true;
  ends_.forget(id);
  begins_.forget(id);
  reviews_.forget(id);
  periodic_.end(id, now_);
  cluster_.give(job.held);
  if (!job.doomed)
    memory_.give(job.held, workload_.job(id).gpu_memory_mib);
  job.doomed = false;
  speeds_.remove(id);
  sent_.note_dry(id, false, now_);
  if (runs_.size() > records)
    runs_.back().held = std::move(job.held);
  job.held = {};
}

void JobBook::account(JobId id, bool holds_on)
{
  JobState& job = state_of(id);
  if (options_.record_runs && now_ > job.since) {
    const JobSpeed* known = speeds_.of(id);
    const JobSpeed speed = known != nullptr ? *known : JobSpeed{.speed = job.speed, .alone = job.speed};
    runs_.push_back(
        {id, job.since, now_, job.speed, speed.alone, speed.neighbour, speed.link, holds_on ? job.held : Allocation{}});
  }
  carry_forward(id);
  job.since = std::max(job.since, now_);
}

/// Its work and its time on GPUs up to now.
void JobBook::carry_forward(JobId id)
{
  JobState& job = state_of(id);
  const Instant left = work_left(id);
  if (left < job.remaining)
    stops_without_work_ = 0;
  job.remaining = left;
  if (const Instant time = now_ - std::max(job.accounted, job.work_from); time > Instant{0} && !sent_.worked(id))
    worked_[static_cast<std::size_t>(id.index)] += work_in(job.speed, time);
  if (now_ > job.accounted)
    job.gpu_time += GpuTime{job.held.milli(), now_ - job.accounted};
  if (cluster_.gpu_types() > 1)
    add_on_types(id, now_ - job.accounted);
  job.held_time += now_ - job.accounted;
  job.accounted = now_;
}

/// It has held what it holds for so long.
void JobBook::add_on_types(JobId id, Instant time)
{
  const Allocation& held = state_of(id).held;
  on_type_.resize(states_.size());
  std::vector<GpuTime>& of_job = on_type_[static_cast<std::size_t>(id.index)];
  of_job.resize(static_cast<std::size_t>(cluster_.gpu_types()));
  if (cluster_.counted())
    of_job[static_cast<std::size_t>(held.gpu_type)] += GpuTime{held.milli(), time};
  for (const TaskShare& share : held.shares)
    if (!cluster_.counted())
      of_job[static_cast<std::size_t>(cluster_.nodes().shape(share.node).gpu_type)] +=
          GpuTime{static_cast<std::int64_t>(share.gpus()) * share.gpu_milli, time};
}

/// A job has ended: no work of it was lost, or done twice.
void JobBook::check_work(JobId id) const
{
  const Instant work = workload_.job(id).duration, done = worked_[static_cast<std::size_t>(id.index)];
  const Instant left = work - done, rounded{1'000'000};
  if (!state(id).killed && std::max(left, Instant{0} - left) > rounded + work * 1e-6)
    not_conserved(fmt::format("job {} has ended with {:.9g} s of {:.9g} s of work done", workload_.name(id),
                              done.value(), work.value()));
}

/// At the end of a run: GPUs have one holder at a time, and what jobs account for is what they held.
void JobBook::check_stays(const SchedulingResult& result) const
{
  GpuTime all;
  std::vector<GpuTime> held(options_.record_runs ? states_.size() : 0);
  GpuHolders holders;
  for (const RunRecord& run : result.runs) {
    held[static_cast<std::size_t>(run.job.index)] += {run.held.milli(), run.to - run.from};
    for (const TaskShare& share : run.held.shares)
      if (holders.taken(share, run.from, run.to))
        not_conserved(fmt::format("job {} has GPUs of {} that another one holds, from {:.9g} s to {:.9g} s",
                                  workload_.name(run.job), cluster_.nodes().shape(share.node).name, run.from.value(),
                                  run.to.value()));
  }
  for (std::size_t i = 0; i < states_.size(); ++i) {
    const JobOutcome& job = result.jobs[i];
    all += job.gpu_time;
    if (job.phase == JobPhase::finished && ((!held.empty() && held[i] != job.gpu_time) || job.lost_time < GpuTime{} ||
                                            (options_.speed == nullptr && job.lost_time > job.gpu_time)))
      not_conserved(fmt::format("job {} accounts for {:.9g} GPU-seconds, {:.9g} of them without progress, and held "
                                "GPUs for {:.9g}",
                                workload_.name(JobId{static_cast<int>(i)}), job.gpu_time.value(), job.lost_time.value(),
                                held.empty() ? job.gpu_time.value() : held[i].value()));
  }
  if (const GpuTime most{1000 * std::int64_t{cluster_.total_gpus()}, now_}; all > most)
    not_conserved(fmt::format("jobs account for {:.9g} GPU-seconds of {:.9g}", all.value(), most.value()));
}

void JobBook::count_stop(bool failure)
{
  const auto jobs = static_cast<std::int64_t>(states_.size());
  if (failure && ++failures_without_end_ > std::max<std::int64_t>(100'000, 20 * jobs))
    throw std::invalid_argument{"no progress: " + std::to_string(failures_without_end_) +
                                " failures have stopped jobs since one ended; at " + whole_seconds(now_) +
                                " the run was given up. Let machines fail less often, or save more often "
                                "(checkpoint_interval)"};
  if (!failure && ++stops_without_work_ > std::max<std::int64_t>(20'000, 20 * jobs))
    throw std::invalid_argument{"no progress: " + std::to_string(stops_without_work_) +
                                " times in a row a job was stopped that had not got further since it was started; at " +
                                whole_seconds(now_) +
                                " the run was given up. Let jobs run longer before they are stopped (slice, round, "
                                "policy_period), or make checkpoint_cost and restart_cost smaller"};
}

/// Who saves last on the GPUs of a job; nothing where it can begin.
std::optional<SavingGpus::Saver> JobBook::waits_for(JobId id)
{
  const Allocation& held = state(id).held;
  const int free_before = cluster_.counted() ? cluster_.free_gpus_of_type(held.gpu_type) + held.gpus : 0;
  std::optional<SavingGpus::Saver> last = saving_.take(held, free_before, now_);
  const auto own = saving_accounts_.find(id.index);
  if (own != saving_accounts_.end() && own->second.saving_until > now_ &&
      (!last || last->until <= own->second.saving_until))
    last = SavingGpus::Saver{own->second.saving_until, id};
  return last;
}

/// When a job that has just got GPUs can begin there: jobs that were stopped for it save first.
Instant JobBook::begins_after_others(JobId id)
{
  const std::optional<SavingGpus::Saver> last = waits_for(id);
  if (!last)
    return now_;
  SavingAccount& account = saving_accounts_[id.index];
  account.given = now_;
  account.begins = last->until;
  account.saver = last->job;
  if (last->job != id)
    reasons_.set(id, WaitReason::saving, last->job, now_);
  return last->until;
}

/// Somebody on its GPUs, which are those of machines, saves no longer.
void JobBook::begin_sooner(JobId id)
{
  SavingAccount& account = saving_accounts_.at(id.index);
  const std::optional<SavingGpus::Saver> last = waits_for(id);
  const Instant begins = last ? last->until : now_, sooner = account.begins - begins;
  JobState& job = state_of(id);
  account.begins = begins;
  job.since -= sooner;
  job.work_from -= sooner;
  job.lost_time -= GpuTime{job.held.milli(), sooner};
  plan_end(id);
  tell_start(id);
}

/// The stay ends: how long it waited until others had saved.
void JobBook::end_wait_for_others(JobId id)
{
  const auto found = saving_accounts_.find(id.index);
  if (found == saving_accounts_.end() || found->second.given < Instant{0})
    return;
  SavingAccount& account = found->second;
  JobState& job = state_of(id);
  const Instant end = std::min(now_, account.begins);
  account.waited += end - account.given;
  account.waited_gpus += GpuTime{job.held.milli(), end - account.given};
  if (job.first_start == account.given && account.saver != id) { // not where it saves itself, to go on with other GPUs
    if (end < account.begins)                                    // stopped before it has begun
      job.first_start = Instant{-1};
    else
      account.first_start = end;
  }
  if (end < account.begins && job.held.shares.empty()) // the others go on saving
    saving_.hold(job.held, {account.begins, account.saver});
  reasons_.set(id, WaitReason::none, {}, end);
  account.given = Instant{-1};
}

void JobBook::save(JobId id)
{
  const Instant time = save_time(id, state(id).held.gpus);
  if (!options_.save_before_release || time <= Instant{0})
    return;
  account(id);
  const JobState& job = state(id);
  SavingAccount& own = saving_accounts_[id.index];
  if (own.given >= Instant{0} && own.begins > now_)
    return; // it has not begun
  own.saved += time;
  own.saved_gpus += GpuTime{job.held.milli(), time};
  own.saving_until = now_ + time;
  own.milli = job.held.milli();
  own.record = runs_.size();
  saving_.hold(job.held, {own.saving_until, id});
  if (options_.record_runs)
    runs_.push_back({id, now_, own.saving_until, job.speed, job.speed, {}, -1, job.held});
}

Instant JobBook::saved_at(JobId id) const
{
  const auto own = saving_accounts_.find(id.index);
  return own == saving_accounts_.end() ? now_ : std::max(now_, own->second.saving_until);
}

std::int64_t JobBook::stop_saving(JobId id)
{
  const auto found = saving_accounts_.find(id.index);
  if (found == saving_accounts_.end() || found->second.saving_until <= now_)
    return 0;
  SavingAccount& own = found->second;
  end_saving(own);
  saved_.forget(id);
  saving_.stop(id);
  for (const JobId other : running_)
    if (!has_begun(other) && saving_accounts_.at(other.index).saver == id)
      begin_sooner(other);
  return own.milli;
}

/// What a job that still saves has done of that up to now.
void JobBook::end_saving(SavingAccount& own)
{
  const Instant left = own.saving_until - now_;
  if (left <= Instant{0})
    return;
  own.saved -= left;
  own.saved_gpus -= GpuTime{own.milli, left};
  own.saving_until = now_;
  if (options_.record_runs)
    runs_[own.record].to = now_;
}

bool JobBook::has_begun(JobId id) const
{
  const auto own = saving_accounts_.empty() ? saving_accounts_.end() : saving_accounts_.find(id.index);
  return own == saving_accounts_.end() || own->second.given < Instant{0} || own->second.begins <= now_;
}

void JobBook::tell_start(JobId id)
{
  if (!sent_.contains(id))
    return;
  begins_.forget(id);
  if (has_begun(id))
    sent_.tell(id, JobNews::What::started, state(id).held);
  else
    begins_.set(id, saving_accounts_.at(id.index).begins);
}

void JobBook::tell_stop(JobId id)
{
  if (!sent_.contains(id))
    return;
  if (const Instant saved = saved_at(id); saved > now_)
    saved_.set(id, saved);
  else
    sent_.tell(id, JobNews::What::preempted, {});
}

void JobBook::free_saving()
{
  for (const TaskShare& share : kept_)
    cluster_.give({.gpus = 1, .gpu_type = 0, .shares = {share}});
  kept_.clear();
}

void JobBook::keep_saving()
{
  if (saving_accounts_.empty())
    return;
  kept_ = saving_.unused(cluster_.nodes(), now_);
  kept_until_ = saving_.next(now_);
  for (const TaskShare& share : kept_)
    cluster_.take({.task = {.gpu_milli = share.gpu_milli}}, {.gpus = 1, .gpu_type = 0, .shares = {share}});
}

void JobBook::note(JobEvent::What what, JobId id)
{
  if (!options_.record_runs)
    return;
  if (what == JobEvent::What::preempted) {
    if (!preempted_now_.empty() && events_[preempted_now_.front().event].at < now_)
      preempted_now_.clear();
    preempted_now_.push_back({events_.size(), state(id).held});
  }
  events_.push_back({what, now_, id, {}});
}

/// A job has got its GPUs: those that were preempted there in this instant were so for it. In a counted pool, as many
/// of them as it needs.
void JobBook::note_successor(JobId id)
{
  const Allocation& held = state(id).held;
  int counted = 0;
  for (const auto& [index, from] : preempted_now_) {
    JobEvent& event = events_[index];
    if (event.at < now_ || event.by || event.job == id || counted >= held.gpus)
      continue;
    const std::vector<TaskShare>& left = from.shares;
    if (held.shares.empty()) {
      if (from.gpu_type != held.gpu_type)
        continue;
      counted += from.gpus;
    } else if (std::ranges::none_of(held.shares, [&](const TaskShare& share) {
                 return std::ranges::any_of(left, [&](const TaskShare& other) {
                   return share.node == other.node && (share.gpu_mask & other.gpu_mask) != 0;
                 });
               })) {
      continue;
    }
    event.by = id;
  }
}

void JobBook::plan_end(JobId id)
{
  JobState& job = state_of(id);
  const Instant from = std::max(now_, job.work_from);
  if (sent_.contains(id) && !has_data(id)) {
    ends_.forget(id);
    periodic_.due.forget(id);
    return;
  }
  const Instant work = job.remaining - job.withheld;
  job.end = job.doomed ? job.work_from : from + time_at(job.speed, work);
  if (options_.kill_at_estimate && !job.doomed) {
    const Instant limit = now_ + left_to_hold(id);
    job.killed = job.end > limit;
    if (job.killed)
      job.end = std::max(now_, limit);
  }
  ends_.set(id, job.end);
  plan_checkpoint(id);
}

/// How long a job may hold GPUs until its estimate is used up; below 0: it is. It may wait for others to save on GPUs
/// that it cannot use yet.
Instant JobBook::left_to_hold(JobId id) const
{
  const JobState& job = state(id);
  Instant left = workload_.job(id).estimate - job.held_time;
  if (is_running(id))
    left -= now_ - job.accounted;
  if (const auto saving = saving_accounts_.find(id.index); saving != saving_accounts_.end()) {
    left += saving->second.waited;
    if (saving->second.given >= Instant{0})
      left += saving->second.begins - saving->second.given;
  }
  return left;
}

/// When the job will be so far; not where it ends before.
void JobBook::plan_checkpoint(JobId id)
{
  const PeriodicSaves::Job* saves = periodic_.of(id);
  if (saves == nullptr)
    return;
  const JobState& job = state(id);
  const Instant work = saves->next - (workload_.job(id).duration - job.remaining);
  periodic_.due.forget(id);
  if (job.speed <= 0 || job.doomed || work >= job.remaining - job.withheld)
    return;
  if (const Instant at = std::max(now_, job.work_from) + time_at(job.speed, work); at < job.end)
    periodic_.due.set(id, at);
}

void JobBook::write_checkpoint(JobId id)
{
  JobState& job = state_of(id);
  PeriodicSaves::Job& saves = *periodic_.of(id);
  carry_forward(id);
  job.remaining = workload_.job(id).duration - saves.next; // rounded
  job.begun = true;
  job.work_from = saves.pause(now_);
  job.lost_time += GpuTime{job.held.milli(), job.work_from - now_};
  plan_end(id);
  policy_.speed_changed(*this, id); // it gets no further until then
}

Instant JobBook::last_checkpoint(JobId id, Instant done) const
{
  const PeriodicSaves::Job* saves = periodic_.of(id);
  return saves != nullptr ? saves->kept : checkpointed(done, interval_of(id));
}

Instant JobBook::cost_of_loading(JobId id, int gpus) const
{
  if (!state(id).begun) // stopped before its start was paid: there is nothing to load
    return options_.start_cost;
  return Instant{options_.restart_cost} + checkpoint_of(workload_, options_, id, gpus).load;
}

Instant JobBook::cost_of_start(JobId id, int gpus) const
{
  const Instant load = cost_of_loading(id, gpus);
  return options_.save_before_release || !state(id).begun || state(id).failed
             ? load
             : options_.checkpoint_cost + checkpoint_of(workload_, options_, id, gpus).save + load;
}

/// A job that waits writes as one that starts now on the GPUs that it asks for. Who is killed at its estimate holds
/// them no longer than that.
Instant JobBook::saving_ahead(JobId id, Instant work) const
{
  const bool runs = is_running(id);
  const Instant done = state(id).phase == JobPhase::pending ? Instant{} : progress(id);
  PeriodicSaves planned;
  if (!runs)
    planned.begin(id, costs_of_saves(id, workload_.job(id).gpus), done);
  const PeriodicSaves::Job* saves = runs ? periodic_.of(id) : planned.of(id);
  const double speed = runs ? state(id).speed : 1;
  const Instant start = runs ? Instant{} : cost_of_start(id, workload_.job(id).gpus);
  const Instant begins = runs ? std::max(now_, state(id).work_from) : now_ + start;
  const Instant ahead = start + (saves == nullptr ? Instant{} : saves->ahead(begins, done, work, speed));
  if (!options_.kill_at_estimate)
    return ahead;
  const Instant paid = runs ? begins - now_ : Instant{};
  return std::clamp(left_to_hold(id) - paid - time_at(speed, work), Instant{0}, ahead);
}

/// Whether a job that another source has sent goes on: without the data that it needs next it stands still.
bool JobBook::has_data(JobId id)
{
  if (sent_.worked(id))
    return false;
  JobState& job = state_of(id);
  const bool dry = job.withheld > Instant{0} && job.remaining <= job.withheld;
  sent_.note_dry(id, dry, now_);
  if (dry) {
    job.speed = 0;
    job.end = end_of_time;
  }
  return !dry;
}

void JobBook::feed(JobId id, Instant withheld)
{
  JobState& job = state_of(id);
  const bool works = job.phase == JobPhase::running && !sent_.worked(id);
  if (works)
    account(id);
  job.withheld = withheld;
  if (!works)
    return;
  const double before = job.speed;
  const JobSpeed* known = speeds_.of(id);
  job.speed =
      known != nullptr ? known->speed : trace_speed(workload_, workload_.job(id), job.held, options_.elastic_exponent);
  plan_end(id);
  if (job.speed != before)
    policy_.speed_changed(*this, id);
}

void JobBook::run_dry(JobId id)
{
  account(id);
  JobState& job = state_of(id);
  job.remaining = job.withheld;
  plan_end(id);
  policy_.speed_changed(*this, id);
}

void JobBook::work_done(JobId id)
{
  account(id);
  JobState& job = state_of(id);
  job.remaining = Instant{0};
  job.end = now_;
  ends_.forget(id);
  periodic_.due.forget(id);
  sent_.set_worked(id, true);
  speeds_.remove(id);
  policy_.speed_changed(*this, id); // it works no more
  sent_.tell(id, JobNews::What::worked, job.held);
}

/// A job or a visitor on its GPUs; without them where it does not work there, or no longer.
PlacedTraceJob JobBook::placed(JobId id) const
{
  if (id.index < 0)
    return visitors_.placed(id);
  const bool works = is_running(id) && !sent_.worked(id);
  const TraceJob& job = workload_.job(id);
  const double done = job.duration > Instant{0} ? progress(id).value() / job.duration.value() : 0;
  return {id, &job, works ? &state(id).held : nullptr, std::clamp(done, 0.0, 1.0)};
}

void JobBook::ask_speeds()
{
  speeds_.update([this](JobId id) { return placed(id); },
                 [this](JobId id, const JobSpeed& speed) {
                   if (id.index < 0)
                     return visitors_.set_speed(now_, id.index, speed);
                   account(id);
                   state_of(id).speed = speed.speed;
                   plan_end(id);
                   plan_review(id, speed.until);
                   policy_.speed_changed(*this, id);
                 });
}

/// Asks again when the job has done the share @p until of its work; two nanoseconds of work later, so that it has in
/// spite of rounding.
void JobBook::plan_review(JobId id, double until)
{
  reviews_.forget(id);
  const JobState& job = state(id);
  const Instant left = workload_.job(id).duration * (1 - until);
  if (until >= 1 || job.remaining <= left || job.speed <= 0)
    return;
  const Instant at = std::max(now_, job.work_from) + time_at(job.speed, job.remaining - left + Instant{2});
  if (at < job.end)
    reviews_.set(id, at);
}

int JobBook::enter(const std::string& name, const std::string& model, const Allocation& held)
{
  const int number = visitors_.enter(now_, name, model, held);
  speeds_.add(placed(JobId{number}));
  happened_.touched = true;
  return number;
}

void JobBook::leave(int visitor)
{
  speeds_.remove(JobId{visitor});
  visitors_.leave(now_, visitor);
  happened_.touched = true;
}

void JobBook::stall()
{
  for (const JobId id : running_)
    if (const JobState& job = state(id); job.speed > 0 && !sent_.contains(id))
      throw std::invalid_argument{"job " + workload_.name(id) + ", which began " + whole_seconds(job.last_start) +
                                  " after the first submission, would end beyond the 146 years that the clock has"};
  for (const JobId id : waiting())
    if (WaitReason& why = state_of(id).reason; why == WaitReason::none || why == WaitReason::quota)
      if (const std::string never = policy_.never_starts(*this, id); !never.empty())
        why = wait_reason(never).value_or(WaitReason::quota_never);
  for (const auto jobs : {waiting(), running()}) // running jobs make no more progress
    for (const JobId id : jobs)
      state_of(id).phase = JobPhase::stalled;
  if (workload_.dependencies.empty())
    return; // all have been submitted
  for (JobState& job : states_)
    if (job.phase == JobPhase::pending) {
      job.phase = JobPhase::stalled;
      job.reason = WaitReason::dependency;
    }
}

void JobBook::cut_off()
{
  for (const JobId id : std::vector<JobId>{running_}) {
    account(id);
    JobState& job = state_of(id);
    if (now_ < job.work_from) { // its start or a checkpoint is not over
      job.lost_time -= GpuTime{job.held.milli(), job.work_from - now_};
      job.work_from = now_;
    }
  }
  visitors_.stop(now_);
}

SchedulingResult JobBook::result()
{
  if (!saving_accounts_.empty()) {
    for (const JobId id : running_) // where the run was cut off
      end_wait_for_others(id);
    for (auto& [job, own] : saving_accounts_)
      end_saving(own);
    std::ranges::stable_sort(runs_, {}, &RunRecord::to); // savings were written down before they ended
  }
  SchedulingResult result = outcomes(workload_, states_, reasons_.log(), saving_accounts_);
  result.resizes = policy_.resizes();
  const Possible possible{policy_};
  for (std::size_t i = 0; i < states_.size(); ++i)
    if (states_[i].reason == WaitReason::never_fits) {
      const ResourceRequest request = request_of(workload_.jobs[i], policy_.least_gpus(workload_.jobs[i]));
      if (auto [at, fresh] = result.unfit.try_emplace(request); fresh)
        at->second = possible.lack_of(workload_, cluster_, JobId{static_cast<int>(i)});
    }
  result.on_type = std::move(on_type_);
  for (const JobId id : waiting()) // where the run was cut off
    if (state(id).phase == JobPhase::waiting && reasons_.log().waits(id))
      reasons_.set(id, WaitReason::none, {}, now_);
  result.waits = reasons_.take();
  result.runs = std::move(runs_);
  result.events = std::move(events_);
  if (options_.speed != nullptr)
    for (const RunRecord& run : result.runs)
      if (run.link >= 0) {
        result.link_names.resize(std::max(result.link_names.size(), static_cast<std::size_t>(run.link) + 1));
        result.link_names[static_cast<std::size_t>(run.link)] = options_.speed->link_name(run.link);
      }
  check_stays(result);
  result.sent = sent_.all();
  result.visitors = visitors_.names();
  result.slow_visits = visitors_.slow_visits();
  return result;
}

} // namespace trainyard
