// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/core/diagnostics.hpp"
#include "models/core/registry.hpp"
#include "models/hardware/hardware.hpp"
#include "models/job/job.hpp"

#include <map>
#include <string>
#include <vector>

namespace trainyard {

/// What a transport says about an operation on a device: "yes", "no", "?" (depends on how it was built), "" (its table
/// has no entry).
std::string support_of(const Transport& transport, const std::string& operation, const std::string& device);

/// The setting `sync_every`: workers that step by themselves in between.
Parameter sync_every_parameter();

/// Transports whose tables say yes, sorted.
std::vector<std::string> transports_that_can(const std::map<std::string, Transport>& transports,
                                             const std::string& operation, const std::string& device);

/// "no" is an error that names the transports that can, "?" a warning. A transport that does not exist is left to the
/// caller.
///
/// @p gpu: between GPUs, else between CPUs. @p way_out ends the error: "or choose a parameter server".
void check_support(const std::map<std::string, Transport>& transports, const std::string& transport,
                   const std::string& operation, bool gpu, const JobSpec& job, const std::string& way_out,
                   Diagnostics& diagnostics);

/// An error where @p collective is none, or cannot do @p operation: it names those that can.
void check_collective(const std::string& collective, const std::string& operation, const JobSpec& job,
                      Diagnostics& diagnostics);

} // namespace trainyard
