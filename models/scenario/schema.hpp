#pragma once
#include "models/hardware/catalogue.hpp"
#include "models/scenario/read_scenario.hpp"

#include <string>

namespace trainyard {

/// JSON Schema (draft 7) of scenario files, with the names that this program knows and the meaning and default of every setting: for
/// editors (completion, hover) and for other programs.
///
/// It says about structure, names and kinds what read_scenario says; what depends on several values together (does it fit, do routes
/// exist) only read_scenario knows.
std::string scenario_schema(const Parts& parts, const Catalogue& catalogue);

} // namespace trainyard
