// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/core/instant.hpp"

#include <cstdint>
#include <filesystem>
#include <string>
#include <unordered_map>

namespace trainyard {

/// How long jobs waited in the system that wrote the trace: start - submission, by line of the file
/// (TraceJob::row). Formats `sacct` (columns Submit, Start) and `swf` (wait time); empty for others.
std::unordered_map<std::int64_t, Instant> recorded_waits(const std::filesystem::path& file, const std::string& format);

} // namespace trainyard
