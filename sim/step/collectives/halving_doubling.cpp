// SPDX-License-Identifier: Apache-2.0
// Recursive halving and doubling: reduce-scatter over distances n/2, n/4, …, 1 and all-gather back, 2 log2(n) rounds
// and 2 (n-1)/n S per rank. Ranks above the largest power of two hand their buffer to a partner first and get the
// result at the end. Thakur, Rabenseifner, Gropp, Int. J. High Perf. Comput. Appl. 19(1), 2005.
#include "sim/step/collectives/collective.hpp"

#include <algorithm>
#include <bit>

namespace trainyard {
namespace {

class HalvingDoubling final : public Collective
{
public:
  bool supports(const CollectiveRequest& request) const override { return request.operation == "all_reduce"; }

  std::vector<Round> plan(const CollectiveRequest& request) const override
  {
    const int n = request.ranks;
    if (n < 2)
      return {};
    const int power = static_cast<int>(std::bit_floor(static_cast<unsigned>(n)));
    Round fold, unfold;
    for (int rank = power; rank < n; ++rank) {
      fold.messages.push_back({rank, rank - power, request.payload});
      unfold.messages.push_back({rank - power, rank, request.payload});
    }
    std::vector<Round> halving;
    Bytes part = request.payload;
    for (int distance = power / 2; distance >= 1; distance /= 2) {
      part /= 2;
      Round round;
      for (int rank = 0; rank < power; ++rank)
        round.messages.push_back({rank, rank ^ distance, part});
      halving.push_back(std::move(round));
    }
    std::vector<Round> rounds;
    if (!fold.messages.empty())
      rounds.push_back(fold);
    rounds.insert(rounds.end(), halving.begin(), halving.end());
    rounds.insert(rounds.end(), halving.rbegin(), halving.rend());
    if (!unfold.messages.empty())
      rounds.push_back(unfold);
    return rounds;
  }
};

TY_REGISTER(Collective, HalvingDoubling, "halving_doubling",
            "recursive halving and doubling, 2 log2(n) rounds (Thakur, Rabenseifner, Gropp 2005)");

} // namespace
} // namespace trainyard
