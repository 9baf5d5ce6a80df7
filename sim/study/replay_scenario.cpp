// SPDX-License-Identifier: Apache-2.0
// The explained past as a scenario, and its changes. A run of it begins with an empty machine and goes on to the end,
// so that a change has all of its effect. The weekly replays of replay.cpp cannot show that: each begins with the queue
// of the record.
#include "models/core/diagnostics.hpp"
#include "models/core/statistics.hpp"
#include "models/core/text.hpp"
#include "models/scenario/sections/workload.hpp"
#include "models/scenario/yaml_edit.hpp"
#include "sim/run/simulate.hpp"
#include "sim/sources/queue/queue_point.hpp"
#include "sim/study/replay_parts.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <set>
#include <unordered_map>

namespace trainyard {
namespace {

constexpr const char* the_scenario = "scenario.yaml";

Document parsed(const std::string& text)
{
  Diagnostics faults;
  Document document = parse_document(text, the_scenario, faults);
  faults.throw_if_errors();
  return document;
}

std::string policy_text(const ReplayModel& model)
{
  std::string settings;
  const auto* policy = Registry<QueuePolicy>::instance().find(model.policy);
  for (const auto& [key, value] : model.settings.numbers()) {
    const bool time = policy != nullptr && std::ranges::any_of(policy->parameters, [&key = key](const Parameter& one) {
                        return one.name == key && one.kind == "duration";
                      });
    settings += fmt::format(", {}: {}{}", key, value, time ? " s" : "");
  }
  return settings.empty() ? model.policy : fmt::format("{{name: {}{}}}", model.policy, settings);
}

/// The scenario under a model: its policy, unless that is the site's own, and as many machines as it takes for usable.
std::string under(const std::string& imported, const RecordedQueue& log, const ReplayModel& model)
{
  std::string text = imported;
  const auto set = [&](const char* path, const std::string& value) {
    text = applied(text, set_value_edit(text, path, value));
  };
  const Document document = parsed(text);
  const DocumentNode* own = find_path(document.root, "scheduling.policy.name");
  if (own == nullptr || own->text != model.policy)
    set("scheduling.policy", policy_text(model));
  const int most = usable_gpus(log, model);
  const DocumentNode* groups = find_path(document.root, "cluster.nodes");
  const DocumentNode* count = find_path(document.root, "cluster.nodes.0.count");
  const DocumentNode* type = find_path(document.root, "cluster.nodes.0.type");
  const DocumentNode* gpus =
      type == nullptr ? nullptr : find_path(document.root, fmt::format("cluster.node_types.{}.gpus", type->text));
  int usable = log.gpus;
  if (groups != nullptr && groups->items.size() == 1 && count != nullptr && gpus != nullptr) {
    const int each = std::max(1, std::atoi(gpus->text.c_str()));
    const int machines = std::max(1, static_cast<int>(std::lround(1.0 * most / each)));
    usable = machines * each;
    set("cluster.nodes.0.count", std::to_string(machines));
  }
  if (std::ranges::any_of(log.workload.jobs, [&](const TraceJob& job) { return job.gpus > usable; }))
    set("scheduling.site.largest_job", std::to_string(usable));
  return text;
}

/// The text with findings as entries of scheduling.site, those that are not @p on as comments.
std::string with_findings(std::string text, const std::vector<LogFinding>& findings, const std::set<std::size_t>& on)
{
  std::string site;
  for (const char* key : {"closed", "user_limits", "long_jobs", "holds"}) {
    std::string list;
    bool any = false, is_on = false;
    for (std::size_t i = 0; i < findings.size(); ++i) {
      const LogFinding& finding = findings[i];
      if (finding.key != key || finding.entries.empty())
        continue;
      const bool active = on.contains(i);
      any = true;
      is_on = is_on || active;
      list += fmt::format("      # {}: {}{}\n", finding.what, finding.evidence, active ? "" : ". Not used");
      for (const std::string& entry : finding.entries)
        list += fmt::format("      {}{}{}\n", active ? "" : "# ", finding.key == "long_jobs" ? "" : "- ", entry);
    }
    if (any)
      site += fmt::format("    {}{}:\n{}", is_on ? "" : "# ", key, list);
  }
  if (site.empty())
    return text;
  const Document document = parsed(text);
  const DocumentNode* largest = find_path(document.root, "scheduling.site.largest_job");
  if (largest != nullptr) {
    site += fmt::format("    largest_job: {} # GPUs of the machine: larger jobs get all of it\n", largest->text);
    text = applied(text, remove_edit(text, "scheduling.site"));
  }
  const std::string head = fmt::format("  {}site: # found in the log; a part without the comment sign counts\n",
                                       on.empty() && largest == nullptr ? "# " : "");
  const std::size_t at = text.find("\nscheduling:\n");
  if (at == std::string::npos)
    return text + "\nscheduling:\n" + head + site;
  return text.insert(at + std::string_view{"\nscheduling:\n"}.size(), head + site);
}

/// Jobs of the second half that start under both.
template <class Of>
void for_each_counted(const RecordedQueue& log, const std::vector<double>& before, const std::vector<double>& after,
                      const Of& of)
{
  for (std::size_t i = 0; i < log.waits.size(); ++i)
    if (counts(log, i, true) && before[i] >= 0 && after[i] >= 0)
      of(i);
}

} // namespace

std::vector<double> scenario_waits(const RecordedQueue& log, const Document& scenario, const Catalogue& catalogue)
{
  Diagnostics faults;
  const std::vector<CheckedPoint> points = check_points(scenario, catalogue, faults);
  faults.throw_if_errors();
  std::string notes;
  QueuePoint point = prepare_queue(points.front(), catalogue, notes);
  point.figures_only = true;
  const QueueRun run = PolicyRun{point, point.scheduling.policies.front(), point.scheduling.placements.front()}.alone();
  std::unordered_map<std::int64_t, double> by_row;
  for (std::size_t i = 0; i < run.result.jobs.size(); ++i)
    if (const JobOutcome& outcome = run.result.jobs[i]; outcome.first_start >= Instant{0})
      by_row[run.workload->jobs[i].row] = (outcome.first_start - run.workload->jobs[i].submit).value();
  std::vector<double> waits;
  waits.reserve(log.waits.size());
  for (const TraceJob& job : log.workload.jobs) {
    const auto found = by_row.find(job.row);
    waits.push_back(found == by_row.end() ? -1 : found->second);
  }
  return waits;
}

namespace {

/// A scenario beside the first half.
struct Explained {
  std::string text;
  std::set<std::size_t> on; // findings that are parts of it
  std::vector<double> waits;
  double error = std::numeric_limits<double>::infinity();
  const ReplayModel* model = nullptr;
};

/// The text with each finding that makes the error of the first half smaller.
Explained explained_by(const RecordedQueue& log, const std::string& text, const std::vector<LogFinding>& findings,
                       const Catalogue& catalogue)
{
  Explained best{.text = text};
  const auto better = [&](const std::string& changed) {
    std::vector<double> waits = scenario_waits(log, parsed(changed), catalogue);
    const auto never = std::ranges::count_if(waits, [](double wait) { return wait < 0; });
    const ReplayError of = error_of(log, waits, false);
    const double error = (std::isnan(of.week) ? of.mean / 3600 : of.week) +
                         static_cast<double>(never) / static_cast<double>(waits.size());
    if (error >= best.error)
      return false;
    best.error = error;
    best.waits = std::move(waits);
    return true;
  };
  better(text);
  for (std::size_t i = 0; i < findings.size(); ++i) {
    if (findings[i].entries.empty() || findings[i].key == "holds") // holds are the record itself
      continue;
    best.on.insert(i);
    if (!better(with_findings(text, findings, best.on)))
      best.on.erase(i);
  }
  return best;
}

/// One pool, as the weekly replays have it, and the imported machines where they are not one. Which of both explains
/// the log is for the log to say.
std::vector<std::string> machines_or_pool(const std::string& imported, const Catalogue& catalogue)
{
  const Document document = parsed(imported);
  const DocumentNode* cluster = find_path(document.root, "scheduling.cluster");
  if (cluster != nullptr && cluster->text == "pool")
    return {imported};
  const std::string pool = applied(imported, set_value_edit(imported, "scheduling.cluster", "pool"));
  Diagnostics faults;
  static_cast<void>(check_points(parsed(pool), catalogue, faults));
  return faults.has_errors() ? std::vector{imported} : std::vector{pool, imported};
}

} // namespace

std::string explained_scenario(const RecordedQueue& log, const std::string& scenario, const Catalogue& catalogue,
                               Replay& replay)
{
  // A block, so that findings can be written below it.
  const bool has_block = find_path(parsed(scenario).root, "scheduling") != nullptr;
  const std::string imported = has_block ? scenario : scenario + "scheduling:\n  policy: fifo\n";
  Explained best;
  std::set<std::pair<std::string, double>> seen;
  const std::vector<std::string> clusters = machines_or_pool(imported, catalogue);
  for (const ReplayModel& model : replay.chosen)
    if (seen.emplace(policy_text(model), model.usable).second)
      for (const std::string& cluster : clusters)
        if (Explained one = explained_by(log, under(cluster, log, model), replay.findings, catalogue);
            one.error < best.error) {
          best = std::move(one);
          best.model = &model;
        }
  replay.scenario = best.waits;
  RecordedQueue replayed = log;
  std::ranges::transform(best.waits, replayed.waits.begin(), [](double wait) { return std::max(0.0, wait); });
  replay.replay_room_share = room_share_of(replayed);
  replay.first_half.emplace_back(scenario_row, error_of(log, replay.scenario, false));
  replay.second_half.emplace_back(scenario_row, error_of(log, replay.scenario, true));
  std::string text = fmt::format(
      "# Made by `simrun replay`: one run from an empty machine. Of what the replay chose on the log's first half, {} "
      "on "
      "{:.0f} % of the\n# machine explains that half best in such a run (weekly error {:.2f}). Findings that made this "
      "error smaller are parts of\n# scheduling.site, others are comments there: change them, and run this file "
      "again.\n",
      best.model->policy, 100 * best.model->usable, best.error);
  if (const auto never = std::ranges::count_if(replay.scenario, [](double wait) { return wait < 0; }); never > 0)
    text += fmt::format("# {} of the log never start in this run\n", counted(never, "job"));
  for (const LogFinding& finding : replay.findings)
    if (finding.entries.empty())
      text += fmt::format("# {}: {}\n", finding.what, finding.evidence);
  return text + with_findings(best.text, replay.findings, best.on);
}

WhatIf what_if(const RecordedQueue& log, const Replay& replay, const std::string& change,
               const std::vector<double>& after)
{
  constexpr int draws = 400;
  const std::vector<double>& before = replay.scenario;
  WhatIf answer{.change = change};
  std::map<int, std::vector<std::size_t>> by_week, by_class;
  for_each_counted(log, before, after, [&](std::size_t i) {
    by_week[static_cast<int>(log.submit(i) / replay_week)].push_back(i);
    by_class[class_of(log, i)].push_back(i);
  });
  for (std::size_t i = 0; i < log.waits.size(); ++i)
    answer.never += counts(log, i, true) && (before[i] < 0) != (after[i] < 0) ? 1 : 0;
  if (by_week.empty())
    throw InputError{fmt::format("what-if {}: no job of the second half starts under both", change)};
  answer.weeks = static_cast<int>(by_week.size());
  using Jobs = std::vector<std::size_t>;
  const auto values = [](const Jobs& jobs, const std::vector<double>& waits) {
    std::vector<double> of;
    of.reserve(jobs.size());
    for (const std::size_t i : jobs)
      of.push_back(waits[i]);
    return of;
  };
  const auto mean = [&](const Jobs& jobs, const std::vector<double>& waits) {
    double sum = 0;
    for (const std::size_t i : jobs)
      sum += waits[i];
    return sum / static_cast<double>(jobs.size());
  };
  const auto p90 = [&](const Jobs& jobs, const std::vector<double>& waits) {
    return quantile(values(jobs, waits), 0.9);
  };
  std::vector<const Jobs*> weeks;
  Jobs all;
  for (const auto& [number, jobs] : by_week) {
    weeks.push_back(&jobs);
    all.insert(all.end(), jobs.begin(), jobs.end());
  }
  const auto figure = [&](const std::string& name, const Jobs& jobs, const auto& of) {
    answer.figures.push_back(
        {name, static_cast<int>(jobs.size()), of(jobs, log.waits), of(jobs, before), of(jobs, after)});
    return &answer.figures.back();
  };
  answer.figures.reserve(2 + by_class.size());
  std::array<WhatIf::Figure*, 2> first = {figure("mean", all, mean), figure("p90", all, p90)};
  std::array<std::vector<double>, 2> drawn;
  const Random random{1};
  auto stream = random.stream("weeks");
  for (int draw = 0; draw < draws; ++draw) {
    Jobs jobs;
    jobs.reserve(2 * all.size());
    for (std::size_t w = 0; w < weeks.size(); ++w) {
      const Jobs& one = *weeks[stream.below(weeks.size())];
      jobs.insert(jobs.end(), one.begin(), one.end());
    }
    drawn[0].push_back(mean(jobs, after) - mean(jobs, before));
    drawn[1].push_back(p90(jobs, after) - p90(jobs, before));
  }
  for (std::size_t i = 0; i < first.size(); ++i) {
    first[i]->low = quantile(drawn[i], 0.1);
    first[i]->high = quantile(drawn[i], 0.9);
  }
  for (const auto& [cls, jobs] : by_class)
    figure(class_text(cls), jobs, mean);
  const WhatIf::Figure& all_jobs = answer.figures.front();
  answer.shown = (all_jobs.low > 0 || all_jobs.high < 0) && all_jobs.before - all_jobs.after <= all_jobs.real &&
                 std::abs(all_jobs.after - all_jobs.before) > std::abs(all_jobs.before - all_jobs.real);
  return answer;
}

} // namespace trainyard
