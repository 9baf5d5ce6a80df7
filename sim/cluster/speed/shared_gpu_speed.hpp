// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "sim/cluster/speed/speed_model.hpp"

#include <vector>

namespace trainyard {

/// Slow-down of jobs that share GPUs, on top of another model (or of the trace's own speeds).
///
/// A job would use `compute_milli` of each of its GPUs' time if it were alone there (default: the share it asks for).
/// Kernels of different processes take turns on a GPU; where all of them together ask for more than the whole of it,
/// each gets its part of what it asks for (processor sharing): a job works at 1 / (sum of the shares) of its speed, and
/// a gang at the speed of its most crowded GPU. While several processes share a GPU, switching between them costs
/// `switch_loss` of its time.
class SharedGpuSpeed final : public SpeedModel
{
public:
  /// @p inner may be null: the trace's speeds, elastic jobs with exponent 1. @p inner_links: its links are below this
  /// number.
  /// @p whole_compute: a job that does not say what it uses would use the whole GPU (sharing by memory); else the share
  /// it asked for.
  SharedGpuSpeed(SpeedModel* inner, int inner_links, bool whole_compute, double switch_loss);

  std::vector<LinkShare> links(const Workload& workload, const PlacedTraceJob& job) override;
  std::vector<JobSpeed> speeds(const Workload& workload, std::span<const PlacedTraceJob> jobs) override;
  std::string link_name(int link) const override;

private:
  double compute_share(const TraceJob& job) const;

  SpeedModel* inner_;
  int inner_links_;
  bool whole_compute_;
  double switch_loss_;
};

/// The speeds of the trace, and for two jobs that were put on the same GPUs, with less of them than they asked for,
/// those that were measured beside each other (Workload::speed_beside).
class PairSpeed final : public SpeedModel
{
public:
  std::vector<LinkShare> links(const Workload& workload, const PlacedTraceJob& job) override;
  std::vector<JobSpeed> speeds(const Workload& workload, std::span<const PlacedTraceJob> jobs) override;
  std::string link_name(int link) const override;
};

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
