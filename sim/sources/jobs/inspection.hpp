// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/core/units.hpp"
#include "sim/step/engine/executor.hpp"

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace trainyard {

struct CheckedPoint;

/// Something that is to come.
struct InspectedEvent {
  Seconds time;
  std::string job;
  std::string what; // operation that it belongs to
  bool flow = false;
};

/// A flow under way.
struct InspectedFlow {
  std::string job;
  std::string what;
  std::vector<std::string> links; // names; those that can hold it back
  Bytes sent;
  Bytes remaining;
  BytesPerSecond rate;
  std::string bottleneck; // the link or resource that decides its rate; empty: its own limit or the flow it follows
  bool held = false;      // follows another flow of a ring and has caught up with it
};

/// How much of a capacity is in use.
struct InspectedLink {
  std::string name;
  BytesPerSecond capacity;
  BytesPerSecond rate; // of all flows on it
  int flows = 0;
};

/// The engine at one instant of simulated time, after everything of that instant.
struct EngineState {
  Seconds time;
  bool ended = false;
  long instants = 0;
  long solves = 0;
  long rates = 0;  // that were computed since the start
  long levels = 0; // that the solver looked at
  long last_rates = 0;
  std::size_t most_flows = 0;
  std::size_t event_count = 0;
  std::size_t flow_count = 0;
  std::vector<InspectedEvent> events; // the next ones
  std::vector<InspectedFlow> flows;   // the fastest ones
  std::vector<InspectedLink> links;   // the fullest ones
};

/// How many of each kind a state lists.
inline constexpr std::size_t most_inspected = 200;

/// Runs the jobs of a point together for @p steps steps on the `fluid` engine, as a run of training steps does, with
/// those that have a place on the empty cluster.
///
/// @p visit is called after every instant; the time and whether it is the last are cheap, the state is put together
/// only where it is asked for. It returns false to end early. Throws InputError where the point cannot run.
void inspect(const CheckedPoint& point, int steps,
             const std::function<bool(Seconds now, bool ended, const std::function<EngineState()>& state)>& visit);

} // namespace trainyard
