// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <string_view>

namespace trainyard::calibrate {

/// The secret of one run of `simcal serve`, which its clients must show.
constexpr std::size_t longest_token = 63;

/// 64 random bits of the system as 16 hexadecimal digits.
std::string fresh_token();

/// Throws InputError where it is shorter than 8 characters, longer than a message holds, or has other characters than
/// letters, digits, '-' and '_'.
void check_token(std::string_view token);

/// Compares in a time that depends neither on where the texts differ nor on their lengths.
bool same_token(std::string_view a, std::string_view b);

} // namespace trainyard::calibrate
