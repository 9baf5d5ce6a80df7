// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/core/message.hpp"
#include "models/results/verdict.hpp"
#include "sim/report/picture.hpp"

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace trainyard {

/// The results of one job, one queue policy or the whole cluster in one run: figures by name with the unit in it
/// ("step_s").
struct Measured {
  std::string item; // name of the job, label of the policy, "cluster"
  std::map<std::string, double> numbers;
  std::string note;                  // the bottleneck; empty where there is none
  Verdict verdict = {};              // cannot run: some work was not done, so that figures are those of a part of it
  std::set<std::string> absent = {}; // figures of such items that this one does not have: nothing of it has ended

  std::optional<std::string> run = {}; // of services, that of the point: together they are one design
  std::string system = {};             // kind of GPU: answers about the same one have the same errors in part
  std::string group = {}; // of the jobs of this policy: a team, or a size such as "9-32 GPUs"; empty: all of them

  /// Whether a measure of @p wanted means it: a job, a policy, or a group of jobs. Empty: any job or policy, no group.
  bool is(const std::string& wanted) const { return wanted == group || (group.empty() && wanted == item); }
  /// Sets the verdict from what the summary says of its work, and from its numbers of jobs.
  void judge(const std::string& unfinished, const std::string& change);
};

/// One point of a study: its figures, or why there are none.
struct PointOutcome {
  std::string failure; // empty = done
  std::vector<Measured> items;
  bool refused = false; // by the scenario itself, which is wrong

  bool failed() const { return !failure.empty(); }
  /// Cannot run where it failed, or where work of one item (empty: of any; a service: of any of its run) was not done,
  /// because it cannot run, was cut off or left out: then it meets no goal and wins no comparison, whatever its
  /// figures. Else: runs.
  /// What is still at work when the run ends takes nothing from the figures of other services; nor, in goals, whose
  /// direction the user gives, from its own. Compared, less of it would win.
  Verdict verdict(const std::string& item = {}, bool in_a_goal = false) const;
};

/// One line of JSON, the same bytes for the same outcome.
std::string to_json_line(const PointOutcome& outcome);
/// Of two seeds: whether chance has no part in any figure. One measure alone may be equal by chance.
bool same_figures(const PointOutcome& a, const PointOutcome& b);
/// Throws std::runtime_error where the text is not an outcome.
PointOutcome outcome_of_json(std::string_view text);

/// An entry of the table of measures (`simrun list measures`).
struct MeasureKind {
  std::string name;
  std::string of;     // "training", "queue", "cluster"
  std::string column; // in Measured::numbers; distributions have _mean, _p95… behind it
  std::string unit;   // "s", "B", "$/h", "/s", "" …
  bool distribution = false;
  bool more_is_better = false;
  std::string meaning;
};
const std::vector<MeasureKind>& measure_kinds();

/// A figure that goals, assertions and comparisons can name: "p95(queueing_delay)", "throughput(vgg)", "cost".
struct Measure {
  std::string text;                      // as it was written
  std::string name;                      // of the table of measures
  std::string statistic;                 // mean, p50, p95, p99, max; of distributions
  std::string item;                      // job or policy; empty = all of them, the worst counts
  std::optional<MeasureKind> other = {}; // of a figure that only this kind of scenario has
};

/// Throws InputError: syntax, an unknown measure or statistic (with a suggestion and the list). A name that stands in
/// no table is looked for among the figures of @p probe, where it is given: every number of a summary can be named,
/// "deployed_s" as p95(deployed).
Measure parse_measure(const std::string& text, const PointOutcome* probe = nullptr);
/// The name of a measure that @p name is short for ("mfu", "tokens_per_s"), or itself.
std::string full_measure_name(const std::string& name);
/// "2M", "1.5e6 /s", "500k": a number with a factor of thousand, in front of a unit that is dropped.
std::optional<double> scaled_number(std::string text, const std::string& unit);
/// All figures of an outcome that the table of measures does not have.
std::vector<Measure> other_measures(const PointOutcome& outcome);
const MeasureKind& kind_of(const Measure& measure);
/// Whether a figure depends on prices.
bool is_money(const Measure& measure);
/// Whether it cannot be above 1: utilisation, goodput.
bool is_share(const Measure& measure);
/// Whether the errors of a step are those of a measure.
bool rests_on_steps(const MeasureKind& kind);
/// That money does not order networks, since these cost nothing in the price list.
inline constexpr Sentence<std::string> cost_without{
    "study.cost_without",
    "cost does not tell the networks apart: the price list has no network cards of {links}, which "
    "count as free; --prices with your own list has them"};

/// The figure in an outcome; over several items the worst one. Nothing where it was not measured.
/// @p of: only of this policy or job, also of groups of its jobs; empty: of all.
std::optional<double> value_of(const Measure& measure, const PointOutcome& outcome, const std::string& of = {});

/// Over how many jobs a figure of a queue is; nothing for other figures.
std::optional<std::int64_t> population_of(const Measure& measure, const PointOutcome& outcome);
/// " over 1,984 jobs", or nothing.
std::string population_text(const Measure& measure, const PointOutcome& outcome);

/// Whether a figure says all there is to say although work was not done: the machines', and how many jobs ended.
bool holds_unfinished(const Measure& measure);

/// Why a measure cannot be had from outcomes such as this one ("it has no queue; add workload:"); empty where it can.
std::string why_not_measured(const Measure& measure, const PointOutcome& outcome);

/// What a goal on queueing_delay leaves out, where jobs were stopped and waited again: "queueing_delay ends with the
/// first start; with the waits of jobs that were stopped again, p95(waiting) is 416 min". Empty for other measures, and
/// where both are the same.
std::string waiting_note(const Measure& measure, const PointOutcome& outcome);

/// "1.23 h", "5,000 /s", "71 %"; times in the unit of the @p largest of a column, where it is given.
std::string measure_text(const Measure& measure, double value, std::optional<double> largest = {});

/// A limit on a measure: "p95(queueing_delay) < 1 h", "throughput(vgg) >= 5000/s".
struct Goal {
  std::string text;
  Measure measure;
  bool upper = true; // the measure must stay below the limit
  bool strict = true;
  double limit = 0;

  bool met(double value) const;
  /// Margin of the value, relative to the limit; negative = missed.
  double margin(double value) const;
};

/// Probability that a goal on the speed of jobs, or on what follows from it, is met, by the errors of the model and by
/// chance; of several jobs the least. Nothing for other goals, and where the step is exact.
std::optional<double> probability_of(const Goal& goal, const PointOutcome& outcome);
/// That a goal on times of training was judged without the error of the model; empty where it has a probability, or the
/// step is exact.
std::string judged_without_error(const Goal& goal, const PointOutcome& outcome);

/// Throws InputError: no comparison, a limit without its unit, an unknown measure.
Goal parse_goal(const std::string& text, const PointOutcome* probe = nullptr);
/// Whether the measure of a goal is none of the table, so that a probe must be simulated before it can be read.
bool needs_probe(const std::string& text);

/// Throws InputError where two goals exclude each other, or one can never be met (a share above 100 %, a time below 0).
void check_goals(const std::vector<Goal>& goals);

/// Ticks of an axis with figures of a measure. Times have one unit on the whole axis, and are round in it: 0 min, 10
/// min, 20 min.
std::vector<AxisTick> axis_ticks(const PlotAxis& axis, const Measure& measure);

} // namespace trainyard
