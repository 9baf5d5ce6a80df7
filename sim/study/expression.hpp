// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <functional>
#include <optional>
#include <string>

namespace trainyard {

/// Value of a name in an expression; empty where there is none.
using VariableLookup = std::function<std::optional<double>(const std::string& name)>;

/// Evaluates + - * / ^, parentheses, min(a, b), max(a, b), log2(a), numbers and names. Throws std::invalid_argument
/// that names the place or the unknown name.
double evaluate(const std::string& expression, const VariableLookup& variable);

} // namespace trainyard
