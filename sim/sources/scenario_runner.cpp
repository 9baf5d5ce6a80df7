// SPDX-License-Identifier: Apache-2.0
#include "sim/sources/scenario_runner.hpp"

#include "models/scenario/assumptions.hpp"
#include "models/scenario/section.hpp"
#include "sim/report/table.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>
#include <memory>

namespace trainyard {
namespace {

using Json = nlohmann::ordered_json;

const std::map<std::string, std::unique_ptr<ScenarioRunner>>& runners()
{
  static const auto all = [] {
    std::map<std::string, std::unique_ptr<ScenarioRunner>> made;
    for (const auto& [name, entry] : Registry<ScenarioRunner>::instance().entries())
      made.emplace(name, entry.create({}));
    return made;
  }();
  return all;
}

/// Scenarios without a runner: jobs, each simulated step by step.
ReadParts parts_of_training()
{
  ReadParts parts{"jobs", training_parts()};
  std::erase_if(parts.others, [](const ReadPart& part) { return part.name == "jobs"; });
  for (const char* name : {"rendezvous", "faults", "checkpoints"})
    parts.others.push_back({name});
  parts.repeats = true;
  return parts;
}

/// Whether a part of the file says something that must not get lost. An empty list of jobs does not.
bool is_part(const DocumentNode::Entry& entry, const Scenario& scenario)
{
  if (entry.key == "jobs")
    return !scenario.jobs.empty();
  static const std::vector<std::string> settings = {"calibration", "cluster", "era", "measured_rates", "transports"};
  return entry.value.kind != DocumentNode::Kind::null &&
         (std::ranges::find(settings, entry.key) != settings.end() ||
          Registry<ScenarioSection>::instance().find(entry.key) != nullptr);
}

/// Whether a part can be run without any of the others.
bool brings_work(const std::string& part)
{
  const auto* section = Registry<ScenarioSection>::instance().find(part);
  return part == "jobs" || (section != nullptr && section->create({})->brings_work());
}

/// "'services' or 'workload'": the kinds of run that read a part.
std::string readers_of(const std::string& part)
{
  std::vector<ReadParts> kinds{parts_of_training()};
  for (const auto& [name, runner] : runners())
    kinds.push_back(runner->parts());
  std::vector<std::string> names;
  for (const ReadParts& kind : kinds)
    if (std::ranges::find(kind.others, part, &ReadPart::name) != kind.others.end())
      if (std::string name = "'" + kind.main + "'" + (kind.condition.empty() ? "" : " " + kind.condition);
          std::ranges::find(names, name) == names.end()) // a mix of parts has that of one of them
        names.push_back(std::move(name));
  return fmt::format("{}", fmt::join(names, " or "));
}

} // namespace

std::vector<ReadPart> training_parts(const std::function<bool(const Scenario&)>& when, const std::string& condition)
{
  std::vector<ReadPart> parts;
  for (const char* name : {"jobs", "framework", "transports", "era", "calibration", "measured_rates"})
    parts.push_back({name, when, condition});
  return parts;
}

void check_parts(const Document& document, const Scenario& scenario, Diagnostics& diagnostics)
{
  const ScenarioRunner* runner = runner_of(scenario);
  const ReadParts parts = runner == nullptr ? parts_of_training() : runner->parts();
  for (const DocumentNode::Entry& entry : document.root.entries) {
    if (entry.key == parts.main || !is_part(entry, scenario))
      continue;
    const auto known = std::ranges::find(parts.others, entry.key, &ReadPart::name);
    if (known == parts.others.end() ? entry.key == "cluster" : !known->when || known->when(scenario))
      continue;
    const std::string place = entry.line > 0          ? ""
                              : entry.key == "faults" ? " (--fail, --mtbf)"
                                                      : " (of the command line)";
    const std::string head = fmt::format("'{}'{} would be ignored: a run of '{}' ", entry.key, place, parts.main);
    const bool work = brings_work(entry.key);
    if (known != parts.others.end())
      document.error(diagnostics, entry,
                     fmt::format("{}reads it only {}; {}", head, known->condition,
                                 work ? "otherwise split the file into two" : "otherwise remove it"));
    else
      document.error(diagnostics, entry,
                     fmt::format("{}does not read it{}", head,
                                 work ? "; split the file into two"
                                      : fmt::format(", only a run of {} does; give the jobs in that form, or remove it",
                                                    readers_of(entry.key))));
  }
  if (const DocumentNode* run = document.root.find("run");
      run != nullptr && !parts.repeats && scenario.run.replicas > 1)
    for (const DocumentNode::Entry& entry : run->entries)
      if (entry.key == "replicas")
        document.error(diagnostics, entry,
                       fmt::format("'replicas' would be ignored: a run of '{}' has one seed; simrun sweep --replicas "
                                   "{} runs it with several, "
                                   "simrun compare gives means and intervals",
                                   parts.main, scenario.run.replicas));
  if (!parts.uses_job || diagnostics.has_errors())
    return;
  for (const JobSpec& spec : scenario.jobs)
    if (const std::string& job = spec.name; !parts.uses_job(scenario, job)) {
      const DocumentNode& node = *find_path(document.root, spec.path);
      const std::string message =
          fmt::format("job '{0}' {1} ignored: nothing in '{2}' names it (job: {0}); name it there, or remove it", job,
                      parts.jobs_are_examples ? "is" : "would be", parts.main);
      if (parts.jobs_are_examples)
        diagnostics.warning(document.at(node), message, document.line_text(node.line));
      else
        document.error(diagnostics, node, message);
    }
}

std::vector<std::string> assumed(const std::vector<CheckedPoint>& points, std::span<const FilledDefault> seen)
{
  std::vector<std::string> list;
  for (const CheckedPoint& point : points)
    for (std::string& words : assumed(point.scenario, seen))
      if (std::ranges::find(list, words) == list.end())
        list.push_back(std::move(words));
  return list;
}

RunReport with_assumed(RunReport report, const std::vector<std::string>& assumed)
{
  if (assumed.empty())
    return report;
  report.text += assumed_text(assumed);
  Json summary = Json::parse(report.summary);
  summary["assumed"] = assumed;
  report.summary = summary.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
  return report;
}

RunReport with_warnings(RunReport report, std::span<const Diagnostic> of_check)
{
  Json summary = Json::parse(report.summary);
  Json& list = summary["warnings"];
  if (!list.is_array())
    list = Json::array();
  const auto add = [&](const std::string& message) {
    if (std::ranges::none_of(list, [&](const Json& known) { return known == message; }))
      list.push_back(message);
  };
  for (const std::string& warning : report.warnings)
    add(warning);
  for (const Diagnostic& doubt : report.doubts)
    add(doubt.message);
  for (const Diagnostic& doubt : of_check)
    add(doubt.message);
  report.summary = summary.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
  return report;
}

const ScenarioRunner* runner_of(const Scenario& scenario)
{
  const ScenarioRunner* best = nullptr;
  int most = 0;
  for (const auto& [name, runner] : runners())
    if (const int parts = runner->claims(scenario); parts > most) {
      most = parts;
      best = runner.get();
    }
  return best;
}

const ScenarioRunner* runner_of_kind(const std::string& kind)
{
  for (const auto& [name, runner] : runners())
    if (runner->kind() == kind)
      return runner.get();
  return nullptr;
}

} // namespace trainyard
