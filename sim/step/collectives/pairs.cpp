// SPDX-License-Identifier: Apache-2.0
// Messages side by side: ranks 0, 2, 4… send their payload to ranks 1, 3, 5…
#include "sim/step/collectives/collective.hpp"

namespace trainyard {
namespace {

class Pairs final : public Collective
{
public:
  bool supports(const CollectiveRequest& request) const override
  {
    return request.operation == "send" && request.ranks % 2 == 0;
  }

  std::vector<Round> plan(const CollectiveRequest& request) const override
  {
    Round round;
    round.messages.reserve(static_cast<std::size_t>(request.ranks) / 2);
    for (int rank = 0; rank + 1 < request.ranks; rank += 2)
      round.messages.push_back({rank, rank + 1, request.payload});
    return {round};
  }
};

TY_REGISTER(Collective, Pairs, "pairs", "messages side by side, from every even rank to the next one");

} // namespace
} // namespace trainyard
