// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/scenario/fields.hpp"

#include <fmt/format.h>

#include <set>
#include <string>

namespace trainyard {

/// The key `name`, which no other of the same list may have. @p names: those before it.
template <class T>
void unique_name(Fields& keys, T& one, std::set<std::string>& names, const std::string& meaning)
{
  keys.text("name", one.name, meaning, {.required = true});
  if (keys.reading() && !one.name.empty() && !names.insert(one.name).second)
    keys.error("name", fmt::format("the name '{}' is given twice", one.name));
}

} // namespace trainyard
