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

/// What the workers compute on: "H100-SXM5", "H100-SXM5 + A100-SXM4-80GB" in the order of the workers, or "CPU".
std::string devices_of(const PreparedScenario& prepared, const Placement& placement);

/// "IB-NDR fat_tree"; of a network without a kind of link its rate: "10 GB/s star".
std::string describe_network(const NetworkSpec& network);

/// "vgg16: compute from the data sheet of V100 (roofline), transport tcp measured (calibration 'box' of 2026-11-21)".
/// @p node: of the first worker. @p devices: as devices_of(). @p measured: the scenario gives the step of one GPU.
std::string provenance_note(const Scenario& scenario, const JobSpec& job, const Node& node, const std::string& devices,
                            bool measured);

/// Of the machines that a job is on; nothing where one of them has no price.
std::optional<DollarsPerHour> price_of(const PreparedScenario& prepared, const Placement& placement);

/// Where workers compute on the same CPUs: those of a job, which divide their rate, and those of jobs at the same time,
/// which are counted as if each job had the CPUs to itself. One line for each job, and one for the first two jobs.
std::vector<std::string> shared_cpus(const PreparedScenario& prepared,
                                     std::span<const std::unique_ptr<PlacedJob>> placed,
                                     std::span<const TimelineOutcome> outcomes);

} // namespace trainyard
