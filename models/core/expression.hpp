// SPDX-License-Identifier: Apache-2.0
// The one grammar of formulas and conditions: constraints of sweeps, and `${=…}` in mappings of `simrun score`.
//
// Comparisons (< <= > >= == !=) of sums and products, ^, min(a, b), max(a, b) and log2(a), joined by `and`, `or`, `not`
// and parentheses. Names have letters, digits, _ and dots ("workers", "jobs.0.workers"); numbers may carry a unit; a
// word that is no name, or stands in quotes, is a text, which == and != compare.
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

/// Whether a condition holds. Throws std::invalid_argument with the place in the text: syntax, an unknown name where a
/// number is needed (with a suggestion from @p known), a unit that does not exist, no comparison.
bool condition_holds(const std::string& condition, const NameLookup& lookup,
                     const std::vector<std::string>& known = {});

/// Value of a name in a formula; empty where there is none.
using VariableLookup = std::function<std::optional<double>(const std::string& name)>;

/// The number that a formula gives. Throws as condition_holds.
double evaluate(const std::string& formula, const VariableLookup& variable);

} // namespace trainyard
