// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/core/json.hpp"
#include "models/import/import_report.hpp"

#include <fmt/format.h>

namespace trainyard {

/// The member @p name of an object where it is of that kind; nullptr where there is none. One of another kind is an
/// error of the report: what it says cannot be understood.
inline const Json* member_of(const Json& object, const char* name, Json::Kind kind, const std::string& file,
                             ImportReport& report)
{
  static constexpr const char* kinds[] = {"null", "true or false", "a number", "a text", "a list", "an object"};
  const Json* found = object.find(name);
  if (found == nullptr || found->kind == kind)
    return found;
  report.error_at_column({file, found->line}, found->column,
                         fmt::format("'{}' must be {}, found {}", name, kinds[static_cast<int>(kind)],
                                     kinds[static_cast<int>(found->kind)]));
  return nullptr;
}

} // namespace trainyard
