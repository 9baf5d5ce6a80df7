// SPDX-License-Identifier: Apache-2.0
#include "models/core/figure_text.hpp"
#include "models/core/text.hpp"
#include "sim/report/canvas.hpp"
#include "sim/report/column_json.hpp"
#include "sim/report/table.hpp"
#include "sim/report/time_axis.hpp"
#include "sim/sources/services/orchestration_report.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <initializer_list>
#include <nlohmann/json.hpp>

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

/// For the machines until the end of the run.
Dollars paid(const PointRun& run, DollarsPerHour price)
{
  return Dollars{price.value() * run.result.ended.value() / 3600};
}

double ratio(Wide part, Wide whole)
{
  return whole > 0 ? static_cast<double>(part) / static_cast<double>(whole) : 0;
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

/// GPU time of all services of a run, and what its failures did.
struct Totals {
  explicit Totals(const OrchestrationResult& result)
  {
    for (const ServiceOutcome& o : result.services) {
      lost += o.parts.lost_gpu.gpu;
      stalled += o.parts.stalled_gpu.gpu;
      starting += o.starting.gpu;
      restoring += o.parts.restoring_gpu.gpu;
      orphaned += o.orphaned.gpu;
      held += o.held.gpu;
      useful += o.parts.useful_gpu.gpu;
    }
    for (const FaultOutcome& fault : result.faults) {
      hit += fault.tasks_hit;
      never_back += fault.never_back;
      if (fault.recovered < Instant{})
        continue;
      ++recovered;
      const double time = (fault.recovered - fault.event.at).value();
      recovering += time;
      worst = std::max(worst, time);
    }
  }
  Wide lost = 0, stalled = 0, starting = 0, restoring = 0, orphaned = 0, held = 0, useful = 0;
  int hit = 0, never_back = 0, recovered = 0; // tasks, tasks, failures
  double recovering = 0, worst = 0;           // s
};

/// The first task of a service with work left that does not run at the end, and why; null: there is none.
const PhaseRecord* waits_at_end(const PointRun& run, std::size_t service)
{
  const ServiceSpec& spec = run.input.services[service];
  const ServiceOutcome& outcome = run.result.services[service];
  if ((!spec.ends() && spec.clients.empty()) || outcome.failed || outcome.finished >= Instant{})
    return nullptr;
  const auto found = std::ranges::find_if(run.result.phases, [&](const PhaseRecord& phase) {
    return phase.to == run.result.ended && phase.phase == TaskPhase::waiting && phase.why >= 0 &&
           run.result.task_service[static_cast<std::size_t>(phase.task)] == static_cast<int>(service);
  });
  return found == run.result.phases.end() ? nullptr : &*found;
}

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
  const Totals all{result};
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
            {"orphaned", gpu_seconds(all.orphaned) / 3600},
            {"idle", gpu_seconds(result.idle.gpu) / 3600},
            {"down", gpu_seconds(result.down.gpu) / 3600}}},
          {"utilisation", ratio(all.useful, result.capacity.gpu)},
          {"imbalance", imbalance(run)},
          {"failures", result.faults.size()},
          {"tasks_hit", all.hit},
          {"tasks_never_back", all.never_back},
          {"mean_time_to_recover_s", all.recovered > 0 ? Json(all.recovering / all.recovered) : Json{}},
          {"placements", result.placements},
          {"cost_usd", run.price ? Json(paid(run, *run.price).value()) : Json{}},
          {"services", services}};
}

std::string conclusions(const Runs& runs)
{
  std::string text;
  for (const PointRun& run : runs) {
    const Totals all{run.result};
    if (!run.point.empty())
      text += run.point + ": ";
    text += run.result.faults.empty()
                ? std::string{"no failures"}
                : fmt::format("{} hit {}", counted(run.result.faults.size(), "failure"), counted(all.hit, "task"));
    for (std::size_t s = 0; s < run.input.services.size(); ++s) {
      const ServiceOutcome& o = run.result.services[s];
      if (o.input_wait > Instant{} && o.parts.useful > Instant{})
        text += fmt::format("; {} waits {} of its time for input from the shared storage", run.input.services[s].name,
                            percent_text(o.input_wait.value() / (o.parts.useful + o.parts.lost).value()));
    }
    if (all.recovered > 0)
      text += fmt::format("; {} to recover on average, {} at worst", time_text(Seconds{all.recovering / all.recovered}),
                          time_text(Seconds{all.worst}));
    if (all.never_back > 0)
      text += fmt::format("; {} never came back", counted(all.never_back, "task"));
    for (std::size_t s = 0; s < run.input.services.size(); ++s)
      if (const PhaseRecord* waits = waits_at_end(run, s); waits != nullptr)
        text += fmt::format("; {} is not done, because {} does not run: {}", run.input.services[s].name,
                            run.result.task_names[static_cast<std::size_t>(waits->task)],
                            run.result.reasons[static_cast<std::size_t>(waits->why)]);
    if (all.held > 0)
      text += fmt::format("; of {:.4g} GPU-h held {} were useful, {} were lost and repeated, {} were stalled, {} were "
                          "spent on starting and loading",
                          gpu_seconds(all.held) / 3600, percent_text(ratio(all.useful, all.held)),
                          percent_text(ratio(all.lost, all.held)), percent_text(ratio(all.stalled, all.held)),
                          percent_text(ratio(all.starting + all.restoring, all.held)));
    if (all.orphaned > 0)
      text += fmt::format(", {:.3g} GPU-h were held by orphaned processes", gpu_seconds(all.orphaned) / 3600);
    if (run.price)
      text += fmt::format("; ${:.2f} for the machines", paid(run, *run.price).value());
    text += ".\n";
  }
  return text;
}

void plot_replicas(const PointRun& run, const std::filesystem::path& path)
{
  const double end = std::max(1e-6, run.result.ended.value());
  constexpr std::size_t most = 12;
  const std::size_t count = std::min(most, run.input.services.size());
  constexpr int fault_rows = 4; // of labels above the panels
  constexpr double width = 760, left = 120, right = 28, row_height = 9, panel = 64, gap = 26;
  constexpr double top = 36 + fault_rows * row_height;
  const double height = top + static_cast<double>(count) * (panel + gap) + 30;
  draw_to_files(path, width, height, [&](Canvas& canvas) {
    const double span = width - left - right;
    const auto x_of = [&](Instant time) { return left + span * time.value() / end; };
    canvas.colour(ink);
    canvas.text(left, 20,
                "replicas: running (filled) and desired (line)" + (run.point.empty() ? "" : " · " + run.point), 12,
                Anchor::left, true);
    for (std::size_t s = 0; s < count; ++s) {
      const double y0 = top + static_cast<double>(s) * (panel + gap), y1 = y0 + panel;
      std::vector<SeriesPoint> points;
      int highest = 1;
      for (const SeriesPoint& point : run.result.series)
        if (point.service == static_cast<int>(s)) {
          points.push_back(point);
          highest = std::max({highest, point.desired, point.running});
        }
      points.push_back({run.result.ended, static_cast<int>(s), points.empty() ? 0 : points.back().desired,
                        points.empty() ? 0 : points.back().running});
      const auto y_of = [&](int replicas) { return y1 - panel * replicas / highest; };
      canvas.colour(grid_line);
      canvas.line(left, y1, width - right, y1, 0.8);
      canvas.line(left, y0, width - right, y0, 0.8);
      canvas.colour(quiet_ink);
      canvas.text(left - 6, y0 + 4, fmt::format("{}", highest), 9, Anchor::right);
      canvas.text(left - 6, y1 + 3, "0", 9, Anchor::right);
      canvas.colour(ink);
      canvas.text(left - 22, (y0 + y1) / 2 + 3, canvas.fitted(run.input.services[s].name, left - 30, 10), 10,
                  Anchor::right);
      for (std::size_t i = 0; i + 1 < points.size(); ++i) {
        const double a = x_of(points[i].time), b = x_of(points[i + 1].time);
        canvas.colour(okabe_ito[s % 6], 0.45);
        if (points[i].running > 0 && b > a)
          canvas.rectangle(a, y_of(points[i].running), b - a, y1 - y_of(points[i].running));
      }
      canvas.colour(ink);
      for (std::size_t i = 0; i + 1 < points.size(); ++i) {
        canvas.line(x_of(points[i].time), y_of(points[i].desired), x_of(points[i + 1].time), y_of(points[i].desired),
                    1.2);
        canvas.line(x_of(points[i + 1].time), y_of(points[i].desired), x_of(points[i + 1].time),
                    y_of(points[i + 1].desired), 1.2);
      }
    }
    const double bottom = top + static_cast<double>(count) * (panel + gap) - gap + 4;
    constexpr std::size_t most_marks = 200;
    const std::size_t marks = std::min(most_marks, run.result.faults.size());
    std::vector<std::string> names;
    std::vector<LabelSpan> spans;
    for (std::size_t i = 0; i < marks; ++i) {
      const FaultOutcome& fault = run.result.faults[i];
      const double x = x_of(fault.event.at);
      names.push_back(canvas.fitted("failure: " + fault.event.name, 130, 8));
      const double text = canvas.text_width(names.back(), 8) + 4;
      const double from = std::min(x + 2, width - text);
      spans.push_back({from, from + text});
    }
    const std::vector<int> rows = label_rows(spans, fault_rows);
    std::size_t unnamed = run.result.faults.size() - marks;
    for (std::size_t i = 0; i < marks; ++i) {
      const double x = x_of(run.result.faults[i].event.at);
      const double y = top - 8 - row_height * std::max(0, rows[i]);
      canvas.colour(okabe_ito[1]);
      canvas.line(x, rows[i] < 0 ? top - 6 : y - 6, x, bottom, 0.9, true);
      if (rows[i] >= 0)
        canvas.text(spans[i].from, y, names[i], 8);
      else
        ++unnamed;
    }
    if (unnamed > 0) {
      canvas.colour(quiet_ink);
      canvas.text(width - right, 20, fmt::format("dashed: failures; {} more than there is room to name", unnamed), 9,
                  Anchor::right);
    }
    canvas.colour(quiet_ink);
    for (const TimeTick& tick : time_ticks(0, end, 8)) {
      const double x = left + span * tick.at_s / end;
      canvas.text(x, bottom + 16, tick.label, 9, Anchor::centre);
      if (!tick.day.empty())
        canvas.text(x, bottom + 26, tick.day, 9, Anchor::centre);
    }
  });
}

} // namespace trainyard::orchestration
