// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "sim/results/results.hpp"
#include "sim/step/engine/executor.hpp"

#include <span>
#include <vector>

namespace trainyard {

/// How busy each link was in each of @p parts equal parts of the whole time, for the colours of links under a time
/// scrubber.
///
/// The bytes of a transfer or collective are spread evenly over its time on the links of its route, so that a link's
/// loads times its bandwidth times the length of the parts add up to the bytes of links.csv, whatever the fidelity;
/// within one operation the rate is its mean. Parts in a row with equal load are one. Links that carry nothing, and
/// runs with more than @p most_messages different messages or whose program loads more than 50,000 links, have
/// none: no picture shows so many, and their file would have a hundred megabytes.
std::vector<LinkLoad> link_loads(const Cluster& cluster, std::span<const StepProgram* const> programs,
                                 std::span<const StepTrace* const> traces, int parts = 100,
                                 std::size_t most_messages = 400'000);

} // namespace trainyard
