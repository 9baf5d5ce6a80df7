// SPDX-License-Identifier: Apache-2.0
#include "models/core/figure_text.hpp"
#include "models/core/text.hpp"
#include "models/results/json.hpp"
#include "sim/report/table.hpp"
#include "sim/sources/services/totals.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
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

std::string hours_text(Wide time)
{
  return fmt::format("{:.3g}", gpu_seconds(time) / 3600);
}

/// The first @p most rows; @p file has all.
template <class Row>
void tell_rows(std::vector<Row> rows, const std::vector<ShownColumn<Row>>& columns, std::size_t most, const char* file,
               Telling& told)
{
  const std::size_t all = rows.size();
  rows.resize(std::min(all, most));
  tell_table(rows, columns, told);
  if (all > most)
    told.say(more_rows_in(static_cast<std::int64_t>(all - most), file));
}

/// A failure of a run.
struct FaultRow {
  const PointRun* run = nullptr;
  const FaultOutcome* fault = nullptr;
};

} // namespace

void tell_services(const Runs& runs, Telling& told)
{
  using Row = ServiceRow;
  std::vector<Row> rows;
  for (const PointRun& run : runs)
    for (std::size_t service = 0; service < run.input.services.size(); ++service)
      rows.push_back({&run, service});
  const auto ends = [](const Row& row) { return row.spec().ends() || !row.spec().clients.empty(); };
  const auto part = [](auto of) { return [of](const Row& row) { return zero_or(of(row.outcome().parts)); }; };
  using Parts = decltype(ServiceOutcome::parts);
  tell_rows<Row>(
      std::move(rows),
      {{{"point", false}, [](const Row& row) { return row.run->point; }, runs.size() > 1},
       {{"service", false}, [](const Row& row) { return row.spec().name; }},
       {{"tasks"}, [](const Row& row) { return fmt::format("{}", row.spec().replicas()); }},
       {{"first up"}, [](const Row& row) { return when(row.outcome().first_running); }},
       {{"done"},
        [=](const Row& row) {
          return row.outcome().failed ? "failed" : !ends(row) ? "-" : when(row.outcome().finished);
        }},
       {{"JCT"},
        [=](const Row& row) {
          return ends(row) && row.outcome().finished >= Instant{}
                     ? time_text(seconds(row.outcome().finished - Instant{row.spec().arrival}))
                     : "-";
        }},
       {{"restarts"}, [](const Row& row) { return fmt::format("{}", row.outcome().restarts); }},
       {{"moved"}, [](const Row& row) { return fmt::format("{}", row.outcome().moves); }},
       {{"available"}, [](const Row& row) { return fmt::format("{:.4g} %", 100 * availability(row.outcome())); }},
       {{"useful"}, part([](const Parts& parts) { return parts.useful; })},
       {{"redone"}, part([](const Parts& parts) { return parts.lost; })},
       {{"saving"}, part([](const Parts& parts) { return parts.saving + parts.restoring; })},
       {{"stalled"}, part([](const Parts& parts) { return parts.stalled; })},
       {{"GPU-h"}, [](const Row& row) { return hours_text(row.outcome().held.gpu); }}},
      60, "services.csv", told);
}

void tell_faults(const Runs& runs, Telling& told)
{
  using Row = FaultRow;
  std::vector<Row> rows;
  for (const PointRun& run : runs)
    for (const FaultOutcome& fault : run.result.faults)
      rows.push_back({&run, &fault});
  if (rows.empty())
    return;
  told.gap();
  tell_rows<Row>(std::move(rows),
                 {{{"point", false}, [](const Row& row) { return row.run->point; }, runs.size() > 1},
                  {{"failure", false}, [](const Row& row) { return row.fault->event.name; }},
                  {{"at"}, [](const Row& row) { return clock_text(row.fault->event.at); }},
                  {{"lasted"},
                   [](const Row& row) {
                     const auto& event = row.fault->event;
                     return event.until >= end_of_time ? "for ever" : zero_or(event.until - event.at);
                   }},
                  {{"noticed after"},
                   [](const Row& row) {
                     return row.fault->detected < Instant{} ? "-" : zero_or(row.fault->detected - row.fault->event.at);
                   }},
                  {{"recovered after"},
                   [](const Row& row) {
                     return row.fault->recovered >= Instant{} ? zero_or(row.fault->recovered - row.fault->event.at)
                            : row.fault->tasks_hit > 0        ? "never"
                                                              : "-";
                   }},
                  {{"tasks hit"}, [](const Row& row) { return fmt::format("{}", row.fault->tasks_hit); }},
                  {{"never back"}, [](const Row& row) { return fmt::format("{}", row.fault->never_back); }},
                  {{"redone"}, [](const Row& row) { return zero_or(row.fault->redone); }},
                  {{"redone GPU-h"}, [](const Row& row) { return hours_text(row.fault->redone_gpu.gpu); }}},
                 24, "faults.csv", told);
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
