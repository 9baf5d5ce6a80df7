// SPDX-License-Identifier: Apache-2.0
// The cluster's clock. Events in (time, insertion) order; between two of them every running job is carried forward at
// constant speed.
#include "sim/sources/queue/scheduling.hpp"

#include "sim/cluster/gpu_memory.hpp"
#include "sim/sources/queue/end_times.hpp"
#include "sim/sources/queue/outcomes.hpp"
#include "sim/sources/queue/queue_input.hpp"
#include "sim/sources/queue/running_speeds.hpp"
#include "sim/sources/queue/wait_reasons.hpp"

#include <algorithm>
#include <map>
#include <queue>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <utility>

namespace trainyard {

namespace {

constexpr Seconds shortest_wake{1e-3};
constexpr int fruitless_wakes = 3;

} // namespace

/// The queue behind simulate_queue and QueueSource.
class QueueReplay final : public ClusterView, public Decisions, public ClusterControl
{
public:
  QueueReplay(const Workload& workload, const ClusterShape& shape, ClusterState& cluster, QueuePolicy& policy,
              const SchedulingOptions& options)
      : ClusterView{workload, cluster}, workload_{workload}, cluster_{cluster}, policy_{policy}, options_{options},
        speeds_{workload, options.speed}, memory_{shape, options.isolated_memory},
        reasons_{workload, cluster, {options.record_waits, workload.jobs.size(), options.most_wait_records}}
  {
    states_.resize(workload.jobs.size());
    for (const auto& [waits, awaited] : workload.dependencies) {
      ++state_of(waits).unmet;
      successors_[awaited.index].push_back(waits);
    }
  }

  void run()
  {
    begin();
    for (std::optional<Seconds> time = next_time(); time.has_value(); time = next_time())
      act(time.value_or(now_));
    end();
  }

  void begin() { policy_.begin(*this); }

  /// When something happens next; nothing where nothing can change any more. Asked before every act().
  std::optional<Seconds> next_time()
  {
    const std::optional<Seconds> end = ends_.next();
    outside_ = options_.events != nullptr ? options_.events->next() : std::nullopt;
    if (!unfinished() && !shared_)
      return std::nullopt; // outside events have no effect any more
    more_ = next_ < workload_.jobs.size() || end || outside_.has_value();
    const bool could_wake = !wakes_.empty() && !(waiting_.empty() && running_.empty());
    if (!more_ && (!could_wake || fruitless_ >= fruitless_wakes))
      return std::nullopt;
    Seconds time{std::numeric_limits<double>::infinity()};
    if (end)
      time = *end;
    if (next_ < workload_.jobs.size())
      time = std::min(time, workload_.jobs[next_].submit);
    if (outside_)
      time = std::min(time, *outside_);
    if (!wakes_.empty())
      time = std::min(time, wakes_.top());
    return std::max(now_, time);
  }

  void act(Seconds time)
  {
    now_ = std::max(now_, time);
    changed_ = false;
    const std::int64_t decided = decisions_;
    instant(outside_ && *outside_ <= now_);
    if (changed_ || more_)
      fruitless_ = 0;
    else if (decisions_ > decided)
      ++fruitless_;
  }

  void end()
  {
    for (const auto jobs : {waiting(), running()}) // running jobs make no more progress
      for (const JobId id : jobs)
        state_of(id).phase = JobPhase::stalled;
    for (JobState& job : states_)
      if (job.phase == JobPhase::pending) {
        job.phase = JobPhase::stalled;
        job.reason = WaitReason::dependency;
      }
  }

  // On machines that others use too

  void share(Workload* growing)
  {
    shared_ = true;
    growing_ = growing;
  }
  bool unfinished() const { return !waiting_.empty() || !running_.empty() || next_ < workload_.jobs.size(); }
  /// Jobs wait, and others have given something back.
  bool may_start() const { return touched_ || (cluster_.may_have_gained() && !waiting_.empty()); }
  void notice_gains()
  {
    touched_ = false;
    cluster_.gained_elsewhere();
    cluster_.lost_machines(); // the queue itself reads the failures
    fruitless_ = 0;
  }
  /// Accounts up to the end of a run that was cut off; jobs keep their phases.
  void stop(Seconds time)
  {
    now_ = std::max(now_, time);
    for (const JobId id : std::vector<JobId>{running_})
      book(id);
    for (const auto& [number, visitor] : visitors_)
      note_visit(number);
  }

  // Jobs that others send

  JobId send(Seconds now, const SentJob& sent)
  {
    if (growing_ == nullptr)
      throw std::logic_error{"this queue takes no jobs of others"};
    now_ = std::max(now_, now);
    TraceJob job;
    job.submit = now_;
    job.duration = sent.work;
    job.estimate = sent.estimate;
    job.gpus = sent.gpus;
    job.priority = static_cast<float>(sent.priority);
    job.user = growing_->users.index_of(sent.user);
    job.team = growing_->teams.index_of(sent.team);
    job.model = growing_->models.index_of(sent.model);
    std::vector<TraceJob>& jobs = growing_->jobs;
    const auto place = std::upper_bound(jobs.begin() + static_cast<std::ptrdiff_t>(next_), jobs.end(), now_,
                                        [](Seconds time, const TraceJob& other) { return time < other.submit; });
    const std::ptrdiff_t at = place - jobs.begin();
    jobs.insert(place, job);
    growing_->job_names.insert(growing_->job_names.begin() + at, sent.name);
    states_.insert(states_.begin() + at, JobState{});
    const JobId id{static_cast<int>(at)};
    state_of(id).withheld = sent.withheld;
    reasons_.inserted(static_cast<std::size_t>(at));
    successors_.clear();
    for (auto& [waits, awaited] : growing_->dependencies) {
      waits.index += waits >= id ? 1 : 0;
      awaited.index += awaited >= id ? 1 : 0;
      successors_[awaited.index].push_back(waits);
    }
    sent_.emplace(id.index, Sent{.checkpoint_interval = sent.checkpoint_interval});
    fruitless_ = 0;
    return id;
  }

  void withdraw(Seconds now, JobId id)
  {
    now_ = std::max(now_, now);
    JobState& job = state_of(id);
    if (job.phase == JobPhase::impossible)
      return;
    if (job.phase == JobPhase::running) {
      policy_.stopped(*this, id);
      release(id);
      remove(running_, job);
    } else if (job.phase == JobPhase::waiting) {
      reasons_.set(id, WaitReason::none, {}, now_);
      remove(waiting_, job);
    } else if (job.phase != JobPhase::pending) {
      throw std::logic_error{"job " + std::to_string(id.index) + " was withdrawn, but has left"};
    }
    if (job.phase != JobPhase::pending)
      policy_.withdrawn(*this, id);
    job.phase = JobPhase::withdrawn;
    touched_ = true;
  }

  void complete(Seconds now, JobId id)
  {
    now_ = std::max(now_, now);
    if (state(id).phase != JobPhase::running || !sent_.at(id.index).worked)
      throw std::logic_error{"job " + std::to_string(id.index) + " was completed, but its work is not done"};
    finish(id);
    touched_ = true;
  }

  void feed(Seconds now, JobId id, Seconds withheld)
  {
    now_ = std::max(now_, now);
    JobState& job = state_of(id);
    const bool works = job.phase == JobPhase::running && !sent_.at(id.index).worked;
    if (works)
      book(id);
    job.withheld = withheld;
    if (!works)
      return;
    const double before = job.speed;
    const JobSpeed* known = speeds_.of(id);
    job.speed = known != nullptr ? known->speed
                                 : trace_speed(workload_, workload_.job(id), job.held, options_.elastic_exponent);
    plan_end(id);
    if (job.speed != before)
      policy_.speed_changed(*this, id);
  }

  Seconds done(Seconds now, JobId id)
  {
    now_ = std::max(now_, now);
    return progress(id);
  }

  Seconds expected_end(Seconds now, JobId id)
  {
    now_ = std::max(now_, now);
    const JobState& job = state(id);
    return std::max(now_, job.work_from) + work_left(id) / std::max(job.speed, 1e-300);
  }

  // Training of others on the same links

  bool knows_links() const { return speeds_.modelled(); }

  int enter(Seconds now, const std::string& name, const std::string& model, const Allocation& held)
  {
    now_ = std::max(now_, now);
    const JobId id{-2 - static_cast<int>(visitor_names_.size())};
    visitor_names_.push_back(name);
    Visitor visitor{.job = {}, .held = held, .speed = {}, .since = now_};
    visitor.job.gpus = held.gpus;
    for (int index = 0; index < workload_.models.size(); ++index)
      if (workload_.models.name(index) == model)
        visitor.job.model = index;
    if (visitor.job.model == 0)
      throw std::logic_error{"the workload does not know the job '" + model + "'"};
    visitors_.emplace(id.index, std::move(visitor));
    speeds_.add(placed(id));
    touched_ = true;
    return id.index;
  }

  void leave(Seconds now, int number)
  {
    now_ = std::max(now_, now);
    note_visit(number);
    speeds_.remove(JobId{number});
    visitors_.erase(number);
    touched_ = true;
  }

  double share(int visitor) const { return share_of(visitors_.at(visitor).speed); }
  std::uint64_t changes() const { return changes_; }

  bool has_news() const { return !news_.empty(); }
  std::vector<JobNews> take_news() { return std::exchange(news_, {}); }

  // Decisions

  bool start(JobId id, int gpus, int gpu_type) override
  {
    JobState& job = state_of(id);
    if (job.phase != JobPhase::waiting)
      throw std::logic_error{"job " + std::to_string(id.index) + " was started, but does not wait"};
    check_size(id, gpus);
    ResourceRequest request = request_of(workload_.job(id), gpus, gpu_type);
    std::optional<Allocation> place = find_place(workload_, id, cluster_, request);
    if (!place) {
      reasons_.does_not_fit(id, request, now_);
      return false;
    }
    cluster_.take(request, *place);
    remove(waiting_, job);
    reasons_.set(id, WaitReason::none, {}, now_);
    add(running_, id, JobPhase::running);
    const bool again = job.first_start >= Seconds{0};
    settle_on(id, std::move(*place), again ? options_.checkpoint_cost + options_.restart_cost : options_.start_cost);
    if (!again)
      job.first_start = now_;
    job.last_start = now_;
    changed_ = true;
    tell(id, JobNews::What::started);
    policy_.started(*this, id);
    return true;
  }

  void preempt(JobId id) override
  {
    JobState& job = state_of(id);
    if (job.phase != JobPhase::running)
      throw std::logic_error{"job " + std::to_string(id.index) + " was preempted, but does not run"};
    policy_.stopped(*this, id);
    ++job.preemptions;
    release(id);
    remove(running_, job);
    tell(id, JobNews::What::preempted);
    wait(id);
    changed_ = true;
  }

  bool resize(JobId id, int gpus) override
  {
    JobState& job = state_of(id);
    if (job.phase != JobPhase::running)
      throw std::logic_error{"job " + std::to_string(id.index) + " was resized, but does not run"};
    check_size(id, gpus);
    if (job.held.gpus == gpus)
      return true;
    const Allocation before = job.held;
    const ResourceRequest old_request =
        request_of(workload_.job(id), before.gpus, workload_.gpu_types.empty() ? -1 : before.gpu_type);
    const ResourceRequest request = request_of(workload_.job(id), gpus);
    std::optional<Allocation> place;
    cluster_.try_out([&] {
      cluster_.give(before);
      place = find_place(workload_, id, cluster_, request);
      cluster_.take(old_request, before);
    });
    if (!place)
      return false;
    policy_.stopped(*this, id);
    release(id);
    cluster_.take(request, *place);
    settle_on(id, std::move(*place), options_.checkpoint_cost + options_.restart_cost);
    changed_ = true;
    policy_.started(*this, id);
    return true;
  }

  bool fits_without(JobId id, std::span<const JobId> stopped) override
  {
    bool fits = false;
    cluster_.try_out([&] {
      for (const JobId other : stopped)
        cluster_.give(state(other).held);
      fits = find_place(workload_, id, cluster_, request_of(workload_.job(id))).has_value();
      for (const JobId other : stopped) {
        const Allocation& held = state(other).held;
        cluster_.take(request_of(workload_.job(other), held.gpus), held);
      }
    });
    return fits;
  }

  std::optional<Allocation> preview(JobId id) override
  {
    if (state(id).phase != JobPhase::waiting)
      throw std::logic_error{"job " + std::to_string(id.index) + " was to be placed, but does not wait"};
    return find_place(workload_, id, cluster_, request_of(workload_.job(id)));
  }

  bool wants_reasons() const override { return reasons_.log().enabled(); }

  void hold(JobId id, WaitReason reason, JobId blocker, Seconds planned) override
  {
    reasons_.set(id, reason, blocker, now_, planned);
  }

  void wake_at(Seconds time) override
  {
    const Seconds soonest = now_ + shortest_wake;
    if (is_finite(time))
      wakes_.push(std::max(time, soonest));
  }

  const ClusterView& view() const override { return *this; }

  void set_node(int node, bool up) override
  {
    if (cluster_.counted() || node < 0 || node >= cluster_.nodes().size())
      throw std::invalid_argument{"no machine number " + std::to_string(node)};
    if (!up) {
      std::vector<JobId> hit;
      for (const JobId id : running_)
        if (std::ranges::find(state(id).held.shares, node, &TaskShare::node) != state(id).held.shares.end())
          hit.push_back(id);
      std::ranges::sort(hit);
      for (const JobId id : hit)
        fail(id);
    }
    cluster_.set_up(node, up);
    changed_ = true;
  }

  void fail(JobId id) override
  {
    JobState& job = state_of(id);
    if (job.phase != JobPhase::running)
      return;
    policy_.stopped(*this, id);
    ++job.failures;
    const double gpus = whole_gpus(job.held);
    release(id);
    const Seconds done = workload_.job(id).duration - job.remaining;
    const auto sent = sent_.find(id.index);
    const Seconds kept = checkpointed(
        done, sent == sent_.end() ? options_.checkpoint_interval
                                  : sent->second.checkpoint_interval.value_or(options_.checkpoint_interval));
    job.remaining += done - kept;
    job.lost_time += (done - kept) * gpus;
    remove(running_, job);
    tell(id, JobNews::What::failed);
    wait(id);
    changed_ = true;
  }

  SchedulingResult result()
  {
    SchedulingResult result = outcomes(workload_, states_, reasons_.log());
    result.decisions = decisions_;
    result.waits = reasons_.take();
    result.runs = std::move(runs_);
    if (options_.speed != nullptr)
      for (const RunRecord& run : result.runs)
        if (run.link >= 0) {
          result.link_names.resize(std::max(result.link_names.size(), static_cast<std::size_t>(run.link) + 1));
          result.link_names[static_cast<std::size_t>(run.link)] = options_.speed->link_name(run.link);
        }
    for (const auto& [index, sent] : sent_)
      result.sent.emplace_back(JobId{index});
    result.visitors = visitor_names_;
    result.slow_visits = std::move(slow_visits_);
    return result;
  }

private:
  /// What the queue remembers of a job that another source has sent.
  struct Sent {
    std::optional<Seconds> checkpoint_interval;
    Seconds dry_since{-1}; // it has GPUs, but no data to go on with; negative: it has data
    Seconds stalled;       // in this way, until `dry_since`
    bool worked = false;   // its work is done; it keeps its GPUs until complete()
  };

  /// Training of another source that loads links.
  struct Visitor {
    TraceJob job;
    Allocation held;
    JobSpeed speed;
    Seconds since; // of this speed
  };

  static double share_of(const JobSpeed& speed) { return speed.alone > 0 ? speed.speed / speed.alone : 1; }

  /// Writes down the time since the visitor's speed last changed, where it was slowed.
  void note_visit(int number)
  {
    Visitor& visitor = visitors_.at(number);
    const JobSpeed& speed = visitor.speed;
    if (now_ > visitor.since && speed.link >= 0) {
      const JobId by = speed.neighbour;
      slow_visits_.push_back(
          {visitor_names_[static_cast<std::size_t>(-2 - number)], visitor.since, now_, share_of(speed),
           by.index < -1 ? visitor_names_[static_cast<std::size_t>(-2 - by.index)] : workload_.name(by),
           options_.speed->link_name(speed.link)});
    }
    visitor.since = now_;
  }

  void apply_to_visitor(int number, const JobSpeed& speed)
  {
    Visitor& visitor = visitors_.at(number);
    if (visitor.speed.speed == speed.speed && visitor.speed.alone == speed.alone &&
        visitor.speed.neighbour == speed.neighbour && visitor.speed.link == speed.link)
      return;
    note_visit(number);
    changes_ += share_of(speed) != share_of(visitor.speed) ? 1 : 0;
    visitor.speed = speed;
  }

  void tell(JobId id, JobNews::What what)
  {
    const auto found = sent_.find(id.index);
    if (found == sent_.end())
      return;
    news_.push_back({id, what, state(id).held, found->second.stalled});
  }

  JobState& state_of(JobId id) { return states_.at(static_cast<std::size_t>(id.index)); }

  void instant(bool outside)
  {
    bool worked = false;
    while (const std::optional<JobId> id = ends_.take(now_))
      if (state(*id).doomed)
        run_out_of_memory(*id);
      else if (state(*id).killed)
        kill(*id);
      else if (!sent_.contains(id->index))
        finish(*id);
      else if (state(*id).withheld > Seconds{0})
        run_dry(*id);
      else
        worked = work_done(*id);
    if (worked) { // first whoever sent the jobs; the rest of this instant comes after
      touched_ = true;
      return update_speeds();
    }
    if (outside)
      options_.events->fire(*this);
    for (; next_ < workload_.jobs.size() && workload_.jobs[next_].submit <= now_; ++next_)
      submit(JobId{static_cast<int>(next_)});
    while (!wakes_.empty() && wakes_.top() <= now_)
      wakes_.pop();
    if (may_decide()) {
      ++decisions_;
      reasons_.decides();
      policy_.decide(*this, *this);
      reasons_.decided(waiting_, policy_.usual_reason(), now_);
    }
    update_speeds();
  }

  /// With a period, decisions happen at its multiples only; what came in between is looked at then.
  bool may_decide()
  {
    const double period = options_.policy_period.value();
    if (period <= 0)
      return true;
    const double due = std::ceil(now_.value() / period - 1e-9) * period;
    if (due <= now_.value() + 1e-9 * period)
      return true;
    reasons_.decides_later(waiting_, now_);
    wakes_.push(Seconds{due});
    return false;
  }

  void check_size(JobId id, int gpus) const
  {
    const TraceJob& job = workload_.job(id);
    if (gpus != 0 && (gpus < job.smallest_gpus() || gpus > job.largest_gpus()))
      throw std::logic_error{"job " + std::to_string(id.index) + " cannot run on " + std::to_string(gpus) + " GPUs"};
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

  void submit(JobId id)
  {
    JobState& job = state_of(id);
    job.remaining = workload_.job(id).duration;
    if (job.phase == JobPhase::impossible || job.phase == JobPhase::withdrawn)
      return;
    if (!possible_.could_run(workload_, cluster_, id)) {
      give_up(id, WaitReason::never_fits);
      return;
    }
    if (job.unmet > 0) {
      reasons_.set(id, WaitReason::dependency, {}, now_);
      return;
    }
    job.ready = now_;
    wait(id);
  }

  /// It never runs, nor does what depends on it.
  void give_up(JobId id, WaitReason reason)
  {
    JobState& job = state_of(id);
    job.phase = JobPhase::impossible;
    job.reason = reason;
    tell(id, JobNews::What::refused);
    const auto found = successors_.find(id.index);
    if (found == successors_.end())
      return;
    for (const JobId next : found->second)
      if (state(next).phase == JobPhase::pending)
        give_up(next, WaitReason::dependency);
  }

  void wait(JobId id)
  {
    reasons_.begin(id, now_);
    add(waiting_, id, JobPhase::waiting);
    policy_.arrived(*this, id);
  }

  /// The job has got these GPUs: from when it works, how fast, until when.
  void settle_on(JobId id, Allocation place, Seconds cost)
  {
    JobState& job = state_of(id);
    job.held = std::move(place);
    job.since = job.accounted = now_;
    if (const auto sent = sent_.find(id.index); sent != sent_.end())
      sent->second.worked = false;
    job.doomed = !memory_.take(job.held, workload_.job(id).gpu_memory_mib);
    job.work_from = now_ + cost + (job.doomed ? options_.out_of_memory_after : Seconds{0});
    job.lost_time += (job.work_from - now_) * whole_gpus(job.held);
    job.speed =
        trace_speed(workload_, workload_.job(id), job.held, options_.elastic_exponent); // until a model is asked
    if (!speeds_.modelled()) {
      plan_end(id);
      return;
    }
    job.end = job.work_from + job.remaining / std::max(job.speed, 1e-12);
    ends_.forget(id);
    speeds_.add({id, &workload_.job(id), &job.held});
  }

  void plan_end(JobId id)
  {
    JobState& job = state_of(id);
    const Seconds from = std::max(now_, job.work_from);
    if (const auto sent = sent_.find(id.index); sent != sent_.end() && !may_work(job, sent->second)) {
      ends_.forget(id);
      return;
    }
    const Seconds work = job.remaining - job.withheld;
    job.end = job.doomed       ? job.work_from
              : job.speed <= 0 ? Seconds{std::numeric_limits<double>::infinity()}
              : job.speed == 1 ? from + work
                               : from + work / job.speed;
    if (options_.kill_at_estimate && !job.doomed) {
      const Seconds limit = now_ + workload_.job(id).estimate - job.held_time;
      job.killed = job.end > limit + Seconds{1e-6};
      if (job.killed)
        job.end = std::max(now_, limit);
    }
    ends_.set(id, job.end);
  }

  /// Whether a job that another source has sent goes on; without the data that it needs next it stands still.
  bool may_work(JobState& job, Sent& sent) const
  {
    if (sent.worked)
      return false;
    const bool dry = job.withheld > Seconds{0} && job.remaining <= job.withheld;
    note_dry(sent, dry);
    if (dry) {
      job.speed = 0;
      job.end = Seconds{std::numeric_limits<double>::infinity()};
    }
    return !dry;
  }

  void note_dry(Sent& sent, bool dry) const
  {
    if (!dry && sent.dry_since >= Seconds{0})
      sent.stalled += now_ - sent.dry_since;
    if (!dry)
      sent.dry_since = Seconds{-1};
    else if (sent.dry_since < Seconds{0})
      sent.dry_since = now_;
  }

  /// It has done what it can with the data that are there.
  void run_dry(JobId id)
  {
    JobState& job = state_of(id);
    book(id);
    job.remaining = job.withheld;
    plan_end(id);
    policy_.speed_changed(*this, id);
  }

  /// All work of a job that another source has sent is done. It keeps its GPUs, and loads no links any more.
  bool work_done(JobId id)
  {
    JobState& job = state_of(id);
    book(id);
    job.remaining = Seconds{0};
    job.end = now_;
    ends_.forget(id);
    sent_.at(id.index).worked = true;
    speeds_.remove(id);
    tell(id, JobNews::What::worked);
    return true;
  }

  /// Work done so far is booked, so that the speed or the place may change.
  void book(JobId id)
  {
    JobState& job = state_of(id);
    if (options_.record_runs && now_ > job.since) {
      const JobSpeed* known = speeds_.of(id);
      const JobSpeed speed = known != nullptr ? *known : JobSpeed{.speed = job.speed, .alone = job.speed};
      runs_.push_back({id, job.since, now_, job.speed, speed.alone, speed.neighbour, speed.link, job.held});
    }
    job.remaining = work_left(id);
    job.gpu_time += (now_ - job.accounted) * whole_gpus(job.held);
    job.held_time += now_ - job.accounted;
    job.accounted = job.since = now_;
  }

  /// Gives back the job's GPUs; its place in the lists is the caller's.
  void release(JobId id)
  {
    JobState& job = state_of(id);
    book(id);
    if (now_ < job.work_from) // the cost of the start was not paid in full
      job.lost_time -= (job.work_from - now_) * whole_gpus(job.held);
    ends_.forget(id);
    cluster_.give(job.held);
    if (!job.doomed)
      memory_.give(job.held, workload_.job(id).gpu_memory_mib);
    job.doomed = false;
    speeds_.remove(id);
    if (const auto sent = sent_.find(id.index); sent != sent_.end())
      note_dry(sent->second, false);
    job.held = {};
  }

  /// A job or a visitor on its GPUs; without them where it does not work there, or no longer.
  PlacedTraceJob placed(JobId id) const
  {
    if (id.index < 0) {
      const auto visitor = visitors_.find(id.index);
      return visitor == visitors_.end() ? PlacedTraceJob{id, nullptr, nullptr}
                                        : PlacedTraceJob{id, &visitor->second.job, &visitor->second.held};
    }
    const auto sent = sent_.find(id.index);
    const bool works = is_running(id) && (sent == sent_.end() || !sent->second.worked);
    return {id, &workload_.job(id), works ? &state(id).held : nullptr};
  }

  void update_speeds()
  {
    speeds_.update([this](JobId id) { return placed(id); },
                   [this](JobId id, const JobSpeed& speed) {
                     if (id.index < 0)
                       return apply_to_visitor(id.index, speed);
                     book(id);
                     state_of(id).speed = speed.speed;
                     plan_end(id);
                     policy_.speed_changed(*this, id);
                   });
  }

  /// Its processes did not get their GPU memory. It waits again, or is given up.
  void run_out_of_memory(JobId id)
  {
    JobState& job = state_of(id);
    policy_.stopped(*this, id);
    release(id);
    remove(running_, job);
    changed_ = true;
    if (++job.out_of_memory < options_.out_of_memory_tries)
      wait(id);
    else
      give_up(id, WaitReason::out_of_memory);
  }

  /// The requested time is over: the rest of its work is never done.
  void kill(JobId id)
  {
    JobState& job = state_of(id);
    job.remaining = Seconds{0};
    finish(id);
  }

  void finish(JobId id)
  {
    JobState& job = state_of(id);
    policy_.stopped(*this, id);
    release(id);
    job.remaining = Seconds{0};
    remove(running_, job);
    job.end = now_;
    job.phase = JobPhase::finished;
    changed_ = true;
    const auto found = successors_.find(id.index);
    if (found == successors_.end())
      return;
    for (const JobId next : found->second) {
      JobState& waits = state_of(next);
      if (--waits.unmet == 0 && waits.phase == JobPhase::pending && static_cast<std::size_t>(next.index) < next_) {
        waits.ready = now_;
        wait(next);
      }
    }
  }

  const Workload& workload_;
  ClusterState& cluster_;
  QueuePolicy& policy_;
  const SchedulingOptions& options_;
  EndTimes ends_;
  std::priority_queue<Seconds, std::vector<Seconds>, std::greater<>> wakes_;
  std::int64_t decisions_ = 0;
  std::size_t next_ = 0;
  bool changed_ = false;
  std::optional<Seconds> outside_; // next event that does not come from the queue
  bool more_ = false;              // something besides wakes is to come
  bool shared_ = false;            // with other sources of work
  Workload* growing_ = nullptr;    // the workload, where others may send jobs
  std::map<int, Sent> sent_;       // by job
  std::vector<JobNews> news_;
  bool touched_ = false;            // others have taken a job away, or entered or left links, since the last decision
  std::map<int, Visitor> visitors_; // by number, below -1
  std::vector<std::string> visitor_names_;
  std::vector<SlowVisit> slow_visits_;
  std::uint64_t changes_ = 0; // of shares of visitors
  int fruitless_ = 0;         // wakes in a row that changed nothing
  std::unordered_map<int, std::vector<JobId>> successors_;
  Possible possible_;
  RunningSpeeds speeds_;
  GpuMemory memory_;
  WaitReasons reasons_;
  std::vector<RunRecord> runs_;
};

SchedulingResult simulate_queue(const Workload& workload, const ClusterShape& shape, QueuePolicy& policy,
                                PlacementPolicy* placement, const SchedulingOptions& options)
{
  check_queue_input(workload, options);
  ClusterState cluster{shape, placement};
  if (placement != nullptr && !cluster.counted())
    placement->begin(cluster.nodes(), workload, Random{options.seed});
  cluster.set_demands(workload.demands);
  QueueReplay replay{workload, shape, cluster, policy, options};
  replay.run();
  return replay.result();
}

struct QueueSource::Parts {
  Parts(const Workload& workload, const ClusterShape& shape, QueuePolicy& policy, PlacementPolicy& placement,
        const SchedulingOptions& options, NodePool& machines)
      : cluster{shape, &placement, &machines}, replay{workload, shape, cluster, policy, options}
  {
  }

  ClusterState cluster;
  QueueReplay replay;
};

QueueSource::QueueSource(const Workload& workload, const ClusterShape& shape, QueuePolicy& policy,
                         PlacementPolicy& placement, const SchedulingOptions& options, NodePool& machines,
                         Workload* growing)
{
  if (!workload.jobs.empty())
    check_queue_input(workload, options);
  placement.begin(machines, workload, Random{options.seed});
  machines.set_demands(workload.demands);
  parts_ = std::make_unique<Parts>(workload, shape, policy, placement, options, machines);
  parts_->replay.share(growing);
  parts_->replay.begin();
}

QueueSource::~QueueSource() = default;

namespace {

/// The first whole nanosecond at or after a time of the queue.
Instant at_or_after(Seconds time)
{
  const double nanoseconds = std::ceil(time.value() * 1e9);
  return nanoseconds >= static_cast<double>(end_of_time.count()) ? end_of_time
                                                                 : Instant{static_cast<Instant::rep>(nanoseconds)};
}

/// The nearest double: whole seconds stay whole, so that times that go forth and back do not creep up.
Seconds in_seconds(Instant time)
{
  return Seconds{static_cast<double>(time.count()) / 1e9};
}

} // namespace

std::optional<Instant> QueueSource::next() const
{
  if (parts_->replay.may_start())
    return Instant{0};
  const std::optional<Seconds> time = parts_->replay.next_time();
  return time ? std::optional{at_or_after(*time)} : std::nullopt;
}

void QueueSource::act(Instant now)
{
  const bool gained = parts_->replay.may_start();
  const std::optional<Seconds> due = parts_->replay.next_time();
  parts_->replay.notice_gains();
  // Its own events keep their exact times, which no whole nanosecond may be.
  if (due && at_or_after(*due) <= now && !gained)
    parts_->replay.act(*due);
  else
    parts_->replay.act(in_seconds(now));
}

JobId QueueSource::send(Instant now, const SentJob& job)
{
  return parts_->replay.send(in_seconds(now), job);
}

void QueueSource::withdraw(Instant now, JobId id)
{
  parts_->replay.withdraw(in_seconds(now), id);
}

void QueueSource::complete(Instant now, JobId id)
{
  parts_->replay.complete(in_seconds(now), id);
}

void QueueSource::feed(Instant now, JobId id, Seconds withheld)
{
  parts_->replay.feed(in_seconds(now), id, withheld);
}

Seconds QueueSource::done(Instant now, JobId id)
{
  return parts_->replay.done(in_seconds(now), id);
}

Instant QueueSource::expected_end(Instant now, JobId id)
{
  return at_or_after(parts_->replay.expected_end(in_seconds(now), id));
}

bool QueueSource::has_news() const
{
  return parts_->replay.has_news();
}

std::vector<JobNews> QueueSource::take_news()
{
  return parts_->replay.take_news();
}

SharedLinks* QueueSource::links()
{
  return parts_->replay.knows_links() ? this : nullptr;
}

int QueueSource::enter(Instant now, const std::string& name, const std::string& job, const Allocation& held)
{
  return parts_->replay.enter(in_seconds(now), name, job, held);
}

void QueueSource::leave(Instant now, int visitor)
{
  parts_->replay.leave(in_seconds(now), visitor);
}

double QueueSource::share(int visitor) const
{
  return parts_->replay.share(visitor);
}

std::uint64_t QueueSource::changes() const
{
  return parts_->replay.changes();
}

SchedulingResult QueueSource::finish(Instant ended)
{
  parts_->replay.stop(in_seconds(ended));
  return parts_->replay.result();
}

} // namespace trainyard
