// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/results/model_error.hpp"
#include "sim/parallel/step.hpp"
#include "sim/step/prepared.hpp"

namespace trainyard {

/// Of a job that runs step by step.
AnswerKind answer_kind(const PreparedScenario& prepared, const PreparedJob& job, const PlacedJob& placed, Seconds step);
/// Of a divided transformer by closed form. @p with_row: has_measured_row() of its scenario.
AnswerKind answer_kind(const ParallelJob& job, const ParallelStep& step, bool with_row = false);
/// Whether its constants were moved to where measured steps have them (simrun calibrate).
bool is_fitted(const Scenario& scenario);
/// The same, where the measured steps were explained and tell about these two: other GPUs and networks are as uncertain
/// as before. Empty: it does not matter.
bool has_measured_row(const Scenario& scenario, const std::string& gpu, const std::string& transport);

} // namespace trainyard
