// SPDX-License-Identifier: Apache-2.0
#include "sim/report/column_json.hpp"
#include "sim/report/document_head.hpp"
#include "sim/report/output_file.hpp"
#include "sim/sources/queue/queue_plots.hpp"
#include "sim/sources/queue/queue_report.hpp"
#include "sim/sources/queue/queue_tables.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace trainyard {
namespace {

using Json = nlohmann::ordered_json;

} // namespace

std::string queue_summary(const Scenario& scenario, const std::vector<QueueRun>& runs, const std::string& notes,
                          const std::string& advice)
{
  Json summary = document_head("trainyard queue", scenario);
  summary.update({{"gpus", runs.front().gpus},
                  {"jobs", runs.front().workload->size()},
                  {"advice", advice},
                  {"notes", notes},
                  {"warnings", Json::array()},
                  {"policies", Json::array()}});
  for (const QueueRun& run : runs) {
    Json one = {{"point", run.point}, {"policy", run.label}};
    one.update(row_json(queue_columns(), run.metrics));
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
    summary["policies"].push_back(std::move(one));
  }
  return summary.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::vector<RunFile> queue_files(const std::shared_ptr<std::vector<QueueRun>>& runs)
{
  std::vector<RunFile> files;
  for (const QueueTable& table : queue_tables())
    if (!table.lists_all || runs->front().workload->size() <= most_listed_jobs)
      files.push_back({table.name, [runs, make = table.text](const std::filesystem::path& path) {
                         write_file(path, make(*runs));
                       }});
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
