// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/hardware/catalogue.hpp"
#include "models/orchestration/service.hpp"
#include "models/scenario/scenario.hpp"
#include "sim/sources/services/desired_state.hpp"

#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace trainyard {

/// A training step of a service's job at the places of its tasks.
struct PlacedStep {
  Seconds time;                            // of one step
  std::map<std::string, double> nic_bytes; // by node: bytes that leave its NICs per step
};

/// Speeds of services that name an entry of `jobs`: their training step is simulated on the nodes of their tasks
/// (alone; executor `fluid`).
///
/// Workers are the GPUs of all tasks that are not parameter servers, in the order of the tasks; parameter servers stand
/// on the hosts of their tasks. Answers are remembered by places.
class PlacedSteps
{
public:
  /// @p services: their `job` names entries of the scenario's jobs. Throws InputError where the scenario cannot be
  /// prepared.
  PlacedSteps(const Scenario& scenario, const Catalogue& catalogue, const std::vector<ServiceSpec>& services);
  ~PlacedSteps();

  /// Step time of the job alone, packed on the empty cluster.
  Seconds reference(int service) const;
  /// Steps that the job is to do.
  double steps(int service) const;
  /// Throws std::runtime_error naming the job where it cannot train at its place.
  const PlacedStep& at(int service, std::span<const RunningTask> tasks) const;
  bool known(int service) const { return jobs_.contains(service); }

private:
  struct Parts;
  PlacedStep simulate(int service, std::span<const RunningTask> tasks, bool packed) const;

  std::unique_ptr<Parts> parts_;
  std::map<int, std::size_t> jobs_; // service -> prepared job
  const std::vector<ServiceSpec>& services_;
  mutable std::map<std::string, PlacedStep> memory_;
};

} // namespace trainyard
