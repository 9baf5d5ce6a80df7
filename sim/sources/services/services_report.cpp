// SPDX-License-Identifier: Apache-2.0
#include "models/core/figure_text.hpp"
#include "models/core/text.hpp"
#include "models/scenario/sections/orchestrator.hpp"
#include "sim/report/document_head.hpp"
#include "sim/report/output_file.hpp"
#include "sim/report/table.hpp"
#include "sim/sources/services/orchestration_report.hpp"
#include "sim/sources/services/prepare.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace trainyard::orchestration {

using Json = nlohmann::ordered_json;

PointRun services_point(const CheckedPoint& point, const Catalogue& catalogue, std::uint64_t seed, bool record)
{
  PointRun run;
  run.point = point.label;
  const MachineView view = machine_view(point.scenario, catalogue);
  run.price = view.price;
  run.assumptions = view.assumptions;
  run.input = orchestration_input(point.scenario, catalogue, seed);
  run.input.record = record;
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

RunReport services_report(const Scenario& scenario, const std::shared_ptr<Runs>& runs, const std::string& repeated_text,
                          const Json& repeated, bool colour)
{
  RunReport report;
  const auto* section = scenario.section<OrchestratorSection>("orchestrator");
  report.text =
      fmt::format("{}\n{} machines, {} GPUs under {}{} · {} · seed {}\n\n{}",
                  heading(scenario.name, scenario.description), runs->front().input.cluster.nodes.size(),
                  runs->front().input.cluster.total_gpus(), section == nullptr ? "none" : section->name,
                  section == nullptr || section->version.empty() ? "" : " " + section->version,
                  time_text(seconds(runs->front().result.ended)), scenario.run.seed, services_table(*runs, colour));
  if (const std::string faults = faults_table(*runs, colour); !faults.empty())
    report.text += "\n" + faults;
  report.text += repeated_text;
  report.text += "\n" + conclusions(*runs);
  for (const std::string& assumption : runs->front().assumptions)
    report.text += assumption + "\n";
  Json summary = document_head("trainyard orchestration", scenario);
  summary.update(
      {{"advice", conclusions(*runs)}, {"assumptions", runs->front().assumptions}, {"points", Json::array()}});
  for (const PointRun& run : *runs) {
    summary["points"].push_back(summary_of(run));
    for (const std::string& warning : run.result.warnings)
      report.warnings.push_back((run.point.empty() ? "" : run.point + ": ") + warning);
    for (const ServiceOutcome& outcome : run.result.services)
      if (outcome.failed)
        report.exit_code = 3;
    report.exit_code = run.result.warnings.empty() ? report.exit_code : 3;
  }
  if (!repeated.empty())
    summary["repeated"] = repeated;
  summary["warnings"] = report.warnings;
  report.summary = summary.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";

  const auto file = [&](const std::string& name, std::string (*make)(const Runs&)) {
    report.files.push_back({name, [runs, make](const std::filesystem::path& path) { write_file(path, make(*runs)); }});
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
  file("nodes.csv", nodes_csv);
  if (std::ranges::any_of(runs->front().input.services,
                          [](const ServiceSpec& service) { return service.serving.capacity > 0; }))
    file("serving.csv", serving_csv);
  for (std::size_t i = 0; i < std::min<std::size_t>(8, runs->size()); ++i)
    report.files.push_back({runs->size() == 1 ? "replicas.png" : fmt::format("replicas-{}.png", i),
                            [runs, i](const std::filesystem::path& path) {
                              plot_replicas((*runs)[i], path.parent_path() / path.stem());
                            }});
  return report;
}

} // namespace trainyard::orchestration
