// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/load_anything.hpp"

#include "models/core/data_folder.hpp"
#include "models/hardware/catalogue.hpp"
#include "models/scenario/places.hpp"
#include "models/scenario/read_scenario.hpp"
#include "models/scenario/schema.hpp"
#include "sim/run/simulate.hpp"

#include <nlohmann/json.hpp>

namespace trainyard::tests {

bool load_anything(const std::string& bytes)
{
  static const Catalogue catalogue = load_catalogue(data_folder());
  static const Parts parts = registered_parts();
  static const nlohmann::ordered_json schema = scenario_schema_json(parts, catalogue);
  Diagnostics diagnostics;
  const Document document = parse_document(bytes, "any.yaml", diagnostics);
  if (!diagnostics.has_errors()) {
    const Scenario scenario = read_scenario(document, parts, catalogue, diagnostics);
    if (!diagnostics.has_errors()) {
      static_cast<void>(without_effect(document, scenario, scenario.run.fidelity));
      static_cast<void>(absent_defaults(document, schema));
      static_cast<void>(to_flow_yaml(document.root));
    }
  }
  for (const Diagnostic& diagnostic : diagnostics.sorted())
    static_cast<void>(format(diagnostic));
  return diagnostics.has_errors();
}

} // namespace trainyard::tests
