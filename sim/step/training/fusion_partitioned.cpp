// SPDX-License-Identifier: Apache-2.0
#include "sim/step/training/fusion.hpp"

#include <algorithm>

namespace trainyard {
namespace {

/// Tensors cut into pieces of at most a partition, none fused. Source: Peng et al., "ByteScheduler", SOSP 2019
/// (partition 4 MB).
class PartitionedGradients final : public Fusion
{
public:
  explicit PartitionedGradients(const Settings& settings) : partition_{settings.number("partition_size", 4e6)} {}

  static std::vector<Parameter> parameters()
  {
    return {{"partition_size", "bytes", "4 MB", "largest piece of a tensor", 1, 1e12,
             "ByteScheduler, BYTESCHEDULER_PARTITION"}};
  }

  std::vector<Bucket> buckets(std::span<const Gradient> gradients, const CollectiveEstimate&) const override
  {
    std::vector<Bucket> result;
    for (std::size_t index = 0; index < gradients.size(); ++index)
      for (Bytes left = gradients[index].bytes; left > Bytes{0}; left -= partition_)
        result.push_back({std::min(left, partition_), index, gradients[index].ready});
    return result;
  }

private:
  Bytes partition_;
};

TY_REGISTER(Fusion, PartitionedGradients, "partitioned", "tensors cut into pieces, none fused (ByteScheduler)");

} // namespace
} // namespace trainyard
