// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "sim/results/breakdown.hpp"

#include <string>
#include <vector>

namespace trainyard {

/// The host's work for the GPU, among what a step uses.
inline constexpr const char* starting_operators = "host, starting operators";

/// Links, resources and lanes of one program by utilisation, the highest first. GPU lanes are one entry each.
///
/// What a task sends ("ps-0 sends") and receives is an entry each, "gRPC of ps-0 (out)" and "(in)". A GPU is occupied
/// by an operation also while it waits for the host, and used only while it computes (@p shares by worker).
std::vector<UseRow> uses(const Cluster& cluster, const Placement& placement, const StepProgram& program,
                         const StepTrace& trace, const std::string& transport,
                         std::span<const ComputeShares> shares = {});

/// Of a worker; of the first one for operations of all workers together.
ComputeShares shares_of(std::span<const ComputeShares> shares, int worker);

/// The bottleneck of the step, in a few words with its number: "NIC of ps-0: 98 % busy".
///
/// Something at 85 % or more that is busier than the GPU is the bottleneck by definition. Otherwise the largest part of
/// the step decides: compute (or the host, if the GPU waits for it), exposed communication (the busiest link or
/// resource, or message latency where all of them are below 30 %), input or waiting. @p on_cpu: the worker computes on
/// CPUs, not on a GPU.
Message bottleneck_sentence(const Breakdown& breakdown, bool on_cpu = false);

/// Whether exposed communication is the largest part of the step.
bool waits_for_links(const Breakdown& breakdown);
/// The highest utilisation of a link or resource by this job's own messages; 0: there is none.
double busiest_link(const Breakdown& breakdown);
/// "link leaf-0 > spine-1, shared by 10 jobs: 98 % busy", for a job that waits for a link which others use too.
Message crowded_sentence(const CrowdedLink& crowded, const std::string& label);

} // namespace trainyard
