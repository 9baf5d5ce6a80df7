// SPDX-License-Identifier: Apache-2.0
#include "sim/sources/jobs/direct_runs.hpp"

#include "models/core/interrupt.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace trainyard {
namespace {

/// Jobs of more steps go at steady speed: what a step too early or too late is of them, is no more than what a steady
/// speed is known to.
constexpr double few_steps = 24;
/// No job has more in the engine: one of few steps in all, others since a job of few steps came last.
constexpr std::size_t most_operations = 300'000;
/// Of a job of many steps that are put into the engine at once.
constexpr double steps_at_once = 4;
/// What is left of a job, as a share of it, that is rounding.
constexpr double rounding = 1e-9;
constexpr const char* never_ready = "operations could never run; they hold lanes that wait for each other";
constexpr double never = std::numeric_limits<double>::infinity();

} // namespace

DirectRuns::DirectRuns(const Cluster& cluster, const Executor& executor, SteadyGroups& groups, bool alone,
                       StepCheck check, Ended ended)
    : cluster_{cluster}, executor_{executor}, groups_{groups}, alone_{alone}, check_{std::move(check)}, ended_{
                                                                                                            std::move(
                                                                                                                ended)}
{
}

bool DirectRuns::are_few(double steps)
{
  return steps <= few_steps && steps == std::floor(steps);
}

void DirectRuns::join(std::size_t job, const PlacedJob& placed, double steps)
{
  std::optional<StepProgram> step = groups_.join(job, placed);
  if (job >= members_.size())
    members_.resize(job + 1);
  members_[job] = std::make_unique<Member>();
  Member& member = of(job);
  member.steps = steps;
  member.began = now_;
  member.few = can_run(job, member, std::move(step));
  if (member.few)
    ++few_came_;
  else
    of_many_steps_.insert(job);
  changed_.insert(job);
}

void DirectRuns::leave(std::size_t job)
{
  if (job >= members_.size() || members_[job] == nullptr)
    return;
  const bool inside = of(job).program >= 0;
  if (inside && !of(job).few)
    --long_inside_;
  if (!inside || long_inside_ > 0)
    for (const std::size_t neighbour : groups_.neighbours_of(job))
      if (!of(neighbour).few)
        changed_.insert(neighbour);
  groups_.leave(job);
  forget_group_of(job);
  changed_.erase(job);
  steady_.erase(job);
  of_many_steps_.erase(job);
  members_[job].reset();
}

/// Of few steps; makes their program. Where chance decides about its steps, their mean counts, however few they are;
/// but where jobs meet counts for more than which packets are lost. @p step: the first of them, where it is known.
bool DirectRuns::can_run(std::size_t job, Member& member, std::optional<StepProgram> step)
{
  if (!are_few(member.steps))
    return false;
  const SteppedJob stepped = groups_.stepped(job, alone_);
  const bool random = alone_ ? stepped.random : stepped_job(*stepped.mode, *stepped.context).random;
  if (random || stepped.wanders)
    return false;
  StepProgram program = step ? std::move(*step) : stepped.mode->program(*stepped.context, 0, 1);
  if (static_cast<double>(program.operations.size()) * member.steps > most_operations)
    return false;
  member.in_program = static_cast<int>(member.steps);
  if (member.in_program > 1)
    program = stepped.mode->program(*stepped.context, 0, member.in_program);
  member.steps_run = std::make_unique<StepProgram>(std::move(program));
  return true;
}

StepTrace DirectRuns::alone(const StepProgram& program)
{
  if (aside_ == nullptr)
    aside_ = executor_.open(cluster_);
  const int number = aside_->add(program, -1);
  if (aside_->advance(never).empty())
    throw std::invalid_argument{"job '" + program.job + "': " + never_ready};
  return aside_->take(number);
}

double DirectRuns::time_alone(const StepProgram& program)
{
  const StepTrace trace = alone(program);
  return (trace.end - trace.begin).value();
}

void DirectRuns::enter(std::size_t job)
{
  Member& member = of(job);
  steady_.erase(job);
  forget_group_of(job);
  if (member.few) {
    member.whole = member.steps;
    add(job, member, groups_.shape(job));
    return;
  }
  ++long_inside_;
  member.came = few_came_;
  member.operations = 0;
  const double done = this->done(member);
  member.done = std::floor(done + rounding);
  const double part = done - member.done;
  if (part <= rounding)
    return run_next(job, member);
  const SteppedJob stepped = groups_.stepped(job, false);
  const StepProgram step = stepped.mode->program(*stepped.context, static_cast<int>(std::min(member.done, 1e9)), 1);
  member.in_program = 1;
  member.whole = member.done + 1;
  const StepTrace trace = alone(step);
  const double there = trace.begin.value() + part * (trace.end - trace.begin).value();
  member.steps_run = std::make_unique<StepProgram>(rest_of(step, shares_at(trace, there)));
  member.done = done;
  add(job, member, -1);
}

/// The next steps of a job of many.
void DirectRuns::run_next(std::size_t job, Member& member)
{
  const SteppedJob stepped = groups_.stepped(job, false);
  member.in_program = static_cast<int>(std::ceil(std::min(member.steps - member.done, steps_at_once)));
  member.whole = member.done + member.in_program;
  member.steps_run = std::make_unique<StepProgram>(
      stepped.mode->program(*stepped.context, static_cast<int>(std::min(member.done, 1e9)), member.in_program));
  add(job, member, -1);
}

void DirectRuns::add(std::size_t job, Member& member, int like)
{
  if (engine_ == nullptr)
    engine_ = executor_.open(cluster_, std::move(expected_));
  if (job_of_program_.empty()) {
    engine_->advance(now_);
    engine_began_ = now_;
  }
  if (came_ != nullptr)
    came_->push_back({*member.steps_run, now_, like});
  member.operations += member.steps_run->operations.size();
  member.program = engine_->add(*member.steps_run, like);
  job_of_program_[member.program] = job;
}

/// Leaves the engine where it is in its steps.
void DirectRuns::exit(std::size_t job)
{
  Member& member = of(job);
  if (member.program < 0 || member.over)
    return;
  const StepProgram rest = rest_of(*member.steps_run, engine_->remove(member.program));
  job_of_program_.erase(member.program);
  const double left = (member.whole - member.done) * time_alone(rest) / time_alone(*member.steps_run);
  member.done = std::clamp(member.whole - left, member.done, member.steps * (1 - 2 * rounding));
  member.since = now_;
  member.speed = 0;
  member.program = -1;
  member.steps_run.reset();
  if (!member.few)
    --long_inside_;
}

/// The job and all that it meets go at steady speed, whatever they are.
void DirectRuns::give_up(std::size_t job)
{
  for (const std::size_t other : groups_.group_of(job)) {
    exit(other);
    of(other).few = false;
    of_many_steps_.insert(other);
    changed_.insert(other);
  }
}

void DirectRuns::forget_group_of(std::size_t job)
{
  std::erase_if(steady_groups_,
                [job](const auto& entry) { return std::ranges::binary_search(entry.second.jobs, job); });
}

/// Its speeds are found when time passes.
void DirectRuns::go_steady(std::vector<std::size_t> group)
{
  for (const std::size_t job : group) {
    exit(job);
    forget_group_of(job);
    Member& member = of(job);
    member.done = done(member);
    member.since = now_;
    steady_.insert(job);
  }
  const std::size_t first = group.front();
  steady_groups_[first] = {.jobs = std::move(group), .since = now_};
}

/// How much of the life of one of its jobs the group is there as it is, if nothing but an end or @p until changes it.
double DirectRuns::weight(const Steady& group, double until) const
{
  for (const std::size_t job : group.jobs)
    until = std::min(until, finish(*members_[job]));
  double weight = 0;
  for (const std::size_t job : group.jobs)
    weight = std::max(weight, (until - group.since) / (finish(*members_[job]) - members_[job]->began));
  return weight;
}

void DirectRuns::take_speeds(Steady& group)
{
  const std::vector<double> rates = groups_.rates({group.jobs, group.weight});
  for (std::size_t i = 0; i < rates.size(); ++i) {
    Member& member = of(group.jobs[i]);
    member.done = done(member);
    member.since = now_;
    member.speed = rates[i];
  }
}

/// Of all groups at steady speed, as exactly as they weigh until @p until.
void DirectRuns::find_speeds(double until)
{
  std::vector<SteadyGroups::Wanted> wanted;
  std::vector<Steady*> heavier;
  for (auto& [first, group] : steady_groups_) {
    if (group.weight < 0) {
      group.weight = 0;
      take_speeds(group);
    }
    if (const double weight = group.jobs.size() > 1 ? this->weight(group, until) : 0; weight > group.weight) {
      group.weight = weight;
      heavier.push_back(&group);
      wanted.push_back({group.jobs, weight});
    }
  }
  groups_.expect(wanted);
  for (Steady* group : heavier)
    take_speeds(*group);
}

void DirectRuns::settle(Seconds now)
{
  now_ = now.value();
  std::set<std::size_t> settled;
  std::vector<SteadyGroups::Wanted> steady;
  while (!changed_.empty()) {
    const std::size_t first = *changed_.begin();
    changed_.erase(changed_.begin());
    Member& member = of(first);
    if (!member.few) {
      if (settled.contains(first))
        continue;
      const std::vector<std::size_t> group = groups_.group_of(first);
      if (std::ranges::none_of(group, [this](std::size_t job) { return of(job).few; })) {
        settled.insert(group.begin(), group.end());
        steady.push_back({group, 0});
        continue;
      }
    }
    // All of a group with a job of few steps are in the engine: what it meets there is no news.
    std::vector<std::size_t> fresh{first};
    if (member.program < 0)
      enter(first);
    while (!fresh.empty()) {
      const std::size_t job = fresh.back();
      fresh.pop_back();
      for (const std::size_t neighbour : groups_.neighbours_of(job)) {
        Member& other = of(neighbour);
        other.met = of(job).met = true;
        if (other.program >= 0)
          continue;
        enter(neighbour);
        fresh.push_back(neighbour);
      }
    }
  }
  groups_.expect(steady);
  for (SteadyGroups::Wanted& each : steady)
    go_steady(std::move(each.group));
}

double DirectRuns::finish(const Member& member) const
{
  const double left = member.steps - member.done;
  return left <= rounding * member.steps ? now_ : member.since + left / member.speed;
}

/// True: the job has ended.
bool DirectRuns::end_of_program(std::size_t job)
{
  Member& member = of(job);
  StepTrace trace = engine_->take(member.program);
  job_of_program_.erase(member.program);
  member.done = member.whole;
  if (!member.few) {
    if (member.over = member.done >= member.steps * (1 - rounding); member.over)
      return true;
    if (std::exchange(member.came, few_came_) != few_came_)
      member.operations = 0;
    run_next(job, member);
    if (member.operations > most_operations)
      give_up(job);
    return false;
  }
  member.over = true;
  const StepProgram* const program = member.steps_run.get();
  const StepTrace* const ran = &trace;
  check_({&program, 1}, {&ran, 1});
  if (!member.met)
    return true;
  shift(trace, Seconds{-engine_began_});
  StepEstimate estimate;
  estimate.step_time = (trace.end - trace.begin) / member.steps;
  estimate.samples_per_second = program->samples_per_step / estimate.step_time.value();
  estimate.steps_simulated = member.in_program;
  estimate.window_end = trace.end;
  estimate.program = std::move(*member.steps_run);
  estimate.trace = std::move(trace);
  ended_(job, std::move(estimate));
  return true;
}

std::pair<Seconds, std::vector<std::size_t>> DirectRuns::advance(Seconds until)
{
  for (;;) {
    check_interrupt();
    if (!changed_.empty())
      settle(Seconds{now_});
    find_speeds(until.value());
    double next = until.value();
    for (const std::size_t job : steady_)
      next = std::min(next, std::max(finish(of(job)), now_));
    std::vector<int> programs;
    if (!job_of_program_.empty()) {
      programs = engine_->advance(next);
      if (programs.empty() && next == never)
        throw std::invalid_argument{"job '" + of(job_of_program_.begin()->second).steps_run->job + "': " + never_ready};
    }
    now_ = programs.empty() ? next : std::max(now_, engine_->now());
    std::vector<std::size_t> ended;
    for (const int program : programs)
      if (const auto found = job_of_program_.find(program); found != job_of_program_.end())
        if (const std::size_t job = found->second; end_of_program(job))
          ended.push_back(job);
    for (const std::size_t job : steady_)
      if (const Member& member = of(job); // what is left may be too short for the clock to move
          member.steps - done(member) <= rounding * member.steps || finish(member) <= now_)
        ended.push_back(job);
    std::ranges::sort(ended);
    if (!ended.empty() || now_ >= until.value())
      return {Seconds{now_}, ended};
  }
}

} // namespace trainyard
