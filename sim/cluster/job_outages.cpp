// SPDX-License-Identifier: Apache-2.0
#include "sim/cluster/job_outages.hpp"

#include <fmt/format.h>

#include <limits>

namespace trainyard {

void check_outages(const FaultsSection& faults, const FaultDomains& domains, const std::string& file,
                   const std::string& jobs, Diagnostics& diagnostics)
{
  check_faults(faults.list, faults.random, domains, file, diagnostics);
  const auto refuse = [&](FaultKind kind, double remaining, bool drawn, int line, int column) {
    if (kind == FaultKind::storage || kind == FaultKind::object_store || kind == FaultKind::manager)
      diagnostics.error({file, line, column}, fmt::format("a failure of {} is not simulated for {}; possible are gpu, "
                                                          "node, rack, switch, link and process",
                                                          to_text(kind), jobs));
    else if (remaining > 0)
      diagnostics.error({file, line, column},
                        fmt::format("slow links are not simulated for {}; let the link fail completely", jobs));
    else if (kind == FaultKind::process && drawn)
      diagnostics.error({.file = file, .path = "faults"},
                        fmt::format("drawn failures of processes are not simulated for {}; write them as failures of "
                                    "GPUs (gpu=TIME)",
                                    jobs));
  };
  for (const FaultSpec& fault : faults.list)
    refuse(fault.kind, fault.remaining, false, fault.line, fault.column);
  for (const RandomFaultSpec& rule : faults.random)
    refuse(rule.kind, 0, true, 0, 0);
}

JobOutages outages_of(const FaultsSection& faults, const FaultDomains& domains, const std::vector<int>& number,
                      std::uint64_t seed, Seconds time, const std::function<int(const std::string&)>& process)
{
  JobOutages outages;
  FaultSchedule schedule{faults.list, faults.random, domains, seed};
  for (auto next = schedule.next(); next && seconds(*next) < time; next = schedule.next()) {
    const FaultEvent event = schedule.take();
    const auto add = [&](const MachineOutage& outage) {
      outages.list.push_back(outage);
      outages.names.push_back(event.name);
    };
    const Seconds at = seconds(event.at);
    const Seconds until =
        event.until >= end_of_time ? Seconds{std::numeric_limits<double>::infinity()} : seconds(event.until);
    if (event.kind == FaultKind::process) {
      add({.at = at, .until = at, .process = process ? process(event.task) : -1});
      continue;
    }
    std::vector<int> machines = machines_of(event, domains);
    if (machines.empty() && event.index >= 0)
      machines = {event.index}; // a GPU: its machine is repaired
    for (const int machine : machines)
      if (const int of_job = number[static_cast<std::size_t>(machine)]; of_job >= 0)
        add({.at = at, .until = until, .machine = of_job});
  }
  return outages;
}

} // namespace trainyard
