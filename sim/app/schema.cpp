// SPDX-License-Identifier: Apache-2.0
#include "models/scenario/schema.hpp"
#include "models/core/closest.hpp"
#include "models/core/data_folder.hpp"
#include "models/core/diagnostics.hpp"
#include "models/hardware/catalogue.hpp"
#include "sim/app/command.hpp"
#include "sim/app/terminal.hpp"
#include "sim/run/simulate.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

namespace trainyard::app {
namespace {

int schema(const Arguments& arguments)
{
  const Catalogue catalogue = load_catalogue(data_folder());
  const std::string section = arguments.value("SECTION");
  if (section.empty() && !arguments.has("--markdown") && !arguments.has("--assumed") && !arguments.has("--long")) {
    print_data(editor_schema(registered_parts(), catalogue).dump(2) + "\n");
    return done;
  }
  const auto json = scenario_schema_json(registered_parts(), catalogue);
  if (arguments.has("--assumed")) {
    print(assumed_page(json, catalogue));
  } else if (!section.empty()) {
    const std::string keys = reference_of(scenario_reference(json), section);
    std::vector<std::string> known;
    for (const auto& [key, value] : json["properties"].items())
      known.push_back(key);
    if (keys.empty())
      throw InputError{fmt::format("there is no section '{}'{}; there are {}", section, did_you_mean(section, known),
                                   fmt::join(known, ", "))};
    print(keys);
  } else {
    print_data(arguments.has("--markdown") ? scenario_reference(json) : json.dump(2) + "\n");
  }
  return done;
}

[[maybe_unused]] const bool schema_registered = register_command(
    {"schema",
     "print the JSON Schema of scenario files, or the reference page of all keys",
     "Editors with YAML support use the schema to complete and explain keys: put '# yaml-language-server: "
     "$schema=FILE' on the first line of a scenario.",
     {{"SECTION", "", "", "print the keys of one section instead: cluster, jobs, checkpoints, cluster.network"},
      {"--markdown", "", "", "print the reference page instead: every key with values, default, range and source"},
      {"--long", "", "", "leave out the short forms (a cluster in one word), for programs that make forms of it"},
      {"--assumed", "", "", "print the page of the defaults that change answers instead"}},
     {{"simrun schema > trainyard.schema.json", "write the schema for your editor"},
      {"simrun schema checkpoints", "the keys of a section"},
      {"simrun schema --assumed > docs/assumed.md", "write the page of what is assumed"}},
     schema});

} // namespace
} // namespace trainyard::app
