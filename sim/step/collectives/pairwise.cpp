// SPDX-License-Identifier: Apache-2.0
// Pairwise exchange for all-to-all: in round k every rank sends the part of rank + k, n-1 rounds of S/n.
#include "sim/step/collectives/collective.hpp"

namespace trainyard {
namespace {

class Pairwise final : public Collective
{
public:
  bool supports(const CollectiveRequest& request) const override { return request.operation == "all_to_all"; }

  std::vector<Round> plan(const CollectiveRequest& request) const override
  {
    std::vector<Round> rounds;
    for (int distance = 1; distance < request.ranks; ++distance) {
      Round round;
      for (int rank = 0; rank < request.ranks; ++rank)
        round.messages.push_back({rank, (rank + distance) % request.ranks, request.payload / request.ranks});
      rounds.push_back(std::move(round));
    }
    return rounds;
  }
};

TY_REGISTER(Collective, Pairwise, "pairwise", "all-to-all in n-1 rounds of S/n");

} // namespace
} // namespace trainyard
