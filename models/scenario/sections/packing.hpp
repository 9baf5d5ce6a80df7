// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace trainyard {

/// `workload: {packing: …}`: the tasks of the workload arrive one by one, are placed once or rejected, and never leave.
struct PackingSection {
  int orders = 10;           // random orders of arrival
  double load = 1.3;         // GPUs asked for in all, as a share of the cluster's
  double measured_at = 1;    // asked for so far, where the allocated share is reported
  bool repeats_tasks = true; // where the tasks ask for less than `load`, copies of them follow
};

} // namespace trainyard
