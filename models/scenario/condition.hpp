// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace trainyard {

/// The number in a text of any kind: "8", "25 Gbit/s" (in B/s), "1 h" (in s), "75 %" (0.75); nothing where it is none.
std::optional<double> any_quantity(std::string_view text);

/// What a name stands for, as it is written in a file ("8", "25 Gbit/s", "ring"); nothing where there is no such name.
using NameLookup = std::function<std::optional<std::string>(const std::string&)>;

/// Whether a condition holds: comparisons (< <= > >= == !=) of sums and products, joined by `and`, `or`, `not` and
/// parentheses.
///
/// Names have letters, digits, _ and dots ("workers", "jobs.0.workers"); numbers may carry a unit; a word that is not a
/// name is a text, which
/// == and != compare. Throws std::invalid_argument with the place in the text: syntax, an unknown name where a number
/// is needed (with a suggestion from @p known), a unit that does not exist.
bool condition_holds(const std::string& condition, const NameLookup& lookup,
                     const std::vector<std::string>& known = {});

} // namespace trainyard
