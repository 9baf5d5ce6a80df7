// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/core/program.hpp"
#include "models/scenario/scenario.hpp"
#include "sim/report/files.hpp"
#include "sim/step/chosen_fidelity.hpp"

#include <nlohmann/json.hpp>
#include <string>

namespace trainyard {

/// How every JSON document of a run or a study begins.
inline nlohmann::ordered_json document_head(const std::string& kind)
{
  return {{"kind", kind}, {"schema_version", results_schema_version}, {"trainyard_version", program_version()}};
}

/// At which the steps of jobs that come and go were simulated; empty: no such jobs train step by step.
inline std::string fidelity_of_steps(const Scenario& scenario)
{
  return scenario.jobs.empty() || !places_jobs(scenario) ? std::string{} : to_text(chosen_fidelity(scenario));
}

/// "fidelity tcp · ", for the head of a text; empty likewise.
inline std::string fidelity_told(const Scenario& scenario)
{
  const std::string fidelity = fidelity_of_steps(scenario);
  return fidelity.empty() ? "" : "fidelity " + fidelity + " · ";
}

/// That of a summary.json, of a run of @p scenario.
inline nlohmann::ordered_json document_head(const std::string& kind, const Scenario& scenario)
{
  nlohmann::ordered_json head = document_head(kind);
  head.update({{"scenario", scenario.name}, {"description", scenario.description}, {"seed", scenario.run.seed}});
  if (const std::string fidelity = fidelity_of_steps(scenario); !fidelity.empty())
    head["fidelity"] = fidelity;
  return head;
}

/// The text of a document.
inline std::string document_text(const nlohmann::ordered_json& document)
{
  return document.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

} // namespace trainyard
