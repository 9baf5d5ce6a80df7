// SPDX-License-Identifier: Apache-2.0
// Which policy is best for which measure, and why: for each measure the run with the best figure, and what the records
// of waiting say about the difference. All waiting counts: before the first start and after every preemption.
#include "models/core/figure_text.hpp"
#include "sim/sources/queue/queue_report.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <limits>
#include <map>
#include <utility>

namespace trainyard {
namespace {

std::string hours_text(double seconds)
{
  return time_text(Seconds{seconds});
}

using Runs = std::vector<const QueueRun*>;

const QueueRun& least(const Runs& runs, double (*value)(const QueueMetrics&))
{
  return **std::ranges::min_element(runs, {}, [&](const QueueRun* run) { return value(run->metrics); });
}

const QueueRun& most(const Runs& runs, double (*value)(const QueueMetrics&))
{
  return **std::ranges::max_element(runs, {}, [&](const QueueRun* run) { return value(run->metrics); });
}

/// Those under which as many jobs ran as under any: means and makespans of other runs leave out the jobs that got
/// nothing. Says which runs are left out.
Runs comparable(const std::vector<QueueRun>& runs, std::string& said)
{
  const auto never = [](const QueueRun& run) { return run.metrics.never_ran; };
  const int fewest = never(*std::ranges::min_element(runs, {}, never));
  Runs kept;
  for (const QueueRun& run : runs)
    if (never(run) == fewest)
      kept.push_back(&run);
    else
      said += fmt::format("not compared: {}, under which {} of the jobs did not run to the end ({} under others).\n",
                          run.label, never(run), fewest);
  return kept;
}

/// "62 % of the waiting there is: fewer GPUs free than it needs"
std::string main_reason(const QueueRun& run)
{
  const auto reasons = waiting_by_reason(run.result);
  double all = 0;
  for (const auto& [reason, hours] : reasons)
    all += hours;
  if (all <= 0)
    return {};
  return fmt::format("{} of the waiting time under {} has this reason: {}", percent_text(reasons.front().second / all),
                     run.label, to_text(reasons.front().first));
}

/// The difference between the better run and the worse one: waiting before the first start, waiting after stops,
/// stretching of the run itself.
std::string difference(const QueueRun& better, const QueueRun& worse)
{
  const QueueMetrics &a = better.metrics, &b = worse.metrics;
  const double first = b.queueing_delay_s.mean - a.queueing_delay_s.mean;
  const double after = (a.waiting_s.mean - a.queueing_delay_s.mean) - (b.waiting_s.mean - b.queueing_delay_s.mean);
  std::string text = fmt::format("a job starts {} {} than under {}", hours_text(std::abs(first)),
                                 first >= 0 ? "sooner" : "later", worse.label);
  if (std::abs(after) > 0.01 * std::max(1.0, b.jct_s.mean))
    text += fmt::format(", and waits {} {} after being preempted", hours_text(std::abs(after)),
                        after > 0 ? "longer" : "less");
  return text;
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
std::string advice_between(const Runs& runs)
{
  const auto jct = [](const QueueMetrics& m) { return m.jct_s.mean; };
  const auto tail = [](const QueueMetrics& m) { return m.waiting_s.p99; };
  const auto fair = [](const QueueMetrics& m) { return m.finish_time_fairness; };
  const auto span = [](const QueueMetrics& m) { return m.makespan_s; };
  const QueueRun &fastest = least(runs, jct), &slowest = most(runs, jct);
  std::string text;
  if (differ(jct(fastest.metrics), jct(slowest.metrics))) {
    text += fmt::format("lowest mean completion time: {} ({}; {} under {}): {}", fastest.label,
                        hours_text(jct(fastest.metrics)), hours_text(jct(slowest.metrics)), slowest.label,
                        difference(fastest, slowest));
    if (const std::string reason = main_reason(slowest); !reason.empty())
      text += "; " + reason;
    text += ".\n";
    if (fastest.metrics.preemptions > 0)
      text += fmt::format("  it preempts running jobs {} times; starts, preemptions{} cost {:.3g} GPU-hours without "
                          "progress; higher costs of preemption (scheduling.checkpoint_cost, restart_cost) may change "
                          "the answer.\n",
                          fastest.metrics.preemptions, fastest.metrics.failures > 0 ? " and failures" : "",
                          fastest.metrics.lost_gpu_hours);
  }
  const QueueRun &patient = least(runs, tail), &impatient = most(runs, tail);
  if (differ(tail(patient.metrics), tail(impatient.metrics)))
    text += fmt::format("shortest long waits (p99 of all waiting, also after a preemption): {} ({}; {} under {}).\n",
                        patient.label, hours_text(tail(patient.metrics)), hours_text(tail(impatient.metrics)),
                        impatient.label);
  const QueueRun &just = least(runs, fair), &unjust = most(runs, fair);
  if (differ(fair(just.metrics), fair(unjust.metrics)))
    text += fmt::format("fairest: {} (no job takes more than {:.3g} times its time on an equal share of the cluster; "
                        "{:.3g} under {}).\n",
                        just.label, fair(just.metrics), fair(unjust.metrics), unjust.label);
  const QueueRun &done = least(runs, span), &late = most(runs, span);
  if (differ(span(done.metrics), span(late.metrics)))
    text +=
        fmt::format("shortest makespan: {} ({}, {} busy; {} under {}).\n", done.label, hours_text(span(done.metrics)),
                    percent_text(done.metrics.utilisation), hours_text(span(late.metrics)), late.label);
  if (text.empty())
    return {};
  if (const std::string sizes = best_by_group(runs, GroupBy::size, 5); !sizes.empty())
    text += fmt::format("by GPUs of the job, best and worst mean slowdown: {}.\n", sizes);
  if (const std::string teams = best_by_group(runs, GroupBy::team, 6); !teams.empty())
    text += fmt::format("by team: {}.\n", teams);
  text.pop_back();
  return text;
}

/// Which policy is best for what; empty where there is only one.
std::string comparison_of(const std::vector<QueueRun>& all)
{
  if (all.size() < 2)
    return {};
  std::string text;
  const Runs runs = comparable(all, text);
  if (std::ranges::any_of(runs, [](const QueueRun* run) { return run->metrics.finished == 0; }))
    return {};
  const std::string left_out = std::exchange(text, advice_between(runs));
  if (left_out.empty() && text.empty())
    return "all policies give the same result: no job waits for GPUs that another policy would give it.";
  return left_out.substr(0, left_out.size() - (text.empty() ? 1 : 0)) + text;
}

/// Where a policy decides so seldom that the shortest job could have run while another waited for its next decision.
std::string seldom_decided(const QueueRun& run)
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
  return fmt::format(
      "{} decides at intervals: jobs wait up to {} at a time for its next decision beside GPUs that "
      "would do ({} of all waiting), and the shortest job takes {}; shorter intervals start jobs sooner.",
      run.label, time_text(longest), percent_text(later / all), time_text(shortest));
}

} // namespace

std::string advice_of(const std::vector<QueueRun>& all)
{
  std::string text = comparison_of(all);
  for (const QueueRun& run : all)
    if (const std::string seldom = seldom_decided(run); !seldom.empty())
      text += (text.empty() ? "" : "\n") + seldom;
  return text;
}

} // namespace trainyard
