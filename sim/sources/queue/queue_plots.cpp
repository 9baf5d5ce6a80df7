// SPDX-License-Identifier: Apache-2.0
#include "sim/sources/queue/queue_plots.hpp"

#include "models/core/figure_text.hpp"
#include "sim/report/canvas.hpp"
#include "sim/report/time_axis.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <functional>
#include <map>

namespace trainyard {
namespace {

/// 1, 2 or 5 times a power of ten, so that at most so many steps fit; whole for counts.
double nice_step(double range, int most, bool counts)
{
  const double raw = counts ? std::max(range / most, 1.0) : range / most;
  const double power = std::pow(10.0, std::floor(std::log10(std::max(raw, 1e-12))));
  for (const double factor : {1.0, 2.0, 5.0, 10.0})
    if (factor * power >= raw)
      return factor * power;
  return 10 * power;
}

constexpr double plot_width = 760, left_edge = 64, right_edge = 20;

void axes(Canvas& canvas, double top, double bottom, double low_t, double high_t, double high_y,
          const std::string& title, bool counts = true)
{
  canvas.colour(ink);
  canvas.text(left_edge, top - 10, title, 11, Anchor::left, true);
  const double span = plot_width - left_edge - right_edge;
  for (double y = 0; y <= high_y * 1.0001; y += nice_step(high_y, 4, counts)) {
    const double at = bottom - (bottom - top) * y / high_y;
    canvas.colour(grid_line);
    canvas.line(left_edge, at, plot_width - right_edge, at, 0.7);
    canvas.colour(quiet_ink);
    canvas.text(left_edge - 6, at + 3, fmt::format("{:g}", y), 9, Anchor::right);
  }
  for (const TimeTick& tick : time_ticks(low_t, high_t, 8)) {
    const double x = left_edge + span * (tick.at_s - low_t) / (high_t - low_t);
    canvas.colour(grid_line);
    canvas.line(x, top, x, bottom, 0.7);
    canvas.colour(quiet_ink);
    canvas.text(x, bottom + 13, tick.label, 9, Anchor::centre);
    if (!tick.day.empty())
      canvas.text(x, bottom + 23, tick.day, 9, Anchor::centre);
  }
}

} // namespace

void plot_queue_series(const std::vector<std::pair<std::string, std::vector<QueueSample>>>& series, int total_gpus,
                       const std::filesystem::path& path)
{
  double until = 0, most_jobs = 1;
  for (const auto& [name, samples] : series)
    for (const QueueSample& sample : samples) {
      until = std::max(until, sample.time_s);
      most_jobs = std::max(most_jobs, sample.waiting_jobs);
    }
  if (until <= 0)
    return;
  // Fragmentation jumps with every start and end; a running mean over nine samples can be read.
  std::vector<std::vector<QueueSample>> smooth;
  for (const auto& [name, samples] : series) {
    constexpr std::size_t reach = 4;
    std::vector<QueueSample> means = samples;
    for (std::size_t i = 0; i < samples.size(); ++i) {
      const std::size_t first = i < reach ? 0 : i - reach, last = std::min(samples.size(), i + reach + 1);
      double sum = 0;
      for (std::size_t k = first; k < last; ++k)
        sum += samples[k].fragmentation;
      means[i].fragmentation = sum / static_cast<double>(last - first);
    }
    smooth.push_back(std::move(means));
  }
  const int rows = static_cast<int>((series.size() + 2) / 3);
  const double height = 690 + 16.0 * rows;
  draw_to_files(path, plot_width, height, [&](Canvas& canvas) {
    const double span = plot_width - left_edge - right_edge;
    const auto panel = [&](double top, double bottom, double high, const std::string& title,
                           double QueueSample::*member) {
      axes(canvas, top, bottom, 0, until, high, title, member != &QueueSample::fragmentation);
      std::size_t index = 0;
      canvas.clip(left_edge - 1, top - 1, span + 2, bottom - top + 2);
      for (const std::vector<QueueSample>& samples : smooth) {
        canvas.colour(okabe_ito[index % okabe_ito.size()]);
        for (std::size_t i = 1; i < samples.size(); ++i)
          canvas.line(left_edge + span * samples[i - 1].time_s / until,
                      bottom - (bottom - top) * samples[i - 1].*member / high,
                      left_edge + span * samples[i].time_s / until, bottom - (bottom - top) * samples[i].*member / high,
                      1.4, index >= okabe_ito.size());
        ++index;
      }
      canvas.unclip();
    };
    panel(34, 204, std::max(1, total_gpus), "GPUs in use", &QueueSample::busy_gpus);
    panel(254, 424, most_jobs * 1.05, "waiting jobs", &QueueSample::waiting_jobs);
    panel(474, 644, 1, "fragmentation: share of the idle GPUs that a typical job cannot use (running mean)",
          &QueueSample::fragmentation);
    for (std::size_t i = 0; i < series.size(); ++i) {
      const double x = left_edge + static_cast<double>(i % 3) * 230, y = 676 + static_cast<double>(i / 3) * 16;
      canvas.colour(okabe_ito[i % okabe_ito.size()]);
      canvas.line(x, y - 3, x + 18, y - 3, 2, i >= okabe_ito.size());
      canvas.colour(ink);
      canvas.text(x + 24, y, canvas.fitted(series[i].first, 190, 10), 10);
    }
  });
}

namespace {

/// Owners of jobs (teams, or users where there is no more than one team): those with the most GPU time have a colour of
/// their own.
class Owners
{
public:
  static constexpr std::size_t shown = 6;

  Owners(const Workload& workload, const SchedulingResult& result)
      : workload_{workload}, by_team_{workload.teams.size() > 2}
  {
    std::map<int, double> gpu_time;
    for (const RunRecord& run : result.runs)
      gpu_time[owner(run.job)] += (run.to - run.from).value() * static_cast<double>(run.held.milli());
    std::vector<std::pair<double, int>> order;
    for (const auto& [one, time] : gpu_time)
      order.emplace_back(-time, one);
    std::ranges::sort(order);
    for (const auto& [time, one] : order) {
      if (order_.size() == shown)
        break;
      place_[one] = order_.size();
      order_.push_back(one);
    }
    others_ = order.size() > order_.size();
  }

  /// Colour of a job's owner; `shown` stands for all others.
  std::size_t place(JobId id) const
  {
    const auto found = place_.find(owner(id));
    return found == place_.end() ? shown : found->second;
  }

  static void colour(Canvas& canvas, std::size_t place)
  {
    if (place < shown)
      canvas.colour(okabe_ito[place], 0.85);
    else
      canvas.colour({0.6, 0.6, 0.6}, 0.85);
  }

  void legend(Canvas& canvas, double y) const
  {
    double x = left_edge;
    const auto entry = [&](std::size_t place, const std::string& name) {
      colour(canvas, place);
      canvas.rectangle(x, y - 8, 12, 9);
      canvas.colour(ink);
      const std::string text = canvas.fitted(name, 80, 9);
      canvas.text(x + 16, y, text, 9);
      x += 100;
    };
    for (std::size_t i = 0; i < order_.size(); ++i) {
      const std::string& name = by_team_ ? workload_.teams.name(order_[i]) : workload_.users.name(order_[i]);
      entry(i, name.empty() ? "no name" : name);
    }
    if (others_)
      entry(shown, by_team_ ? "other teams" : "other users");
  }

private:
  int owner(JobId id) const { return by_team_ ? workload_.job(id).team : workload_.job(id).user; }

  const Workload& workload_;
  bool by_team_;
  bool others_ = false;
  std::map<int, std::size_t> place_;
  std::vector<int> order_;
};

/// Mean GPUs in use in equal stretches of the whole run, by owner.
std::vector<std::array<double, Owners::shown + 1>> gpus_by_owner(const SchedulingResult& result, const Owners& owners,
                                                                 std::size_t stretches)
{
  std::vector<std::array<double, Owners::shown + 1>> sums(stretches);
  const double length = result.makespan.value() / static_cast<double>(stretches);
  for (const RunRecord& run : result.runs) {
    const double from = run.from.value(), to = run.to.value();
    const double gpus = static_cast<double>(run.held.milli()) / 1000;
    for (auto at = static_cast<std::size_t>(from / length); at < stretches && static_cast<double>(at) * length < to;
         ++at) {
      const double begin = static_cast<double>(at) * length;
      sums[at][owners.place(run.job)] +=
          gpus * std::max(0.0, std::min(to, begin + length) - std::max(from, begin)) / length;
    }
  }
  return sums;
}

/// Rows of GPUs that a run fills.
struct GanttPiece {
  const RunRecord* run;
  std::size_t first, last;
};

/// Rows that were free when the run began, the lowest first; they say how many GPUs, not which ones. @p runs: in order
/// of their begin.
std::vector<GanttPiece> pieces_of(const std::vector<const RunRecord*>& runs, int total_gpus)
{
  std::vector<GanttPiece> pieces;
  std::vector<Instant> free_at(static_cast<std::size_t>(total_gpus));
  for (const RunRecord* run : runs) {
    int needed = std::max(1, static_cast<int>((run->held.milli() + 999) / 1000));
    for (std::size_t g = 0; g < free_at.size() && needed > 0; ++g) {
      if (free_at[g] > run->from)
        continue;
      // As many rows in one piece as are free.
      std::size_t last = g;
      while (last + 1 < free_at.size() && static_cast<int>(last - g) + 1 < needed && free_at[last + 1] <= run->from)
        ++last;
      pieces.push_back({run, g, last});
      for (std::size_t k = g; k <= last; ++k)
        free_at[k] = run->to;
      needed -= static_cast<int>(last - g) + 1;
      g = last;
    }
  }
  return pieces;
}

} // namespace

void plot_gantt(const std::string& title, const Workload& workload, const SchedulingResult& result, int total_gpus,
                const std::filesystem::path& path)
{
  if (result.runs.empty() || total_gpus <= 0)
    return;
  // Of many runs: the whole time by owner, and below it, job by job, the stretch with the most runs: of equal windows,
  // the fullest one.
  double low = 0, high = result.makespan.value();
  const double whole = high;
  constexpr std::size_t readable = 1500;
  const bool cut = result.runs.size() > readable;
  if (cut) {
    const auto windows = static_cast<std::size_t>(std::ceil(static_cast<double>(result.runs.size()) / readable));
    std::vector<double> work(windows, 0);
    const double length = high / static_cast<double>(windows);
    for (const RunRecord& run : result.runs)
      work[std::min(windows - 1, static_cast<std::size_t>(run.from.value() / length))] += 1;
    const auto fullest = static_cast<double>(std::ranges::max_element(work) - work.begin());
    low = fullest * length;
    high = low + length;
  }
  std::vector<const RunRecord*> runs;
  for (const RunRecord& run : result.runs)
    if (run.to.value() > low && run.from.value() < high)
      runs.push_back(&run);
  std::ranges::stable_sort(runs, {}, &RunRecord::from);
  const std::vector<GanttPiece> pieces = pieces_of(runs, total_gpus);
  int most_in_use = 0; // of the window: with a large cluster nearly idle, unused rows are left out
  for (const GanttPiece& piece : pieces)
    most_in_use = std::max(most_in_use, static_cast<int>(piece.last) + 1);
  const int rows = std::min(total_gpus, std::max(most_in_use, cut ? 1 : total_gpus));
  const Owners owners{workload, result};
  const double above = cut ? 170 : 0; // height of the overview
  const double span = plot_width - left_edge - right_edge, top = 40 + above, bottom = 420 + above;
  const double row = (bottom - top) / rows;
  draw_to_files(path, plot_width, 490 + above, [&](Canvas& canvas) {
    if (cut) {
      constexpr std::size_t stretches = 300;
      axes(canvas, 40, 160, 0, whole, total_gpus, title + ": GPUs in use over the whole time");
      const auto sums = gpus_by_owner(result, owners, stretches);
      const double wide = span / static_cast<double>(stretches);
      for (std::size_t i = 0; i < sums.size(); ++i) {
        double y = 160;
        for (std::size_t place = 0; place < sums[i].size(); ++place) {
          const double tall = 120 * sums[i][place] / total_gpus;
          if (tall <= 0)
            continue;
          Owners::colour(canvas, place);
          canvas.rectangle(left_edge + wide * static_cast<double>(i), y - tall, wide + 0.2, tall);
          y -= tall;
        }
      }
      canvas.colour(ink); // the stretch that is shown below
      for (const double at : {low, high})
        canvas.line(left_edge + span * at / whole, 36, left_edge + span * at / whole, 160, 1);
    }
    axes(canvas, top, bottom, low, high, rows,
         cut ? fmt::format("job by job: the busiest period ({} of {} runs)", runs.size(), result.runs.size()) : title);
    for (const GanttPiece& piece : pieces) {
      const RunRecord* run = piece.run;
      const double x0 = left_edge + span * std::clamp((run->from.value() - low) / (high - low), 0.0, 1.0);
      const double x1 = left_edge + span * std::clamp((run->to.value() - low) / (high - low), 0.0, 1.0);
      const double y = bottom - row * static_cast<double>(piece.last + 1),
                   tall = row * static_cast<double>(piece.last - piece.first + 1);
      Owners::colour(canvas, owners.place(run->job));
      canvas.rectangle(x0, y + std::min(0.5, tall / 6), std::max(0.4, x1 - x0 - 0.4), tall - std::min(1.0, tall / 3));
      if (tall > 9 && x1 - x0 > 18) {
        canvas.colour({1, 1, 1});
        canvas.text((x0 + x1) / 2, y + tall / 2 + 3, canvas.fitted(workload.name(run->job), x1 - x0 - 4, 8), 8,
                    Anchor::centre);
      }
    }
    owners.legend(canvas, bottom + 34);
    canvas.colour(quiet_ink);
    canvas.text(left_edge, bottom + 52,
                fmt::format("rows: GPUs in use (how many, not which){}",
                            rows < total_gpus
                                ? fmt::format("; jobs hold at most {} of the {} GPUs in this period", rows, total_gpus)
                                : ""),
                9);
  });
}

} // namespace trainyard
