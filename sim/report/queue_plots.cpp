#include "sim/report/queue_plots.hpp"

#include "sim/report/canvas.hpp"
#include "sim/report/text.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <functional>
#include <map>

namespace trainyard {
namespace {

std::string hours(double seconds)
{
  if (seconds >= 4 * 86400)
    return fmt::format("{:.4g} d", seconds / 86400);
  if (seconds >= 2 * 3600)
    return fmt::format("{:.4g} h", seconds / 3600);
  return fmt::format("{:.4g} min", seconds / 60);
}

double nice_step(double range, int most)
{
  const double raw = range / most;
  const double power = std::pow(10.0, std::floor(std::log10(std::max(raw, 1e-12))));
  for (const double factor : {1.0, 2.0, 5.0, 10.0})
    if (factor * power >= raw)
      return factor * power;
  return 10 * power;
}

double time_step(double range, int most)
{
  for (const double step : {60.0, 300.0, 600.0, 1800.0, 3600.0, 3.0 * 3600, 6.0 * 3600, 12.0 * 3600, 86400.0, 2.0 * 86400, 7.0 * 86400,
                            14.0 * 86400, 28.0 * 86400})
    if (range / step <= most)
      return step;
  return nice_step(range, most);
}

constexpr double width = 760, left = 64, right = 20;

void axes(Canvas& canvas, double top, double bottom, double low_t, double high_t, double high_y, const std::string& title)
{
  canvas.colour(ink);
  canvas.text(left, top - 10, title, 11, Anchor::left, true);
  const double span = width - left - right;
  for (double y = 0; y <= high_y * 1.0001; y += nice_step(high_y, 4)) {
    const double at = bottom - (bottom - top) * y / high_y;
    canvas.colour(grid_line);
    canvas.line(left, at, width - right, at, 0.7);
    canvas.colour(quiet_ink);
    canvas.text(left - 6, at + 3, fmt::format("{:g}", y), 9, Anchor::right);
  }
  const double step = time_step(high_t - low_t, 8);
  for (double t = std::ceil(low_t / step) * step; t <= high_t; t += step) {
    const double x = left + span * (t - low_t) / (high_t - low_t);
    canvas.colour(grid_line);
    canvas.line(x, top, x, bottom, 0.7);
    canvas.colour(quiet_ink);
    canvas.text(x, bottom + 13, hours(t), 9, Anchor::centre);
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
  draw_to_files(path, width, height, [&](Canvas& canvas) {
    const double span = width - left - right;
    const auto panel = [&](double top, double bottom, double high, const std::string& title, double QueueSample::*member) {
      axes(canvas, top, bottom, 0, until, high, title);
      std::size_t index = 0;
      for (const std::vector<QueueSample>& samples : smooth) {
        canvas.colour(okabe_ito[index % okabe_ito.size()]);
        for (std::size_t i = 1; i < samples.size(); ++i)
          canvas.line(left + span * samples[i - 1].time_s / until, bottom - (bottom - top) * samples[i - 1].*member / high,
                      left + span * samples[i].time_s / until, bottom - (bottom - top) * samples[i].*member / high, 1.4,
                      index >= okabe_ito.size());
        ++index;
      }
    };
    panel(34, 204, std::max(1, total_gpus), "GPUs in use", &QueueSample::busy_gpus);
    panel(254, 424, most_jobs * 1.05, "jobs that wait", &QueueSample::waiting_jobs);
    panel(474, 644, 1, "share of the idle GPUs that the typical job cannot use where they are (fragmentation, running mean)",
          &QueueSample::fragmentation);
    for (std::size_t i = 0; i < series.size(); ++i) {
      const double x = left + static_cast<double>(i % 3) * 230, y = 676 + static_cast<double>(i / 3) * 16;
      canvas.colour(okabe_ito[i % okabe_ito.size()]);
      canvas.line(x, y - 3, x + 18, y - 3, 2, i >= okabe_ito.size());
      canvas.colour(ink);
      canvas.text(x + 24, y, canvas.fitted(series[i].first, 190, 10), 10);
    }
  });
}

void plot_gantt(const std::string& title, const Workload& workload, const SchedulingResult& result, int total_gpus,
                const std::filesystem::path& path)
{
  if (result.runs.empty() || total_gpus <= 0)
    return;
  // Of many runs the stretch of time with the most work: windows of equal length, the fullest one.
  double low = 0, high = result.makespan.value();
  constexpr std::size_t readable = 1500;
  if (result.runs.size() > readable) {
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
  std::ranges::stable_sort(runs, {}, [](const RunRecord* run) { return run->from.value(); });
  // Rows of GPUs that were free when the run began, the lowest first; they say how many GPUs, not which ones.
  std::vector<double> free_at(static_cast<std::size_t>(total_gpus), -1e300);
  std::map<int, std::size_t> colour_of;
  const double span = width - left - right, top = 40, bottom = 420;
  const double row = (bottom - top) / total_gpus;
  draw_to_files(path, width, 470, [&](Canvas& canvas) {
    axes(canvas, top, bottom, low, high, total_gpus,
         title + (runs.size() < result.runs.size() ? fmt::format(" (the fullest stretch, {} of {} runs)", runs.size(), result.runs.size())
                                                   : ""));
    std::ranges::fill(free_at, -1e300);
    colour_of.clear();
    for (const RunRecord* run : runs) {
      const TraceJob& job = workload.job(run->job);
      const int owner = workload.teams.size() > 2 ? job.team : job.user;
      const std::size_t colour = colour_of.try_emplace(owner, colour_of.size()).first->second % 6;
      const double x0 = left + span * std::clamp((run->from.value() - low) / (high - low), 0.0, 1.0);
      const double x1 = left + span * std::clamp((run->to.value() - low) / (high - low), 0.0, 1.0);
      int needed = std::max(1, static_cast<int>((run->held.milli() + 999) / 1000));
      for (std::size_t g = 0; g < free_at.size() && needed > 0; ++g) {
        if (free_at[g] > run->from.value() + 1e-9)
          continue;
        // As many rows in one piece as are free.
        std::size_t last = g;
        while (last + 1 < free_at.size() && static_cast<int>(last - g) + 1 < needed && free_at[last + 1] <= run->from.value() + 1e-9)
          ++last;
        const double y = bottom - row * static_cast<double>(last + 1), tall = row * static_cast<double>(last - g + 1);
        canvas.colour(okabe_ito[colour], 0.85);
        canvas.rectangle(x0, y + std::min(0.5, tall / 6), std::max(0.4, x1 - x0 - 0.4), tall - std::min(1.0, tall / 3));
        if (tall > 9 && x1 - x0 > 18) {
          canvas.colour({1, 1, 1});
          canvas.text((x0 + x1) / 2, y + tall / 2 + 3, canvas.fitted(workload.name(run->job), x1 - x0 - 4, 8), 8, Anchor::centre);
        }
        for (std::size_t k = g; k <= last; ++k)
          free_at[k] = run->to.value();
        needed -= static_cast<int>(last - g) + 1;
        g = last;
      }
    }
    canvas.colour(quiet_ink);
    canvas.text(left, 452, "rows: GPUs in use (how many, not which); colours: teams or users", 9);
  });
}

} // namespace trainyard
