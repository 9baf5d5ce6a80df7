// SPDX-License-Identifier: Apache-2.0
// Scenarios with `services`: an orchestrator keeps them running on machines that fail.
#include "models/core/closest.hpp"
#include "models/core/data_folder.hpp"
#include "models/core/figure_text.hpp"
#include "models/core/program.hpp"
#include "models/core/statistics.hpp"
#include "models/core/text.hpp"
#include "models/job/traces/trace_importer.hpp"
#include "models/scenario/sections/orchestrator.hpp"
#include "models/scenario/sections/services.hpp"
#include "sim/report/output_file.hpp"
#include "sim/report/table.hpp"
#include "sim/sources/scenario_runner.hpp"
#include "sim/sources/services/orchestration_report.hpp"
#include "sim/sources/services/prepare.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fstream>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>

namespace trainyard {
namespace {

using Json = nlohmann::ordered_json;
using orchestration::PointRun;
using orchestration::Runs;

class OrchestrationRunner final : public ScenarioRunner
{
public:
  ReadParts parts() const override
  {
    const auto trains = [](const Scenario& scenario) {
      return std::ranges::any_of(scenario.section<ServicesSection>("services")->services,
                                 [](const ServiceSpec& service) { return !service.job.empty(); });
    };
    ReadParts parts{"services", {{"orchestrator"}, {"faults"}, {"storage"}}};
    for (ReadPart& part : training_parts(trains, "if a service names a job (job: NAME)"))
      parts.others.push_back(std::move(part));
    parts.repeats = true;
    parts.uses_job = [](const Scenario& scenario, const std::string& job) {
      return std::ranges::any_of(scenario.section<ServicesSection>("services")->services,
                                 [&](const ServiceSpec& service) { return service.job == job; });
    };
    return parts;
  }

  void check(const Scenario& scenario, const Catalogue& catalogue, Diagnostics& diagnostics) const override
  {
    check_orchestration(scenario, catalogue, diagnostics);
  }

  std::string kind() const override { return "trainyard orchestration"; }

  RunReport run(const std::vector<CheckedPoint>& points, const SimulateOptions& options, bool colour) const override
  {
    const Catalogue catalogue = load_catalogue(data_folder());
    auto runs = std::make_shared<Runs>();
    const Scenario& scenario = points.front().scenario;
    Json repeated = Json::array();
    std::string repeated_text;
    std::size_t ready = 0, total = 0;
    for (const CheckedPoint& point : points)
      total += static_cast<std::size_t>(std::max(1, point.scenario.run.replicas));
    for (const CheckedPoint& point : points) {
      std::map<std::string, std::vector<double>> figures;
      std::vector<std::string> order;
      for (int replica = 0; replica < std::max(1, point.scenario.run.replicas); ++replica) {
        if (options.progress)
          options.progress(ready++, total, point.label);
        PointRun one = orchestration::services_point(
            point, catalogue, point.scenario.run.seed + static_cast<std::uint64_t>(replica), replica == 0);
        one.result = orchestrate(one.input);
        if (point.scenario.run.replicas > 1) {
          const auto note = [&](const std::string& name, double value) {
            if (!figures.contains(name))
              order.push_back(name);
            figures[name].push_back(value);
          };
          const Json summary = orchestration::summary_of(one);
          note("failures", summary["failures"].get<double>());
          note("tasks hit", summary["tasks_hit"].get<double>());
          for (const char* part : {"lost", "stalled", "starting", "down", "useful"})
            note(fmt::format("{} GPU-h", part), summary["gpu_hours"][part].get<double>());
          if (!summary["mean_time_to_recover_s"].is_null())
            note("time to recover, s", summary["mean_time_to_recover_s"].get<double>());
          for (const Json& service : summary["services"]) {
            note(fmt::format("availability of {}", service["service"].get<std::string>()),
                 service["availability"].get<double>());
            if (!service["finished_s"].is_null())
              note(fmt::format("{} done after, h", service["service"].get<std::string>()),
                   service["finished_s"].get<double>() / 3600);
          }
        }
        if (replica == 0 && options.result)
          tell(one, options.result);
        if (replica == 0)
          runs->push_back(std::move(one));
      }
      if (point.scenario.run.replicas > 1) {
        std::vector<std::vector<TableCell>> rows;
        Json values = Json::object();
        for (const std::string& name : order) {
          const std::vector<double>& values_of_seeds = figures.at(name);
          const MeanInterval interval = mean_interval(values_of_seeds, point.scenario.run.confidence);
          rows.push_back({{name},
                          {fmt::format("{:.5g}", interval.mean)},
                          {fmt::format("± {:.2g}", interval.half_width())},
                          {fmt::format("{:.4g}", *std::ranges::min_element(values_of_seeds))},
                          {fmt::format("{:.4g}", *std::ranges::max_element(values_of_seeds))},
                          {fmt::format("{}", values_of_seeds.size())}});
          values[name] = {
              {"mean", interval.mean}, {"half_width", interval.half_width()}, {"runs", values_of_seeds.size()}};
        }
        repeated_text += fmt::format("\n{}{} seeds from {} on\n{}", point.label.empty() ? "" : point.label + ": ",
                                     point.scenario.run.replicas, point.scenario.run.seed,
                                     table_text({{"figure", false},
                                                 {"mean", true},
                                                 {fmt::format("{:g} %", 100 * point.scenario.run.confidence), true},
                                                 {"least", true},
                                                 {"most", true},
                                                 {"runs", true}},
                                                rows, colour));
        repeated.push_back({{"point", point.label}, {"figures", values}});
      }
    }
    if (options.progress)
      options.progress(total, total, "");

    return with_assumed(orchestration::services_report(scenario, runs, repeated_text, repeated, colour),
                        assumed(points, orchestration::services_seen(scenario)));
  }

  std::string explain(const std::filesystem::path& folder, const std::string& what,
                      const std::string& name) const override;

private:
  /// Running tasks of each service over time.
  static void tell(const PointRun& run, const std::function<void(const LiveResult&)>& listener)
  {
    for (const SeriesPoint& point : run.result.series) {
      const std::string& service = run.input.services[static_cast<std::size_t>(point.service)].name;
      listener({run.point, service, run.point.empty() ? service : service + ", " + run.point, "time_h",
                point.time.value() / 3600, "running_tasks", static_cast<double>(point.running)});
    }
  }
};

std::string file_text(const std::filesystem::path& path)
{
  std::ifstream in{path, std::ios::binary};
  if (!in)
    throw InputError{fmt::format("'{}' is missing: the folder is not a complete run", path.string())};
  return {std::istreambuf_iterator<char>{in}, {}};
}

/// The life of tasks, from tasks.csv: where each ran, and why it did not run.
std::string explain_tasks(const std::filesystem::path& folder, const std::string& name, bool service)
{
  const std::string text_of_file = file_text(folder / "tasks.csv");
  TraceTable table{text_of_file, folder / "tasks.csv", {"point", "task", "service", "from_s", "to_s", "state"}};
  TraceAudit audit;
  std::string text, last;
  std::vector<std::string> known;
  table.for_each(audit, [&](std::int64_t) {
    const std::string task{table.cell("task")};
    const std::string owner{service ? table.cell("service") : table.cell("task")};
    if (owner != name) {
      if (known.size() < 100'000 && (known.empty() || known.back() != owner))
        known.push_back(owner);
      return;
    }
    const std::string head = std::string{table.cell("point")} + (table.cell("point").empty() ? "" : ": ") + task;
    if (head != last)
      text += (text.empty() ? "" : "\n") + head + "\n";
    last = head;
    const double from = table.number("from_s").value_or(0), to = table.number("to_s").value_or(0);
    const std::string node{table.cell("node")}, reason{table.cell("reason")};
    text += fmt::format("  from {} to {} ({}): {}{}{}\n", clock_text(Seconds{from}), clock_text(Seconds{to}),
                        time_text(Seconds{to - from}), table.cell("state"), node.empty() ? "" : " on " + node,
                        reason.empty() ? "" : ": " + reason);
  });
  if (text.empty()) {
    std::ranges::sort(known);
    known.erase(std::unique(known.begin(), known.end()), known.end());
    throw InputError{fmt::format("there is no {} '{}' in this run{}", service ? "service" : "task", name,
                                 did_you_mean(name, known))};
  }
  return text;
}

/// What a failure or a machine did: the lines of the log that name it.
std::string explain_log(const std::filesystem::path& folder, const std::string& what, const std::string& name)
{
  const std::string log = file_text(folder / "events.txt");
  std::string text, point;
  std::size_t at = 0;
  while (at < log.size()) {
    const std::size_t end = std::min(log.find('\n', at), log.size());
    const std::string line = log.substr(at, end - at);
    at = end + 1;
    if (line.ends_with(":") && line.find(' ') == std::string::npos)
      point = line + "\n";
    const std::size_t found = line.find(name);
    const auto letter = [](char c) {
      return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    };
    if (found == std::string::npos || (found + name.size() < line.size() && letter(line[found + name.size()])))
      continue;
    text += point + line + "\n";
    point.clear();
  }
  if (text.empty())
    throw InputError{fmt::format("nothing happened to {} '{}' in this run; events.txt lists all events", what, name)};
  return text;
}

std::string OrchestrationRunner::explain(const std::filesystem::path& folder, const std::string& what,
                                         const std::string& name) const
{
  if (what == "task")
    return explain_tasks(folder, name, false);
  if (what == "service" || what == "job")
    return explain_tasks(folder, name, true);
  if (what == "node" || what == "fault" || what == "failure")
    return explain_log(folder, what, name);
  if (!what.empty())
    throw InputError{fmt::format(
        "a run under an orchestrator has tasks, services and nodes, but no '{}'; write simrun explain task NAME FOLDER",
        what)};
  const Json summary = Json::parse(file_text(folder / "summary.json"), nullptr, false);
  std::string text = fmt::format("{}\n\n{}\n", heading(summary.value("scenario", ""), summary.value("description", "")),
                                 summary.value("advice", ""));
  // All tasks that do not run at the end, or waited long, with the reason.
  const std::string text_of_file = file_text(folder / "tasks.csv");
  TraceTable table{text_of_file, folder / "tasks.csv", {"point", "task", "service", "from_s", "to_s", "state"}};
  TraceAudit audit;
  std::string waits;
  int lines = 0, more = 0;
  table.for_each(audit, [&](std::int64_t) {
    const std::string state{table.cell("state")}, reason{table.cell("reason")};
    const double from = table.number("from_s").value_or(0), to = table.number("to_s").value_or(0);
    if (!(state == "gone" || state == "pending" || state == "dead, not noticed yet" ||
          state == "lost, not replaced yet") ||
        (to - from < 1e-9 && state != "gone"))
      return;
    if (++lines > 40) {
      ++more;
      return;
    }
    waits += fmt::format("  {}{}{} {} from {}{}{}\n", table.cell("point"), table.cell("point").empty() ? "" : ": ",
                         table.cell("task"), state, clock_text(Seconds{from}),
                         state == "gone" ? " on" : fmt::format(" for {}", time_text(Seconds{to - from})),
                         reason.empty() ? "" : ": " + reason);
  });
  text += waits.empty() ? "no task waited or was lost\n" : "tasks that waited or were lost\n" + waits;
  if (more > 0)
    text += fmt::format("  … {} more in tasks.csv\n", more);
  return text + "\nevents of one task: simrun explain task NAME " + folder.string() + "\n";
}

TY_REGISTER(ScenarioRunner, OrchestrationRunner, "orchestration",
            "services and jobs that an orchestrator keeps running while machines fail");

} // namespace
} // namespace trainyard
