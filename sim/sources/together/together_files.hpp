// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "sim/results/columns.hpp"

#include <vector>

namespace trainyard::together {

/// The columns of the CSV files that a run with several parts has beside those of the parts.
std::vector<FileColumns> together_file_columns();

} // namespace trainyard::together
