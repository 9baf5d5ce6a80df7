// SPDX-License-Identifier: Apache-2.0
// What a job's row says besides figures of its steps.
#pragma once
#include "sim/step/prepared.hpp"

#include <optional>
#include <string>

namespace trainyard {

/// "ps:2 sync": the way of training, for points that have no name of their own.
std::string describe_training(const JobSpec& job);

/// "vgg16: compute from the data sheet of V100 (roofline), transport tcp measured (calibration 'box' of 2026-11-21)".
/// @p measured: the scenario gives the step of one GPU.
std::string provenance_note(const Scenario& scenario, const JobSpec& job, const Node& node, bool measured);

/// Of the machines that a job is on; nothing where one of them has no price.
std::optional<DollarsPerHour> price_of(const PreparedScenario& prepared, const Placement& placement);

} // namespace trainyard
