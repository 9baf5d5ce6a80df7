// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "sim/step/engine/executor.hpp"

#include <memory>
#include <span>
#include <vector>

namespace trainyard {

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

/// Interface of executors for which repeating a run is cheaper than a new run.
class RepeatableExecutor
{
public:
  virtual ~RepeatableExecutor() = default;
  /// The programs must stay where they are as long as the result is used.
  virtual std::unique_ptr<RepeatedRun> repeated(const Cluster& cluster, std::span<const ProgramRun> programs) const = 0;
};

} // namespace trainyard
