// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <filesystem>

namespace trainyard {

/// Throws InputError where @p file is a folder, a device or a pipe, or larger than @p most bytes: whatever a scenario
/// or a command line names is a file with an end. One that is not there is left to whoever opens it.
void check_regular_file(const std::filesystem::path& file, std::uint64_t most = 4ULL << 30U);

} // namespace trainyard
