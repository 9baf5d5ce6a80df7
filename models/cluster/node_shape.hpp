// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace trainyard {

/// A mark that keeps jobs away which do not tolerate it (Kubernetes' taints).
struct Taint {
  std::string key;
  std::string value;
  bool hard = true; // NoSchedule; false: PreferNoSchedule
};

/// Labels and taints of a machine, for jobs that ask for them.
struct NodeMarks {
  std::vector<std::string> labels; // "key=value"
  std::vector<Taint> taints;
};

/// What a scheduler knows of one machine: its capacity and its position. Small on purpose: 10^4 of them are copied for
/// look-ahead.
struct NodeShape {
  std::string name;
  int gpus = 0; // at most 32
  std::int64_t cpu_milli = 0;
  std::int64_t memory_mib = 0;
  int gpu_type = 0;                // index in ClusterShape::gpu_types
  int rack = 0;                    // machines below one leaf switch
  int spine = 0;                   // racks below one aggregation switch
  int nvlink_group = 0;            // GPUs of one NVLink island; 0 = all GPUs of the node are equally near
  std::int64_t gpu_memory_mib = 0; // of each GPU; 0 = not known: no job runs out of it
  int traits = 0;                  // index in ClusterShape::traits
  int image_group = 0;             // machines that already hold the same container images (Kubernetes' ImageLocality)
};

/// The cluster as a scheduler sees it: either pools of identical GPUs, counted (`counts`, one per GPU type), or
/// machines (`nodes`).
struct ClusterShape {
  std::vector<std::string> gpu_types = {"gpu"};
  std::vector<int> counts;
  std::vector<NodeShape> nodes;
  std::vector<NodeMarks> traits = {NodeMarks{}}; // the first: no labels or taints

  bool counted() const { return nodes.empty(); }

  /// One pool of @p gpus identical GPUs without machines (>= 0).
  static ClusterShape pool(int gpus)
  {
    ClusterShape shape;
    shape.counts = {gpus};
    return shape;
  }
  /// @p count equal machines named <prefix>0, <prefix>1…, @p per_rack to a rack (0: all in one).
  static ClusterShape machines(int count, int gpus_per_node, std::int64_t cpu_milli = 0, std::int64_t memory_mib = 0,
                               int per_rack = 0, const std::string& prefix = "node-")
  {
    ClusterShape shape;
    for (int i = 0; i < count; ++i)
      shape.nodes.push_back({.name = prefix + std::to_string(i),
                             .gpus = gpus_per_node,
                             .cpu_milli = cpu_milli,
                             .memory_mib = memory_mib,
                             .rack = per_rack > 0 ? i / per_rack : 0});
    return shape;
  }
  int total_gpus() const
  {
    int sum = 0;
    for (const int count : counts)
      sum += count;
    for (const NodeShape& node : nodes)
      sum += node.gpus;
    return sum;
  }
};

} // namespace trainyard
