// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "sim/step/engine/executor.hpp"

#include <map>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace trainyard {

class KnownWays;

/// Programs that are run several times; what is computed about them before a run is kept.
class RepeatedRun
{
public:
  virtual ~RepeatedRun() = default;
  /// Runs them with these starts and the durations that their HostWork has now; all else of them must be as it was.
  virtual std::vector<StepTrace> again(std::span<const Seconds> starts) = 0;
  /// The same until one of them has ended, and each of the others has come to the end of a step since or has ended too.
  /// What has not ended then ends at infinity; what links have carried does not count. For jobs that step as one.
  virtual std::vector<StepTrace> until_one_has_ended(std::span<const Seconds> starts) { return again(starts); }
};

/// What workers without a barrier have done.
struct RoundsDone {
  std::map<int, std::vector<double>> ends; // of steps, in s, ascending, by worker
  std::map<int, std::vector<int>> stale;   // by worker and step: steps of others that ended since its last pull
};

/// Workers without a barrier that step on for ever. It has the memory of a few steps, however many are run.
class EndlessRun
{
public:
  virtual ~EndlessRun() = default;
  /// Goes on until so many more steps have ended, of all workers together.
  virtual void go_on(std::size_t steps) = 0;
  virtual const RoundsDone& done() const = 0;
  /// Goes on, and shows as many whole steps of each worker as the program has, as a run that begins with them; and by
  /// worker when it begins.
  virtual std::pair<StepTrace, std::map<int, Seconds>> some_steps() = 0;
};

/// Interface of executors for which repeating a run is cheaper than a new run.
class RepeatableExecutor
{
public:
  virtual ~RepeatableExecutor() = default;
  /// The programs must stay where they are as long as the result is used. @p known: ways that they have asked for in
  /// other runs, kept by the caller; null: none.
  virtual std::unique_ptr<RepeatedRun> repeated(const Cluster& cluster, std::span<const ProgramRun> programs,
                                                KnownWays* known = nullptr) const = 0;
  /// A program of 2 x (@p back + 1) steps or more, whose workers go on after the last one: no operation waits for one
  /// that is more than @p back steps older. Null where its steps are not alike. The program must stay where it is. @p
  /// factor: of computing; null: 1.
  virtual std::unique_ptr<EndlessRun> endless(const Cluster& cluster, const StepProgram& program, int back,
                                              StepFactor factor) const = 0;
};

} // namespace trainyard
