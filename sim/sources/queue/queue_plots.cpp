// SPDX-License-Identifier: Apache-2.0
#include "sim/sources/queue/queue_report.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <map>

namespace trainyard {

Picture queue_picture(const std::vector<QueueRun>& runs)
{
  constexpr std::size_t most = 12, reach = 4;
  double until = 0, most_jobs = 1;
  for (const QueueRun& run : runs)
    for (const QueueSample& sample : run.series) {
      until = std::max(until, sample.time_s);
      most_jobs = std::max(most_jobs, sample.waiting_jobs);
    }
  Picture picture;
  if (until <= 0)
    return picture;
  const PlotAxis time{0, until};
  picture.panels = {{.title = "GPUs in use", .x = time, .y = {0, 1.0 * std::max(1, runs.front().gpus)}},
                    {.title = "waiting jobs", .x = time, .y = {0, most_jobs * 1.05}},
                    {.title = "fragmentation: share of the idle GPUs that a typical job cannot use (running mean)",
                     .x = time,
                     .counts = false}};
  for (std::size_t s = 0; s < runs.size() && s < most; ++s) {
    const std::vector<QueueSample>& samples = runs[s].series;
    std::array<std::vector<std::pair<double, double>>, 3> lines;
    for (std::size_t i = 0; i < samples.size(); ++i) {
      // Fragmentation jumps with every start and end; a running mean over nine samples can be read.
      const std::size_t first = i < reach ? 0 : i - reach, last = std::min(samples.size(), i + reach + 1);
      double sum = 0;
      for (std::size_t k = first; k < last; ++k)
        sum += samples[k].fragmentation;
      const double at = samples[i].time_s;
      lines[0].emplace_back(at, samples[i].busy_gpus);
      lines[1].emplace_back(at, samples[i].waiting_jobs);
      lines[2].emplace_back(at, sum / static_cast<double>(last - first));
    }
    picture.legend.push_back(series_line(s, runs[s].label));
    for (std::size_t panel = 0; panel < lines.size(); ++panel)
      add_line(picture.panels[panel].marks, lines[panel], picture.legend.back());
  }
  return picture;
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

  static Colour colour(std::size_t place) { return place < shown ? okabe_ito[place] : Colour{0.6, 0.6, 0.6}; }

  std::vector<Mark> legend() const
  {
    std::vector<Mark> entries;
    for (std::size_t i = 0; i < order_.size(); ++i) {
      const std::string& name = by_team_ ? workload_.teams.name(order_[i]) : workload_.users.name(order_[i]);
      entries.push_back(box(0, 0, 0, 0, colour(i), 0.85, name.empty() ? "no name" : name));
    }
    if (others_)
      entries.push_back(box(0, 0, 0, 0, colour(shown), 0.85, by_team_ ? "other teams" : "other users"));
    return entries;
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

/// Of many runs the stretch that can be read, run by run: of equal windows the fullest one.
std::pair<double, double> readable_window(const SchedulingResult& result)
{
  constexpr std::size_t readable = 1500;
  const double whole = result.makespan.value();
  if (result.runs.size() <= readable)
    return {0, whole};
  std::vector<int> work((result.runs.size() + readable - 1) / readable);
  const double length = whole / static_cast<double>(work.size());
  for (const RunRecord& run : result.runs)
    ++work[std::min(work.size() - 1, static_cast<std::size_t>(run.from.value() / length))];
  const auto fullest = static_cast<double>(std::ranges::max_element(work) - work.begin());
  return {fullest * length, (fullest + 1) * length};
}

/// GPUs in use over the whole time, by owner, and which part of it is shown below.
PicturePanel overview(const QueueRun& run, const Owners& owners, std::pair<double, double> shown)
{
  constexpr std::size_t stretches = 300;
  const double whole = run.result.makespan.value(), wide = whole / static_cast<double>(stretches);
  PicturePanel panel{.title = run.label + ": GPUs in use over the whole time",
                     .x = {0, whole},
                     .y = {0, 1.0 * run.gpus},
                     .height = 120};
  const auto sums = gpus_by_owner(run.result, owners, stretches);
  for (std::size_t i = 0; i < sums.size(); ++i) {
    double y = 0;
    for (std::size_t place = 0; place < sums[i].size(); ++place)
      if (const double gpus = sums[i][place]; gpus > 0) {
        const double x = wide * static_cast<double>(i);
        panel.marks.push_back(box(x, x + wide, y, y + gpus, Owners::colour(place), 0.85));
        y += gpus;
      }
  }
  for (const double at : {shown.first, shown.second})
    panel.marks.push_back(line(at, at, 0, run.gpus, ink, 1));
  return panel;
}

} // namespace

Picture gantt_picture(const QueueRun& run)
{
  const SchedulingResult& result = run.result;
  Picture picture;
  if (result.runs.empty() || run.gpus <= 0)
    return picture;
  const auto [low, high] = readable_window(result);
  const bool cut = high - low < result.makespan.value();
  std::vector<const RunRecord*> runs;
  for (const RunRecord& one : result.runs)
    if (one.to.value() > low && one.from.value() < high)
      runs.push_back(&one);
  std::ranges::stable_sort(runs, {}, &RunRecord::from);
  const std::vector<GanttPiece> pieces = pieces_of(runs, run.gpus);
  int rows = cut ? 1 : run.gpus; // of a window: with a large cluster nearly idle, unused rows are left out
  for (const GanttPiece& piece : pieces)
    rows = std::max(rows, static_cast<int>(piece.last) + 1);
  const Owners owners{*run.workload, result};
  picture.legend = owners.legend();
  if (cut)
    picture.panels.push_back(overview(run, owners, {low, high}));
  PicturePanel& panel = picture.panels.emplace_back();
  panel.title =
      cut ? fmt::format("job by job: the busiest period ({} of {} runs)", runs.size(), result.runs.size()) : run.label;
  panel.x = {low, high};
  panel.y = {0, 1.0 * rows};
  panel.height = 380;
  for (const GanttPiece& piece : pieces)
    panel.marks.push_back(box(piece.run->from.value(), piece.run->to.value(), static_cast<double>(piece.first) + 0.04,
                              static_cast<double>(piece.last) + 0.96, Owners::colour(owners.place(piece.run->job)),
                              0.85, run.workload->name(piece.run->job)));
  picture.footer = "rows: GPUs in use (how many, not which)";
  if (rows < run.gpus)
    picture.footer += fmt::format("; jobs hold at most {} of the {} GPUs in this period", rows, run.gpus);
  return picture;
}

} // namespace trainyard
