// SPDX-License-Identifier: Apache-2.0
#include "models/results/json.hpp"
#include "models/scenario/sections/faults.hpp"
#include "sim/report/document_head.hpp"
#include "sim/report/gpu_series.hpp"
#include "sim/sources/queue/queue_report.hpp"
#include "sim/sources/queue/queue_setup.hpp"
#include "sim/sources/scenario_runner.hpp"

#include <algorithm>
#include <bit>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <string_view>

namespace trainyard {
namespace {

using Json = nlohmann::ordered_json;

/// Waiting and completion of each team, and of jobs of each size ("9-32 GPUs"), where there are several.
Json groups_json(const QueueRun& run)
{
  static const std::vector<ResultColumn<QueueMetrics>> columns = [] {
    std::vector<ResultColumn<QueueMetrics>> some;
    for (const ResultColumn<QueueMetrics>& column : queue_columns())
      for (const char* name : {"jobs", "finished", "never_ran", "killed", "unfinished", "smallest_change", "jct_s",
                               "queueing_delay_s", "waiting_s", "slowdown", "gpu_hours"})
        if (column.name == name)
          some.push_back(column);
    return some;
  }();
  const Workload& workload = run.measured ? run.measured->jobs : *run.workload;
  const SchedulingResult& result = run.measured ? run.measured->result : run.result;
  Json groups = Json::array();
  for (const GroupBy by : {GroupBy::team, GroupBy::size})
    for (const QueueMetrics& metrics : metrics_by(by, workload, result, run.gpus)) {
      if (metrics.jobs == workload.size() || metrics.name.empty())
        continue;
      groups.push_back({{"group", by == GroupBy::team   ? metrics.name
                                  : metrics.name == "1" ? "1 GPU"
                                                        : metrics.name + " GPUs"}});
      groups.back().update(row_json(columns, metrics));
    }
  return groups;
}

std::vector<MonitoredNode> monitored(const QueueRun& run)
{
  std::vector<MonitoredNode> nodes;
  for (std::size_t n = 0; n < run.node_gpus.size(); ++n) {
    MonitoredNode node{.name = run.node_names[n], .gpus = run.node_gpus[n]};
    node.idle_power = run.costs.idle_power;
    node.power = run.costs.power;
    if (n < run.costs.type_of.size() && node.gpus > 0) {
      const QueueCosts::Type& type = run.costs.types.at(static_cast<std::size_t>(run.costs.type_of[n]));
      node.idle_power = type.idle_power;
      node.power = type.power;
      node.type = type.name;
      node.memory_MiB = type.memory_MiB;
    }
    nodes.push_back(std::move(node));
  }
  return nodes;
}

/// What the jobs of a run do on the GPUs that they hold.
std::string gpu_series_of(const QueueRun& run)
{
  std::vector<GpuStay> stays;
  for (const RunRecord& one : run.result.runs) {
    const QueueCosts::OfStep step = run.costs.of_step(run.workload->job(one.job));
    for (const TaskShare& share : one.held.shares)
      for (std::uint32_t mask = share.gpu_mask; mask != 0; mask &= mask - 1)
        stays.push_back({.node = share.node,
                         .gpu = std::countr_zero(mask),
                         .from = one.from,
                         .to = one.to,
                         .task = run.workload->name(one.job),
                         .use = step.kernels * share.gpu_milli / 1000,
                         .memory_MiB = step.memory_MiB * share.gpu_milli / 1000});
  }
  const std::string point = run.point.empty() ? run.label : run.point + " " + run.label;
  const std::vector<MonitoredNode> nodes = monitored(run);
  return gpu_series_rows(point, nodes, gpu_spans(nodes, stays, std::max(run.result.makespan, run.result.cut_at)));
}

std::string gpu_series_csv(const std::vector<QueueRun>& runs)
{
  std::string text = gpu_series_heading();
  for (const QueueRun& run : runs)
    text += gpu_series_of(run);
  return text;
}

} // namespace

Json queue_summary(const Scenario& scenario, const std::vector<QueueRun>& runs, const std::string& notes)
{
  Json summary = document_head("trainyard queue", scenario);
  summary.update({{"gpus", runs.front().gpus},
                  {"jobs", runs.front().workload->size()},
                  {"notes", notes},
                  {"policies", Json::array()}});
  if (const auto* faults = scenario.section<FaultsSection>("faults"); faults == nullptr || faults->random.empty())
    if (const std::string note = note_on_trace(scenario); !note.empty())
      summary["seed_note"] = note; // what would give the figures an interval
  for (const QueueRun& run : runs) {
    Json one = {{"point", run.point}, {"policy", run.label}};
    one.update(row_json(queue_columns(), run.metrics));
    for (const auto& [name, value] : figures_of(run.ends))
      one[name] = value;
    if (run.optimal_makespan) {
      one["optimal_makespan_s"] = *run.optimal_makespan;
      one["makespan_gap"] = *run.optimal_makespan > 0 ? run.metrics.makespan_s / *run.optimal_makespan - 1 : 0;
    }
    if (run.history)
      one["recorded_waits"] = {{"jobs", run.history->jobs},
                               {"recorded_s", to_json(run.history->recorded)},
                               {"replayed_s", to_json(run.history->replayed)},
                               {"difference_s", to_json(run.history->difference)},
                               {"within_a_minute", run.history->within}};
    Json reasons = Json::object();
    for (const auto& [reason, hours] : waiting_by_reason(run.result))
      reasons[to_text(reason)] = hours;
    one["waiting_job_hours_by_reason"] = std::move(reasons);
    one["groups"] = groups_json(run);
    summary["policies"].push_back(std::move(one));
  }
  return summary;
}

std::vector<RunFile> queue_files(const std::shared_ptr<std::vector<QueueRun>>& runs)
{
  std::vector<RunFile> files;
  for (const QueueTable& table : queue_tables())
    if (!table.lists_all || std::string_view{table.name} == "jobs.csv" ||
        runs->front().workload->size() <= most_listed_jobs)
      files.push_back(text_file(table.name, [runs, make = table.text] { return make(*runs); }));
  if (runs->front().workload->size() <= most_listed_jobs && !runs->front().node_gpus.empty())
    files.push_back(text_file("gpu_series.csv", [runs] { return gpu_series_csv(*runs); }));
  files.push_back(picture_file("queue.png", [runs] { return queue_picture(*runs); }));
  for (std::size_t i = 0; i < runs->size() && i < 8; ++i)
    files.push_back(picture_file(fmt::format("gantt-{}.png", i), [runs, i] { return gantt_picture((*runs)[i]); }));
  return files;
}

} // namespace trainyard
