#include "models/scenario/schema.hpp"
#include "models/core/data_folder.hpp"
#include "models/hardware/catalogue.hpp"
#include "sim/app/command.hpp"
#include "sim/app/terminal.hpp"
#include "sim/simulation/simulate.hpp"

namespace trainyard::app {
namespace {

[[maybe_unused]] const bool schema_registered =
    register_command({"schema",
                      "print the JSON Schema of scenario files",
                      "Editors with YAML support complete and explain keys with it: put '# yaml-language-server: $schema=FILE' on the "
                      "first line of a scenario.",
                      {},
                      {{"simrun schema > trainyard.schema.json", "for your editor"}},
                      [](const Arguments&) {
                        print(scenario_schema(registered_parts(), load_catalogue(data_folder())));
                        return static_cast<int>(done);
                      }});

} // namespace
} // namespace trainyard::app
