// SPDX-License-Identifier: Apache-2.0
#include "models/core/pattern.hpp"

#include "models/core/loaded_part.hpp"

#include <stdexcept>

namespace trainyard {

Pattern::Pattern(const std::string& text)
{
  static const auto make = part_function<decltype(trainyard_make_pattern)>("pattern", "trainyard_make_pattern");
  std::string fault;
  make(text, expression_, fault);
  if (!expression_)
    throw std::invalid_argument{fault};
}

bool Pattern::in(std::string_view text) const
{
  static const auto search = part_function<decltype(trainyard_pattern_in)>("pattern", "trainyard_pattern_in");
  return search(expression_.get(), text);
}

} // namespace trainyard
