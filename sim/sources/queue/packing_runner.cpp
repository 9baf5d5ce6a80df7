// SPDX-License-Identifier: Apache-2.0
// Runs scenarios with `workload: {packing: …}`: which placement policy can allocate how much of the cluster.
#include "models/cluster/build.hpp"
#include "models/core/data_folder.hpp"
#include "models/core/interrupt.hpp"
#include "models/core/text.hpp"
#include "sim/report/document_head.hpp"
#include "sim/report/table.hpp"
#include "sim/sources/queue/packing.hpp"
#include "sim/sources/queue/queue_point.hpp"
#include "sim/sources/scenario_runner.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace trainyard {
namespace {

constexpr Sentence<> takes_no_time{"idle.takes_no_time", "nothing takes time in a packing"};

using PackingJson = nlohmann::ordered_json;

/// One placement policy of one point.
struct PackingRun {
  std::string point, placement;
  std::vector<PackedOrder> orders;
  double measured_at = 1, load = 1;

  std::vector<double> measured() const { return values(&PackedOrder::at_measured); }
  std::vector<double> at_end() const { return values(&PackedOrder::at_end); }
  /// Share of the tasks.
  double placed() const
  {
    double placed = 0, tasks = 0;
    for (const PackedOrder& order : orders) {
      placed += order.placed;
      tasks += order.tasks;
    }
    return tasks > 0 ? placed / tasks : 0;
  }
  std::vector<double> values(double PackedOrder::*member) const
  {
    std::vector<double> all;
    all.reserve(orders.size());
    for (const PackedOrder& order : orders)
      all.push_back(order.*member);
    return all;
  }
};

double mean_of(const std::vector<double>& values)
{
  double sum = 0;
  for (const double value : values)
    sum += value;
  return values.empty() ? 0 : sum / static_cast<double>(values.size());
}

/// Sample standard deviation; 0 of a single value.
double deviation_of(const std::vector<double>& values)
{
  const double mean = mean_of(values);
  double squares = 0;
  for (const double value : values)
    squares += (value - mean) * (value - mean);
  return values.size() < 2 ? 0 : std::sqrt(squares / static_cast<double>(values.size() - 1));
}

class PackingRunner final : public ScenarioRunner
{
public:
  ReadParts parts() const override
  {
    const auto of_cluster = [](const Scenario& scenario) {
      const auto* workload = scenario.section<WorkloadSection>("workload");
      return workload == nullptr || !workload->machines;
    };
    return {.main = "workload",
            .others = {{"scheduling"}, {"cluster", of_cluster, "without workload: {machines: FILE}"}},
            .condition = "with packing"};
  }

  /// More than the queue, whose workload it packs.
  int claims(const Scenario& scenario) const override
  {
    const auto* workload = scenario.section<WorkloadSection>("workload");
    return workload != nullptr && workload->packing ? 100 : 0;
  }

  void check(const Scenario& scenario, const Catalogue& catalogue, Diagnostics& diagnostics) const override
  {
    const auto* workload = scenario.section<WorkloadSection>("workload");
    const auto* scheduling = scenario.section<SchedulingSection>("scheduling");
    if (scenario.run.until > Instant{0})
      diagnostics.warning({.path = "run.until"}, no_effect("until", takes_no_time()));
    if (!workload->machines) {
      const Cluster cluster = build_cluster(scenario.cluster, catalogue.links, diagnostics);
      if (!diagnostics.has_errors() && cluster.gpus() == 0)
        diagnostics.error({.path = "cluster"}, "the cluster has no GPUs to pack tasks on");
    }
    if (scheduling != nullptr && !scheduling->machines)
      diagnostics.error({.path = "scheduling.cluster"}, "packing needs machines; remove cluster: pool");
    if (workload->listed && workload->listed->task_lists.size() > 1)
      diagnostics.error({.path = "workload.jobs"}, "packing places equal tasks; write their number (tasks: 3)");
    if (diagnostics.has_errors())
      return;
    for (const NamedPart& placement : scheduling_of(scenario).placements)
      try {
        Registry<PlacementPolicy>::instance().create(placement.name, placement.settings);
      } catch (const std::invalid_argument& fault) {
        diagnostics.error({.path = "scheduling.placements"},
                          fmt::format("placement policy '{}': {}", placement.label, fault.what()));
      }
  }

  Outline outline(const std::vector<CheckedPoint>& points, const Catalogue& catalogue, Diagnostics&) const override
  {
    std::string text;
    for (const CheckedPoint& point : points) {
      std::string notes;
      const Prepared prepared = prepare(point, catalogue, notes);
      double milli = 0;
      for (const TraceJob& job : prepared.workload.jobs)
        milli += static_cast<double>(request_of(job).milli());
      const std::string here =
          fmt::format("{} tasks that ask for {:.1f} % of {} GPUs on {} machines\n", prepared.workload.size(),
                      milli / 10 / std::max(1, prepared.shape.total_gpus()), prepared.shape.total_gpus(),
                      prepared.shape.nodes.size()) +
          notes;
      if (text.find(here) == std::string::npos)
        text += here;
    }
    return {text};
  }

  RunReport run(const std::vector<CheckedPoint>& points, const SimulateOptions& options) const override
  {
    const Catalogue read = options.catalogue == nullptr ? load_catalogue(data_folder()) : Catalogue{};
    const Catalogue& catalogue = options.catalogue == nullptr ? read : *options.catalogue;
    auto runs = std::make_shared<std::vector<PackingRun>>();
    std::string notes;
    std::size_t total = 0;
    for (const CheckedPoint& point : points)
      total += scheduling_of(point.scenario).placements.size();
    int gpus = 0;
    try {
      for (const CheckedPoint& point : points) {
        const Prepared prepared = prepare(point, catalogue, notes);
        gpus = std::max(gpus, prepared.shape.total_gpus());
        const PackingSection how =
            point.scenario.section<WorkloadSection>("workload")->packing.value_or(PackingSection{});
        for (const NamedPart& named : scheduling_of(point.scenario).placements) {
          if (options.progress)
            options.progress(runs->size(), total, named.label);
          PackingRun one{point.label, named.label, {}, how.measured_at, how.load};
          const auto placement = Registry<PlacementPolicy>::instance().create(named.name, named.settings);
          for (int i = 0; i < how.orders; ++i)
            one.orders.push_back(pack(prepared.workload, prepared.shape, *placement, how,
                                      point.scenario.run.seed + static_cast<std::uint64_t>(i)));
          runs->push_back(std::move(one));
        }
      }
      if (options.progress)
        options.progress(total, total, "");
    } catch (const Interrupted&) {
      interrupt::keep(runs->size(), total);
    }
    // Nobody is replayed: of the queue's defaults only the placement matters.
    std::vector<FilledDefault> seen;
    for (const char* unused :
         {"workload.trace.processors_per_gpu", "workload.estimate_badness", "scheduling.policy", "scheduling.speed",
          "scheduling.cluster", "scheduling.start_cost", "scheduling.checkpoint_cost", "scheduling.restart_cost",
          "scheduling.checkpoint_interval", "scheduling.kill_at_estimate"})
      seen.push_back({unused, "", {}});
    return with_assumed(report(points.front().scenario, runs, gpus, notes), assumed(points, seen));
  }

  std::string kind() const override { return "trainyard packing"; }

  Telling explain(const WrittenRun& folder, const std::string& what, const std::string&) const override
  {
    if (!what.empty())
      throw InputError{fmt::format("a packing has no '{}' to explain; packing.csv has every order", what)};
    Telling told;
    told.heading(plain(MessageKind::part, folder.heading()));
    told.lines(folder.words("notes"));
    return told;
  }

private:
  struct Prepared {
    Workload workload;
    ClusterShape shape;
  };

  static Prepared prepare(const CheckedPoint& point, const Catalogue& catalogue, std::string& notes)
  {
    std::string fresh;
    Prepared prepared;
    prepared.shape = shape_of(point.scenario, catalogue, true, fresh);
    PreparedQueue tasks =
        workload_of(*point.scenario.section<WorkloadSection>("workload"), point.scenario.run.seed, prepared.shape);
    fresh += tasks.notes;
    prepared.workload = std::move(tasks.workload);
    bind_types(prepared.workload, prepared.shape);
    if (notes.find(fresh) == std::string::npos)
      notes += fresh;
    return prepared;
  }

  static RunReport report(const Scenario& scenario, const std::shared_ptr<std::vector<PackingRun>>& runs, int gpus,
                          const std::string& notes)
  {
    const PackingRun& first = runs->front();
    RunReport report;
    report.told.heading(heading(scenario.name, scenario.description));
    report.told.lines(
        fmt::format("tasks arrive in {} orders and never leave, on {} GPUs; shares are of all GPUs, means "
                    "over the orders · seeds {} to {}\n{}\n",
                    first.orders.size(), gpus, first.orders.front().seed, first.orders.back().seed, notes));
    using Run = PackingRun;
    const auto percent = [](auto value) { return [=](const Run& run) { return fmt::format("{:.2f} %", value(run)); }; };
    tell_table<Run>(
        *runs,
        {{{"point", false}, &Run::point, std::ranges::any_of(*runs, [](const Run& run) { return !run.point.empty(); })},
         {{"placement", false}, &Run::placement},
         {{fmt::format("allocated at {:g} %", 100 * first.measured_at)},
          percent([](const Run& run) { return mean_of(run.measured()); })},
         {{"deviation"}, [](const Run& run) { return fmt::format("{:.2f}", deviation_of(run.measured())); }},
         {{"least"}, percent([](const Run& run) { return std::ranges::min(run.measured()); })},
         {{"most"}, percent([](const Run& run) { return std::ranges::max(run.measured()); })},
         {{fmt::format("at {:g} %", 100 * first.load)}, percent([](const Run& run) { return mean_of(run.at_end()); })},
         {{"tasks placed"}, [](const Run& run) { return fmt::format("{:.1f} %", 100 * run.placed()); }}},
        report.told);
    PackingJson& summary = report.summary = document_head("trainyard packing", scenario);
    summary.update(
        {{"orders", first.orders.size()}, {"gpus", gpus}, {"notes", notes}, {"policies", PackingJson::array()}});
    std::string by_order = "point,placement,seed,allocated_at_measured_percent,allocated_at_end_percent,tasks,placed\n";
    std::string by_load = "point,placement,asked_percent,allocated_mean_percent,allocated_least_percent,"
                          "allocated_most_percent\n";
    auto curves = std::make_shared<std::vector<PackingCurve>>();
    for (const PackingRun& run : *runs) {
      for (const PackedOrder& order : run.orders)
        by_order += fmt::format("{},{},{},{},{},{},{}\n", run.point, run.placement, order.seed, order.at_measured,
                                order.at_end, order.tasks, order.placed);
      summary["policies"].push_back({{"point", run.point},
                                     {"policy", run.placement},
                                     {"allocated_percent", mean_of(run.measured())},
                                     {"allocated_deviation_percent", deviation_of(run.measured())},
                                     {"allocated_at_end_percent", mean_of(run.at_end())}});
      curves->push_back(curve_of(run.placement + (run.point.empty() ? "" : ", " + run.point), run.orders));
      const PackingCurve& curve = curves->back();
      for (std::size_t i = 0; i < curve.mean.size(); ++i)
        if (curve.mean[i] >= 0)
          by_load += fmt::format("{},{},{},{},{},{}\n", run.point, run.placement, i, curve.mean[i], curve.least[i],
                                 curve.most[i]);
    }
    report.files = {text_file("packing.csv", by_order), text_file("packing_curve.csv", by_load),
                    picture_file("packing.png", [curves] { return packing_picture(*curves); })};
    return report;
  }
};

TY_REGISTER(ScenarioRunner, PackingRunner, "packing",
            "tasks that arrive in random orders and never leave: how much can each placement policy allocate?");

} // namespace
} // namespace trainyard
