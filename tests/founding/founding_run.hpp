// SPDX-License-Identifier: Apache-2.0
// Runs a shipped scenario of the cluster around the jobs, with some values changed, and answers what the rows ask.
#pragma once
#include "models/core/data_folder.hpp"
#include "models/scenario/document.hpp"
#include "models/scenario/read_scenario.hpp"
#include "sim/run/simulate.hpp"
#include "sim/sources/services/orchestration_report.hpp"
#include "sim/sources/services/prepare.hpp"
#include "tests/support/places.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace trainyard::tests {

/// Changes to a scenario file: dotted path and value in YAML.
using Changes = std::vector<std::pair<std::string, std::string>>;

struct FoundingRun {
  std::string label;
  OrchestrationInput input;
  OrchestrationResult result;
  double usd_per_hour = 0;

  int service_index(const std::string& name) const
  {
    for (std::size_t s = 0; s < input.services.size(); ++s)
      if (input.services[s].name == name)
        return static_cast<int>(s);
    ADD_FAILURE() << "no service " << name;
    return 0;
  }
  const ServiceSpec& spec(const std::string& name) const
  {
    return input.services[static_cast<std::size_t>(service_index(name))];
  }
  const ServiceOutcome& service(const std::string& name) const
  {
    return result.services[static_cast<std::size_t>(service_index(name))];
  }
  int task_index(const std::string& name) const
  {
    const auto found = std::ranges::find(result.task_names, name);
    if (found == result.task_names.end())
      ADD_FAILURE() << "no task " << name;
    return static_cast<int>(found - result.task_names.begin());
  }
  TaskPhase phase(const std::string& task) const
  {
    return result.task_phase[static_cast<std::size_t>(task_index(task))];
  }
  /// Its instances in order of placement.
  std::vector<InstanceRecord> instances(const std::string& task) const
  {
    const int index = task_index(task);
    std::vector<InstanceRecord> list;
    for (const InstanceRecord& one : result.instances)
      if (one.task == index)
        list.push_back(one);
    return list;
  }
  std::string node(const InstanceRecord& one) const
  {
    return input.cluster.nodes[static_cast<std::size_t>(one.node)].name;
  }
  /// Reason of the last phase of this kind, or "".
  std::string reason(const std::string& task, TaskPhase phase) const
  {
    const int index = task_index(task);
    std::string text;
    for (const PhaseRecord& one : result.phases)
      if (one.task == index && one.phase == phase)
        text = one.why < 0 ? "" : result.reasons[static_cast<std::size_t>(one.why)].text;
    return text;
  }
  /// Running replicas of a service from this instant on.
  int running_at(const std::string& name, double seconds) const
  {
    const int index = service_index(name);
    int running = 0;
    for (const SeriesPoint& point : result.series)
      if (point.service == index && point.time.value() <= seconds + 1e-9)
        running = point.running;
    return running;
  }
  int least_running(const std::string& name, double from, double to) const
  {
    const int index = service_index(name);
    int least = running_at(name, from);
    for (const SeriesPoint& point : result.series)
      if (point.service == index && point.time.value() > from && point.time.value() < to)
        least = std::min(least, point.running);
    return least;
  }
  double finished(const std::string& name) const { return service(name).finished.value(); }
};

inline Document founding_document(const std::string& name, const Changes& changes = {})
{
  Diagnostics diagnostics;
  Document document = read_document(source_folder() / "scenarios" / (name + ".yaml"), diagnostics);
  diagnostics.throw_if_errors();
  for (const auto& [path, value] : changes)
    set_path(document, path, value);
  return document;
}

/// Every point of the scenario's sweep.
inline std::vector<FoundingRun> founding_runs(const std::string& name, const Changes& changes = {})
{
  const Document document = founding_document(name, changes);
  Diagnostics diagnostics;
  const std::vector<CheckedPoint> points = check_points(document, diagnostics);
  diagnostics.throw_if_errors();
  const Catalogue catalogue = load_catalogue(data_folder());
  std::vector<FoundingRun> runs;
  for (const CheckedPoint& point : points) {
    FoundingRun run;
    run.label = point.label;
    run.input = orchestration_input(point.scenario, catalogue, point.scenario.run.seed);
    run.usd_per_hour = machine_view(point.scenario, catalogue).price.value_or(DollarsPerHour{}).value();
    run.result = orchestrate(run.input);
    runs.push_back(std::move(run));
  }
  return runs;
}

inline FoundingRun founding_run(const std::string& name, const Changes& changes = {})
{
  return std::move(founding_runs(name, changes).front());
}

/// All that is said about a scenario, one line each; "" where nothing is wrong.
inline std::string said_about(const std::string& name, const Changes& changes = {})
{
  const Document document = founding_document(name, changes);
  Diagnostics diagnostics;
  check_points(document, diagnostics);
  std::string text;
  for (const Diagnostic& one : diagnostics.sorted())
    text += format(one);
  return text;
}

/// All result files of one run in one text, without the label of its point.
inline std::string all_files(const FoundingRun& run)
{
  orchestration::Runs runs(1);
  runs[0].input = run.input;
  runs[0].result = run.result;
  const std::size_t nodes = run.input.cluster.nodes.size();
  runs[0].gpu_idle_power.assign(nodes, Watts{});
  runs[0].gpu_power.assign(nodes, Watts{});
  runs[0].gpu_memory_MiB.assign(nodes, 0);
  return orchestration::placement_csv(runs) + orchestration::phases_csv(runs) + orchestration::accounting_csv(runs) +
         orchestration::faults_csv(runs) + orchestration::events_csv(runs) + orchestration::services_csv(runs) +
         orchestration::replicas_csv(runs) + orchestration::gpus_csv(runs) + orchestration::nodes_csv(runs);
}

} // namespace trainyard::tests
