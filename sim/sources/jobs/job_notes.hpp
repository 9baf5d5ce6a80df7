// SPDX-License-Identifier: Apache-2.0
// What a job's row says besides figures of its steps.
#pragma once
#include "sim/sources/jobs/timeline.hpp"
#include "sim/step/prepared.hpp"

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace trainyard {

/// "ps:2 sync": the way of training, for points that have no name of their own.
std::string describe_training(const JobSpec& job);

/// "vgg16: compute from the data sheet of V100 (roofline), transport tcp measured (calibration 'box' of 2026-11-21)".
/// @p measured: the scenario gives the step of one GPU.
std::string provenance_note(const Scenario& scenario, const JobSpec& job, const Node& node, bool measured);

/// Of the machines that a job is on; nothing where one of them has no price.
std::optional<DollarsPerHour> price_of(const PreparedScenario& prepared, const Placement& placement);

/// Where workers compute on the same CPUs: those of a job, which divide their rate, and those of jobs at the same time,
/// which are counted as if each job had the CPUs to itself. One line for each job, and one for the first two jobs.
std::vector<std::string> shared_cpus(const PreparedScenario& prepared,
                                     std::span<const std::unique_ptr<PlacedJob>> placed,
                                     std::span<const TimelineOutcome> outcomes);

} // namespace trainyard
