// SPDX-License-Identifier: Apache-2.0
#include "sim/step/training/fusion.hpp"

#include <algorithm>

namespace trainyard {
namespace {

/// Merged-gradient wait-free backpropagation: while the network is busy, or would be idle for less than one start-up
/// time, gradients are merged with the next ones. Source: Shi, Chu, Li, "MG-WFBP: Merging gradients wisely for
/// efficient communication", IEEE TPDS 2021.
class Merged final : public Fusion
{
public:
  std::vector<Bucket> buckets(std::span<const Gradient> gradients, const CollectiveEstimate& estimate) const override
  {
    std::vector<Bucket> result;
    const Seconds start_up = estimate(Bytes{0});
    Seconds free;
    for (std::size_t next = 0; next < gradients.size();) {
      Seconds start = std::max(free, gradients[next].ready);
      Bytes bytes;
      while (next < gradients.size() && gradients[next].ready <= start + start_up) {
        start = std::max(start, gradients[next].ready);
        bytes += gradients[next++].bytes;
      }
      result.push_back({bytes, next - 1, gradients[next - 1].ready});
      free = start + estimate(bytes);
    }
    return result;
  }
};

TY_REGISTER(Fusion, Merged, "merged", "gradients are merged as long as that saves start-up time (MG-WFBP)");

} // namespace
} // namespace trainyard
