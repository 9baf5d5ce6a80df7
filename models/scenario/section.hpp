// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/core/registry.hpp"
#include "models/scenario/read_scenario.hpp"

#include <nlohmann/json_fwd.hpp>

#include <any>

namespace trainyard {

/// What the reader of a section is given.
struct SectionInput {
  const Document& document;
  const DocumentNode& node; // the section's value
  const Parts& parts;
  const Catalogue& catalogue;
  const Scenario& scenario; // cluster, jobs, run and the sections that come before it in the alphabet
  Diagnostics& diagnostics;
};

/// A top-level part of a scenario file besides cluster, jobs, run and sweep: one file in models/scenario/sections,
/// under its key.
///
/// The value that `read` returns is what `Scenario::section<T>(name)` gives back; read with MapReader, so that unknown
/// keys, wrong units and misspelt names are reported with their places.
class ScenarioSection
{
public:
  virtual ~ScenarioSection() = default;
  /// JSON Schema of the section's value (helpers: schema_parts.hpp).
  virtual nlohmann::ordered_json schema(const Parts& parts, const Catalogue& catalogue) const = 0;
  virtual std::any read(const SectionInput& input) const = 0;
  /// The section describes the work itself: the scenario needs no `jobs`.
  virtual bool brings_work() const { return false; }
};

} // namespace trainyard
