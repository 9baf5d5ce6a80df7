// SPDX-License-Identifier: Apache-2.0
// Recursive halving and doubling: reduce-scatter over distances n/2, n/4, …, 1 and all-gather back, 2 log2(n) rounds
// and 2 (n-1)/n S per rank. Recursive doubling exchanges all of S in each round, in half as many: for small payloads.
// Ranks above the largest power of two hand their buffer to a partner first and get the
// result at the end. Thakur, Rabenseifner, Gropp, Int. J. High Perf. Comput. Appl. 19(1), 2005.
#include "sim/step/collectives/collective.hpp"

#include <bit>

namespace trainyard {
namespace {

/// What ranks above the largest power of two send, and what the others do among themselves.
std::vector<Round> folded(const CollectiveRequest& request, const std::vector<Round>& among_power)
{
  const int power = static_cast<int>(std::bit_floor(static_cast<unsigned>(request.ranks)));
  Round fold, unfold;
  for (int rank = power; rank < request.ranks; ++rank) {
    fold.messages.push_back({rank, rank - power, request.payload});
    unfold.messages.push_back({rank - power, rank, request.payload});
  }
  std::vector<Round> rounds;
  if (!fold.messages.empty())
    rounds.push_back(fold);
  rounds.insert(rounds.end(), among_power.begin(), among_power.end());
  if (!unfold.messages.empty())
    rounds.push_back(unfold);
  return rounds;
}

/// Ranks below the largest power of two exchange @p bytes with the one at @p distance.
Round exchange(const CollectiveRequest& request, int distance, Bytes bytes)
{
  Round round;
  const int power = static_cast<int>(std::bit_floor(static_cast<unsigned>(request.ranks)));
  for (int rank = 0; rank < power; ++rank)
    round.messages.push_back({rank, rank ^ distance, bytes});
  return round;
}

class HalvingDoubling final : public Collective
{
public:
  bool supports(const CollectiveRequest& request) const override { return request.operation == "all_reduce"; }

  std::vector<Round> plan(const CollectiveRequest& request) const override
  {
    if (request.ranks < 2)
      return {};
    std::vector<Round> halving;
    Bytes part = request.payload;
    for (int distance = static_cast<int>(std::bit_floor(static_cast<unsigned>(request.ranks))) / 2; distance >= 1;
         distance /= 2) {
      part /= 2;
      halving.push_back(exchange(request, distance, part));
    }
    std::vector<Round> both = halving;
    both.insert(both.end(), halving.rbegin(), halving.rend());
    return folded(request, both);
  }
};

class RecursiveDoubling final : public Collective
{
public:
  bool supports(const CollectiveRequest& request) const override { return request.operation == "all_reduce"; }

  std::vector<Round> plan(const CollectiveRequest& request) const override
  {
    std::vector<Round> rounds;
    for (int distance = 1; 2 * distance <= request.ranks; distance *= 2)
      rounds.push_back(exchange(request, distance, request.payload));
    return request.ranks < 2 ? rounds : folded(request, rounds);
  }
};

TY_REGISTER(Collective, HalvingDoubling, "halving_doubling",
            "recursive halving and doubling, 2 log2(n) rounds (Thakur, Rabenseifner, Gropp 2005)");
TY_REGISTER(Collective, RecursiveDoubling, "recursive_doubling",
            "exchange of the whole payload in log2(n) rounds, for small ones (Thakur, Rabenseifner, Gropp 2005)");

} // namespace
} // namespace trainyard
