// SPDX-License-Identifier: Apache-2.0
#include "sim/step/training/variable_placement.hpp"

#include <algorithm>

namespace trainyard {
namespace {

/// Variables cut into parts of at most `partition_size`, each part to the server with the fewest bytes, so that no
/// variable makes a hot server.
///
/// BytePS cuts at BYTEPS_PARTITION_BYTES (default 4,096,000 B, docs/env.md) and hashes the keys; the balance here is
/// the mean of a good hash, without its random variation.
class PartitionedVariables final : public VariablePlacement
{
public:
  explicit PartitionedVariables(const Settings& settings) : size_{settings.number("partition_size", 4096000)} {}

  static std::vector<Parameter> parameters()
  {
    return {{.name = "partition_size",
             .kind = "bytes",
             .default_value = "4096000 B",
             .meaning = "largest part of a variable",
             .minimum = 1,
             .source = "BytePS docs/env.md: BYTEPS_PARTITION_BYTES"}};
  }

  std::vector<VariablePart> place(std::span<const Bytes> variables, int servers) const override
  {
    std::vector<VariablePart> parts;
    std::vector<Bytes> load(static_cast<std::size_t>(servers));
    for (std::size_t variable = 0; variable < variables.size(); ++variable) {
      Bytes left = variables[variable];
      do {
        const Bytes part = std::min(left, size_);
        const auto least = std::ranges::min_element(load);
        *least += part;
        parts.push_back({static_cast<int>(variable), static_cast<int>(least - load.begin()), part});
        left -= part;
      } while (left > Bytes{});
    }
    return parts;
  }

private:
  Bytes size_;
};

TY_REGISTER(VariablePlacement, PartitionedVariables, "partitioned",
            "variables cut into parts, each to the server with the fewest bytes");

} // namespace
} // namespace trainyard
