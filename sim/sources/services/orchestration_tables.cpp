// SPDX-License-Identifier: Apache-2.0
#include "models/core/figure_text.hpp"
#include "models/core/text.hpp"
#include "models/results/json.hpp"
#include "sim/report/table.hpp"
#include "sim/sources/services/totals.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <numeric>

namespace trainyard::orchestration {
namespace {

using Json = nlohmann::ordered_json;

std::string when(Instant time)
{
  return time < Instant{} ? "never" : time_text(seconds(time));
}

std::string zero_or(Instant time)
{
  return time == Instant{} ? "0" : time_text(seconds(time));
}

/// A table whose first column is the point, where there are several. Rows beyond @p most are only counted.
class PointTable
{
public:
  PointTable(const Runs& runs, const char* what, std::initializer_list<const char*> figures, std::size_t most)
      : points_{runs.size() > 1}, most_{most}
  {
    if (points_)
      columns_.push_back({"point", false});
    columns_.push_back({what, false});
    for (const char* title : figures)
      columns_.push_back({title, true});
  }
  /// @p cells: gives the texts of a row.
  template <class Cells>
  void add(const PointRun& run, const Cells& cells)
  {
    if (rows_.size() >= most_) {
      ++left_;
      return;
    }
    std::vector<TableCell>& row = rows_.emplace_back();
    if (points_)
      row.push_back({run.point});
    for (const std::string& cell : cells())
      row.push_back({cell});
  }
  bool empty() const { return rows_.empty(); }
  /// @p file has all rows.
  std::string text(bool colour, const char* file) const
  {
    return table_text(columns_, rows_, colour) + (left_ > 0 ? fmt::format("… {} more in {}\n", left_, file) : "");
  }

private:
  bool points_;
  std::size_t most_;
  std::size_t left_ = 0;
  std::vector<Column> columns_;
  std::vector<std::vector<TableCell>> rows_;
};

} // namespace

std::string services_table(const Runs& runs, bool colour)
{
  PointTable table{runs,
                   "service",
                   {"tasks", "first up", "done", "JCT", "restarts", "moved", "available", "useful", "redone", "saving",
                    "stalled", "GPU-h"},
                   60};
  for (const PointRun& run : runs)
    for (std::size_t s = 0; s < run.input.services.size(); ++s)
      table.add(run, [&] {
        const ServiceSpec& spec = run.input.services[s];
        const ServiceOutcome& o = run.result.services[s];
        const bool ends = spec.ends() || !spec.clients.empty();
        const std::string done = o.failed ? "failed" : !ends ? "-" : when(o.finished);
        return std::vector{spec.name,
                           fmt::format("{}", spec.replicas()),
                           when(o.first_running),
                           done,
                           ends && o.finished >= Instant{} ? time_text(seconds(o.finished - Instant{spec.arrival}))
                                                           : std::string{"-"},
                           fmt::format("{}", o.restarts),
                           fmt::format("{}", o.moves),
                           fmt::format("{:.4g} %", 100 * availability(o)),
                           zero_or(o.parts.useful),
                           zero_or(o.parts.lost),
                           zero_or(o.parts.saving + o.parts.restoring),
                           zero_or(o.parts.stalled),
                           fmt::format("{:.3g}", gpu_seconds(o.held.gpu) / 3600)};
      });
  return table.text(colour, "services.csv");
}

std::string faults_table(const Runs& runs, bool colour)
{
  PointTable table{
      runs,
      "failure",
      {"at", "lasted", "noticed after", "recovered after", "tasks hit", "never back", "redone", "redone GPU-h"},
      24};
  for (const PointRun& run : runs)
    for (const FaultOutcome& one : run.result.faults)
      table.add(run, [&] {
        return std::vector{one.event.name,
                           clock_text(one.event.at),
                           one.event.until >= end_of_time ? std::string{"for ever"}
                                                          : zero_or(one.event.until - one.event.at),
                           one.detected < Instant{} ? std::string{"-"} : zero_or(one.detected - one.event.at),
                           one.recovered >= Instant{} ? zero_or(one.recovered - one.event.at)
                                                      : std::string{one.tasks_hit > 0 ? "never" : "-"},
                           fmt::format("{}", one.tasks_hit),
                           fmt::format("{}", one.never_back),
                           zero_or(one.redone),
                           fmt::format("{:.3g}", gpu_seconds(one.redone_gpu.gpu) / 3600)};
      });
  return table.empty() ? "" : table.text(colour, "faults.csv");
}

Json summary_of(const PointRun& run)
{
  const OrchestrationResult& result = run.result;
  const Totals all{run};
  Json services = Json::array();
  for (std::size_t s = 0; s < run.input.services.size(); ++s)
    services.push_back(row_json<ServiceRow>(service_columns(), {&run, s}));
  return {{"point", run.point},
          {"ended_s", result.ended.value()},
          {"gpu_hours",
           {{"capacity", gpu_seconds(result.capacity.gpu) / 3600},
            {"held", gpu_seconds(all.held) / 3600},
            {"useful", gpu_seconds(all.useful) / 3600},
            {"lost", gpu_seconds(all.lost) / 3600},
            {"stalled", gpu_seconds(all.stalled) / 3600},
            {"starting", gpu_seconds(all.starting) / 3600},
            {"restoring", gpu_seconds(all.restoring) / 3600},
            {"saving", gpu_seconds(all.saving) / 3600},
            {"without_work", gpu_seconds(all.idle) / 3600},
            {"orphaned", gpu_seconds(all.orphaned) / 3600},
            {"idle", gpu_seconds(result.idle.gpu) / 3600},
            {"down", gpu_seconds(result.down.gpu) / 3600}}},
          {"utilisation", ratio(all.useful, result.capacity.gpu)},
          {"imbalance", imbalance(run)},
          {"failures", result.faults.size()},
          {"tasks_hit", all.hit},
          {"tasks_never_back", all.never_back},
          {"mean_time_to_recover_s",
           all.recovered > 0 ? Json(all.recovering / static_cast<double>(all.recovered)) : Json{}},
          {"placements", result.placements},
          {"disk_left_B", std::accumulate(result.disk_left.begin(), result.disk_left.end(), 0.0)},
          {"cost_usd", paid(run) ? Json(*paid(run)) : Json{}},
          {"services", services}};
}

Picture replicas_picture(const PointRun& run)
{
  const double end = std::max(1e-6, run.result.ended.value());
  constexpr std::size_t most = 12;
  Picture picture{.title =
                      "replicas: running (filled) and desired (line)" + (run.point.empty() ? "" : " · " + run.point)};
  for (std::size_t s = 0; s < run.input.services.size() && s < most; ++s) {
    PicturePanel& panel = picture.panels.emplace_back();
    panel.title = run.input.services[s].name;
    panel.x = {0, end};
    panel.height = 64;
    std::vector<SeriesPoint> points;
    for (const SeriesPoint& point : run.result.series)
      if (point.service == static_cast<int>(s)) {
        points.push_back(point);
        panel.y.high = std::max({panel.y.high, 1.0 * point.desired, 1.0 * point.running});
      }
    if (points.empty())
      continue;
    points.push_back(points.back());
    points.back().time = run.result.ended;
    std::vector<std::pair<double, double>> desired;
    for (std::size_t i = 0; i + 1 < points.size(); ++i) {
      const double from = points[i].time.value(), to = points[i + 1].time.value();
      if (points[i].running > 0 && to > from)
        panel.marks.push_back(box(from, to, 0, points[i].running, okabe_ito[s % 6], 0.45));
      desired.insert(desired.end(), {{from, points[i].desired}, {to, points[i].desired}});
    }
    add_line(panel.marks, desired, line(0, 0, 0, 0, ink, 1.2));
  }
  for (const FaultOutcome& fault : run.result.faults)
    picture.events.emplace_back(fault.event.at.value(), "failure: " + fault.event.name);
  return picture;
}

} // namespace trainyard::orchestration
