// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/cost/profile.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace trainyard::calibrate {

/// Output of a program of nccl-tests (models/cost/nccl_tests.hpp) as one curve per operation and kind of buffer: sizes
/// in bytes, times in seconds. Rows with wrong data are refused, "N/A" is skipped. Throws InputError naming the line.
Profile import_nccl_tests(std::string_view text, const std::string& file);

/// Factor from algorithm to bus bandwidth for an operation of @p ranks ranks (nccl-tests, doc/PERFORMANCE.md); 1 where
/// it does not apply.
double bus_factor(const std::string& operation, int ranks);

} // namespace trainyard::calibrate
