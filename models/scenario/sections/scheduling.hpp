#pragma once
#include "models/core/units.hpp"
#include "models/scenario/read_settings.hpp"

#include <limits>
#include <vector>

namespace trainyard {

/// `scheduling:` of a scenario: which policies decide, and what starts and stops cost.
struct SchedulingSection {
  std::vector<NamedPart> policies;   // each is a run of its own
  std::vector<NamedPart> placements; // with each of these
  bool machines = true;              // false: one pool of GPUs that are only counted
  bool step_speed = false;           // speeds from the step simulation at the place a job gets, beside its neighbours; else the trace's
  Seconds policy_period;
  Seconds start_cost;
  Seconds checkpoint_cost;
  Seconds restart_cost;
  Seconds checkpoint_interval{std::numeric_limits<double>::infinity()};
};

} // namespace trainyard
