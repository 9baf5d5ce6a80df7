// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/scenario/document.hpp"

#include <optional>
#include <string>
#include <vector>

namespace trainyard {

/// The tree of a text in the plain part of YAML in which catalogues and most scenarios are written: a map in block
/// style, of maps and lists in block or flow style, of scalars on one line, plain or in quotes without escapes. Nothing
/// where the text has anything else, a fault included: then the whole parser reads it. Some ten times faster than that
/// one; what it gives is the same (DocumentTest, random texts).
std::optional<DocumentNode> parse_plain_yaml(const std::vector<std::string>& lines);

} // namespace trainyard
