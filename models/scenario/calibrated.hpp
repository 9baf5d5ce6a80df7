// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/cost/apply_profile.hpp"
#include "models/hardware/catalogue.hpp"
#include "models/hardware/measured_rates.hpp"
#include "models/scenario/document.hpp"
#include "models/scenario/scenario.hpp"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace trainyard {

/// A constant of a calibration that is used for a value that the scenario's jobs or node types do not give.
struct OpenConstant {
  enum class Of { aggregate, update, disk_read, cpu_rate, pinned_copy, host_operator };
  Of of = Of::update;
  std::string name; // "cpu.update_bandwidth"
  Bounded value;    // base units
  std::string unit;
  std::vector<std::string> targets; // names of jobs or node types
};

/// All of a scenario; kept among its sections under "calibration".
using OpenConstants = std::vector<OpenConstant>;

/// Constants of a calibration that are used for values that a scenario does not give, with the jobs or node types
/// concerned:
///
/// | constant | takes the place of | where |
/// |---|---|---|
/// | cpu.aggregate_bandwidth | training.aggregate_bandwidth | servers add gradients and the job does not say how fast;
/// not with update_rule async or bounded, which add nothing up | | cpu.update_bandwidth | training.update_bandwidth |
/// servers update variables and the job does not say how fast; not with pull: after_update, where workers do | |
/// disk.read_bandwidth | input.bandwidth | the job reads from the disk of its node (source: disk) and does not say how
/// fast | | cpu.rate.fp32 | cpu_rate of a node type | a job computes on CPUs and the node type names none | |
/// gpu.X.copy.*_to_*.pinned.bandwidth | pcie_bandwidth of a node type with X | the slower of the two directions |
/// | host.per_operator | host_per_operator | the job does not say it |
///
/// A value in the scenario has priority. @p server_modes: training modes that know update_bandwidth.
OpenConstants open_constants(const Profile& profile, const Scenario& scenario,
                             const std::vector<std::string>& server_modes);

/// A file of measured rates that a scenario names; kept among its sections under "measured_rates".
struct MeasuredFile {
  std::map<std::string, std::shared_ptr<const MeasuredRates>> by_gpu;
};

/// The catalogue with the GPU constants of a scenario's calibration, and with its own measured rates.
Catalogue calibrated(Catalogue catalogue, const Scenario& scenario);

/// The scenario without what changes no step: equal texts, equal steps.
std::string what_decides(const Document& document);

/// Those that a checked scenario has; empty where it names no calibration.
OpenConstants open_constants(const Scenario& scenario);

/// Sets the constant to @p value in all its jobs or node types.
void set_constant(const OpenConstant& constant, double value, Scenario& scenario);

/// Names of the profile's constants that change nothing in this scenario, families of which nothing is used in one
/// word: "disk.write_bandwidth, transport.mpi.*".
std::vector<std::string> constants_without_effect(const Profile& profile, const Scenario& scenario,
                                                  const std::vector<AppliedConstant>& applied,
                                                  const OpenConstants& open);

} // namespace trainyard
