// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/cluster/cluster_spec.hpp"
#include "models/core/units.hpp"
#include "models/cost/apply_profile.hpp"
#include "models/hardware/hardware.hpp"
#include "models/job/job.hpp"
#include "models/scenario/filled_defaults.hpp"

#include <any>
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace trainyard {

/// Sections whose jobs come and go: many situations are stepped, `fluid` unless the file says otherwise.
inline constexpr std::array job_placing_parts{"workload", "services", "task_environment"};

/// What the run is to do with the checked scenario.
struct RunSpec {
  std::uint64_t seed = 1;
  std::string fidelity = "flow"; // registered executor
  int replicas = 1;
  double confidence = 0.95;
  Seconds until{0}; // 0: to the end
  int warm_up_steps = 1;
};

/// A checked scenario: everything named exists, every quantity is in base units.
struct Scenario {
  std::string name;
  std::string description;
  std::string file;
  ClusterSpec cluster;
  std::vector<JobSpec> jobs;
  std::map<std::string, Transport> transports; // catalogue, then the calibration, then what the file says
  std::optional<CalibrationUse> calibration;
  RunSpec run;
  FilledDefaults defaults;
  std::map<std::string, std::any> sections; // by key of the file; see section.hpp

  /// What a section of the file says; null where the file has none.
  template <class T>
  const T* section(const std::string& key) const
  {
    const auto found = sections.find(key);
    return found == sections.end() ? nullptr : std::any_cast<T>(&found->second);
  }
};

} // namespace trainyard
