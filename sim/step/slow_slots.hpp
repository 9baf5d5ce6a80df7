// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/cluster/cluster.hpp"
#include "models/cluster/placement.hpp"
#include "models/core/diagnostics.hpp"

namespace trainyard {

/// A warning where the network cards of a machine are faster than their PCIe slots: they send no faster than these, so
/// that a faster network changes nothing.
void warn_of_slow_slots(const Cluster& cluster, const Node& node, Diagnostics& diagnostics);
/// The same of all groups of machines that a job has tasks on; nothing where all of them are on one machine.
void warn_of_slow_slots(const Cluster& cluster, const Placement& placement, Diagnostics& diagnostics);

} // namespace trainyard
