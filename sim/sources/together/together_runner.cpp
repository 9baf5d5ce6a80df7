// SPDX-License-Identifier: Apache-2.0
// Scenarios with several parts that bring work: a queue, services and retraining on the same machines.
#include "models/core/data_folder.hpp"
#include "models/core/interrupt.hpp"
#include "models/core/text.hpp"
#include "models/orchestration/service.hpp"
#include "models/scenario/sections/task_environment.hpp"
#include "sim/sources/together/together.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>

namespace trainyard {
namespace {

using namespace together;

/// The parts of a scenario that run together, their runners' kinds, and the folders of their results.
struct TogetherPart {
  const char* section;
  const char* kind;
  const char* folder;
};
constexpr std::array<TogetherPart, 3> together_parts = {
    {{"workload", "trainyard queue", "queue"},
     {"services", "trainyard orchestration", "services"},
     {"task_environment", "trainyard task environment", "retraining"}}};

/// Whether one of the scenario's parts reads this other part, by itself.
bool reads(const Scenario& scenario, const std::string& name)
{
  return std::ranges::any_of(together_parts, [&](const TogetherPart& part) {
    if (!scenario.sections.contains(part.section))
      return false;
    const std::vector<ReadPart> others = runner_of_kind(part.kind)->parts().others;
    const auto found = std::ranges::find(others, name, &ReadPart::name);
    return found != others.end() && (!found->when || found->when(scenario));
  });
}

/// What each part says of its own defaults.
std::vector<FilledDefault> seen_in(const Scenario& scenario, const std::vector<TogetherRun>& runs)
{
  std::vector<FilledDefault> seen;
  std::vector<const QueueRun*> queue;
  for (const TogetherRun& run : runs)
    if (run.queue)
      queue.push_back(&*run.queue);
  if (scenario.sections.contains("workload") && !queue.empty())
    seen = queue_seen(scenario, queue);
  const auto add = [&](const std::vector<FilledDefault>& more) { seen.insert(seen.end(), more.begin(), more.end()); };
  if (scenario.sections.contains("services"))
    add(orchestration::services_seen(scenario));
  if (scenario.sections.contains("task_environment"))
    add(retraining_seen(scenario));
  return seen;
}

class TogetherRunner final : public ScenarioRunner
{
public:
  ReadParts parts() const override
  {
    // What any of its parts reads, it reads.
    ReadParts parts{"workload"};
    for (const TogetherPart& part : together_parts) {
      if (std::string_view{part.section} != parts.main)
        parts.others.push_back({part.section});
      for (const ReadPart& read : runner_of_kind(part.kind)->parts().others)
        if (read.name != "cluster" && std::ranges::find(parts.others, read.name, &ReadPart::name) == parts.others.end())
          parts.others.push_back({read.name,
                                  [name = read.name](const Scenario& scenario) { return reads(scenario, name); },
                                  "where one of its parts does by itself"});
    }
    parts.uses_job = [](const Scenario& scenario, const std::string& job) {
      return std::ranges::any_of(together_parts, [&](const TogetherPart& part) {
        const ReadParts alone = runner_of_kind(part.kind)->parts();
        return scenario.sections.contains(part.section) && (!alone.uses_job || alone.uses_job(scenario, job));
      });
    };
    return parts;
  }

  int claims(const Scenario& scenario) const override
  {
    const auto count = std::ranges::count_if(
        together_parts, [&](const TogetherPart& part) { return scenario.sections.contains(part.section); });
    return count > 1 ? static_cast<int>(count) : 0;
  }

  void check(const Scenario& scenario, const Catalogue& catalogue, Diagnostics& diagnostics) const override
  {
    if (!(scenario.run.until > Seconds{0}))
      diagnostics.error({.path = "run"}, "several parts bring work, and such a run has no end of its own: say how long "
                                         "it is to last, run: {until: 1 d}");
    const SchedulingSection scheduling = scheduling_of(scenario);
    const auto* workload = scenario.section<WorkloadSection>("workload");
    if (workload != nullptr && workload->machines)
      diagnostics.error({.path = "workload.machines"}, "workload: {machines: FILE} has machines of its own; with other "
                                                       "parts in the scenario all use those of 'cluster'");
    if (!scheduling.machines)
      diagnostics.error({.path = "scheduling.cluster"},
                        "cluster: pool only counts GPUs; with other parts in the scenario the queue needs machines");
    if (const auto* retrained = scenario.section<TaskEnvironmentSection>("task_environment"); retrained != nullptr) {
      if (!retrained->cluster)
        diagnostics.error({.path = "task_environment.cluster"},
                          "cluster: false gives each model a machine of its own, so nothing is shared; simulate it in "
                          "a file of its own");
      if (retrained->planners.size() > 1 || retrained->duplicates.size() > 1)
        diagnostics.error(
            {.path = "task_environment"},
            "with other parts in the scenario 'task_environment' has one planner and one policy for duplicates");
    }
    if (diagnostics.has_errors())
      return;
    for (const TogetherPart& part : together_parts) {
      if (!scenario.sections.contains(part.section))
        continue;
      Scenario own = scenario;
      if (std::string_view{part.section} == "workload" && scenario.sections.contains("services"))
        own.sections.erase("faults"); // failures that only services can have are checked there
      runner_of_kind(part.kind)->check(own, catalogue, diagnostics);
    }
  }

  Outline outline(const std::vector<CheckedPoint>& points, const Catalogue& catalogue,
                  Diagnostics& diagnostics) const override
  {
    const Scenario& scenario = points.front().scenario;
    std::string text;
    Verdict verdict;
    for (const TogetherPart& part : together_parts)
      if (scenario.sections.contains(part.section)) {
        const Outline own = runner_of_kind(part.kind)->outline(points, catalogue, diagnostics);
        text += own.text;
        if (!own.verdict.answers())
          verdict = own.verdict;
      }
    if (const auto* services = scenario.section<ServicesSection>("services"); services != nullptr)
      text += counted(services->services.size(), "service") + "\n";
    if (const auto* retrained = scenario.section<TaskEnvironmentSection>("task_environment"); retrained != nullptr)
      text += fmt::format("{}{}\n", counted(retrained->models.size(), "retrained model"),
                          retrained->through_queue ? "; every training is a job of the queue" : "");
    return {text, verdict};
  }

  RunReport run(const std::vector<CheckedPoint>& points, const SimulateOptions& options) const override
  {
    const Catalogue read = options.catalogue == nullptr ? load_catalogue(data_folder()) : Catalogue{};
    const Catalogue& catalogue = options.catalogue == nullptr ? read : *options.catalogue;
    std::vector<TogetherRun> runs;
    std::string notes;
    Diagnostics doubts;
    std::size_t total = 0;
    for (const CheckedPoint& point : points) {
      const SchedulingSection scheduling = scheduling_of(point.scenario);
      total += scheduling.policies.size() * scheduling.placements.size();
    }
    std::size_t ready = 0;
    try {
      for (const CheckedPoint& point : points) {
        TogetherPoint prepared{point, catalogue, notes};
        for (const Diagnostic& doubt : prepared.queue().doubts)
          doubts.add(doubt);
        for (const NamedPart& policy : prepared.queue().scheduling.policies)
          for (const NamedPart& placement : prepared.queue().scheduling.placements) {
            if (options.progress)
              options.progress(ready, total, policy.label);
            std::vector<TogetherRun> one; // of an interrupted one without some parts nothing is kept
            one.push_back(prepared.run(policy, placement, LeftOut::nothing));
            if (!options.figures_only)
              for (const LeftOut part : prepared.parts())
                one.push_back(prepared.run(policy, placement, part));
            std::ranges::move(one, std::back_inserter(runs));
            ++ready;
          }
      }
      if (options.progress)
        options.progress(total, total, "");
    } catch (const Interrupted&) {
      interrupt::keep(ready, total);
    }
    return with_assumed(together_report(points, runs, notes, doubts.sorted()),
                        assumed(points, seen_in(points.front().scenario, runs)));
  }

  std::string kind() const override { return "trainyard cluster"; }

  Telling explain(const WrittenRun& folder, const std::string& what, const std::string& name) const override
  {
    Telling all;
    std::vector<Diagnostic> refused;
    for (const TogetherPart& part : together_parts) {
      const std::filesystem::path own = folder.path / part.folder;
      if (!std::filesystem::exists(own / "summary.json"))
        continue;
      try {
        Telling told = runner_of_kind(part.kind)->explain(own, what, name);
        if (what.empty()) // the scenario is named once, for all parts
          told.pieces.erase(told.pieces.begin(), std::ranges::find_if(told.pieces, [&](const Told& piece) {
                              return &piece != &told.pieces.front() &&
                                     (piece.form == Told::Form::table || !piece.said.empty());
                            }));
        all.heading(plain(MessageKind::part, part.folder), all.empty() ? "" : "\n");
        all.add(std::move(told));
      } catch (const InputError& fault) {
        for (Diagnostic one : fault.diagnostics()) {
          one.message = fmt::format("{}: {}", part.folder, one.message);
          refused.push_back(std::move(one));
        }
      }
    }
    if (all.empty())
      throw InputError{std::move(refused)};
    if (!what.empty())
      return all;
    Telling whole = explain_together(folder);
    whole.add(std::move(all));
    return whole;
  }
};

TY_REGISTER(ScenarioRunner, TogetherRunner, "together",
            "a queue, services and retraining on the same machines, under one clock");

} // namespace
} // namespace trainyard
