// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/results/model_error.hpp"
#include "sim/parallel/step.hpp"
#include "sim/step/prepared.hpp"

namespace trainyard {

/// Of a job that runs step by step.
AnswerKind answer_kind(const PreparedScenario& prepared, const PreparedJob& job, const PlacedJob& placed, Seconds step);
/// Of a divided transformer by closed form; with @p scenario, by its calibration.
AnswerKind answer_kind(const ParallelJob& job, const ParallelStep& step);
AnswerKind answer_kind(const ParallelJob& job, const ParallelStep& step, const Scenario& scenario, const JobSpec& spec);
/// Whether its constants were moved to where measured steps have them (simrun calibrate).
bool is_fitted(const Scenario& scenario);
/// The link between its machines, "25GbE of 2.5e+10 bit/s": what a row tells about one network, it does not about
/// others.
std::string network_of(const Scenario& scenario);

} // namespace trainyard
