// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "sim/parallel/step.hpp"
#include "sim/step/training/training_mode.hpp"

#include <vector>

namespace trainyard {

using GpuPairs = std::vector<VertexId>; // from, to, from, to…

/// Who sends to whom between machines.
class DividedWays
{
public:
  /// Of the first @p rails ranks of each tensor-parallel group.
  DividedWays(const TrainingContext& context, const ParallelLayout& layout, int rails);

  /// Of pipeline rank @p rank; between stages to the next rank, or (@p to_previous) to the one before it.
  const GpuPairs& of(NetworkPart::Group group, std::size_t rank, bool to_previous = false) const;
  /// Links of the ways of one tensor-parallel rank, in the order of the ways.
  std::vector<LinkId> links_of(int t) const;

private:
  VertexId at(int rank, int replica, int t) const;
  bool same_machine(VertexId a, VertexId b) const { return cluster_.vertex(a).node == cluster_.vertex(b).node; }
  void send(GpuPairs& ways, VertexId from, VertexId to) const;
  std::vector<GpuPairs> by_machine(const GpuPairs& ranks) const;
  void ring(GpuPairs& ways, const GpuPairs& ranks) const;
  void to_all(GpuPairs& ways, const GpuPairs& ranks) const;
  void between_stages(int rank, int rails);
  void between_replicas(int rank, int t);
  void between_experts(int rank, int rails);
  /// GPUs that hold the stages of @p rank; in a pipeline that goes both ways those of its mirror as well.
  GpuPairs holders(int rank, int t) const;
  /// Rings of those among which `zero` divides, and of those that hold the same share.
  void rings_of_replicas(int rank, int t, GpuPairs& data, GpuPairs& copies) const;

  const Cluster& cluster_;
  const std::vector<VertexId>& workers_;
  const ParallelLayout& layout_;
  bool both_ways_;
  std::vector<GpuPairs> next_, previous_, tensor_, context_, expert_, data_, copies_; // by rank of the pipeline
  GpuPairs tied_;
};

/// Ranks of each tensor-parallel group that are simulated, for all of them: one where the job is alone and each rank
/// has links of its own between machines, equal to those of the first.
int simulated_rails(const TrainingContext& context, const ParallelJob& job);

} // namespace trainyard
