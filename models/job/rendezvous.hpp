// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/core/registry.hpp"
#include "models/core/units.hpp"

#include <optional>
#include <string>
#include <vector>

namespace trainyard {

/// A task of a job and when it is there: running, listening and connected.
struct JoiningTask {
  std::string name;                          // "/job:worker/task:1", "rank 3"
  std::string address;                       // "worker-1:2222"
  std::optional<Seconds> joins = Seconds{0}; // after the job got its place; nothing: it never comes
};

/// What the tasks of a job need to find each other, as the scenario states it.
struct RendezvousSpec {
  std::vector<std::string> jobs; // that use these tasks, one after another
  std::string protocol;          // registered RendezvousProtocol
  std::vector<JoiningTask> tasks;
  bool master_up = true;           // the master (rank 0, the first parameter server) answers
  std::string master;              // its address
  std::optional<Seconds> time_out; // of those that wait; nothing: forever
  Seconds deploy;                  // creating the tasks, for the first job; the others find them waiting
};

/// How a rendezvous went, on the clock of the job: 0 = it has its place.
struct RendezvousOutcome {
  std::optional<Seconds> start; // training starts
  std::optional<Seconds> gives_up;
  std::string failure; // why it never starts: "rank 3 did not join within 30 min"
};

/// The rule by which a framework's tasks wait for each other before the first step.
class RendezvousProtocol
{
public:
  virtual ~RendezvousProtocol() = default;
  /// What the file must say, and what follows from it: names of the tasks of a job of @p workers and @p servers, in
  /// order.
  virtual std::vector<std::string> task_names(int workers, int servers) const = 0;
  virtual RendezvousOutcome meet(const RendezvousSpec& spec) const = 0;
  /// How long the framework waits by itself; nothing: forever.
  virtual std::optional<Seconds> default_time_out() const = 0;
};

/// The tasks that have not joined by @p time.
std::vector<std::string> missing_tasks(const RendezvousSpec& spec, std::optional<Seconds> time);
/// When the last task joins; nothing where one never does.
std::optional<Seconds> last_join(const RendezvousSpec& spec);

/// `rendezvous:` of a scenario: how the tasks of its jobs find each other before the first step.
struct RendezvousSection {
  std::vector<RendezvousSpec> groups;

  /// The group that a job belongs to; null where the scenario does not say.
  const RendezvousSpec* of(const std::string& job) const
  {
    for (const RendezvousSpec& group : groups)
      for (const std::string& name : group.jobs)
        if (name == job)
          return &group;
    return nullptr;
  }
};

} // namespace trainyard
