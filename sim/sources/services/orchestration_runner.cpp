// SPDX-License-Identifier: Apache-2.0
// Scenarios with `services`: an orchestrator keeps them running on machines that fail.
#include "models/core/closest.hpp"
#include "models/core/data_folder.hpp"
#include "models/core/figure_text.hpp"
#include "models/core/interrupt.hpp"
#include "models/core/statistics.hpp"
#include "models/core/text.hpp"
#include "models/orchestration/orchestrator.hpp"
#include "models/orchestration/service.hpp"
#include "models/results/json.hpp"
#include "sim/report/gpu_series.hpp"
#include "sim/report/output_file.hpp"
#include "sim/sources/scenario_runner.hpp"
#include "sim/sources/services/orchestration_report.hpp"
#include "sim/sources/services/prepare.hpp"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>

namespace trainyard {
namespace {

using Json = nlohmann::ordered_json;
using orchestration::PointRun;
using orchestration::Runs;

/// The figures of a run whose means over several seeds are told, by name.
std::vector<std::pair<std::string, double>> repeated_figures(const PointRun& run)
{
  const orchestration::Totals all{run};
  const auto hours = [](Wide part) { return gpu_seconds(part) / 3600; };
  std::vector<std::pair<std::string, double>> figures{
      {"failures", run.result.faults.size()},  {"tasks hit", all.hit},
      {"lost GPU-h", hours(all.lost)},         {"stalled GPU-h", hours(all.stalled)},
      {"starting GPU-h", hours(all.starting)}, {"down GPU-h", hours(run.result.down.gpu)},
      {"useful GPU-h", hours(all.useful)}};
  if (all.recovered > 0)
    figures.emplace_back("time to recover, s", all.recovering / static_cast<double>(all.recovered));
  for (std::size_t s = 0; s < run.input.services.size(); ++s) {
    const ServiceOutcome& outcome = run.result.services[s];
    figures.emplace_back("availability of " + run.input.services[s].name, orchestration::availability(outcome));
    if (outcome.finished >= Instant{})
      figures.emplace_back(run.input.services[s].name + " done after, h", outcome.finished.value() / 3600);
  }
  return figures;
}

bool runs_graph(const Scenario& scenario)
{
  return std::ranges::any_of(scenario.section<ServicesSection>("services")->services, &ServiceSpec::graph);
}

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
    parts.others.push_back({"graph", runs_graph, "if a service runs it (graph: true)"});
    parts.others.push_back({"gpu_memory", trains, "if a service names a job (job: NAME)"});
    const auto transports = std::ranges::find(parts.others, "transports", &ReadPart::name);
    transports->when = [trains](const Scenario& scenario) { return trains(scenario) || runs_graph(scenario); };
    parts.repeats = true;
    parts.uses_job = [](const Scenario& scenario, const std::string& job) {
      return std::ranges::any_of(scenario.section<ServicesSection>("services")->services,
                                 [&](const ServiceSpec& service) { return service.job == job; });
    };
    return parts;
  }

  int claims(const Scenario& scenario) const override
  {
    if (!scenario.sections.contains("services"))
      return 0;
    return 1 + (runs_graph(scenario) ? 1 : 0) + (scenario.sections.contains("gpu_memory") ? 1 : 0);
  }

  void check(const Scenario& scenario, const Catalogue& catalogue, Diagnostics& diagnostics) const override
  {
    check_orchestration(scenario, catalogue, diagnostics);
  }

  std::string kind() const override { return "trainyard orchestration"; }

  RunReport run(const std::vector<CheckedPoint>& points, const SimulateOptions& options) const override
  {
    const Catalogue catalogue = load_catalogue(data_folder());
    auto runs = std::make_shared<Runs>();
    const Scenario& scenario = points.front().scenario;
    Json repeated = Json::array();
    Telling repeated_told;
    std::size_t ready = 0, total = 0;
    for (const CheckedPoint& point : points)
      total += static_cast<std::size_t>(std::max(1, point.scenario.run.replicas));
    try {
      for (const CheckedPoint& point : points) {
        std::map<std::string, std::vector<double>> figures;
        std::vector<std::string> order;
        std::optional<PointRun> first;
        for (int replica = 0; replica < std::max(1, point.scenario.run.replicas); ++replica) {
          if (options.progress)
            options.progress(ready++, total, point.label);
          PointRun one = orchestration::services_point(
              point, catalogue, point.scenario.run.seed + static_cast<std::uint64_t>(replica), replica == 0);
          one.result = orchestrate(one.input);
          for (const auto& [name, value] : repeated_figures(one)) {
            if (!figures.contains(name))
              order.push_back(name);
            figures[name].push_back(value);
          }
          if (replica == 0 && options.result)
            tell(one, options.result);
          if (replica == 0) {
            for (int service = 0; one.input.last_step && service < static_cast<int>(one.input.services.size());
                 ++service)
              one.steps.push_back(one.input.last_step(service));
            first = std::move(one);
          }
        }
        runs->push_back(std::move(*first));
        if (point.scenario.run.replicas > 1) {
          TableRows rows;
          Json values = Json::object();
          for (const std::string& name : order) {
            const std::vector<double>& values_of_seeds = figures.at(name);
            const MeanInterval interval = mean_interval(values_of_seeds, point.scenario.run.confidence);
            rows.push_back({name, fmt::format("{:.5g}", interval.mean), fmt::format("± {:.2g}", interval.half_width()),
                            fmt::format("{:.4g}", *std::ranges::min_element(values_of_seeds)),
                            fmt::format("{:.4g}", *std::ranges::max_element(values_of_seeds)),
                            fmt::format("{}", values_of_seeds.size())});
            values[name] = {
                {"mean", interval.mean}, {"half_width", interval.half_width()}, {"runs", values_of_seeds.size()}};
          }
          repeated_told.lines(fmt::format("\n{}{} seeds from {} on", point.label.empty() ? "" : point.label + ": ",
                                          point.scenario.run.replicas, point.scenario.run.seed));
          repeated_told.table({{"figure", false},
                               {"mean"},
                               {fmt::format("{:g} %", 100 * point.scenario.run.confidence)},
                               {"least"},
                               {"most"},
                               {"runs"}},
                              std::move(rows));
          repeated.push_back({{"point", point.label}, {"figures", values}});
        }
      }
      if (options.progress)
        options.progress(total, total, "");
    } catch (const Interrupted&) {
      interrupt::keep(runs->size(), points.size());
    }

    return with_assumed(orchestration::services_report(scenario, runs, std::move(repeated_told), repeated),
                        assumed(points, orchestration::services_seen(scenario)));
  }

  Telling explain(const WrittenRun& folder, const std::string& what, const std::string& name) const override;

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

constexpr Sentence<Message, Message, Figure, Message, Messages> life{"services.life",
                                                                     "from {from} to {to} ({time}): {state}{more}"};
constexpr Sentence<std::string> on_node{"services.on_node", " on {node}"};
constexpr Sentence<Message> because{"services.because", ": {why}"};
constexpr Sentence<std::string, Message, Message, Figure, Messages> waited_for{
    "services.waited_for", "{task} {state} from {when} for {time}{more}"};
constexpr Sentence<std::string, Message, Message, Messages> gone_from{"services.gone_from",
                                                                      "{task} {state} from {when} on{more}"};
constexpr Sentence<> none_waited{"services.none_waited", "no task waited or was lost"};
constexpr Sentence<> these_waited{"services.these_waited", "tasks that waited or were lost"};
constexpr Sentence<std::string> how_to_ask{"services.how_to_ask",
                                           "events of one task: simrun explain task NAME {folder}"};

/// A row of tasks.csv: a stretch of a task's life.
struct Stretch {
  std::string task; // with its point
  Instant from, to;
  TaskPhase phase = TaskPhase::absent;

  explicit Stretch(const ResultRow& row) : task{row.cell("point")}, from{row.time("from_s")}, to{row.time("to_s")}
  {
    task += (task.empty() ? "" : ": ") + row.cell("task");
    for (const std::string state = row.cell("state"); phase != TaskPhase::gone && to_text(phase) != state;)
      phase = static_cast<TaskPhase>(static_cast<int>(phase) + 1);
  }
  Figure length() const { return {(to - from).value(), time_text(seconds(to - from))}; }
};

/// Why a task does not run then, and where it is.
Messages details_of(const WrittenRun& run, const ResultRow& row, bool where)
{
  Messages more;
  if (const std::string node = row.cell("node"); where && !node.empty())
    more.push_back(on_node(node));
  if (const std::string reason = row.cell("reason"); !reason.empty())
    more.push_back(because(run.said(reason)));
  return more;
}

/// The life of tasks, from tasks.csv: where each ran, and why it did not run.
Telling explain_tasks(const WrittenRun& run, const std::string& name, bool service)
{
  Telling told;
  std::string last;
  std::set<std::string> known;
  run.for_each_row("tasks.csv", [&](const ResultRow& row) {
    if (const std::string owner = row.cell(service ? "service" : "task"); owner != name) {
      known.insert(owner);
      return;
    }
    const Stretch one{row};
    if (one.task != last)
      told.heading(plain(MessageKind::part, one.task), last.empty() ? "" : "\n");
    last = one.task;
    told.line(life(clock(one.from), clock(one.to), one.length(), message_of(one.phase), details_of(run, row, true)));
  });
  if (last.empty())
    throw InputError{fmt::format("there is no {} '{}' in this run{}", service ? "service" : "task", name,
                                 did_you_mean(name, std::vector<std::string>{known.begin(), known.end()}))};
  return told;
}

/// What a failure or a machine did: the lines of the log that name it.
Telling explain_log(const WrittenRun& folder, const std::string& what, const std::string& name)
{
  Telling told;
  std::string last;
  const auto letter = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; };
  folder.for_each_row("events.csv", [&](const ResultRow& row) {
    const std::string event = row.cell("event"), point = row.cell("point");
    const std::size_t found = event.find(name);
    if (found == std::string::npos || (found + name.size() < event.size() && letter(event[found + name.size()])))
      return;
    if (point != last)
      told.heading(plain(MessageKind::part, point + ":"));
    last = point;
    told.say(plain(MessageKind::part, row.cell("clock") + " " + event));
  });
  if (told.empty())
    throw InputError{fmt::format("nothing happened to {} '{}' in this run; events.txt lists all events", what, name)};
  return told;
}

Telling OrchestrationRunner::explain(const WrittenRun& folder, const std::string& what, const std::string& name) const
{
  if (what == "task")
    return explain_tasks(folder, name, false);
  if (what == "service" || what == "job")
    return explain_tasks(folder, name, true);
  if (what == "node" || what == "fault" || what == "failure")
    return explain_log(folder, what, name);
  if (what == "gpus")
    return gpus_at(folder, name);
  if (!what.empty())
    throw InputError{fmt::format(
        "a run under an orchestrator has tasks, services, nodes and gpus, but no '{}'; write simrun explain task NAME "
        "FOLDER",
        what)};
  Telling told;
  told.heading(plain(MessageKind::part, folder.heading()));
  told.gap();
  tell_answers(folder, told);
  // All tasks that do not run at the end, or waited long, with the reason.
  constexpr std::int64_t most = 40;
  std::int64_t lines = 0;
  bool any = false; // a run that failed has written no tasks
  folder.for_each_row("tasks.csv", [&](const ResultRow& row) {
    const Stretch one{row};
    any = true;
    const bool gone = one.phase == TaskPhase::gone;
    const bool waits = one.phase == TaskPhase::waiting || one.phase == TaskPhase::unnoticed ||
                       one.phase == TaskPhase::evicting || one.phase == TaskPhase::backoff;
    if ((!gone && (!waits || one.from == one.to)) || ++lines > most)
      return;
    if (lines == 1)
      told.heading(these_waited());
    const Messages more = details_of(folder, row, false);
    told.line(gone ? gone_from(one.task, message_of(one.phase), clock(one.from), more)
                   : waited_for(one.task, message_of(one.phase), clock(one.from), one.length(), more));
  });
  if (lines == 0 && any)
    told.say(none_waited());
  if (lines > most)
    told.line(orchestration::more_rows_in(lines - most, "tasks.csv"));
  told.gap();
  told.say(how_to_ask(folder.path.string()));
  return told;
}

TY_REGISTER(ScenarioRunner, OrchestrationRunner, "orchestration",
            "services and jobs that an orchestrator keeps running while machines fail");

} // namespace
} // namespace trainyard
