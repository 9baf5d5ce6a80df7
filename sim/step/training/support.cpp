// SPDX-License-Identifier: Apache-2.0
#include "sim/step/training/support.hpp"

#include "models/core/closest.hpp"
#include "sim/step/collectives/collective.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>

namespace trainyard {

std::string support_of(const Transport& transport, const std::string& operation, const std::string& device)
{
  const auto found = transport.supports.find({operation, device});
  return found == transport.supports.end() ? std::string{} : found->second;
}

Parameter sync_every_parameter()
{
  return {.name = "sync_every",
          .kind = "integer",
          .default_value = "1",
          .meaning = "steps from one exchange to the next; from 2 on each worker updates a replica of its own in every "
                     "step, and what is exchanged are parameters, after the update (local SGD)",
          .minimum = 1,
          .maximum = 10'000,
          .source = "Stich, ICLR 2019; torch.distributed.algorithms.model_averaging: PeriodicModelAverager"};
}

std::vector<std::string> transports_that_can(const std::map<std::string, Transport>& transports,
                                             const std::string& operation, const std::string& device)
{
  std::vector<std::string> names;
  for (const auto& [name, transport] : transports)
    if (support_of(transport, operation, device) == "yes")
      names.push_back("'" + name + "'");
  return names;
}

void check_support(const std::map<std::string, Transport>& transports, const std::string& transport,
                   const std::string& operation, bool gpu, const JobSpec& job, const std::string& way_out,
                   Diagnostics& diagnostics)
{
  const auto found = transports.find(transport);
  if (found == transports.end())
    return;
  const Location place{.path = job.path + ".training.transport"};
  const std::string device = gpu ? "gpu" : "cpu";
  const std::string between = gpu ? "GPUs" : "CPUs";
  const std::string answer = support_of(found->second, operation, device);
  if (answer == "no") {
    const std::vector<std::string> able = transports_that_can(transports, operation, device);
    const std::string can = able.empty()
                                ? fmt::format("no transport of this era supports it between {}; write 'device: {}'",
                                              between, gpu ? "cpu" : "gpu")
                                : fmt::format("these can: {}", fmt::join(able, ", "));
    diagnostics.error(place, fmt::format("job '{}': transport '{}' has no {} between {}; {}{}{}", job.name, transport,
                                         operation, between, can, way_out.empty() ? "" : "; ", way_out));
  } else if (answer == "?") {
    static constexpr Sentence<std::string, std::string, std::string, std::string> may_lack{
        "jobs.may_lack",
        "job '{job}': whether transport '{transport}' has {operation} between {devices} depends on how "
        "the library was built; the simulation assumes that it has it"};
    diagnostics.warning(place, may_lack(job.name, transport, operation, between));
  }
}

void check_collective(const std::string& collective, const std::string& operation, const JobSpec& job,
                      Diagnostics& diagnostics)
{
  const Registry<Collective>& all = Registry<Collective>::instance();
  const CollectiveRequest request{.operation = operation, .ranks = 2, .payload = Bytes{1}, .node_of_rank = {}};
  const auto can = [&](const std::string& name) { return all.create(name)->supports(request); };
  const std::vector<std::string> names = all.names();
  const Location where{.path = job.path + ".training.collective"};
  if (all.find(collective) == nullptr) {
    diagnostics.error(where, fmt::format("job '{}': unknown collective '{}'{}", job.name, collective,
                                         did_you_mean(collective, names)));
  } else if (!can(collective)) {
    std::vector<std::string> able;
    std::ranges::copy_if(names, std::back_inserter(able), can);
    diagnostics.error(where, fmt::format("job '{}': the collective '{}' cannot do {}; these can: {}", job.name,
                                         collective, operation, fmt::join(able, ", ")));
  }
}

} // namespace trainyard
