// SPDX-License-Identifier: Apache-2.0
// All-to-all: every rank sends its n-th part of the payload to each other rank.
#include "sim/step/collectives/collective.hpp"

#include <algorithm>
#include <map>

namespace trainyard {
namespace {

bool all_to_all(const CollectiveRequest& request)
{
  return request.operation == "all_to_all";
}

/// Pairwise exchange: in round k every rank sends the part of rank + k, and goes on when it has that of rank - k.
class Pairwise final : public Collective
{
public:
  bool supports(const CollectiveRequest& request) const override { return all_to_all(request); }

  std::vector<Round> plan(const CollectiveRequest& request) const override
  {
    std::vector<Round> rounds;
    for (int distance = 1; distance < request.ranks; ++distance) {
      Round& round = rounds.emplace_back();
      for (int rank = 0; rank < request.ranks; ++rank)
        round.messages.push_back({rank, (rank + distance) % request.ranks, request.payload / request.ranks});
    }
    return rounds;
  }
};

/// A group of sends and receives, as NCCL's all-to-all: a machine after the other, to all its ranks at once, beside the
/// messages inside the machine. NCCL's schedule goes by machines (src/init.cc), a channel of its kernel serves eight
/// peers at a time, and other machines have other channels (src/enqueue.cc): cards and links inside work all the time.
class ByMachine final : public Collective
{
public:
  bool supports(const CollectiveRequest& request) const override { return all_to_all(request); }

  std::vector<Round> plan(const CollectiveRequest& request) const override
  {
    std::vector<std::vector<int>> machines;
    std::map<int, std::size_t> known;
    for (int rank = 0; rank < request.ranks; ++rank) {
      const auto position = static_cast<std::size_t>(rank);
      const int node = position < request.node_of_rank.size() ? request.node_of_rank[position] : rank;
      const auto [place, is_new] = known.try_emplace(node, machines.size());
      if (is_new)
        machines.emplace_back();
      machines[place->second].push_back(rank);
    }
    std::vector<Round> rounds(std::max<std::size_t>(machines.size(), 2) - 1);
    for (std::size_t distance = 0; distance < machines.size(); ++distance) {
      Round& round = rounds[std::max<std::size_t>(distance, 1) - 1];
      for (std::size_t machine = 0; machine < machines.size(); ++machine)
        for (const int from : machines[machine])
          for (const int to : machines[(machine + distance) % machines.size()])
            if (from != to)
              round.messages.push_back({from, to, request.payload / request.ranks});
    }
    return rounds;
  }
};

TY_REGISTER(Collective, Pairwise, "pairwise", "all-to-all in n-1 rounds of S/n");
TY_REGISTER(Collective, ByMachine, "by_machine", "all-to-all, to all ranks of one machine after the other at once");

} // namespace
} // namespace trainyard
