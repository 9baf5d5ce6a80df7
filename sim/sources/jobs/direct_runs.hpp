// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "sim/sources/jobs/steady_groups.hpp"
#include "sim/step/engine/executor.hpp"

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <utility>
#include <vector>

namespace trainyard {

/// How running jobs get on.
///
/// Jobs of many steps go at the steady speed of their group. A job of few steps would be wrong by up to a step at every
/// arrival and end beside it: it runs in the engine from its start to its end, beside all others that do, so that its
/// steps are those of one simulation of all jobs. A job of many steps that shares bound links with such jobs, directly
/// or through others, runs in the engine as long as it does: it comes in where its speed says that it is in its step,
/// and goes on from there when it leaves. Of a collective that is under way then, the rest of its bytes is left.
///
/// Where one job would have too many operations in the engine, because it is large or its steps are much shorter than
/// those of the others, all that it meets go at steady speed.
class DirectRuns
{
public:
  /// Told of a job of few steps that shared bound links with others, when it ends: its own steps. Their times count
  /// from when the engine began, after nothing had run in it.
  using Ended = std::function<void(std::size_t job, StepEstimate)>;

  /// All are kept by the caller. @p alone: no other job will ever come.
  DirectRuns(const Cluster& cluster, const Executor& executor, SteadyGroups& groups, bool alone, StepCheck check,
             Ended ended);

  /// Whether a job of so many steps runs in the engine from its start to its end, if it has not too many operations and
  /// no part in chance.
  static bool are_few(double steps);
  /// What will probably run in the engine, in this order; before the first job joins.
  void expect(std::vector<Coming> expected) { expected_ = std::move(expected); }
  /// Copies what runs in the engine to @p came, which the caller keeps.
  void tell(std::vector<Coming>& came) { came_ = &came; }

  /// The job makes its first step at its place now, @p steps > 0 in all.
  void join(std::size_t job, const PlacedJob& placed, double steps);
  /// After all that join or leave at one instant.
  void settle(Seconds now);
  /// Lets time pass until @p until, or until the first end; returns when that is, and the jobs that have ended.
  std::pair<Seconds, std::vector<std::size_t>> advance(Seconds until);
  /// The job has ended.
  void leave(std::size_t job);
  /// No job comes any more: what the engine knows is forgotten.
  void stop() { engine_.reset(); }
  /// It runs in the engine now.
  bool runs(std::size_t job) const { return members_[job]->program >= 0; }
  /// Jobs that are not in the engine from their start to their end.
  const std::set<std::size_t>& of_many_steps() const { return of_many_steps_; }

private:
  struct Member {
    double began = 0; // s
    double steps = 0; // in all
    double done = 0;  // of them; in the engine: when its present program began
    double since = 0; // s, the time of `done` of one at steady speed
    double speed = 0; // steps/s
    bool few = false;
    bool met = false;   // others share, or have shared, bound links with it
    bool over = false;  // its last program has ended
    int program = -1;   // in the engine; -1: it goes at steady speed
    int in_program = 0; // steps of it
    double whole = 0;   // steps done when the program has ended
    std::unique_ptr<StepProgram> steps_run;
    std::size_t operations = 0; // run since a job of few steps came last
    std::size_t came = 0;       // how many had come then
  };

  /// A group that goes at steady speed.
  struct Steady {
    std::vector<std::size_t> jobs; // ascending
    double since = 0;              // s
    double weight = -1; // that its speeds are taken for, see SteadyGroups::Wanted; negative: they are not taken yet
  };

  Member& of(std::size_t job) { return *members_[job]; }
  bool can_run(std::size_t job, Member& member, std::optional<StepProgram> step);
  void enter(std::size_t job);
  void run_next(std::size_t job, Member& member);
  void add(std::size_t job, Member& member, int like);
  void exit(std::size_t job);
  void give_up(std::size_t job);
  void go_steady(std::vector<std::size_t> group);
  void forget_group_of(std::size_t job);
  void find_speeds(double until);
  void take_speeds(Steady& group);
  double weight(const Steady& group, double until) const;
  bool end_of_program(std::size_t job);
  StepTrace alone(const StepProgram& program);
  double time_alone(const StepProgram& program);
  double done(const Member& member) const { return member.done + (now_ - member.since) * member.speed; }
  double finish(const Member& member) const;

  const Cluster& cluster_;
  const Executor& executor_;
  SteadyGroups& groups_;
  bool alone_;
  StepCheck check_;
  Ended ended_;
  double now_ = 0;
  double engine_began_ = 0;                      // to run after nothing had run in it, s
  std::vector<std::unique_ptr<Member>> members_; // by job; null: it has not come, or has left
  std::set<std::size_t> changed_;                // jobs whose neighbours have changed
  std::set<std::size_t> steady_;                 // jobs at steady speed
  std::map<std::size_t, Steady> steady_groups_;  // of them, by their first job
  std::set<std::size_t> of_many_steps_;
  std::map<int, std::size_t> job_of_program_;
  std::size_t long_inside_ = 0; // jobs of many steps in the engine
  std::size_t few_came_ = 0;
  std::vector<Coming> expected_;
  std::vector<Coming>* came_ = nullptr; // null: nobody wants to know
  std::unique_ptr<OpenRun> engine_;
  std::unique_ptr<OpenRun> aside_; // an engine for one program at a time
};

} // namespace trainyard
