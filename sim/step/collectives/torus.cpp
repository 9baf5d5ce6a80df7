// SPDX-License-Identifier: Apache-2.0
// 2D torus: the ranks stand in rows and columns, as nearly square as their number allows. Reduce-scatter along each
// row, all-reduce of each part along its column, all-gather along the row, each as a ring: 2(X-1) + 2(Y-1) rounds for
// X x Y ranks, where one ring has 2(XY-1). Mikami et al., Massively distributed SGD: ImageNet/ResNet-50 training in a
// flash, arXiv:1811.05233.
#include "sim/step/collectives/collective.hpp"

#include <algorithm>
#include <cmath>

namespace trainyard {
namespace {

class Torus final : public Collective
{
public:
  bool supports(const CollectiveRequest& request) const override { return request.operation == "all_reduce"; }

  std::vector<Round> plan(const CollectiveRequest& request) const override
  {
    const int height = rows(request.ranks);
    const int width = request.ranks / height;
    Round along{{}, width - 1}, down{{}, 2 * (height - 1)};
    for (int row = 0; row < height; ++row)
      for (int column = 0; column < width; ++column) {
        const int rank = row * width + column;
        if (width > 1)
          along.messages.push_back({rank, row * width + (column + 1) % width, request.payload / width});
        if (height > 1)
          down.messages.push_back({rank, (row + 1) % height * width + column, request.payload / width / height});
      }
    std::vector<Round> rounds;
    for (const Round& round : {along, down, along})
      if (!round.messages.empty())
        rounds.push_back(round);
    return rounds;
  }

private:
  /// The largest divisor of @p ranks that is not above its square root: 1 for a prime, whose one row is a ring.
  static int rows(int ranks)
  {
    int height = static_cast<int>(std::sqrt(ranks));
    while (height > 1 && ranks % height != 0)
      --height;
    return std::max(height, 1);
  }
};

TY_REGISTER(Collective, Torus, "torus",
            "rings along rows and columns of a 2D torus as square as the ranks allow (Mikami et al. 2018)");

} // namespace
} // namespace trainyard
