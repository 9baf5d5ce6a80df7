// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <string_view>

namespace trainyard {

/// Calls @p entry with every element of a JSON list and its number (from 1), one at a time: whatever the length of the
/// list, only one element is in memory. Throws InputError where the text is not a JSON list, or breaks off; it says
/// where, and after how many elements.
void for_each_json_entry(std::string_view text, const std::filesystem::path& file,
                         const std::function<void(const nlohmann::json&, std::int64_t)>& entry);

} // namespace trainyard
