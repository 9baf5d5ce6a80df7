// SPDX-License-Identifier: Apache-2.0
#include "sim/step/training/variable_placement.hpp"

#include "sim/step/training/sparse_rows.hpp"

#include <algorithm>

namespace trainyard {

Bytes VariablePart::pushed() const
{
  return bytes + row_number_size * rows;
}

std::vector<VariablePart> joined_parts(std::span<const VariablePart> parts, int servers, int per_server)
{
  std::vector<VariablePart> result;
  for (int server = 0; server < servers; ++server) {
    Bytes left;
    for (const VariablePart& part : parts)
      if (part.server == server)
        left += part.bytes;
    int slots = per_server;
    VariablePart open{-1, server, Bytes{}};
    for (const VariablePart& part : parts) {
      if (part.server != server)
        continue;
      if (open.variable < 0)
        open.variable = part.variable;
      open.bytes += part.bytes;
      open.rows += part.rows;
      open.of_each += part.of_each;
      if (slots > 1 && open.bytes >= left / static_cast<double>(slots)) {
        result.push_back(open);
        left -= open.bytes;
        --slots;
        open = {-1, server, Bytes{}};
      }
    }
    if (open.variable >= 0)
      result.push_back(open);
  }
  std::ranges::stable_sort(result, {}, &VariablePart::variable);
  return result;
}

} // namespace trainyard
