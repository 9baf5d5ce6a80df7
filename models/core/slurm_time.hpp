// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>
#include <string_view>

namespace trainyard {

/// "1-02:30:00", "7-0", "01:30:00", "30:00" as seconds: days-hours, hours:minutes:seconds, minutes:seconds. A number
/// alone counts as @p of_a_number seconds: 1 in accounting, 60 in configuration and time limits. Nothing for UNLIMITED
/// and the like. Source: sacct(1), "Elapsed"; sbatch(1), "--time".
std::optional<double> slurm_time(std::string_view text, double of_a_number = 1);

} // namespace trainyard
