// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/core/program.hpp"
#include "models/scenario/scenario.hpp"
#include "sim/report/files.hpp"

#include <nlohmann/json.hpp>
#include <string>

namespace trainyard {

/// How every JSON document of a run or a study begins.
inline nlohmann::ordered_json document_head(const std::string& kind)
{
  return {{"kind", kind}, {"schema_version", results_schema_version}, {"trainyard_version", program_version()}};
}

/// That of a summary.json, of a run of @p scenario.
inline nlohmann::ordered_json document_head(const std::string& kind, const Scenario& scenario)
{
  nlohmann::ordered_json head = document_head(kind);
  head.update({{"scenario", scenario.name}, {"description", scenario.description}, {"seed", scenario.run.seed}});
  return head;
}

} // namespace trainyard
