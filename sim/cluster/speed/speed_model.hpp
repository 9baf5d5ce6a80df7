// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/job/workload.hpp"
#include "sim/cluster/resources.hpp"

#include <span>
#include <string>
#include <vector>

namespace trainyard {

/// A running job at its place.
struct PlacedTraceJob {
  JobId id;
  const TraceJob* job = nullptr;
  const Allocation* held = nullptr;
  double done = 0; // share of its work that is done, 0..1
};

/// How fast a job works, and which job slows it.
struct JobSpeed {
  double speed = 1; // work per second; 1 = the speed that the job's `duration` means; 0 = it stands still
  double alone = 1; // the same place without neighbours
  JobId neighbour;  // that costs it most; none if no job does
  int link = -1;    // which they share
  double until = 1; // share of its work at which it is to be asked for again; 1: never for that
};

/// A link that a job loads, and the largest part of its capacity that this job can ever take, 0..1.
struct LinkShare {
  int link = -1;
  double share = 1;
};

/// Says how fast placed jobs work, with the neighbours they have.
///
/// Jobs that load a common link beyond its capacity are asked for together (a connected component of the contention
/// graph); all others alone: a link whose users together cannot fill it slows no job. A model is a function of its
/// arguments: it may remember answers, but must give the same one again.
class SpeedModel
{
public:
  virtual ~SpeedModel() = default;

  /// Links that the job would load at this place, in order of their number; only these make neighbours.
  virtual std::vector<LinkShare> links(const Workload& workload, const PlacedTraceJob& job)
  {
    static_cast<void>(workload);
    static_cast<void>(job);
    return {};
  }
  /// One answer per job, in the same order.
  virtual std::vector<JobSpeed> speeds(const Workload& workload, std::span<const PlacedTraceJob> jobs) = 0;
  /// For reports: "spine 0 -> rack 3".
  virtual std::string link_name(int link) const { return "link " + std::to_string(link); }
};

/// The trace's own durations: speed of the GPU type, times (GPUs held / GPUs asked for)^exponent for elastic jobs.
double trace_speed(const Workload& workload, const TraceJob& job, const Allocation& held, double elastic_exponent = 1);

} // namespace trainyard
