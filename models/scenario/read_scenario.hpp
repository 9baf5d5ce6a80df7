// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/core/diagnostics.hpp"
#include "models/core/registry.hpp"
#include "models/hardware/catalogue.hpp"
#include "models/scenario/document.hpp"
#include "models/scenario/scenario.hpp"

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace trainyard {

/// A registered thing that a scenario can name.
struct Part {
  std::string name;
  std::string description;
  std::vector<Parameter> parameters;
};

/// What can be named where: "training" modes, "executor" fidelities, "node_layout", "network_layout", "model", and for
/// each name-valued setting of a training mode that is itself registered ("update", "variables", "collective",
/// "fusion") the choices. The reader knows no policy by itself.
using Parts = std::map<std::string, std::vector<Part>>;

/// The parts of one registry.
template <class Interface>
std::vector<Part> parts_of(const Registry<Interface>& registry)
{
  std::vector<Part> parts;
  for (const auto& [name, entry] : registry.entries())
    parts.push_back({name, entry.description, entry.parameters});
  return parts;
}

/// Checks a document and fills a scenario from it; every fault goes to @p diagnostics, every default that was filled in
/// to Scenario::defaults.
///
/// Settings that belong to another mode or sub-policy than the chosen one are warnings: they have no effect.
Scenario read_scenario(const Document& document, const Parts& parts, const Catalogue& catalogue,
                       Diagnostics& diagnostics);

/// One simulation of a scenario's `sweep`: the document with its overrides.
struct SweepPoint {
  std::vector<std::pair<std::string, std::string>> settings; // path or "variant" -> value, in the order of the file
  Document document;

  std::string label() const; // "jobs.0.workers=8 variant=ring"
};

/// Every combination of the `sweep` block (grid: path -> values; variants: named sets of overrides); one point where
/// there is none.
///
/// Faults (a path that leads nowhere, an empty list) go to @p diagnostics. Throws nothing.
std::vector<SweepPoint> expand_sweep(const Document& document, Diagnostics& diagnostics);

} // namespace trainyard
