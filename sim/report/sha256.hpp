// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <string_view>

namespace trainyard {

/// SHA-256 of a text as 64 hexadecimal digits (FIPS 180-4).
std::string sha256(std::string_view text);

} // namespace trainyard
