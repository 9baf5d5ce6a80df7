#pragma once
#include "models/scenario/sweep_space.hpp"
#include "sim/app/command.hpp"
#include "sim/app/scenario_input.hpp"
#include "sim/study/point_evaluator.hpp"

#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace trainyard::app {

/// Options that change the space of a study: --grid, --zip, --variant, --random, --latin-hypercube, --over, --constraint, --replicas.
std::vector<Option> space_options();
/// Adds what they say to the scenario's `sweep`. Throws InputError.
void apply_space_options(const Arguments& arguments, Document& document);

/// --knob PATH=VALUES and the other options of a space (--zip, --random…), without --replicas.
void apply_knobs(const Arguments& arguments, Document& document);
/// "nodes" is cluster.nodes.0.count, "net" cluster.network.bandwidth…; other names are paths already.
std::string full_path(const std::string& name);
/// KEY=VALUES at the first '='; the key as `full_path` gives it. Throws InputError naming the option.
std::pair<std::string, DocumentNode> key_and_values(const std::string& option, const std::string& text);
/// Throws InputError for a policy that does not exist, with a suggestion.
void check_policies(const DocumentNode& values);
/// Queue policies as an axis of the sweep: "fifo,las", or YAML "[{name: fifo, skip: true}]".
void add_policies(Document& document, const std::string& text);

/// --prices FILE, or the list that comes along.
Option prices_option();
Prices prices_of(const Arguments& arguments, const Catalogue& catalogue);

/// A study's scenario with its folder as working place for traces; all faults thrown.
ScenarioInput study_scenario(const Arguments& arguments);

/// --jobs, as many as there are cores where it is not given.
Option jobs_option();
int jobs_of(const Arguments& arguments);

/// "-j 4 --grid 'a=1,2'": what was given, for a script that starts the same again.
std::string given_options(const Arguments& arguments, const std::vector<Option>& options, const std::vector<std::string>& without);

} // namespace trainyard::app
