// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <QHash>
#include <QString>
#include <QStringList>
#include <QVector>

#include "gui/core/table.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

class QColor;

namespace trainyard::gui {

/// From seconds to pixels and back, for a part of a timeline.
struct TimeScale {
  double begin = 0;
  double end = 1;
  int width = 1; // pixels

  bool operator==(const TimeScale&) const = default;
  double pixels_per_second() const { return width / (end - begin); }
  double x(double seconds) const { return (seconds - begin) * pixels_per_second(); }
  double seconds(double x) const { return begin + x / pixels_per_second(); }
  /// Zooms by @p factor (below 1: closer) keeping the time under @p x in place, within [low, high].
  void zoom(double factor, double x, double low, double high);
  void pan(double pixels, double low, double high);
};

/// Distance of tick marks (1, 2 or 5 times a power of ten) so that they stand at least @p pixels apart.
double tick_distance(const TimeScale& scale, double pixels);
QString time_text(double seconds, double distance);
/// On an axis: one unit for all ticks, of which their distance is a whole or a half, so that none is rounded.
QString tick_text(double seconds, double distance);

/// A piece of work on a lane. Spans of a lane are sorted and do not overlap.
struct Span {
  double begin = 0; // s
  double end = 0;   // s
  std::uint32_t name = 0;
};

/// What a lane looks like from afar: its time is cut into stretches of equal length, and of each is known which work
/// took most of it. Every level has half as many stretches as the one before it, the first one for four spans on
/// average; together they take about a twelfth of the memory of the spans.
struct LaneDetail {
  /// The name in the upper 24 bits; in the lower 8 the share of the stretch that is busy, 1 to 255; 0 where nothing
  /// happened.
  using Stretch = std::uint32_t;
  struct Level {
    double length = 0; // of a stretch, s
    std::vector<Stretch> stretches;
  };
  double begin = 0; // s
  double end = 0;   // s
  std::vector<Level> levels;
};

/// Looks at all spans of a lane. @p kinds tells which names belong together ("forward" of all layers): the kind that
/// took most of a stretch wins, and is shown by the name of it that took most. Names marked in @p favoured (none: no
/// name) win against all others, however short. Lanes of few spans have no detail; they are drawn span by span.
LaneDetail detail_of(const std::vector<Span>& spans, const std::vector<std::uint32_t>& kinds,
                     const std::vector<char>& favoured = {});

/// A lane as a row of pixels.
struct LaneRow {
  std::vector<std::uint32_t> pixels; // RGB32
  std::vector<std::size_t> wide;     // spans that take at least as many pixels as asked for
};

/// Draws a lane: a span that is wider than a pixel where it is, of those that share a pixel the one that takes most of
/// it. Where more than a few share every pixel, the detail is drawn: what took most of the pixel, the paler the less it
/// was busy. Costs O(pixels) either way.
/// @p colours are by name.
LaneRow draw_lane(const std::vector<Span>& spans, const LaneDetail& detail, const TimeScale& scale,
                  const std::vector<std::uint32_t>& colours, std::uint32_t background, int wide = 40);

struct Lane {
  QString name;
  QString process;
  std::vector<Span> spans;
  LaneDetail detail{}; // see add_detail
  bool gpu = false;    // work of one GPU, so that those with work can be counted
};

/// "gpu-0 compute" of "gpu-0 compute #2", its second lane: what overlaps on one lane stands on several.
inline QString own_name(const QString& lane)
{
  return lane.section(QLatin1String(" #"), 0, 0);
}

/// A number over time, as means of stretches of equal length.
struct Counter {
  QString name;
  double begin = 0;
  double end = 0;
  double most = 0;    // of the scale
  bool share = false; // shown as per cent
  std::vector<float> values;

  /// Mean and highest between two times; 0 outside.
  std::pair<double, double> between(double from, double to) const;
  /// "7.25", "86 %".
  QString text(double value) const;
};

/// A piece of the critical path: what the step's end waited for.
struct CriticalPart {
  int lane = 0;
  double begin = 0;
  double end = 0;
};

/// Something waited for a message, or a message for what it carries: from the end of a span to the begin of another.
struct Flow {
  int from_lane = 0;
  std::uint32_t from_span = 0;
  int to_lane = 0;
  std::uint32_t to_span = 0;
};

/// The spans of a run, from trace.json.gz or the tables of the folder.
struct Timeline {
  std::vector<Lane> lanes;
  QStringList names;
  QStringList categories; // of each name
  double begin = 0;
  double end = 0;
  std::size_t spans = 0;
  std::vector<Counter> counters;
  std::vector<CriticalPart> critical; // in order of time; may be empty
  std::vector<Flow> flows;            // arrows, where the trace has them

  const Span& from(const Flow& flow) const
  {
    return lanes[static_cast<std::size_t>(flow.from_lane)].spans[flow.from_span];
  }
  const Span& to(const Flow& flow) const { return lanes[static_cast<std::size_t>(flow.to_lane)].spans[flow.to_span]; }
};

using SharedTimeline = std::shared_ptr<const Timeline>;

/// Timelines of one folder that are made when they are looked at: of a queue one for each policy and point.
struct TimelineSource {
  QStringList runs;
  std::function<Timeline(const QString& run, bool by_machine)> make;
  bool jobs = true; // jobs may have the lanes, too
};

/// How busy links were, part by part of the timeline; from link_loads.csv.
struct LinkLoads {
  struct Part {
    float begin = 0; // s
    float end = 0;   // s
    float load = 0;  // 0…1
  };
  QString point;
  double begin = 0;                    // s
  double end = 0;                      // s
  QHash<QString, QVector<Part>> parts; // by link, in order of time

  /// Loads at a time; links without load then are 0.
  QHash<QString, double> at(double seconds) const;
};

/// Which names look alike: those of one category; a name without category is a kind of its own.
std::vector<std::uint32_t> kinds_of(const Timeline& timeline);

/// Adds what the lanes look like from afar, so that a picture of them costs no more than its pixels; takes about 0.1 s
/// per million spans.
void add_detail(Timeline& timeline);

/// Reads a Chrome trace (plain or gzip); spans that overlap on one lane are moved to further lanes. Throws
/// std::runtime_error with the reason.
/// @p limit is the largest unpacked size in bytes.
Timeline read_trace(const QString& file, std::size_t limit = std::size_t{1} << 30U);

LinkLoads link_loads_of(const Table& table);

/// Adds up how much of something there is over time, from intervals.
class Averages
{
public:
  Averages(double begin, double end, std::size_t stretches = 8192);
  void add(double from, double to, double weight = 1);
  /// The mean of every stretch. Empty where nothing was added.
  Counter counter(const QString& name) const;

private:
  double begin_;
  double end_;
  bool any_ = false;
  std::vector<double> change_; // of whole stretches
  std::vector<double> part_;   // of those at the ends
};

/// "GPUs busy", where lanes are GPUs, and "busiest link", where loads are known.
/// @p as_shares: a lane may stand for many GPUs that do the same, as in the trace of a step; their number is not known.
void add_counters(Timeline& timeline, const LinkLoads& loads = {}, bool as_shares = false);

/// The lives of the jobs of a queue as a timeline: a lane per job and policy, from runs.csv and waits.csv. At most @p
/// most_lanes jobs of each policy, those that waited longest.
/// @p only: of this run alone, see queue_runs.
Timeline queue_timeline(const Table& runs, const Table& waits, int most_lanes = 1000, const QString& only = {});

/// The policies of a queue, each with its point where there are several: "fifo, nodes=8".
QStringList queue_runs(const Table& runs);
/// That of a row, by the columns of policy and point.
QString queue_run(const QStringList& row, int policy, int point);
/// A machine that is down does no work: its GPUs show why, in the gaps. From failures.csv of a queue.
void add_failures(Timeline& timeline, const Table& failures, const QString& run);

/// Who held which GPU of a queue: lanes by machine and GPU, and how many jobs waited, from runs.csv, waits.csv and
/// failures.csv; of one run (see queue_runs). The files say how many GPUs of a machine a job has, not which: it is
/// drawn on the first that are free. No lanes where the files do not name machines.
Timeline machine_timeline(const Table& runs, const Table& waits, const Table& failures, const QString& run);

/// The lives of the tasks of an orchestrator as a timeline: a lane per task, its states as spans, from tasks.csv; at
/// most @p most_lanes.
Timeline task_timeline(const Table& tasks, int most_lanes = 2000);

/// Retraining as a timeline: for each model and policy a lane of its trainings and one of the times in which the
/// deployed model was out of date, from trainings.csv and stale.csv; the first replica.
Timeline retraining_timeline(const Table& trainings, const Table& stale);

/// Who held which GPU, from timeline.csv of a run with several sources of work: a lane per GPU; the first policy.
/// @p run: of this run alone, see queue_runs; empty: the first.
Timeline cluster_timeline(const Table& timeline, const Table& failures = {}, const QString& run = {},
                          int most_lanes = 2000);

struct Timeline;

/// The colour of work of a kind; a name without kind has one of its own.
QColor span_colour(const QString& category, const QString& name);
/// A kind in words: "backward", "2 to 8 GPUs".
QString category_words(const QString& category);
/// The kinds that a timeline has, in the order in which they are met; names without kind are left out.
QStringList categories_of(const Timeline& timeline);
/// Every kind with its colour, as HTML; each is a link to its words.
QString legend_html(const Timeline& timeline);

/// What the spans of one name, or of one kind, did within a range of time.
struct SpanSum {
  QString category;
  QString name; // empty: all of the kind
  qint64 count = 0;
  double total = 0; // s, within the range
  double shortest = 0;
  double longest = 0;
  double share = 0; // of the time of all lanes that were looked at
};

/// Sums over some lanes: every kind, the one that took most first, followed by its names. @p names: at most so many of
/// each kind.
std::vector<SpanSum> sums_of(const Timeline& timeline, const std::vector<int>& lanes, double begin, double end,
                             std::size_t names = 50);

} // namespace trainyard::gui
