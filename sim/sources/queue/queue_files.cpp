// SPDX-License-Identifier: Apache-2.0
#include "models/core/figure_text.hpp"
#include "models/core/program.hpp"
#include "sim/report/column_json.hpp"
#include "sim/report/output_file.hpp"
#include "sim/sources/queue/queue_plots.hpp"
#include "sim/sources/queue/queue_report.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <tuple>

namespace trainyard {
namespace {

using Json = nlohmann::ordered_json;
using Runs = std::vector<QueueRun>;

const char* phase_text(JobPhase phase)
{
  switch (phase) {
  case JobPhase::finished:
    return "finished";
  case JobPhase::impossible:
    return "impossible";
  case JobPhase::stalled:
    return "never started";
  case JobPhase::withdrawn:
    return "withdrawn";
  default:
    return "unfinished";
  }
}

/// Whole numbers in full, others with six digits.
std::string figure_text(double value)
{
  return value == std::floor(value) && std::abs(value) < 1e15 ? fmt::format("{:.0f}", value)
                                                              : fmt::format("{:.6g}", value);
}

/// A row of metrics.csv; for a group of jobs the figures of the whole cluster are left blank.
std::string metrics_row(const QueueMetrics& metrics, bool group = false)
{
  return csv_row<QueueMetrics>(queue_columns(), metrics, figure_text, group);
}

std::string metrics_csv(const Runs& all)
{
  std::string text = fmt::format("point,policy,{},optimal_makespan_s\n", csv_heading(queue_columns()));
  for (const QueueRun& run : all)
    text += fmt::format("{},{},{},{}\n", csv_text(run.point), csv_text(run.label), metrics_row(run.metrics),
                        run.optimal_makespan ? fmt::format("{:.10g}", *run.optimal_makespan) : "");
  return text;
}

std::string groups_csv(const Runs& all)
{
  std::string text = fmt::format("point,policy,by,group,{}\n", csv_heading(queue_columns()));
  for (const QueueRun& run : all)
    for (const auto& [by, group] : {std::pair{"team", GroupBy::team}, std::pair{"user", GroupBy::user},
                                    std::pair{"queue", GroupBy::queue}, std::pair{"gpus", GroupBy::size}})
      for (const QueueMetrics& one : metrics_by(group, *run.workload, run.result, run.gpus, run.costs))
        text += fmt::format("{},{},{},{},{}\n", csv_text(run.point), csv_text(run.label), by, csv_text(one.name),
                            metrics_row(one, true));
  return text;
}

std::string number(Seconds time, bool there)
{
  return there ? fmt::format("{:.10g}", time.value()) : "";
}

std::string jobs_csv(const Runs& all)
{
  std::string text =
      "point,policy,job,user,team,queue,model,gpus,submit_s,start_s,end_s,queueing_delay_s,waiting_s,jct_s,duration_s,"
      "preemptions,failures,out_of_memory,gpu_hours,lost_gpu_hours,state,reason\n";
  for (const QueueRun& run : all)
    for (int i = 0; i < run.workload->size(); ++i) {
      const Workload& workload = *run.workload;
      const TraceJob& job = workload.job(JobId{i});
      const JobOutcome& o = run.result.jobs[static_cast<std::size_t>(i)];
      const bool ran = o.first_start.value() >= 0, ended = o.phase == JobPhase::finished;
      const Seconds ready = o.ready.value() >= 0 ? o.ready : job.submit;
      text += fmt::format("{},{},{},{},{},{},{},{},{:.10g},{},{},{},{},{},{:.10g},{},{},{},{:.6g},{:.6g},{},{}\n",
                          csv_text(run.point), csv_text(run.label), csv_text(workload.name(JobId{i})),
                          csv_text(workload.users.name(job.user)), csv_text(workload.teams.name(job.team)),
                          csv_text(workload.queues.name(job.queue)), csv_text(workload.models.name(job.model)),
                          job.gpus, job.submit.value(), number(o.first_start, ran), number(o.end, ended),
                          number(o.first_start - ready, ran), number(o.end - ready - o.held_time, ended),
                          number(o.end - job.submit, ended), job.duration.value(), o.preemptions, o.failures,
                          o.out_of_memory, o.gpu_time.value() / 3600, o.lost_time.value() / 3600,
                          o.killed ? "killed" : phase_text(o.phase), ended ? "" : csv_text(to_text(o.reason)));
    }
  return text;
}

std::string waits_csv(const Runs& all)
{
  std::string text = "point,policy,job,from_s,to_s,reason,blocker,free_gpus,planned_start_s\n";
  for (const QueueRun& run : all)
    for (const WaitRecord& wait : run.result.waits)
      text +=
          fmt::format("{},{},{},{:.10g},{:.10g},{},{},{},{}\n", csv_text(run.point), csv_text(run.label),
                      csv_text(run.workload->name(wait.job)), wait.from.value(), wait.to.value(),
                      csv_text(to_text(wait.reason)), wait.blocker ? csv_text(run.workload->name(wait.blocker)) : "",
                      wait.free_gpus, number(wait.planned, wait.planned.value() >= 0));
  return text;
}

std::string runs_csv(const Runs& all)
{
  std::string text = "point,policy,job,from_s,to_s,gpus,nodes,speed,alone,neighbour,link\n";
  for (const QueueRun& run : all)
    for (const RunRecord& one : run.result.runs) {
      std::string nodes;
      for (const TaskShare& share : one.held.shares)
        nodes += fmt::format("{}{}:{}", nodes.empty() ? "" : " ",
                             run.node_names.at(static_cast<std::size_t>(share.node)), share.gpus());
      text +=
          fmt::format("{},{},{},{:.10g},{:.10g},{},{},{:.6g},{:.6g},{},{}\n", csv_text(run.point), csv_text(run.label),
                      csv_text(run.workload->name(one.job)), one.from.value(), one.to.value(), one.held.gpus,
                      csv_text(nodes), one.speed, one.alone, csv_text(run.result.name(*run.workload, one.neighbour)),
                      one.link >= 0 && static_cast<std::size_t>(one.link) < run.result.link_names.size()
                          ? csv_text(run.result.link_names[static_cast<std::size_t>(one.link)])
                          : "");
    }
  return text;
}

int gpus_of(const QueueRun& run, const QueueFailure& failure)
{
  int gpus = 0;
  for (const int node : failure.nodes)
    gpus += run.node_gpus.at(static_cast<std::size_t>(node));
  return gpus;
}

std::string failures_csv(const Runs& all)
{
  std::string text = "point,policy,failure,from_s,to_s,nodes,gpus,jobs_hit\n";
  for (const QueueRun& run : all)
    for (const QueueFailure& failure : run.failures) {
      std::string nodes;
      for (const int node : failure.nodes)
        nodes += (nodes.empty() ? "" : " ") + run.node_names.at(static_cast<std::size_t>(node));
      text += fmt::format("{},{},{},{:.10g},{},{},{},{}\n", csv_text(run.point), csv_text(run.label),
                          csv_text(failure.name), failure.at.value(),
                          failure.repaired ? fmt::format("{:.10g}", failure.repaired->value()) : "", csv_text(nodes),
                          gpus_of(run, failure), failure.hit.size());
    }
  return text;
}

std::string events_csv(const Runs& all)
{
  enum Order { ended, repaired, failed, interrupted, submitted, started }; // within an instant
  std::string text = "point,policy,time_s,event,job,gpus,cause\n";
  for (const QueueRun& run : all) {
    std::vector<std::tuple<double, int, std::string>> events;
    for (int i = 0; i < run.workload->size(); ++i) {
      const JobOutcome& o = run.result.jobs[static_cast<std::size_t>(i)];
      const TraceJob& job = run.workload->job(JobId{i});
      const auto add = [&](Seconds time, int order, const char* what) {
        events.emplace_back(time.value(), order,
                            fmt::format("{},{},{},", what, csv_text(run.workload->name(JobId{i})), job.gpus));
      };
      add(job.submit, submitted, "submitted");
      if (o.first_start.value() >= 0)
        add(o.first_start, started, "started");
      if (o.phase == JobPhase::finished)
        add(o.end, ended, o.killed ? "killed" : "finished");
    }
    for (const QueueFailure& failure : run.failures) {
      const std::string cause = csv_text(failure.name);
      events.emplace_back(failure.at.value(), failed, fmt::format("failed,,{},{}", gpus_of(run, failure), cause));
      for (const JobId id : failure.hit)
        events.emplace_back(
            failure.at.value(), interrupted,
            fmt::format("interrupted,{},{},{}", csv_text(run.workload->name(id)), run.workload->job(id).gpus, cause));
      if (failure.repaired && *failure.repaired <= run.result.makespan)
        events.emplace_back(failure.repaired->value(), repaired,
                            fmt::format("repaired,,{},{}", gpus_of(run, failure), cause));
    }
    std::ranges::stable_sort(events, [](const auto& a, const auto& b) {
      return std::pair{std::get<0>(a), std::get<1>(a)} < std::pair{std::get<0>(b), std::get<1>(b)};
    });
    for (const auto& [time, order, words] : events)
      text += fmt::format("{},{},{:.10g},{}\n", csv_text(run.point), csv_text(run.label), time, words);
  }
  return text;
}

std::string utilisation_csv(const Runs& all)
{
  std::string text = "point,policy,time_s,busy_gpus,running_jobs,waiting_jobs,asked_gpus,fragmentation,power_W\n";
  for (const QueueRun& run : all)
    for (const QueueSample& s : run.series)
      text += fmt::format("{},{},{:.10g},{:.6g},{:.6g},{:.6g},{:.6g},{:.6g},{:.6g}\n", csv_text(run.point),
                          csv_text(run.label), s.time_s, s.busy_gpus, s.running_jobs, s.waiting_jobs, s.asked_gpus,
                          s.fragmentation, s.power.value());
  return text;
}

} // namespace

std::string queue_summary(const Scenario& scenario, const std::vector<QueueRun>& runs, const std::string& notes,
                          const std::string& advice)
{
  Json summary = {{"kind", "trainyard queue"},
                  {"schema_version", 1},
                  {"trainyard_version", program_version()},
                  {"scenario", scenario.name},
                  {"description", scenario.description},
                  {"seed", scenario.run.seed},
                  {"gpus", runs.front().gpus},
                  {"jobs", runs.front().workload->size()},
                  {"advice", advice},
                  {"notes", notes},
                  {"warnings", Json::array()},
                  {"policies", Json::array()}};
  for (const QueueRun& run : runs) {
    Json one = {{"point", run.point}, {"policy", run.label}};
    one.update(row_json(queue_columns(), run.metrics));
    if (run.optimal_makespan) {
      one["optimal_makespan_s"] = *run.optimal_makespan;
      one["makespan_gap"] = *run.optimal_makespan > 0 ? run.metrics.makespan_s / *run.optimal_makespan - 1 : 0;
    }
    Json reasons = Json::object();
    for (const auto& [reason, hours] : waiting_by_reason(run.result))
      reasons[to_text(reason)] = hours;
    one["waiting_job_hours_by_reason"] = std::move(reasons);
    summary["policies"].push_back(std::move(one));
  }
  return summary.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::vector<RunFile> queue_files(const std::shared_ptr<std::vector<QueueRun>>& runs)
{
  std::vector<RunFile> files;
  const auto file = [&](const char* name, std::string (*make)(const Runs&)) {
    files.push_back({name, [runs, make](const std::filesystem::path& path) { write_file(path, make(*runs)); }});
  };
  file("metrics.csv", metrics_csv);
  file("groups.csv", groups_csv);
  if (runs->front().workload->size() <= most_listed_jobs) {
    file("jobs.csv", jobs_csv);
    file("waits.csv", waits_csv);
    file("runs.csv", runs_csv);
    file("events.csv", events_csv);
    file("failures.csv", failures_csv);
    file("utilisation.csv", utilisation_csv);
  }
  files.push_back({"queue.png", [runs](const std::filesystem::path& path) {
                     std::vector<std::pair<std::string, std::vector<QueueSample>>> series;
                     for (const QueueRun& run : *runs)
                       if (series.size() < 12)
                         series.emplace_back(run.label, run.series);
                     plot_queue_series(series, runs->front().gpus, path.parent_path() / path.stem());
                   }});
  for (std::size_t i = 0; i < runs->size() && i < 8; ++i)
    files.push_back({fmt::format("gantt-{}.png", i), [runs, i](const std::filesystem::path& path) {
                       const QueueRun& run = (*runs)[i];
                       plot_gantt(run.label, *run.workload, run.result, run.gpus, path.parent_path() / path.stem());
                     }});
  return files;
}

} // namespace trainyard
