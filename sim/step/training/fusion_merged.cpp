// SPDX-License-Identifier: Apache-2.0
#include "sim/step/training/fusion.hpp"

#include <algorithm>
#include <limits>

namespace trainyard {
namespace {

/// Merged-gradient wait-free backpropagation: gradients are merged with the next ones as long as that saves start-up
/// time. Of all ways to cut the gradients into messages, one after another on the network, it is the one that ends
/// first. Source: Shi, Chu, Li, "MG-WFBP: Merging gradients wisely for efficient communication", IEEE TPDS 2021.
class Merged final : public Fusion
{
public:
  std::vector<Bucket> buckets(std::span<const Gradient> gradients, const CollectiveEstimate& estimate) const override
  {
    constexpr std::size_t most_tried = 16;
    const std::size_t count = gradients.size();
    std::vector<Seconds> end(count + 1);        // of the first so many gradients, as early as they can
    std::vector<std::size_t> before(count + 1); // how many of them are in earlier messages
    std::vector<Bytes> bytes(count + 1);        // of them
    std::size_t idle = 0;                       // the network is free when the latest gradient is ready: of cuts before
    for (std::size_t n = 1; n <= count; ++n) {  // that, the last one leaves fewest bytes
      const Seconds ready = gradients[n - 1].ready;
      bytes[n] = bytes[n - 1] + gradients[n - 1].bytes;
      while (idle + 1 < n && end[idle + 1] <= ready)
        ++idle;
      const std::size_t stride = (n - idle) / most_tried + 1;
      end[n] = Seconds{std::numeric_limits<double>::infinity()};
      for (std::size_t cut = idle; cut < n; cut += cut == idle ? 1 : stride) // busy: the first cut saves most start-ups
        if (const Seconds then = std::max(end[cut], ready) + estimate(bytes[n] - bytes[cut]); then <= end[n]) {
          end[n] = then;
          before[n] = cut;
        }
    }
    std::vector<Bucket> result;
    for (std::size_t n = count; n > 0; n = before[n])
      result.push_back({bytes[n] - bytes[before[n]], n - 1, gradients[n - 1].ready});
    std::ranges::reverse(result);
    return result;
  }
};

TY_REGISTER(Fusion, Merged, "merged", "gradients are merged as long as that saves start-up time (MG-WFBP)");

} // namespace
} // namespace trainyard
