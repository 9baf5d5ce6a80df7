// SPDX-License-Identifier: Apache-2.0
/// Runs scenarios with `graph:`: places the operations, simulates a few calls of session.run, carries the rest forward.
#include "models/cluster/build.hpp"
#include "models/core/data_folder.hpp"
#include "models/core/figure_text.hpp"
#include "models/core/message.hpp"
#include "models/core/quantity_text.hpp"
#include "models/core/text.hpp"
#include "models/job/device_placement.hpp"
#include "models/results/json.hpp"
#include "sim/report/document_head.hpp"
#include "sim/report/files.hpp"
#include "sim/report/output_file.hpp"
#include "sim/results/graph_run.hpp"
#include "sim/sources/scenario_runner.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace trainyard {
namespace {

using Json = nlohmann::ordered_json;

constexpr Sentence<std::string, std::string, std::string> runs_on{"graph.runs_on", "{operation} on {device} ({why})"};

class GraphRunner final : public ScenarioRunner
{
public:
  std::string kind() const override { return "trainyard graph"; }
  ReadParts parts() const override { return {"graph", {{"transports"}}}; }

  void check(const Scenario& scenario, const Catalogue& catalogue, Diagnostics& diagnostics) const override
  {
    static_cast<void>(build_cluster(scenario.cluster, catalogue.links, diagnostics));
  }

  RunReport run(const std::vector<CheckedPoint>& points, const SimulateOptions& options) const override
  {
    const Catalogue catalogue = load_catalogue(data_folder());
    TableRows rows;
    std::string placement = "point,op,type,asked,chosen,reason\n";
    std::string devices = "point,device,busy,idle\n";
    Json summary = document_head(kind(), points.front().scenario);
    summary["runs"] = Json::array();
    Messages placements_said;
    Results timeline;
    bool log = false;
    for (std::size_t i = 0; i < points.size(); ++i) {
      if (options.progress)
        options.progress(i, points.size(), points[i].label);
      const Scenario& scenario = points[i].scenario;
      const auto& graph = *scenario.section<GraphSection>("graph");
      const std::string point = name_among(points, points[i]);
      const GraphRun run = run_graph(scenario, catalogue, graph);
      double gpu_idle = 1;
      for (std::size_t device = 0; device < graph.devices.size(); ++device) {
        devices += fmt::format("{},{},{},{}\n", csv_text(point), full_name(graph.devices[device]), run.busy[device],
                               1 - run.busy[device]);
        if (graph.devices[device].kind == "gpu")
          gpu_idle = std::min(gpu_idle, 1 - run.busy[device]);
      }
      Json json = {{"point", point},
                   {"runs", graph.runs},
                   {"call_s", run.call.value()},
                   {"total_s", (run.call * graph.runs).value()},
                   {"network_bytes_per_call_B", run.network.value()},
                   {"gpu_idle", gpu_idle},
                   {"operations", Json::array()}};
      for (std::size_t o = 0; o < graph.operations.size(); ++o) {
        const GraphOperation& operation = graph.operations[o];
        const PlacedOperation& placed = graph.placed[o];
        placement += fmt::format("{},{},{},{},{},{}\n", csv_text(point), csv_text(operation.name), operation.type,
                                 csv_text(operation.device), placed.chosen, csv_text(placed.reason));
        json["operations"].push_back({{"op", operation.name},
                                      {"asked", operation.device},
                                      {"chosen", placed.chosen},
                                      {"reason", placed.reason}});
        add_once(placements_said, as(MessageKind::answer, runs_on(operation.name, placed.chosen, placed.reason)));
      }
      rows.push_back({point, rate_text(graph.runs), time_text(run.call), time_text(run.call * graph.runs),
                      to_text(run.network), fmt::format("{:.2f} %", 100 * gpu_idle)});
      summary["runs"].push_back(std::move(json));
      log = log || graph.log_placement;
      timeline.spans = run.spans;
    }
    for (const Message& message : placements_said)
      summary["messages"].push_back(to_json(message));
    RunReport report;
    report.told.heading(heading(points.front().scenario.name, points.front().scenario.description));
    report.told.gap();
    report.told.table({{"variant", false}, {"runs"}, {"per run"}, {"all"}, {"network/run"}, {"GPUs idle"}},
                      std::move(rows));
    if (log) {
      report.told.gap();
      report.told.add(placements(summary));
    }
    report.summary = std::move(summary);
    const std::string trace = trace_json(timeline);
    report.files = {text_file("placement.csv", placement),
                    text_file("devices.csv", devices),
                    {"trace.json.gz", [trace](const std::filesystem::path& file) { write_gzip_file(file, trace); }}};
    return report;
  }

  Telling explain(const WrittenRun& folder, const std::string& what, const std::string& name) const override
  {
    Json summary = folder.summary;
    if (!what.empty())
      for (Json& run : summary["runs"]) {
        Json kept = Json::array();
        for (const Json& operation : run["operations"])
          if (operation.value("op", "") == name)
            kept.push_back(operation);
        if (kept.empty())
          throw InputError{fmt::format("there is no operation '{}' in this run", name)};
        run["operations"] = kept;
      }
    return placements(summary);
  }

private:
  static Telling placements(const Json& summary)
  {
    TableRows rows;
    for (const Json& run : summary.value("runs", Json::array()))
      for (const Json& operation : run.value("operations", Json::array()))
        rows.push_back({run.value("point", ""), operation.value("op", ""),
                        operation.value("asked", "").empty() ? "-" : operation.value("asked", ""),
                        operation.value("chosen", ""), operation.value("reason", "")});
    Telling told;
    told.table({{"variant", false}, {"operation", false}, {"asked", false}, {"chosen", false}, {"why", false}},
               std::move(rows));
    return told;
  }
};

TY_REGISTER(ScenarioRunner, GraphRunner, "graph", "operations of a data-flow graph on the devices of tasks");

} // namespace
} // namespace trainyard
