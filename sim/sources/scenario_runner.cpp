// SPDX-License-Identifier: Apache-2.0
#include "sim/sources/scenario_runner.hpp"

#include "models/results/json.hpp"
#include "models/scenario/assumptions.hpp"
#include "models/scenario/section.hpp"
#include "sim/cluster/clock.hpp"
#include "sim/report/advice.hpp"
#include "sim/report/document_head.hpp"
#include "sim/report/output_file.hpp"
#include "sim/report/table.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>
#include <memory>
#include <utility>

namespace trainyard {
namespace {

using Json = nlohmann::ordered_json;

constexpr Sentence<std::string, std::string> unnamed{
    "check.unnamed", "job '{job}' is ignored: nothing in '{part}' names it (job: {job}); name it there, or remove it"};

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
std::string readers_of(const std::string& part, const std::string& but)
{
  std::vector<ReadParts> kinds{parts_of_training()};
  for (const auto& [name, runner] : runners())
    kinds.push_back(runner->parts());
  std::vector<std::string> names;
  for (const ReadParts& kind : kinds)
    if (kind.main != but && std::ranges::find(kind.others, part, &ReadPart::name) != kind.others.end())
      if (std::string name = "'" + kind.main + "'" + (kind.condition.empty() ? "" : " " + kind.condition);
          std::ranges::find(names, name) == names.end()) // a mix of parts has that of one of them
        names.push_back(std::move(name));
  return fmt::format("{}", fmt::join(names, " or "));
}

} // namespace

std::string name_among(std::span<const CheckedPoint> points, const CheckedPoint& point)
{
  return point.variant.empty() || std::ranges::count(points, point.variant, &CheckedPoint::variant) > 1 ? point.label
                                                                                                        : point.variant;
}

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
                                                    readers_of(entry.key, parts.main))));
  }
  if (const DocumentNode* run = document.root.find("run");
      run != nullptr && !parts.repeats && scenario.run.replicas > 1)
    for (const DocumentNode::Entry& entry : run->entries)
      if (entry.key == "replicas")
        document.error(diagnostics, entry,
                       fmt::format("'replicas' would be ignored: a run of '{}' has one seed; simrun sweep --replicas "
                                   "{} runs it with several, simrun compare gives means and intervals",
                                   parts.main, scenario.run.replicas));
  if (!parts.uses_job || diagnostics.has_errors())
    return;
  for (const JobSpec& spec : scenario.jobs)
    if (const std::string& job = spec.name; !parts.uses_job(scenario, job)) {
      const DocumentNode& node = *find_path(document.root, spec.path);
      if (parts.jobs_are_examples)
        diagnostics.warning(document.at(node), unnamed(job, parts.main), document.line_text(node.line));
      else
        document.error(
            diagnostics, node,
            fmt::format("job '{0}' would be ignored: nothing in '{1}' names it (job: {0}); name it there, or remove it",
                        job, parts.main));
    }
}

Messages assumed(const std::vector<CheckedPoint>& points, std::span<const FilledDefault> seen)
{
  Messages list;
  for (const CheckedPoint& point : points)
    for (Message& words : assumed(point.scenario, seen))
      add_once(list, std::move(words));
  return list;
}

RunReport with_assumed(RunReport report, const Messages& assumed)
{
  if (assumed.empty())
    return report;
  report.told.say(assumed_told(assumed));
  report.summary["assumed"] = texts_of(assumed, MessageKind::part);
  report.add({assumed_told(assumed)});
  return report;
}

RunReport with_conclusions(RunReport report, const Messages& conclusions, std::span<const Diagnostic> of_check)
{
  Json& list = report.summary["warnings"] = Json::array();
  const auto tell = [&](const std::string& text, const Message& said) {
    if (std::ranges::any_of(list, [&](const Json& known) { return known == text; }))
      return;
    list.push_back(text);
    report.add({as(MessageKind::warning, said.empty() ? plain(MessageKind::warning, text) : said)});
  };
  for (const Message& warning : report.warnings)
    tell(warning.text, warning);
  for (const auto& doubts : {std::span<const Diagnostic>{report.doubts}, of_check})
    for (const Diagnostic& doubt : doubts)
      tell(doubt.message, doubt.said);
  if (!conclusions.empty()) {
    std::vector<std::string> answers = texts_of(conclusions, MessageKind::answer);
    if (const std::string advice = report.summary.value("advice", ""); !advice.empty())
      answers.push_back(advice);
    report.summary["advice"] = answers_once(answers);
    Json messages = Json::array();
    for (const Message& message : conclusions)
      messages.push_back(to_json(message));
    if (const auto said = report.summary.find("messages"); said != report.summary.end() && said->is_array())
      messages.insert(messages.end(), said->begin(), said->end());
    report.summary["messages"] = std::move(messages);
  }
  report.summary["told"] = report.told.json();
  return report;
}

void RunReport::conclude(const Messages& messages)
{
  summary["advice"] = fmt::format("{}", fmt::join(texts_of(messages, MessageKind::answer), "\n"));
  add(messages);
}

void RunReport::add(const Messages& messages)
{
  for (const Message& message : messages)
    summary["messages"].push_back(to_json(message));
}

Message clock(Instant time)
{
  static constexpr Sentence<std::string, std::string> on_day{"clock.day", "day {day} {time}"};
  const std::string text = clock_text(time);
  const std::size_t begin = text.find(' '), end = text.rfind(' ');
  return begin == std::string::npos ? plain(MessageKind::part, text)
                                    : on_day(text.substr(begin + 1, end - begin - 1), text.substr(end + 1));
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

RunFile text_file(std::string name, std::function<std::string()> make)
{
  return {std::move(name), [make = std::move(make)](const std::filesystem::path& path) { write_file(path, make()); }};
}

RunFile text_file(std::string name, std::string text)
{
  return text_file(std::move(name), [text = std::move(text)] { return text; });
}

RunFile picture_file(std::string name, std::function<Picture()> make)
{
  return {std::move(name), [make = std::move(make)](const std::filesystem::path& path) {
            draw(make(), path.parent_path() / path.stem());
          }};
}

} // namespace trainyard
