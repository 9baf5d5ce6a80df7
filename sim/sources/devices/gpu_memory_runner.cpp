// SPDX-License-Identifier: Apache-2.0
/// Runs scenarios with `gpu_memory:`: which process gets how much memory of which GPU, and which one fails when.
#include "models/core/figure_text.hpp"
#include "models/core/quantity_text.hpp"
#include "models/core/text.hpp"
#include "models/scenario/sections/gpu_memory.hpp"
#include "sim/report/document_head.hpp"
#include "sim/report/output_file.hpp"
#include "sim/report/table.hpp"
#include "sim/sources/scenario_runner.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace trainyard {
namespace {

using Json = nlohmann::ordered_json;

std::string list_of(const std::vector<int>& numbers)
{
  std::string text;
  for (const int number : numbers)
    text += (text.empty() ? "" : " ") + std::to_string(number);
  return text.empty() ? "none" : text;
}

class GpuMemoryRunner final : public ScenarioRunner
{
public:
  std::string kind() const override { return "trainyard gpu memory"; }
  ReadParts parts() const override { return {"gpu_memory"}; }
  void check(const Scenario&, const Catalogue&, Diagnostics&) const override {}

  RunReport run(const std::vector<CheckedPoint>& points, const SimulateOptions& options, bool colour) const override
  {
    std::vector<std::vector<TableCell>> rows;
    std::vector<std::size_t> groups;
    std::string processes = "point,process,policy,visible_gpus,start_s,outcome,failed_s,most_held_B,reason\n";
    std::string memory = "point,time_s,gpu,process,held_B,used_B\n";
    Json summary = document_head(kind());
    summary["processes"] = Json::array();
    for (std::size_t i = 0; i < points.size(); ++i) {
      if (options.progress)
        options.progress(i, points.size(), points[i].label);
      const auto& section = *points[i].scenario.section<GpuMemorySection>("gpu_memory");
      const std::string point = points[i].variant.empty() ? points[i].label : points[i].variant;
      const std::vector<Bytes> gpus(static_cast<std::size_t>(section.gpus), section.memory);
      const MemorySharing sharing = share_memory(gpus, section.processes, section.fragmentation);
      for (std::size_t p = 0; p < section.processes.size(); ++p) {
        const GpuProcess& process = section.processes[p];
        const ProcessOutcome& outcome = sharing.processes[p];
        const std::string verdict = !outcome.failed ? "runs" : outcome.started ? "out of memory" : "fails at its start";
        rows.push_back(
            {{point},
             {process.name},
             {process.policy == "fraction" ? fmt::format("fraction {:g}", process.fraction) : process.policy},
             {list_of(process.visible)},
             {to_text(outcome.most_held)},
             {outcome.failed ? fmt::format("{} ({})", verdict, to_text(*outcome.failed)) : verdict},
             {outcome.reason}});
        processes += fmt::format("{},{},{},{},{},{},{},{},{}\n", csv_text(point), csv_text(process.name),
                                 process.policy, list_of(process.visible), process.start.value(), verdict,
                                 outcome.failed ? fmt::format("{}", outcome.failed->value()) : "",
                                 outcome.most_held.value(), csv_text(outcome.reason));
        Json json = {{"point", point},           {"process", process.name},
                     {"policy", process.policy}, {"visible_gpus", process.visible},
                     {"outcome", verdict},       {"most_held_B", outcome.most_held.value()},
                     {"reason", outcome.reason}};
        if (outcome.failed)
          json["failed_s"] = outcome.failed->value();
        summary["processes"].push_back(json);
      }
      for (const MemoryHeld& held : sharing.timeline)
        memory += fmt::format("{},{},{},{},{},{}\n", csv_text(point), held.time.value(), held.gpu,
                              csv_text(held.process), held.held.value(), held.used.value());
    }
    RunReport report;
    report.text = heading(points.front().scenario.name, points.front().scenario.description) + "\n\n" +
                  table_text({{"variant", false},
                              {"process", false},
                              {"policy", false},
                              {"GPUs", false},
                              {"most held", true},
                              {"outcome", false},
                              {"why", false}},
                             rows, colour, groups);
    report.summary = summary.dump(2) + "\n";
    report.files = {{"processes.csv", [processes](const std::filesystem::path& file) { write_file(file, processes); }},
                    {"memory.csv", [memory](const std::filesystem::path& file) { write_file(file, memory); }}};
    return report;
  }

  std::string explain(const std::filesystem::path& folder, const std::string& what,
                      const std::string& name) const override
  {
    const Json summary = Json::parse(read_text_file(folder / "summary.json", 64U << 20U), nullptr, false);
    std::string text;
    for (const Json& process : summary.value("processes", Json::array()))
      if (what.empty() || process.value("process", "") == name)
        text += fmt::format("{}, process '{}': {}{}\n", process.value("point", ""), process.value("process", ""),
                            process.value("outcome", ""),
                            process.value("reason", "").empty() ? "" : ": " + process.value("reason", ""));
    if (text.empty())
      throw InputError{fmt::format("there is no process '{}' in this run", name)};
    return text;
  }
};

TY_REGISTER(ScenarioRunner, GpuMemoryRunner, "gpu_memory", "processes that share the GPUs of a node");

} // namespace
} // namespace trainyard
