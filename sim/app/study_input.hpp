// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/results/telling.hpp"
#include "models/scenario/short_forms.hpp"
#include "models/scenario/sweep_space.hpp"
#include "sim/app/command.hpp"
#include "sim/app/scenario_input.hpp"
#include "sim/study/point_evaluator.hpp"

#include <filesystem>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace trainyard::app {

/// Options that change the space of a study: --grid, --zip, --variant, --random, --latin-hypercube, --over,
/// --constraint, --replicas.
std::vector<Option> space_options();
/// Adds what they say to the scenario's `sweep`. Throws InputError.
void apply_space_options(const Arguments& arguments, Document& document);

/// --knob PATH=VALUES and the other options of a space (--zip, --random…), without --replicas.
void apply_knobs(const Arguments& arguments, Document& document);
/// KEY=VALUES at the first '='; the key as `full_path` gives it. Throws InputError naming the option.
std::pair<std::string, DocumentNode> key_and_values(const std::string& option, const std::string& text);
/// Throws InputError for a policy that does not exist, with a suggestion.
void check_policies(const DocumentNode& values);
/// @p policy as the scenario sets it, where it has this policy with settings: a bare name means that one.
DocumentNode with_its_settings(const Document& document, const DocumentNode& policy);
/// Queue policies as an axis of the sweep: "fifo,las", or YAML "[{name: fifo, skip: true}]".
void add_policies(Document& document, const std::string& text);

/// Points of a space with each choice of each axis: enough to know its machines and networks.
std::vector<SweepPoint> some_points(const SweepSpace& space);

/// --prices FILE, or a list that is included.
Option prices_option();
Prices prices_of(const Arguments& arguments, const Catalogue& catalogue);

/// A study's scenario with its folder as working place for traces; all faults thrown.
ScenarioInput study_scenario(const Arguments& arguments);
/// One of several, with these of the options.
ScenarioInput study_scenario(const std::string& name, const Arguments& arguments,
                             const std::vector<std::string>& options);
/// A part of the scenario per line: readable, and read back to the same.
std::string scenario_text(const Document& document);

/// --jobs, as many as there are cores where it is not given.
Option jobs_option();
int jobs_of(const Arguments& arguments);

/// What --measure asks for, given several times or with commas: "jct,p95(waiting, fifo)" are two.
std::vector<std::string> measures_asked(const Arguments& arguments);

/// --json, --output with the folder that it takes by default, --no-files.
std::vector<Option> study_output_options(const std::string& what, const std::string& kind);
/// Of what Ctrl-C left, for the results and for people; empty where nobody stopped it.
std::string kept_parts();
/// A part of the results does not replace the whole ones of an earlier run.
std::filesystem::path folder_for_kept(const std::filesystem::path& folder);

/// Throws InputError where the study's folder belongs to somebody else: before its runs.
void check_study_folder(const Arguments& arguments, const std::string& kind, const std::string& name);
/// What a study found.
struct StudyFound {
  std::string kind; // of its folder: "plans"
  std::string name;
  std::string file; // "plan.txt"
  Telling told;
  std::string json; // manifest.json
};
/// Writes the study's folder (results/<kind>/<name>, or --output) with what @p others writes, unless --no-files. Prints
/// JSON with --json, else what is told; then where the folder lies and what is worth a look.
void tell_study(const Arguments& arguments, const StudyFound& found,
                const std::function<void(const std::filesystem::path&)>& others,
                const std::function<std::string(const std::filesystem::path&)>& worth_a_look);

/// --confidence, a share between 0.5 and 1.
Option confidence_option(const std::string& meaning);
double confidence_of(const Arguments& arguments);
Option sureness_option();
double sureness_of(const Arguments& arguments);
/// --fidelity, --seed and --set for a scenario that no file holds. Throws InputError.
void set_options(const Arguments& arguments, Document& document);

/// "-j 4 --grid 'a=1,2'": what was given, for a script that starts the same again.
std::string given_options(const Arguments& arguments, const std::vector<Option>& options,
                          const std::vector<std::string>& without);

/// Settings of a training mode by a short name: "ps:4", "ring", "hier-ring", "tree"…; "ps:1..16" are several. @p
/// update: sync, async or empty. Name and YAML each. Throws InputError with the list of what there is.
struct Architecture {
  std::string name;
  std::string yaml;
  int servers = 0;
};
std::vector<Architecture> architectures(const std::string& text, const std::string& update);

} // namespace trainyard::app
