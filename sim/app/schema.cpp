// SPDX-License-Identifier: Apache-2.0
#include "models/scenario/schema.hpp"
#include "models/core/data_folder.hpp"
#include "models/hardware/catalogue.hpp"
#include "sim/app/command.hpp"
#include "sim/app/terminal.hpp"
#include "sim/run/simulate.hpp"

#include <nlohmann/json.hpp>

namespace trainyard::app {
namespace {

int schema(const Arguments& arguments)
{
  const auto json = scenario_schema_json(registered_parts(), load_catalogue(data_folder()));
  if (arguments.has("--assumed")) {
    print(assumed_page(json, load_catalogue(data_folder())));
    return done;
  }
  print(arguments.has("--markdown") ? scenario_reference(json) : json.dump(2) + "\n");
  return done;
}

[[maybe_unused]] const bool schema_registered = register_command(
    {"schema",
     "print the JSON Schema of scenario files, or the reference page of all keys",
     "Editors with YAML support use the schema to complete and explain keys: put '# yaml-language-server: "
     "$schema=FILE' "
     "on the first line of a scenario.",
     {{"--markdown", "", "", "print the reference page instead: every key with values, default, range and source"},
      {"--assumed", "", "", "print the page of the defaults that change answers instead"}},
     {{"simrun schema > trainyard.schema.json", "write the schema for your editor"},
      {"simrun schema --markdown > docs/scenario.md", "write the reference page"},
      {"simrun schema --assumed > docs/assumed.md", "write the page of what is assumed"}},
     schema});

} // namespace
} // namespace trainyard::app
