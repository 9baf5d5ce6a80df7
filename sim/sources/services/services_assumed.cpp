// SPDX-License-Identifier: Apache-2.0
// Which defaults of services and of their orchestrator matter to a scenario, and the values that its profile gives.
#include "models/cost/container_network.hpp"
#include "models/scenario/sections/orchestrator.hpp"
#include "models/scenario/sections/services.hpp"
#include "sim/cluster/machine_view.hpp"
#include "sim/sources/services/orchestration_report.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace trainyard::orchestration {
namespace {

bool trains(const ServiceSpec& service)
{
  return service.ends() || !service.job.empty() || service.graph || !service.clients.empty();
}

} // namespace

std::vector<FilledDefault> services_seen(const Scenario& scenario)
{
  std::vector<FilledDefault> seen;
  const auto unless = [&](bool matters, const std::string& path) {
    if (!matters)
      seen.push_back({path, "", {}});
  };
  const auto* services = scenario.section<ServicesSection>("services");
  const auto* section = scenario.section<OrchestratorSection>("orchestrator");
  const bool failing =
      scenario.sections.contains("faults") || std::ranges::any_of(services->services, [](const ServiceSpec& service) {
        return std::ranges::any_of(service.groups, [](const TaskGroupSpec& group) { return group.gpu_memory_mib > 0; });
      });
  const bool pulls =
      std::ranges::any_of(services->services, [](const ServiceSpec& service) { return service.image.size > Bytes{0}; });
  const OrchestratorRules& rules = orchestrator_of(scenario).rules;
  const bool all_end = std::ranges::all_of(services->services, [](const ServiceSpec& service) {
    return service.ends() || !service.clients.empty(); // they restart after a failure only: Recovery::restart_rule
  });
  for (const char* rule : {"node_detection", "eviction_delay", "process_detection", "restart", "restart_delay"})
    unless(section != nullptr && rules.heals && failing, fmt::format("orchestrator.{}", rule));
  for (const char* rule : {"container_start", "container_stop", "placements_per_second"})
    unless(section != nullptr, fmt::format("orchestrator.{}", rule));
  unless(pulls, "orchestrator.registry_bandwidth");
  if (!(rules.placements_per_second > 0))
    seen.push_back({"orchestrator.placements_per_second", "any number of", {}});
  for (const Parameter& parameter : orchestrator_parameters())
    seen.push_back({"orchestrator." + parameter.name,
                    parameter.name == "restart" && rules.restart == "always" && all_end
                        ? "on_failure"
                        : rule_text(rules, parameter.name),
                    {}});

  for (std::size_t i = 0; i < services->services.size(); ++i) {
    const ServiceSpec& service = services->services[i];
    const auto path = [&](const char* key) { return fmt::format("services.{}.{}", i, key); };
    const bool saves = service.checkpoint.interval > Seconds{0};
    const bool exchanges =
        service.work > Seconds{0} && service.coupling != Coupling::independent && service.replicas() > 1;
    unless(section != nullptr, path("image"));
    unless(trains(service) && failing, path("checkpoint.interval"));
    unless(saves && !(service.checkpoint.save > Seconds{0}), path("checkpoint.save"));
    unless(saves && failing && !(service.checkpoint.load > Seconds{0}), path("checkpoint.load"));
    unless(exchanges, path("communication_share"));
    unless(exchanges && service.communication_share > 0, path("network_cost"));
    if (const std::string& network = container_network_of(scenario.cluster).name; network != "host")
      seen.push_back({path("network_cost"), "by the packets of " + network, {}});
  }
  return seen;
}

} // namespace trainyard::orchestration
