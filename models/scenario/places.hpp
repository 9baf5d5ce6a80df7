// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/core/diagnostics.hpp"
#include "models/scenario/document.hpp"
#include "models/scenario/scenario.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace trainyard {

/// Position of a path such as "cluster.nodes.0.type" in the file; if it is not written, that of the nearest part above
/// it.
Location location_of(const Document& document, std::string_view path);

/// A fault found after reading, with line and column of the value that its path names. @p point is the label of the
/// sweep's point, told unless the reader found the fault or it is about the machines.
Diagnostic located(Diagnostic fault, const Document& document, const std::string& point);

/// A warning for every key of the file that cannot change the run of this scenario: priorities without a queue, a
/// memory fraction that the memory policy does not use, transports that no job uses…
///
/// Settings of another mode or policy than the chosen one are warnings of the reader already.
/// @p fidelity: as given, or what `auto` stands for.
std::vector<Diagnostic> without_effect(const Document& document, const Scenario& scenario, const std::string& fidelity);

/// Whether connections share links by their windows at fidelity flow: the network has a queue, all jobs are those of
/// synchronous servers, and nothing else uses the machines. Elsewhere messages wait in queues that others fill, which
/// decides what windows alone have too fast.
bool shares_by_windows(const Scenario& scenario);

} // namespace trainyard
