// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/core/diagnostics.hpp"
#include "models/scenario/document.hpp"
#include "sim/app/command.hpp"
#include "sim/results/results.hpp"
#include "sim/run/simulate.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace trainyard::app {

/// The input that the user gave: a scenario file, a shipped example, or the manifest of an earlier run.
struct ScenarioInput {
  Document document; // overrides are in
  RunInfo run;       // text, file, overrides, seed and fidelity where they were chosen
  std::string name;  // for the results folder
};

/// Options that every command with a scenario takes: SCENARIO, --set, --fidelity, --seed.
std::vector<Option> scenario_options();

/// The name as that of a folder, where it can be one.
std::string as_folder(const std::string& name);

/// Finds, reads and overrides the scenario. Faults of the file go to @p diagnostics; throws InputError where there is
/// no such file (with the example that was probably meant) or an override is wrong.
ScenarioInput scenario_input(const Arguments& arguments, Diagnostics& diagnostics);

/// "nodes" is cluster.nodes.0.count, "net" cluster.network.bandwidth…; other names are paths already.
std::string full_path(const std::string& name);

/// Makes the change of --set KEY=VALUE; the key as `full_path` gives it. Throws InputError.
void change_value(Document& document, const std::string& change);

/// Adds the failures of --fail and --mtbf to the scenario. Throws InputError.
void apply_failures(const Arguments& arguments, ScenarioInput& input);

/// Leaves one point of the sweep, named as in jobs.csv, in such a way that the manifest repeats it. Throws InputError.
void keep_point(ScenarioInput& input, const std::string& label);

/// A scenario whose points have been checked.
struct CheckedInput {
  ScenarioInput input;
  std::vector<CheckedPoint> points;
};

/// scenario_input() and its points. Throws InputError with every fault at once; what is not an error stays in @p
/// diagnostics.
CheckedInput checked_input(const Arguments& arguments, Diagnostics& diagnostics);
/// The same with hardware that was read before.
CheckedInput checked_input(const Arguments& arguments, const Catalogue& catalogue, Diagnostics& diagnostics);

/// The faults that a run or a check found in the input's values, with their lines and columns.
InputError located(const InputError& error, const ScenarioInput& input);
std::vector<Diagnostic> located(const std::vector<Diagnostic>& faults, const ScenarioInput& input);

/// The scenarios that come with Trainyard: name and file, sorted.
std::vector<std::pair<std::string, std::filesystem::path>> shipped_scenarios();

/// Whether an example has this name.
bool is_shipped(const std::string& name);

/// Throws InputError listing the examples where it has none of that name.
std::filesystem::path find_scenario(const std::string& name);

} // namespace trainyard::app
