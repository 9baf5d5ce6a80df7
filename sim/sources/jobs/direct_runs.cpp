// SPDX-License-Identifier: Apache-2.0
#include "sim/sources/jobs/direct_runs.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <tuple>

namespace trainyard {
namespace {

/// Jobs of more steps go at steady speed: what a step too early or too late is of them, is no more than what a steady
/// speed is known to.
constexpr double few_steps = 24;
/// A run with more operations forgets its past, and no job has more of them in it.
constexpr std::size_t most_operations = 300'000;
constexpr double at_once = 1e300; // steps/s

} // namespace

/// Jobs that are run together, with those of them that have ended.
struct DirectRuns::Run {
  struct Member {
    std::size_t job = 0;
    double start = 0;   // of the first step that is run, s
    int first_step = 0; // its number
    double left = 0;    // steps to do from there on
    int simulated = 0;  // of them
    bool whole = false; // its end is what is asked for
    bool ended = false;
    StepProgram program;
    std::tuple<int, int, bool> made{-1, -1, false}; // first step, steps, and whether it runs alone, of the program
    StepTrace trace;                                // times since the start of the run
    StepEnds ends;                                  // s

    /// Steps done since `start`.
    double done(double time) const
    {
      double sum = 0;
      for (const auto& [worker, times] : ends)
        sum += steps_done(times, start, time);
      return ends.empty() ? 0 : sum / static_cast<double>(ends.size());
    }
    double last() const
    {
      double last = start;
      for (const auto& [worker, times] : ends)
        last = std::max(last, times.back());
      return last;
    }
    bool complete() const { return simulated >= left; }
    /// Where it has been simulated that far.
    double finish() const { return complete() ? last() : std::numeric_limits<double>::infinity(); }
  };
  std::vector<Member> members;

  double begin() const
  {
    double begin = std::numeric_limits<double>::infinity();
    for (const Member& member : members)
      begin = std::min(begin, member.start);
    return begin;
  }
  /// The last end that is asked for.
  double until() const
  {
    double until = 0;
    for (const Member& member : members)
      if (member.whole && !member.ended)
        until = std::max(until, member.last());
    return until;
  }
  bool wanted() const
  {
    return std::ranges::any_of(members, [](const Member& member) { return member.whole && !member.ended; });
  }
  Member& of(std::size_t job)
  {
    return *std::ranges::find_if(members, [&](const Member& member) { return member.job == job && !member.ended; });
  }
};

DirectRuns::DirectRuns(const Cluster& cluster, const Executor& executor, SteadyGroups& groups, StepCheck check,
                       Ended ended)
    : cluster_{cluster}, executor_{executor}, groups_{groups}, check_{std::move(check)}, ended_{std::move(ended)}
{
}

DirectRuns::~DirectRuns() = default;

void DirectRuns::join(std::size_t job, double steps)
{
  steps_[job] = steps;
}

/// Where chance decides about its steps, their mean counts, however few they are.
bool DirectRuns::few(std::size_t job) const
{
  const double steps = steps_.at(job);
  if (steps > few_steps || steps != std::floor(steps) || too_large_.contains(job))
    return false;
  const SteppedJob stepped = groups_.stepped(job, false);
  return !stepped.random && !stepped.wanders;
}

void DirectRuns::add(Run& run, std::size_t job, double remaining, double now) const
{
  const double steps = steps_.at(job);
  const double done = std::max(0.0, steps - remaining);
  const double whole = std::floor(done + 1e-9);
  const auto speed = speed_.find(job);
  Run::Member member;
  member.job = job;
  member.start = speed == speed_.end() ? now : now - std::max(0.0, done - whole) / speed->second;
  member.first_step = static_cast<int>(std::min(whole, 1e9));
  member.left = steps - whole;
  member.whole = few(job);
  member.simulated = static_cast<int>(std::ceil(member.whole ? member.left : std::min(member.left, 4.0)));
  run.members.push_back(std::move(member));
}

/// Those that have ended are forgotten; the others begin where their running step began.
void DirectRuns::shorten(Run& run, double now) const
{
  std::erase_if(run.members, [](const Run::Member& member) { return member.ended; });
  for (Run::Member& member : run.members) {
    if (member.ends.empty())
      continue;
    const auto done = static_cast<int>(std::floor(member.done(now) + 1e-9));
    const std::vector<double>& ends = member.ends.begin()->second;
    if (done < 1 || static_cast<std::size_t>(done) > ends.size())
      continue;
    member.start = ends[static_cast<std::size_t>(done) - 1];
    member.first_step += done;
    member.left -= done;
    member.simulated = static_cast<int>(std::ceil(member.whole ? member.left : std::min(member.left, 4.0)));
    member.ends.clear();
  }
}

bool DirectRuns::simulate(Run& run)
{
  const bool alone = run.members.size() == 1;
  const double begin = run.begin();
  const std::pair<int, int> like{groups_.shape(run.members.front().job), run.members.front().simulated};
  if (alone && run.members.front().first_step == 0)
    if (const auto known = lone_.find(like); known != lone_.end()) {
      run.members.front().ends = {{-1, known->second}};
      for (double& end : run.members.front().ends[-1])
        end += begin;
      return true;
    }
  for (bool again = true; again;) {
    std::vector<ProgramRun> runs;
    for (Run::Member& member : run.members) {
      if (const std::tuple wanted{member.first_step, member.simulated, alone}; member.made != wanted) {
        const SteppedJob job = groups_.stepped(member.job, alone);
        const std::size_t one = job.mode->program(*job.context, member.first_step, 1).operations.size();
        if (static_cast<double>(one) * member.simulated > most_operations)
          return false;
        member.program = job.mode->program(*job.context, member.first_step, member.simulated);
        member.made = wanted;
      }
      runs.push_back({&member.program, Seconds{member.start - begin}});
    }
    std::vector<StepTrace> traces = executor_.run(cluster_, runs);
    for (std::size_t i = 0; i < run.members.size(); ++i) {
      Run::Member& member = run.members[i];
      member.trace = std::move(traces[i]);
      member.ends = step_ends(member.program, member.trace);
      for (auto& [worker, times] : member.ends)
        for (double& time : times)
          time += begin;
    }
    // The others run as long as those that matter.
    again = false;
    const double until = run.until();
    for (Run::Member& member : run.members)
      if (!member.complete() && !member.ended && member.last() < until) {
        const double rate = member.simulated / (member.last() - member.start);
        const double wanted =
            std::min(member.left, std::max(member.simulated + 1.0, 1.2 * rate * (until - member.start) + 1));
        if (!(wanted < most_operations))
          return false;
        member.simulated = static_cast<int>(std::ceil(wanted));
        again = true;
      }
  }
  std::vector<const StepProgram*> programs;
  std::vector<const StepTrace*> traces;
  for (const Run::Member& member : run.members) {
    programs.push_back(&member.program);
    traces.push_back(&member.trace);
  }
  check_(programs, traces);
  if (alone && run.members.front().first_step == 0 && run.members.front().ends.size() == 1) {
    lone_[like] = run.members.front().ends.begin()->second;
    for (double& end : lone_[like])
      end -= begin;
  }
  return true;
}

std::vector<double> DirectRuns::speeds(std::span<const std::size_t> running, std::span<double> remaining, Seconds time)
{
  const double now = time.value();
  for (const std::size_t job : running)
    if (const auto run = run_of_.find(job); run != run_of_.end()) {
      const Run::Member& member = run->second->of(job);
      remaining[job] = std::max(0.0, member.left - member.done(now));
    }
  std::erase_if(run_of_, [](const auto& entry) { return !entry.second->wanted(); });

  std::map<std::size_t, double> steady; // speeds
  std::set<std::shared_ptr<Run>> changed;
  std::set<std::size_t> seen;
  for (const std::size_t first : running) {
    if (seen.contains(first))
      continue;
    const std::vector<std::size_t> group = groups_.group_of(first);
    seen.insert(group.begin(), group.end());
    std::shared_ptr<Run> run;
    for (const std::size_t job : group)
      if (const auto found = run_of_.find(job); found != run_of_.end() && found->second != run) {
        if (run == nullptr) {
          run = found->second;
          continue;
        }
        const std::shared_ptr<Run> other = found->second; // they meet
        changed.erase(other);
        changed.insert(run);
        std::ranges::move(other->members, std::back_inserter(run->members));
        for (auto& [member, its] : run_of_)
          if (its == other)
            its = run;
      }
    if (run == nullptr && std::ranges::none_of(group, [this](std::size_t job) { return few(job); })) {
      const std::vector<double> rates = groups_.rates(group);
      for (std::size_t i = 0; i < group.size(); ++i)
        steady[group[i]] = rates[i];
      continue;
    }
    if (run == nullptr)
      run = std::make_shared<Run>();
    for (const std::size_t job : group)
      if (run_of_.try_emplace(job, run).second) {
        add(*run, job, remaining[job], now);
        changed.insert(run);
      }
  }
  for (const std::shared_ptr<Run>& run : changed) {
    std::size_t operations = 0;
    for (const Run::Member& member : run->members)
      operations += member.program.operations.size();
    if (operations > most_operations)
      shorten(*run, now);
    if (simulate(*run))
      continue;
    for (const Run::Member& member : run->members)
      if (!member.ended) {
        run_of_.erase(member.job);
        too_large_.insert(member.job);
      }
    for (const Run::Member& member : run->members)
      if (!member.ended && !steady.contains(member.job)) {
        const std::vector<std::size_t> group = groups_.group_of(member.job);
        const std::vector<double> rates = groups_.rates(group);
        for (std::size_t i = 0; i < group.size(); ++i)
          steady[group[i]] = rates[i];
      }
  }

  std::vector<double> speeds;
  for (const std::size_t job : running) {
    double& speed = speed_[job];
    if (const auto found = run_of_.find(job); found != run_of_.end()) {
      const Run::Member& member = found->second->of(job);
      const double finish = member.finish(), until = found->second->until();
      remaining[job] = std::max(0.0, member.left - member.done(now));
      if (finish <= until || member.whole)
        speed = finish > now ? remaining[job] / (finish - now) : at_once;
      else
        speed = until > now ? (member.done(until) - member.done(now)) / (until - now) : at_once;
    } else {
      speed = steady.at(job);
    }
    speeds.push_back(speed);
  }
  return speeds;
}

void DirectRuns::leave(std::size_t job)
{
  const auto found = run_of_.find(job);
  if (found == run_of_.end())
    return;
  Run& run = *found->second;
  Run::Member& member = run.of(job);
  member.ended = true;
  if (member.whole && run.members.size() > 1) {
    StepEstimate estimate;
    estimate.program = member.program;
    estimate.trace = member.trace;
    estimate.step_time = Seconds{(member.last() - member.start) / member.simulated};
    estimate.samples_per_second = member.program.samples_per_step / estimate.step_time.value();
    estimate.steps_simulated = member.simulated;
    estimate.window_begin = member.trace.begin;
    estimate.window_end = Seconds{member.last() - run.begin()};
    ended_(job, std::move(estimate));
  }
  run_of_.erase(found);
}

} // namespace trainyard
