// SPDX-License-Identifier: Apache-2.0
// Which policy is best for which measure, and why: for each measure the run with the best figure, and what the records
// of waiting say about the difference. All waiting counts: before the first start and after every preemption.
#include "models/core/figure_text.hpp"
#include "sim/sources/queue/queue_report.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <limits>
#include <map>
#include <utility>

namespace trainyard {
namespace {

constexpr Sentence<std::string, std::string> not_compared{"queue.not_compared", "not compared: {policy}: {why}."};
constexpr Sentence<std::string, Figure, Figure, std::string, Message, Messages> lowest_mean{
    "queue.lowest_mean",
    "lowest mean completion time: {policy} ({time}; {longest} under {other}): {difference}{reason}."};
constexpr Sentence<Figure, std::string, Messages> starts_sooner{"queue.starts_sooner",
                                                                "a job starts {time} sooner than under {other}{waits}"};
constexpr Sentence<Figure, std::string, Messages> starts_later{"queue.starts_later",
                                                               "a job starts {time} later than under {other}{waits}"};
constexpr Sentence<Figure> waits_longer{"queue.waits_longer", ", and waits {time} longer after being preempted"};
constexpr Sentence<Figure> waits_less{"queue.waits_less", ", and waits {time} less after being preempted"};
constexpr Sentence<Figure, std::string, Message> main_reason{
    "queue.main_reason", "; {share} of the waiting time under {policy} has this reason: {why}"};
constexpr Sentence<std::string, std::int64_t, Message, Figure> preempts{
    "queue.preempts", "{policy} preempts running jobs {times|time|times}; {causes} cost {hours} GPU-hours without "
                      "progress; higher costs of preemption (scheduling.checkpoint_cost, restart_cost) may change the "
                      "answer."};
constexpr Sentence<> starts_and_preemptions{"queue.starts_and_preemptions", "starts and preemptions"};
constexpr Sentence<> and_failures{"queue.and_failures", "starts, preemptions and failures"};
constexpr Sentence<std::string, Figure, Figure, std::string> shortest_waits{
    "queue.shortest_waits", "shortest long waits (p99 of all waiting, also after a preemption): {policy} ({time}; "
                            "{longest} under {other})."};
constexpr Sentence<std::string, Figure, Figure, std::string> fairest{
    "queue.fairest", "fairest: {policy} (no job takes more than {times} times its time on an equal share of the "
                     "cluster; {most} under {other})."};
constexpr Sentence<std::string, Figure, Figure, Figure, std::string> shortest_makespan{
    "queue.shortest_makespan", "shortest makespan: {policy} ({time}, {busy} busy; {longest} under {other})."};
constexpr Sentence<std::string> by_gpus{"queue.by_gpus", "by GPUs of the job, best and worst mean slowdown: {groups}."};
constexpr Sentence<std::string> by_team{"queue.by_team", "by team: {groups}."};
constexpr Sentence<> same_result{
    "queue.same_result", "all policies give the same result: no job waits for GPUs that another policy would give it."};
constexpr Sentence<std::string, Figure, Figure, Figure> decides_seldom{
    "queue.decides_seldom",
    "{policy} decides at intervals: jobs wait up to {longest} at a time for its next decision "
    "beside GPUs that would do ({share} of all waiting), and the shortest job takes {shortest}; "
    "shorter intervals start jobs sooner."};

Figure time_of(double seconds)
{
  return {seconds, time_text(Seconds{seconds})};
}

Figure percent_of(double share)
{
  return {share, percent_text(share)};
}

Figure three_digits(double value)
{
  return {value, fmt::format("{:.3g}", value)};
}

using Runs = std::vector<const QueueRun*>;

/// The runs with the least and the largest value.
std::pair<const QueueRun&, const QueueRun&> ends_of(const Runs& runs, double (*value)(const QueueMetrics&))
{
  const auto of = [&](const QueueRun* run) { return value(run->metrics); };
  return {**std::ranges::min_element(runs, {}, of), **std::ranges::max_element(runs, {}, of)};
}

/// The policies with the same figure as this run: "fifo, las".
std::string all_like(const QueueRun& run, const Runs& runs, double (*value)(const QueueMetrics&))
{
  std::vector<std::string> names;
  for (const QueueRun* one : runs)
    if (std::abs(value(one->metrics) - value(run.metrics)) <= 1e-9 * std::abs(value(run.metrics)))
      names.push_back(one->label);
  return fmt::format("{}", fmt::join(names, ", "));
}

/// Those under which all jobs ran to the end: means and makespans of the others leave out jobs that got nothing, not
/// the same ones under each. Says which runs are left out.
Runs comparable(const std::vector<QueueRun>& runs, Messages& said)
{
  Runs kept;
  for (const QueueRun& run : runs)
    if (const Verdict& verdict = run.metrics.verdict; verdict.answers())
      kept.push_back(&run);
    else
      said.push_back(not_compared(run.label, verdict.text()));
  return kept;
}

/// Of a run without waiting: nothing.
Messages reason_of(const QueueRun& run)
{
  const auto reasons = waiting_by_reason(run.result);
  double all = 0;
  for (const auto& [reason, hours] : reasons)
    all += hours;
  if (all <= 0)
    return {};
  return {main_reason(percent_of(reasons.front().second / all), run.label, message_of(reasons.front().first))};
}

/// The difference between the better run and the worse one: waiting before the first start, and after stops.
Message difference(const QueueRun& better, const QueueRun& worse)
{
  const QueueMetrics &a = better.metrics, &b = worse.metrics;
  const double first = b.queueing_delay_s.mean - a.queueing_delay_s.mean;
  const double after = (a.waiting_s.mean - a.queueing_delay_s.mean) - (b.waiting_s.mean - b.queueing_delay_s.mean);
  Messages waits;
  if (std::abs(after) > 0.01 * std::max(1.0, b.jct_s.mean))
    waits.push_back((after > 0 ? waits_longer : waits_less)(time_of(std::abs(after))));
  return (first >= 0 ? starts_sooner : starts_later)(time_of(std::abs(first)), worse.label, waits);
}

/// Whether two figures differ enough to be reported.
bool differ(double best, double worst)
{
  return worst - best > 0.005 * std::abs(worst);
}

/// "1: srtf (1.2; fifo 8.1), 33+: fifo (…)": the best mean slowdown of each group, and the worst; groups with equal
/// answers together.
std::string best_by_group(const Runs& runs, GroupBy by, std::size_t most_groups)
{
  struct Found {
    double best = 0, worst = 0;
    std::string winner, loser;
  };
  std::map<std::string, Found> groups;
  for (const QueueRun* run : runs)
    for (const QueueMetrics& one : metrics_by(by, *run->workload, run->result, run->gpus)) {
      if (one.finished == 0 || one.name.empty())
        continue;
      const double value = one.slowdown.mean;
      const auto [entry, fresh] = groups.try_emplace(one.name, Found{value, value, run->label, run->label});
      if (!fresh && value < entry->second.best) {
        entry->second.best = value;
        entry->second.winner = run->label;
      }
      if (!fresh && value > entry->second.worst) {
        entry->second.worst = value;
        entry->second.loser = run->label;
      }
    }
  if (groups.size() < 2 || groups.size() > most_groups)
    return {};
  std::string text;
  for (const auto& [name, found] : groups)
    if (differ(found.best, found.worst))
      text += fmt::format("{}{}: {} ({:.3g}; {} {:.3g})", text.empty() ? "" : ", ", name, found.winner, found.best,
                          found.loser, found.worst);
  return text;
}

/// Empty: all have the same result.
Messages advice_between(const Runs& runs)
{
  const auto jct = [](const QueueMetrics& m) { return m.jct_s.mean; };
  const auto tail = [](const QueueMetrics& m) { return m.waiting_s.p99; };
  const auto fair = [](const QueueMetrics& m) { return m.finish_time_fairness; };
  const auto span = [](const QueueMetrics& m) { return m.makespan_s; };
  Messages told;
  if (const auto& [best, worst] = ends_of(runs, jct); differ(jct(best.metrics), jct(worst.metrics))) {
    told.push_back(lowest_mean(all_like(best, runs, jct), time_of(jct(best.metrics)), time_of(jct(worst.metrics)),
                               all_like(worst, runs, jct), difference(best, worst), reason_of(worst)));
    if (best.metrics.preemptions > 0)
      told.push_back(preempts(best.label, best.metrics.preemptions,
                              best.metrics.failures > 0 ? and_failures() : starts_and_preemptions(),
                              three_digits(best.metrics.lost_gpu_hours)));
  }
  if (const auto& [best, worst] = ends_of(runs, tail); differ(tail(best.metrics), tail(worst.metrics)))
    told.push_back(shortest_waits(all_like(best, runs, tail), time_of(tail(best.metrics)), time_of(tail(worst.metrics)),
                                  all_like(worst, runs, tail)));
  if (const auto& [best, worst] = ends_of(runs, fair); differ(fair(best.metrics), fair(worst.metrics)))
    told.push_back(fairest(all_like(best, runs, fair), three_digits(fair(best.metrics)),
                           three_digits(fair(worst.metrics)), all_like(worst, runs, fair)));
  if (const auto& [best, worst] = ends_of(runs, span); differ(span(best.metrics), span(worst.metrics)))
    told.push_back(shortest_makespan(all_like(best, runs, span), time_of(span(best.metrics)),
                                     percent_of(best.metrics.utilisation), time_of(span(worst.metrics)),
                                     all_like(worst, runs, span)));
  if (told.empty())
    return {};
  if (const std::string sizes = best_by_group(runs, GroupBy::size, 5); !sizes.empty())
    told.push_back(by_gpus(sizes));
  if (const std::string teams = best_by_group(runs, GroupBy::team, 6); !teams.empty())
    told.push_back(by_team(teams));
  return told;
}

/// Which policy is best for what; empty where there is only one.
Messages comparison_of(const std::vector<QueueRun>& all)
{
  Messages told;
  if (all.size() < 2)
    return told;
  const Runs runs = comparable(all, told);
  if (runs.empty())
    return told;
  if (std::ranges::any_of(runs, [](const QueueRun* run) { return run->metrics.finished == 0; }))
    return {};
  std::ranges::move(advice_between(runs), std::back_inserter(told));
  return told.empty() ? Messages{same_result()} : told;
}

/// Where a policy decides so seldom that the shortest job could have run while another waited for its next decision.
Messages seldom_decided(const QueueRun& run)
{
  Seconds all, later, longest, shortest{std::numeric_limits<double>::infinity()};
  for (const WaitRecord& wait : run.result.waits) {
    const Seconds length = seconds(wait.to - wait.from);
    all += length;
    if (wait.reason != WaitReason::next_decision)
      continue;
    later += length;
    longest = std::max(longest, length);
  }
  for (const TraceJob& job : run.workload->jobs)
    shortest = std::min(shortest, seconds(job.duration));
  if (later < 0.01 * all || longest <= shortest)
    return {};
  return {decides_seldom(run.label, time_of(longest.value()), percent_of(later / all), time_of(shortest.value()))};
}

} // namespace

Messages advice_of(const std::vector<QueueRun>& all)
{
  Messages told = comparison_of(all);
  for (const QueueRun& run : all)
    std::ranges::move(seldom_decided(run), std::back_inserter(told));
  for (Message& message : told)
    message.kind = MessageKind::answer;
  return told;
}

} // namespace trainyard
