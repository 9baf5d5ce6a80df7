// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/cluster/node_shape.hpp"
#include "models/core/units.hpp"
#include "models/scenario/read_settings.hpp"

#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace trainyard {

/// How jobs share GPUs, and what it costs them.
struct GpuSharing {
  bool by_memory = false; // a share is one of the GPU's memory; else one of its time
  double switch_loss = 0; // of a GPU's time, while several processes take turns
  bool isolated_memory = false;
  Seconds out_of_memory_after{30};
  int out_of_memory_tries = 3;
};

/// Labels and taints of machines, by name of their group or of one machine.
struct MarkedNodes {
  std::string nodes;
  NodeMarks traits;
};

/// What a site does beside its policy: told by hand, or found in a log by `simrun replay`. Times since the first
/// submission.
struct SiteRules {
  struct Closed {
    Seconds from, until;
    int gpus = 0; // that jobs may hold at once then; 0: none starts
  };
  struct UserLimit {
    std::string user;
    int gpus = 0, jobs = 0; // at once; 0: no limit
  };
  struct LongJobs {
    Seconds longer_than, from, until; // hours of the day, over midnight where `until` is before `from`
  };
  struct Hold {
    std::string job;
    Seconds until;
  };
  std::vector<Closed> closed;
  std::vector<UserLimit> user_limits;
  std::optional<LongJobs> long_jobs;
  std::vector<Hold> holds;
  int largest_job = 0; // GPUs; 0: as they ask
};

/// `scheduling:` of a scenario: which policies decide, and what starts and stops cost.
struct SchedulingSection {
  std::vector<NamedPart> policies;   // each is a run of its own
  bool lists_policies = false;       // the file says `policies`, not `policy`
  std::vector<NamedPart> placements; // with each of these
  bool machines = true;              // false: one pool of GPUs that are only counted
  bool step_speed =
      false; // speeds from the step simulation at the place a job gets, beside its neighbours; else the trace's
  std::optional<GpuSharing> sharing;
  std::vector<MarkedNodes> marks;
  std::optional<SiteRules> site;
  bool kill_at_estimate = false; // jobs end when they have held GPUs for as long as their users estimated
  Seconds policy_period;
  Seconds start_cost;
  Seconds checkpoint_cost;
  std::optional<Seconds> checkpoint_stall; // of a periodic one; absent: the whole cost
  bool save_before_release = true;         // a stopped job keeps its GPUs while it saves
  Seconds restart_cost;
  BytesPerSecond storage; // of checkpoints; 0: elastic divided jobs write as fast as the network cards send
  Seconds checkpoint_interval{std::numeric_limits<double>::infinity()};
  bool shrink_after_failure = false; // elastic jobs go on with the GPUs that are left
};

} // namespace trainyard
