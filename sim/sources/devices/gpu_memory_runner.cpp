// SPDX-License-Identifier: Apache-2.0
/// Runs scenarios with `gpu_memory:`: which process gets how much memory of which GPU, and which one fails when.
#include "models/core/figure_text.hpp"
#include "models/core/message.hpp"
#include "models/core/quantity_text.hpp"
#include "models/core/text.hpp"
#include "models/cost/memory_sharing.hpp"
#include "models/results/json.hpp"
#include "sim/report/document_head.hpp"
#include "sim/sources/scenario_runner.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
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

constexpr Sentence<std::string, std::string> all_fit{"gpu_memory.all_fit", "{point}: {processes} fit together"};
constexpr Sentence<std::string, std::string, std::string> some_fit{
    "gpu_memory.some_fit", "{point}: {processes} fit, beside them {other} does not"};

class GpuMemoryRunner final : public ScenarioRunner
{
public:
  std::string kind() const override { return "trainyard gpu memory"; }
  ReadParts parts() const override { return {"gpu_memory"}; }
  void check(const Scenario&, const Catalogue&, Diagnostics&) const override {}

  RunReport run(const std::vector<CheckedPoint>& points, const SimulateOptions& options) const override
  {
    TableRows rows;
    std::string processes = "point,process,policy,visible_gpus,start_s,outcome,failed_s,most_held_B,reason\n";
    std::string memory = "point,time_s,gpu,process,held_B,used_B\n";
    Json summary = document_head(kind(), points.front().scenario);
    summary["processes"] = Json::array();
    summary["messages"] = Json::array();
    for (std::size_t i = 0; i < points.size(); ++i) {
      if (options.progress)
        options.progress(i, points.size(), points[i].label);
      const auto& section = *points[i].scenario.section<GpuMemorySection>("gpu_memory");
      const std::string point = name_among(points, points[i]);
      const std::vector<Bytes> gpus(static_cast<std::size_t>(section.gpus), section.memory);
      const MemorySharing sharing = share_memory(gpus, section.processes, section.fragmentation);
      std::vector<std::string> fitting, others;
      for (std::size_t p = 0; p < section.processes.size(); ++p) {
        const GpuProcess& process = section.processes[p];
        const ProcessOutcome& outcome = sharing.processes[p];
        (outcome.failed ? others : fitting).push_back(process.name);
        const std::string verdict = !outcome.failed ? "runs" : outcome.started ? "out of memory" : "fails at its start";
        rows.push_back({point, process.name,
                        process.policy == "fraction" ? fmt::format("fraction {:g}", process.fraction) : process.policy,
                        list_of(process.visible), to_text(outcome.most_held),
                        outcome.failed ? fmt::format("{} ({})", verdict, to_text(*outcome.failed)) : verdict,
                        outcome.reason});
        processes += fmt::format("{},{},{},{},{},{},{},{},{}\n", csv_text(point), csv_text(process.name),
                                 process.policy, list_of(process.visible), process.start.value(), verdict,
                                 outcome.failed ? fmt::format("{}", outcome.failed->value()) : "",
                                 outcome.most_held.value(), csv_text(outcome.reason));
        Json json = {{"point", point},
                     {"item", process.name},
                     {"process", process.name},
                     {"policy", process.policy},
                     {"visible_gpus", process.visible},
                     {"outcome", verdict},
                     {"most_held_B", outcome.most_held.value()},
                     {"reason", outcome.reason}};
        if (outcome.failed)
          json["failed_s"] = outcome.failed->value();
        summary["processes"].push_back(json);
      }
      const std::string here = fmt::format("{}", fmt::join(fitting, ", ")),
                        there = fmt::format("{}", fmt::join(others, ", "));
      summary["messages"].push_back(
          to_json(as(MessageKind::answer, others.empty() ? all_fit(point, here) : some_fit(point, here, there))));
      for (const MemoryHeld& held : sharing.timeline)
        memory += fmt::format("{},{},{},{},{},{}\n", csv_text(point), held.time.value(), held.gpu,
                              csv_text(held.process), held.held.value(), held.used.value());
    }
    RunReport report;
    report.told.heading(heading(points.front().scenario.name, points.front().scenario.description));
    report.told.gap();
    report.told.table({{"variant", false},
                       {"process", false},
                       {"policy", false},
                       {"GPUs", false},
                       {"most held"},
                       {"outcome", false},
                       {"why", false}},
                      std::move(rows));
    report.summary = std::move(summary);
    report.files = {text_file("processes.csv", processes), text_file("memory.csv", memory)};
    return report;
  }

  Telling explain(const WrittenRun& folder, const std::string& what, const std::string& name) const override
  {
    Telling told;
    for (const Json& process : folder.summary.value("processes", Json::array()))
      if (const std::string reason = process.value("reason", ""); what.empty() || process.value("process", "") == name)
        told.say(plain(MessageKind::part,
                       fmt::format("{}, process '{}': {}{}{}", process.value("point", ""), process.value("process", ""),
                                   process.value("outcome", ""), reason.empty() ? "" : ": ", reason)));
    if (told.empty())
      throw InputError{fmt::format("there is no process '{}' in this run", name)};
    return told;
  }
};

TY_REGISTER(ScenarioRunner, GpuMemoryRunner, "gpu_memory", "processes that share the GPUs of a node");

} // namespace
} // namespace trainyard
