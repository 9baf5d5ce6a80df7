// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/core/quantity_text.hpp"

#include <optional>
#include <string>
#include <vector>

namespace trainyard {

/// Units that parse_quantity takes for a kind, as they are written.
std::vector<std::string> unit_names(QuantityKind kind);

/// "duration", "bytes", "bandwidth"…: the name of a kind in files and in the schema.
std::string kind_name(QuantityKind kind);
std::optional<QuantityKind> kind_of_name(const std::string& name);

} // namespace trainyard
