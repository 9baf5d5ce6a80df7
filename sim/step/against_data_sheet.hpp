// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/cluster/cluster.hpp"
#include "models/cluster/placement.hpp"
#include "models/core/diagnostics.hpp"
#include "models/dnn/network.hpp"
#include "models/hardware/hardware.hpp"
#include "models/job/job.hpp"

namespace trainyard {

/// A warning where the network cards of a machine are faster than their PCIe slots: they send no faster than these, so
/// that a faster network changes nothing.
void warn_of_slow_slots(const Cluster& cluster, const Node& node, Diagnostics& diagnostics);
/// The same of all groups of machines that a job has tasks on; nothing where all of them are on one machine.
void warn_of_slow_slots(const Cluster& cluster, const Placement& placement, Diagnostics& diagnostics);

/// A warning where the measured step of a job is shorter than its products take at the peak of the GPU: of
/// convolutions a quarter of it, for F(4 x 4, 3 x 3) of Winograd needs so many multiplications (Lavin and Gray,
/// arXiv:1509.09308). In fp32 the peak of tf32 counts where the GPU has it, since cuDNN may use it.
void warn_of_fast_step(const JobSpec& job, const Dnn& dnn, const Gpu& gpu, const std::string& file,
                       Diagnostics& diagnostics);

} // namespace trainyard
