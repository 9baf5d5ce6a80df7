// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "sim/cluster/speed/shared_links.hpp"
#include "sim/cluster/speed/speed_model.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace trainyard {

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
