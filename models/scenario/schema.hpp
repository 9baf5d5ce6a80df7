// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/hardware/catalogue.hpp"
#include "models/scenario/read_scenario.hpp"

#include <nlohmann/json_fwd.hpp>

#include <string>

namespace trainyard {

/// JSON Schema (draft 7) of scenario files, with the names that this program knows and the meaning and default of every
/// setting: for editors (completion, hover) and for other programs.
///
/// It says about structure, names, kinds, units and ranges what read_scenario says, and check_points asks both; what
/// depends on several values together (does it fit, do routes exist) only read_scenario knows.
///
/// Beside draft 7: "x-quantity" (kind of a number with unit; "x-minimum" and "x-maximum" in base units), "x-number" (a
/// number or a share in
/// %), "x-of" (the parts that have a setting), "x-source" (where a default comes from), "x-always" (a map that counts
/// even when absent).
std::string scenario_schema(const Parts& parts, const Catalogue& catalogue);
nlohmann::ordered_json scenario_schema_json(const Parts& parts, const Catalogue& catalogue);

/// The reference page of scenario files, in Markdown: every key with its values, default, range and source.
std::string scenario_reference(const nlohmann::ordered_json& schema);

/// docs/assumed.md: the defaults that change answers (assumptions.hpp), by framework, era and GPU.
std::string assumed_page(const nlohmann::ordered_json& schema, const Catalogue& catalogue);

} // namespace trainyard
