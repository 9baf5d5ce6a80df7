// SPDX-License-Identifier: Apache-2.0
#include "sim/simulation/scenario_runner.hpp"

#include <map>
#include <memory>

namespace trainyard {
namespace {

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

} // namespace

const ScenarioRunner* runner_of(const Scenario& scenario)
{
  for (const auto& [name, runner] : runners())
    if (runner->claims(scenario))
      return runner.get();
  return nullptr;
}

const ScenarioRunner* runner_of_kind(const std::string& kind)
{
  for (const auto& [name, runner] : runners())
    if (runner->kind() == kind)
      return runner.get();
  return nullptr;
}

} // namespace trainyard
