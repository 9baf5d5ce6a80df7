#include "sim/training/variable_placement.hpp"

#include <algorithm>

namespace trainyard {

Bytes hottest_server(std::span<const VariablePart> parts, int servers)
{
  std::vector<Bytes> load(static_cast<std::size_t>(servers));
  for (const VariablePart& part : parts)
    load[static_cast<std::size_t>(part.server)] += part.bytes;
  return *std::ranges::max_element(load);
}

} // namespace trainyard
