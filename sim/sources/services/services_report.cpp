// SPDX-License-Identifier: Apache-2.0
#include "models/core/figure_text.hpp"
#include "models/core/text.hpp"
#include "models/cost/container_network.hpp"
#include "models/orchestration/orchestrator.hpp"
#include "models/orchestration/service.hpp"
#include "models/results/json.hpp"
#include "sim/cluster/machine_view.hpp"
#include "sim/report/document_head.hpp"
#include "sim/sources/scenario_runner.hpp"
#include "sim/sources/services/orchestration_report.hpp"
#include "sim/sources/services/prepare.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace trainyard::orchestration {

using Json = nlohmann::ordered_json;

constexpr Sentence<std::string, Message> warned_at{"services.warned_at", "{point}: {what}"};

PointRun services_point(const CheckedPoint& point, const Catalogue& catalogue, std::uint64_t seed, bool record)
{
  PointRun run;
  run.point = point.label;
  const MachineView view = machine_view(point.scenario, catalogue);
  run.price = view.price;
  run.assumptions = view.assumptions;
  run.input = orchestration_input(point.scenario, catalogue, seed);
  run.input.record = record;
  const ClusterSpec& cluster = point.scenario.cluster;
  for (const MachineTraits& machine : run.input.traits)
    if (const auto group = std::ranges::find(cluster.nodes, machine.group, &NodeGroupSpec::name);
        machine.joins > Instant{} && group != cluster.nodes.end())
      run.later.emplace_back(machine.joins, cluster.node_types.at(group->type).price.value_or(DollarsPerHour{}));
  for (const std::string& fault : faults_of_others(point.scenario))
    run.assumptions.push_back(fault);
  for (const NodeShape& node : run.input.cluster.nodes) {
    const auto gpu = node.gpus > 0
                         ? catalogue.gpus.find(run.input.cluster.gpu_types[static_cast<std::size_t>(node.gpu_type)])
                         : catalogue.gpus.end();
    const bool known = gpu != catalogue.gpus.end();
    run.gpu_idle_power.push_back(known ? gpu->second.idle_power : Watts{});
    run.gpu_power.push_back(known ? gpu->second.power : Watts{});
    run.gpu_memory_MiB.push_back(known ? gpu->second.memory.value() / 1048576 : 0);
  }
  return run;
}

RunReport services_report(const Scenario& scenario, const std::shared_ptr<Runs>& runs, Telling repeated_told,
                          const Json& repeated)
{
  RunReport report;
  const auto* section = scenario.section<OrchestratorSection>("orchestrator");
  Telling& told = report.told;
  told.heading(heading(scenario.name, scenario.description));
  told.lines(fmt::format(
      "{}, {} under {}{} · {} · {}seed {}\n\n", counted(std::ssize(runs->front().input.cluster.nodes), "machine"),
      counted(runs->front().input.cluster.total_gpus(), "GPU"), section == nullptr ? "none" : section->name,
      section == nullptr || section->version.empty() ? "" : " " + section->version,
      time_text(seconds(runs->front().result.ended)), fidelity_told(scenario), scenario.run.seed));
  tell_services(*runs, told);
  tell_faults(*runs, told);
  told.add(std::move(repeated_told));
  Json& summary = report.summary = document_head("trainyard orchestration", scenario);
  const Messages found = conclusions(*runs);
  report.conclude(found);
  tell_answers(found, told);
  for (const std::string& assumption : runs->front().assumptions)
    told.lines(assumption);
  summary.update({{"assumptions", runs->front().assumptions}, {"points", Json::array()}});
  for (const PointRun& run : *runs) {
    summary["points"].push_back(summary_of(run));
    for (const Message& warning : run.result.warnings)
      report.warnings.push_back(as(MessageKind::warning, run.point.empty() ? warning : warned_at(run.point, warning)));
    for (std::size_t i = 0; i < run.result.services.size(); ++i) {
      const ServiceRow row{&run, i};
      const std::string why = unfinished(row);
      if (!row.outcome().failed && (why.empty() || row.outcome().first_running >= Instant{}))
        continue;
      report.exit_code = 3;
      const Verdict verdict{.ruling = Ruling::cannot_run, .why = row.spec().name + ": " + why};
      told.lines((run.point.empty() ? "" : run.point + ": ") + verdict.text() + "\n");
    }
    report.exit_code = run.result.warnings.empty() ? report.exit_code : 3;
  }
  if (!repeated.empty())
    summary["repeated"] = repeated;

  const auto file = [&](const std::string& name, std::string (*make)(const Runs&)) {
    report.files.push_back(text_file(name, [runs, make] { return make(*runs); }));
  };
  file("placement.csv", placement_csv);
  file("tasks.csv", phases_csv);
  file("services.csv", services_csv);
  file("accounting.csv", accounting_csv);
  file("faults.csv", faults_csv);
  file("events.csv", events_csv);
  file("events.txt", events_text);
  file("replicas.csv", replicas_csv);
  file("gpus.csv", gpus_csv);
  file("gpu_series.csv", gpu_series_csv);
  file("nodes.csv", nodes_csv);
  if (std::ranges::any_of(runs->front().input.services,
                          [](const ServiceSpec& service) { return service.serving.capacity > 0; }))
    file("serving.csv", serving_csv);
  for (std::size_t i = 0; i < std::min<std::size_t>(8, runs->size()); ++i)
    report.files.push_back(picture_file(runs->size() == 1 ? "replicas.png" : fmt::format("replicas-{}.png", i),
                                        [runs, i] { return replicas_picture((*runs)[i]); }));
  return report;
}

// Which defaults of services and of their orchestrator matter to a scenario, and the values that its profile gives.
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
