// SPDX-License-Identifier: Apache-2.0
// All-to-all: every rank sends its n-th part of the payload to each other rank.
#include "sim/step/collectives/collective.hpp"

namespace trainyard {
namespace {

bool all_to_all(const CollectiveRequest& request)
{
  return request.operation == "all_to_all";
}

void add_messages(Round& round, const CollectiveRequest& request, int distance)
{
  for (int rank = 0; rank < request.ranks; ++rank)
    round.messages.push_back({rank, (rank + distance) % request.ranks, request.payload / request.ranks});
}

/// Pairwise exchange: in round k every rank sends the part of rank + k, and goes on when it has that of rank - k.
class Pairwise final : public Collective
{
public:
  bool supports(const CollectiveRequest& request) const override { return all_to_all(request); }

  std::vector<Round> plan(const CollectiveRequest& request) const override
  {
    std::vector<Round> rounds(static_cast<std::size_t>(request.ranks - 1));
    for (int distance = 1; distance < request.ranks; ++distance)
      add_messages(rounds[static_cast<std::size_t>(distance - 1)], request, distance);
    return rounds;
  }
};

/// A group of sends and receives, as NCCL's all-to-all: no message waits for another. Its kernel serves eight peers at
/// a time in a channel, and other machines in other channels, in an order that sends to one GPU of each machine after
/// the other (src/enqueue.cc; the schedule in src/init.cc): cards and links inside a machine work all the time.
class AllPeers final : public Collective
{
public:
  bool supports(const CollectiveRequest& request) const override { return all_to_all(request); }

  std::vector<Round> plan(const CollectiveRequest& request) const override
  {
    Round round;
    round.messages.reserve(static_cast<std::size_t>(request.ranks) * static_cast<std::size_t>(request.ranks - 1));
    for (int distance = 1; distance < request.ranks; ++distance)
      add_messages(round, request, distance);
    return {round};
  }
};

TY_REGISTER(Collective, Pairwise, "pairwise", "all-to-all in n-1 rounds of S/n");
TY_REGISTER(Collective, AllPeers, "all_peers", "all-to-all, to all other ranks at once");

} // namespace
} // namespace trainyard
