// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "sim/cluster/speed/speed_model.hpp"

#include <vector>

namespace trainyard {

/// Speeds of jobs that choose their batch by goodput (Workload::goodput): on their GPUs, beside the jobs on their
/// network ports, at the noise scale of their progress, over the goodput that speed 1 means. All others work at the
/// trace's speed.
class GoodputSpeed final : public SpeedModel
{
public:
  std::vector<LinkShare> links(const Workload& workload, const PlacedTraceJob& job) override;
  std::vector<JobSpeed> speeds(const Workload& workload, std::span<const PlacedTraceJob> jobs) override;
  std::string link_name(int link) const override { return "network port of node " + std::to_string(link); }
};

/// What a policy plans with: the speed of a job on so many GPUs of a type, packed, alone on its ports, when @p done of
/// its work is done (0..1); 0 = it cannot run so. Without a goodput of its model that of trace_speed().
double planned_speed(const Workload& workload, const TraceJob& job, int gpus, int gpu_type, double done);

} // namespace trainyard
