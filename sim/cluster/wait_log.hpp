// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "sim/cluster/resources.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace trainyard {

/// A flavor of Workload::kueue, by number, as what a reason names.
constexpr JobId flavor_blocker(int flavor)
{
  return {-2 - flavor};
}

/// The name of the job or flavor; empty: a reason names none.
std::string blocker_name(const Workload& workload, JobId blocker);

/// From when to when a job waited, and for what.
struct WaitRecord {
  JobId job;
  /// What the reason names: the head of the queue, who has the reservation, or the flavor of a quota (flavor_blocker).
  JobId blocker;
  Instant from;
  Instant to;
  Instant planned{-1}; // when the policy means to start it, last heard; negative: it has not said
  int free_gpus = 0;   // whole GPUs nobody used when it began
  WaitReason reason = WaitReason::none;
};

/// Writes down why jobs wait, in bounded memory: a job whose reason changes very often has a last record that gathers
/// the rest.
class WaitLog
{
public:
  /// @p most: about how many records all @p jobs together may write; at least 8 each. Not @p enabled: nothing is kept.
  WaitLog(bool enabled, std::size_t jobs, std::int64_t most);

  bool enabled() const { return enabled_; }
  WaitReason reason(JobId id) const { return enabled_ ? states_[index(id)].reason : WaitReason::none; }
  JobId blocker(JobId id) const { return enabled_ ? states_[index(id)].blocker : JobId{}; }
  /// Whether a wait has begun and not ended.
  bool waits(JobId id) const { return enabled_ && states_[index(id)].waits; }
  /// When it was last said what the job waits for.
  Instant said(JobId id) const { return enabled_ ? states_[index(id)].said : Instant{-1}; }
  /// Since when the present reason stands.
  Instant since(JobId id) const { return enabled_ ? states_[index(id)].since : Instant{}; }

  /// From @p now on the job waits for this; `none`: it does not wait.
  void set(JobId id, WaitReason reason, JobId blocker, Instant now, int free_gpus, Instant planned = Instant{-1});
  /// A job was put into the workload at this place, before jobs that have not been submitted.
  void inserted(std::size_t at)
  {
    if (enabled_)
      states_.insert(states_.begin() + static_cast<std::ptrdiff_t>(at), State{});
  }
  /// A wait begins, its reason not yet known, now or later.
  void begin(JobId id, Instant from, int free_gpus);
  /// All records, in order of their end.
  std::vector<WaitRecord> take();

private:
  struct State {
    Instant since;
    Instant said{-1};
    Instant planned{-1};
    JobId blocker;
    int free_gpus = 0;
    int records = 0;
    int last = -1; // the one that gathers
    WaitReason reason = WaitReason::none;
    bool waits = false;
  };
  static std::size_t index(JobId id) { return static_cast<std::size_t>(id.index); }
  void record(JobId id, State& state, Instant now);

  bool enabled_;
  std::int64_t most_each_;
  std::vector<State> states_;
  std::vector<WaitRecord> records_;
};

} // namespace trainyard
