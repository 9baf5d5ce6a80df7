// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/core/csv.hpp"

#include <map>
#include <string>
#include <string_view>

namespace trainyard {

/// A condition on the cells of a row: column -> pattern; all must hold. A pattern is a text with `*` wildcards,
/// alternatives separated by
/// `|`, or a comparison `> 1`, `>= 2`, `< 3`, `<= 4`, `!= text`; "" matches an empty cell. Letters compare without
/// case.
struct RowPattern {
  std::map<std::string, std::string> columns;

  bool matches(const CsvTable& table, const CsvTable::Row& row) const;
};

/// Whether a cell matches one pattern of a RowPattern.
bool cell_matches(std::string_view cell, std::string_view pattern);

} // namespace trainyard
