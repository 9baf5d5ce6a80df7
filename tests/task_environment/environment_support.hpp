// SPDX-License-Identifier: Apache-2.0
// Runs of a task environment for tests: a scenario, changed where a test says so.
#pragma once

#include "models/core/data_folder.hpp"
#include "models/scenario/document.hpp"
#include "sim/run/simulate.hpp"
#include "sim/sources/retraining/environment.hpp"
#include "sim/sources/retraining/environment_report.hpp"
#include "tests/support/places.hpp"

#include <cmath>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace trainyard::tests {

using Changes = std::vector<std::pair<std::string, std::string>>;

class EnvironmentCase
{
public:
  /// Of a file in scenarios/, or of text that begins with a line break; @p changes as --set. Throws InputError where it
  /// is refused.
  explicit EnvironmentCase(const std::string& scenario, const Changes& changes = {})
  {
    Diagnostics diagnostics;
    document_ = scenario.find('\n') == std::string::npos
                    ? read_document(source_folder() / "scenarios" / (scenario + ".yaml"), diagnostics)
                    : parse_document(scenario, "test.yaml", diagnostics);
    for (const auto& [path, value] : changes)
      set_path(document_, path, value);
    diagnostics.throw_if_errors();
    points_ = check_points(document_, diagnostics);
    diagnostics.throw_if_errors();
  }

  std::size_t points() const { return points_.size(); }
  const Scenario& scenario(std::size_t point = 0) const { return points_.at(point).scenario; }
  const TaskEnvironmentSection& section(std::size_t point = 0) const
  {
    return *scenario(point).section<TaskEnvironmentSection>("task_environment");
  }

  /// With the planner and the policy of these positions in their lists; @p seed 0: the scenario's.
  EnvironmentResult run(std::size_t duplicates = 0, std::size_t planner = 0, std::uint64_t seed = 0,
                        std::size_t point = 0)
  {
    const TaskEnvironmentSection& section = this->section(point);
    if (rates_ == nullptr || rates_of_ != point)
      rates_ = std::make_unique<TrainingRates>(scenario(point), catalogue_, section);
    rates_of_ = point;
    const NamedPart& policy = section.duplicates.at(duplicates);
    const NamedPart& order = section.planners.at(planner);
    const auto next = Registry<JobPlanner>::instance().create(order.name, order.settings);
    const RunSpec& run = scenario(point).run;
    return simulate_environment({section, *rates_, seed > 0 ? seed : run.seed,
                                 Instant{run.until.value() > 0 ? run.until : Seconds{30 * 86400.0}}},
                                *Registry<DuplicatePolicy>::instance().create(policy.name, policy.settings), *next);
  }

  TrainingRates& rates() { return *rates_; }

private:
  Catalogue catalogue_ = load_catalogue(data_folder());
  Document document_;
  std::vector<CheckedPoint> points_;
  std::unique_ptr<TrainingRates> rates_;
  std::size_t rates_of_ = 0;
};

inline EnvironmentMetrics metrics_of(const EnvironmentResult& result)
{
  return environment_metrics(std::span{&result, 1});
}

inline double seconds_of(Instant time)
{
  return trainyard::seconds(time).value();
}

/// One model with stated times, ideal messages and no upload: what a test wants else it sets.
inline const char* const plain_environment = R"(
cluster:
  node_types: {gpu: {gpu: V100-SXM2-16GB, gpus: 8}}
  nodes: [{name: gpu, type: gpu, count: 1}]
task_environment:
  models: [{name: faces, train_time: 6 h, gpus: 8, period: 24 h}]
  duplicates: [replace]
  upload: {confirm: {by: message}}
  status: {by: message}
  messages: {latency: 0 s}
run: {until: 10 d}
)";

} // namespace trainyard::tests
