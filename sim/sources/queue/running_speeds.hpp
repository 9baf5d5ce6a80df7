// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "sim/cluster/speed/contention_graph.hpp"
#include "sim/cluster/speed/shared_links.hpp"
#include "sim/cluster/speed/speed_model.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <string>
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

/// Training of other sources of work on links that jobs of the queue load, too. Visitors have the numbers -2, -3, … in
/// the order in which they come.
class LinkVisitors
{
public:
  /// @p model: of the speeds; null where nobody can visit.
  LinkVisitors(const Workload& workload, SpeedModel* model) : workload_{workload}, model_{model} {}

  /// Trains the workload's model @p model on these GPUs from @p now on; returns its number. Throws std::logic_error for
  /// a model that the workload does not know.
  int enter(Instant now, const std::string& name, const std::string& model, const Allocation& held);
  void leave(Instant now, int number);
  /// On its GPUs; without them where it has left.
  PlacedTraceJob placed(JobId id) const;
  void set_speed(Instant now, int number, const JobSpeed& speed);
  /// The run ends here.
  void stop(Instant now);

  /// Its speed beside the others over its speed alone, 0..1.
  double share(int number) const { return share_of(visitors_.at(number).speed); }
  /// Grows whenever a share changes.
  std::uint64_t changes() const { return changes_; }
  /// Of all that have ever come, in their order.
  const std::vector<std::string>& names() const { return names_; }
  /// When visitors were slowed, in order of the end.
  const std::vector<SlowVisit>& slow_visits() const { return slow_visits_; }

private:
  struct Visitor {
    TraceJob job;
    Allocation held;
    JobSpeed speed;
    Instant since; // of this speed
  };

  static double share_of(const JobSpeed& speed) { return speed.alone > 0 ? speed.speed / speed.alone : 1; }
  const std::string& name_of(int number) const { return names_[static_cast<std::size_t>(-2 - number)]; }
  void note(Instant now, int number);

  const Workload& workload_;
  SpeedModel* model_;
  std::map<int, Visitor> visitors_; // by number
  std::vector<std::string> names_;
  std::vector<SlowVisit> slow_visits_;
  std::uint64_t changes_ = 0;
};

} // namespace trainyard
