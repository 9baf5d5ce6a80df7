// SPDX-License-Identifier: Apache-2.0
// Ring: every rank sends to its right neighbour only. All-reduce = reduce-scatter (n-1 rounds) and all-gather (n-1
// rounds) of chunks of S/n, so that each rank sends 2 (n-1)/n S: Patarasuk and Yuan, Bandwidth optimal all-reduce
// algorithms, J. Parallel Distrib. Comput. 69(2), 2009.
#include "sim/step/collectives/collective.hpp"

namespace trainyard {
namespace {

class Ring final : public Collective
{
public:
  bool supports(const CollectiveRequest& request) const override
  {
    return request.operation == "all_reduce" || request.operation == "reduce_scatter" ||
           request.operation == "all_gather";
  }

  std::vector<Round> plan(const CollectiveRequest& request) const override
  {
    const int n = request.ranks;
    if (n < 2)
      return {};
    const int all = request.whole();
    Round round{{}, request.operation == "all_reduce" ? 2 * (all - 1) : all - 1};
    round.messages.reserve(static_cast<std::size_t>(n));
    for (int rank = 0; rank < n; ++rank)
      round.messages.push_back({rank, (rank + 1) % n, request.payload / all});
    return {round};
  }

  bool repeats(const CollectiveRequest&) const override { return true; }
};

TY_REGISTER(Collective, Ring, "ring",
            "each rank to its right neighbour, 2(n-1) rounds of S/n (Patarasuk and Yuan 2009)");

} // namespace
} // namespace trainyard
