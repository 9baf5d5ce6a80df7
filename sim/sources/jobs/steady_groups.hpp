// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "sim/cluster/speed/contention_graph.hpp"
#include "sim/cluster/speed/situation.hpp"
#include "sim/step/engine/executor.hpp"
#include "sim/step/steady_state.hpp"

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace trainyard {

/// Throws where the simulated steps of jobs are impossible.
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
class SteadyGroups
{
public:
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

  /// Simulates those of the groups of which nothing is known yet, side by side: the speeds are asked for next.
  void expect(std::span<const std::vector<std::size_t>> groups);
  /// Steps per second of the jobs of a group, in the same order.
  std::vector<double> rates(std::span<const std::size_t> group);
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
  };
  struct Known {
    std::vector<double> rates; // steps/s, in the order of the situation
    std::weak_ptr<const GroupRun> run;
  };

  Situation situation(std::span<const std::size_t> group) const;
  std::shared_ptr<const GroupRun> simulate(std::span<const std::size_t> group) const;
  std::shared_ptr<const GroupRun> checked(std::shared_ptr<const GroupRun> run);
  std::string description(std::size_t job);

  const PreparedScenario& scenario_;
  const Executor& executor_;
  bool queued_ = false;
  std::size_t threads_ = 1;
  StepCheck check_;
  Shapes shapes_;
  Contention contention_;
  std::vector<Member> members_;              // by job; those that have left too
  std::vector<const JobSpec*> descriptions_; // of the jobs so far, each once
  std::map<std::vector<int>, Known> known_;
  std::vector<std::shared_ptr<const GroupRun>> fresh_; // simulated since let_go()
  std::size_t simulations_ = 0;
};

} // namespace trainyard
