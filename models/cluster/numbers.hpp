// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <optional>
#include <string>
#include <vector>

namespace trainyard {

/// The whole numbers of "4 4 2", "4x4x2" or "4, 4, 2"; nothing where the text holds anything else, or a number below 1
/// or above 1,000,000.
std::optional<std::vector<int>> numbers_in(const std::string& text);

} // namespace trainyard
