// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "sim/cluster/speed/contention_graph.hpp"
#include "sim/cluster/speed/situation.hpp"
#include "sim/step/engine/executor.hpp"
#include "sim/step/engine/routes.hpp"
#include "sim/step/steady_state.hpp"

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace trainyard {

/// Throws where the simulated steps of jobs are impossible. Several threads may ask at once.
using StepCheck = std::function<void(std::span<const StepProgram* const>, std::span<const StepTrace* const>)>;

/// Jobs that were stepped together until their steps repeated.
struct GroupRun {
  std::vector<std::size_t> jobs; // ascending
  std::vector<StepEstimate> estimates;
};

/// How fast jobs step beside those that they share bound links with.
///
/// Jobs that contend, directly or through others, are a group. A group is simulated once per situation (see
/// `situation_of`): jobs of equal description at equal places have equal speeds. A job with a part in chance is like
/// none but itself.
///
/// Where jobs of a group are in their steps relative to each other decides how much they share, and in the long run
/// they take all positions: their speed is the mean from random places. How many steps are simulated depends on how
/// much the situation weighs: a job that meets others in many situations makes as many in its life as one that stays in
/// one situation.
class SteadyGroups
{
public:
  /// A group, and how well its speeds are to be known.
  struct Wanted {
    std::vector<std::size_t> group;
    double weight = 0;      // how much of the life of one of its jobs it is there as it is, 0..1
    std::size_t places = 1; // random ones, at least
  };

  /// All are kept by the caller. @p queued: messages wait for each other at links that could carry both, so that any
  /// shared link makes a group. @p threads: groups that are simulated at once.
  SteadyGroups(const PreparedScenario& scenario, const Executor& executor, bool queued, std::size_t threads,
               StepCheck check);

  /// The job steps at its place from now on. @p placed is kept by the caller, also after it has left. Returns its first
  /// step beside others, where there may be any.
  std::optional<StepProgram> join(std::size_t job, const PlacedJob& placed);
  void leave(std::size_t job);
  /// The jobs that contend with this one, itself included, ascending.
  std::vector<std::size_t> group_of(std::size_t job) const;
  /// Those that share a bound link with it.
  std::vector<std::size_t> neighbours_of(std::size_t job) const;
  const PlacedJob& placed(std::size_t job) const { return *members_[job].placed; }
  /// Equal numbers: jobs of equal description at equal places.
  int shape(std::size_t job) const { return members_[job].place.shape; }
  /// Ready to be simulated with so many others.
  SteppedJob stepped(std::size_t job, bool alone) const;

  /// Whether the speeds of a group are means over random places: its jobs meet others, and do not depend on chance.
  bool depends_on_places(std::span<const std::size_t> group) const;
  /// Simulates what is not known of the groups yet, side by side: the speeds are asked for next. They share no job.
  void expect(std::span<const Wanted> groups);
  /// Steps per second of the jobs of a group, in the same order.
  std::vector<double> rates(const Wanted& wanted);
  /// The simulation that says so: of this group, or of an equal one. Kept as long as the caller keeps it, and until
  /// let_go().
  std::shared_ptr<const GroupRun> run(std::span<const std::size_t> group);
  /// @p run as it looks at the places of an equal group; the group may have left.
  std::shared_ptr<const GroupRun> at_places_of(std::span<const std::size_t> group, std::shared_ptr<const GroupRun> run);
  /// Simulations that no caller keeps may be forgotten; what they said about speeds stays.
  void let_go() { fresh_.clear(); }
  /// How many simulations there were.
  std::size_t simulations() const { return simulations_; }

private:
  struct Member {
    const PlacedJob* placed = nullptr;
    Situated place;
    int places = 0; // random ones that it came to
    bool left = false;
    std::map<int, std::unique_ptr<const StepProgram>> programs; // by steps
  };
  /// Rates from random places in the steps.
  struct Drawn {
    std::vector<double> rates;   // steps/s, in the order of the situation
    std::vector<Seconds> starts; // likewise
    double steps = 0;            // of the job with the longest
  };
  struct Known {
    std::vector<double> rates; // steps/s, in the order of the situation
    std::weak_ptr<const GroupRun> run;
    double most_steps = -1; // from random places, that can be had; 0: too few; negative: not known
    std::vector<Drawn> drawn;

    double drawn_steps() const;
    /// Besides those drawn; 0: enough are drawn.
    double missing_steps(const Wanted& wanted) const;
  };

  /// The steps of a group from random places; what is computed before a run is kept.
  struct Prepared {
    std::vector<ProgramRun> runs;
    std::unique_ptr<RepeatedRun> repeated; // null: the executor cannot
  };
  /// Of a group, by the steps of its jobs.
  using PreparedRuns = std::map<std::vector<int>, Prepared>;

  const Situation& situation(std::span<const std::size_t> group);
  double size_of(std::span<const std::size_t> group) const;
  std::shared_ptr<const GroupRun> simulate(std::span<const std::size_t> group) const;
  std::shared_ptr<const GroupRun> run_nearest_to_mean(std::span<const std::size_t> group, const Known& known);
  std::shared_ptr<const GroupRun> checked(std::shared_ptr<const GroupRun> run) const;
  std::string description(std::size_t job);
  void forget_programs(std::size_t job);
  const StepProgram& program(std::size_t job, int steps);
  std::vector<Seconds> step_times_alone(std::span<const std::size_t> group) const;
  std::vector<ProgramRun> programs(std::span<const std::size_t> group, std::span<const int> steps);
  Known draw(const Wanted& wanted, const Situation& here, Known known, PreparedRuns& prepared);
  void book(std::span<const std::size_t> group, std::shared_ptr<const GroupRun> run);
  void simulate_unknown(std::span<const std::vector<std::size_t>> groups);

  const PreparedScenario& scenario_;
  const Executor& executor_;
  bool queued_ = false;
  std::size_t threads_ = 1;
  StepCheck check_;
  Shapes shapes_;
  Contention contention_;
  std::vector<Member> members_;                              // by job; those that have left too
  KnownWays ways_;                                           // of their programs
  std::vector<const JobSpec*> descriptions_;                 // of the jobs so far, each once
  std::map<std::vector<std::size_t>, Situation> situations_; // of groups asked for since a job left
  std::map<std::vector<int>, Known> known_;
  std::map<std::vector<std::size_t>, PreparedRuns>
      prepared_;                                       // by group; of those drawn last, while their jobs are there
  std::vector<std::shared_ptr<const GroupRun>> fresh_; // simulated since let_go()
  std::size_t simulations_ = 0;
};

} // namespace trainyard
