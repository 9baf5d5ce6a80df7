// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/core/message.hpp"
#include "models/hardware/catalogue.hpp"
#include "sim/cluster/speed/situation.hpp"
#include "sim/step/engine/executor.hpp"

#include <map>
#include <memory>
#include <span>
#include <vector>

namespace trainyard {

/// A step of a job that is alone at its place, to be shown.
struct ShownStep {
  Seconds time;
  double samples_per_second = 0;
  Message bottleneck; // "gRPC of ps-0: 98 % busy"
  Bytes reserved;     // of the GPU of a worker
  double gpu_use = 0; // share of the step in which the GPU of the worker that decides it runs kernels
};

/// How long the steps of placed jobs take, alone and beside each other, at the fidelity of the scenario: for all who
/// place jobs, and do not show the steps themselves.
///
/// A job alone takes what a run of this job alone takes. Answers are remembered by situation: the shape of each job
/// (its operations with their times and sizes, its routes with the capacities and latencies of their links, links
/// numbered in the order in which the job meets them) and which links of one are contended links of another. Two
/// situations that agree in this are the same one to the executor, whichever machines they run on.
class StepTimes
{
public:
  /// Both are kept by the caller.
  StepTimes(const PreparedScenario& scenario, const Catalogue& catalogue);

  /// @p job is kept by the caller. Throws std::runtime_error naming the job where it cannot train there (out of memory,
  /// no route…).
  Situated at(const PreparedJob& job, const Placement& placement);
  /// Of each job of a group, in s.
  std::vector<double> of(const SituatedGroup& group);
  double alone(const Situated& job) { return of({&job}).front(); }
  /// What a run of this job alone shows; simulated anew at each call.
  ShownStep shown(const Situated& job) const;
  /// How many different situations were simulated.
  std::size_t situations() const { return known_.size(); }

private:
  std::unique_ptr<PlacedJob> placed(const PreparedJob& job, const Placement& placement) const;
  std::vector<double> simulate(const SituatedGroup& group, std::span<const double> alone) const;

  const PreparedScenario& scenario_;
  const Catalogue& catalogue_;
  bool queued_; // messages wait for each other at links that could carry both
  std::unique_ptr<Executor> executor_;
  Shapes shapes_{scenario_};
  std::map<std::vector<int>, std::vector<double>> known_;
};

} // namespace trainyard
