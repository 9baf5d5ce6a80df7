// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "sim/sources/retraining/environment_report.hpp"

namespace trainyard {

/// The files of a results folder: requests.csv, metrics.csv, events.csv, events.log, decisions.csv, deployments.csv,
/// trainings.csv, load.csv, stale.csv and the plots.
void add_environment_files(RunReport& report, std::shared_ptr<const std::vector<EnvironmentRunSet>> sets);

} // namespace trainyard
