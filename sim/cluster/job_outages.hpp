// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/core/diagnostics.hpp"
#include "models/scenario/sections/faults.hpp"
#include "sim/cluster/fault_schedule.hpp"
#include "sim/parallel/goodput.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace trainyard {

/// Failures of the machines and processes of one training job, in order of time.
struct JobOutages {
  std::vector<MachineOutage> list;
  std::vector<std::string> names; // of each: "rack 3"
};

/// Errors of `faults` that a training job cannot have. @p jobs: which jobs these are, for the messages.
void check_outages(const FaultsSection& faults, const FaultDomains& domains, const std::string& file,
                   const std::string& jobs, Diagnostics& diagnostics);

/// Failures before @p time: listed and drawn ones of machines and what holds several of them, and listed ones of
/// processes. @p number: by machine, its number among those that the job can use; -1: it cannot. @p process: the number
/// of a process by its name, -1: all of the job's; null: all have the job's name.
JobOutages outages_of(const FaultsSection& faults, const FaultDomains& domains, const std::vector<int>& number,
                      std::uint64_t seed, Seconds time, const std::function<int(const std::string&)>& process = {});

} // namespace trainyard
