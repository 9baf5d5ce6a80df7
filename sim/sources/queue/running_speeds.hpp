// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "sim/cluster/speed/contention_graph.hpp"
#include "sim/cluster/speed/speed_model.hpp"

#include <functional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace trainyard {

/// The speeds of running jobs that share links. Where a job comes or goes, the model is asked again for all jobs that
/// contend with it.
class RunningSpeeds
{
public:
  /// Without a @p model every job has the speed of its trace, and nothing is kept here.
  RunningSpeeds(const Workload& workload, SpeedModel* model) : workload_{workload}, model_{model} {}

  bool modelled() const { return model_ != nullptr; }
  /// Whether update() has anything to ask.
  bool due() const { return !marked_.empty(); }
  /// The speed of the job is to be asked for again.
  void ask_again(JobId id) { mark(id); }
  /// The job has got its GPUs.
  void add(const PlacedTraceJob& job);
  /// The job is about to give back its GPUs.
  void remove(JobId id)
  {
    if (modelled())
      forget(id);
  }
  /// The last answer of the model; nullptr where it has not been asked yet.
  const JobSpeed* of(JobId id) const;
  /// Asks the model for every set of contending jobs in which something changed. @p placed: the job on its GPUs, its
  /// `held` is null where it does not run; @p changed is told each new speed, before of() answers with it.
  void update(const std::function<PlacedTraceJob(JobId)>& placed,
              const std::function<void(JobId, const JobSpeed&)>& changed);

private:
  void mark(JobId id);
  void forget(JobId id);

  const Workload& workload_;
  SpeedModel* model_;
  Contention contention_;
  std::unordered_map<int, JobSpeed> speeds_;
  std::vector<JobId> marked_;      // their speeds are to be asked for, in order of the changes
  std::unordered_set<int> to_ask_; // those of marked_ that have not been asked for yet
};

} // namespace trainyard
