// SPDX-License-Identifier: Apache-2.0
// Static packing: tasks arrive one by one, are placed once or rejected for good, and never leave. Experiment of Weng et
// al., "Beware of Fragmentation", USENIX ATC 2023.
#pragma once
#include "models/cluster/node_shape.hpp"
#include "models/job/workload.hpp"
#include "models/scenario/sections/workload.hpp"
#include "sim/cluster/placement_policy.hpp"
#include "sim/report/picture.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace trainyard {

/// One placement policy on one order of arrival. Shares are of all GPUs of the cluster, in %.
struct PackedOrder {
  std::uint64_t seed = 0;
  std::vector<double> allocated; // by share asked for so far, rounded to whole %: mean over the arrivals there; below
                                 // zero: nobody arrived there
  double at_measured = 0;        // where `measured_at` has been asked for
  double at_end = 0;             // where all tasks have arrived
  int tasks = 0;
  int placed = 0;
};

/// Places the tasks of @p original in an order that follows from the seed alone, so that every policy gets the same
/// one.
PackedOrder pack(const Workload& original, const ClusterShape& shape, PlacementPolicy& placement,
                 const PackingSection& how, std::uint64_t seed);

/// Allocated against asked for; of each policy the mean over its orders, between the smallest and the largest.
struct PackingCurve {
  std::string label;
  std::vector<double> mean, least, most; // by whole % asked for; below zero: nothing there
};
PackingCurve curve_of(const std::string& label, const std::vector<PackedOrder>& orders);
Picture packing_picture(const std::vector<PackingCurve>& curves);

} // namespace trainyard
