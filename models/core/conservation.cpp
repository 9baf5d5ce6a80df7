// SPDX-License-Identifier: Apache-2.0
#include "models/core/conservation.hpp"

#include <stdexcept>

namespace trainyard {

void not_conserved(const std::string& how)
{
  throw std::logic_error{"the books of this run do not balance, so that it has no results: " + how +
                         "; please report this with the scenario"};
}

} // namespace trainyard
