// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/core/registry.hpp"
#include "sim/simulation/simulate.hpp"

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace trainyard {

/// A file of a results folder.
struct RunFile {
  std::string name;
  std::function<void(const std::filesystem::path&)> write; // throws std::runtime_error with call, file and reason
};

/// The output of a run: for the terminal, for programs, and for the folder.
struct RunReport {
  std::string text;    // the answer in words and tables
  std::string summary; // summary.json; its "kind" says who can explain it
  std::vector<RunFile> files;
  std::vector<std::string> warnings;
  int exit_code = 0; // 3 where something could never run or a goal was missed
};

/// How a kind of scenario is run: the queue of a cluster, machines with failures… Scenarios that none of them claims are training steps
/// (simulate.hpp).
class ScenarioRunner
{
public:
  virtual ~ScenarioRunner() = default;
  /// Whether a checked scenario is for this runner, by its sections.
  virtual bool claims(const Scenario& scenario) const = 0;
  /// Everything that can be said before running; faults go to @p diagnostics.
  virtual void check(const Scenario& scenario, const Catalogue& catalogue, Diagnostics& diagnostics) const = 0;
  /// The content of the scenario, for `simrun check`: files it names are read and audited, nothing is run. Empty: nothing to say beyond the
  /// scenario itself. Throws InputError for what a run would refuse before its first event.
  virtual std::string outline(const std::vector<CheckedPoint>& points, const Catalogue& catalogue) const
  {
    static_cast<void>(points);
    static_cast<void>(catalogue);
    return {};
  }
  virtual RunReport run(const std::vector<CheckedPoint>& points, const SimulateOptions& options, bool colour) const = 0;
  /// "kind" of its summary.json.
  virtual std::string kind() const = 0;
  /// The explanation of one thing of a run: explain("job", "812"); empty @p what: the run as a whole. Throws InputError where there is no
  /// such thing.
  virtual std::string explain(const std::filesystem::path& folder, const std::string& what, const std::string& name) const = 0;
};

/// The runner that claims a scenario; null: training steps.
const ScenarioRunner* runner_of(const Scenario& scenario);
/// The runner whose summaries have this kind; null: none.
const ScenarioRunner* runner_of_kind(const std::string& kind);

} // namespace trainyard
