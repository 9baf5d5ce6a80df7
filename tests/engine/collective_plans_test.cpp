// SPDX-License-Identifier: Apache-2.0
// What collectives move, without any time: whether all data reach whom they must, and how many bytes each rank sends.
#include "models/cluster/build.hpp"
#include "models/core/registry.hpp"
#include "sim/step/collectives/collective.hpp"
#include "sim/step/engine/program_runner.hpp"
#include "tests/cluster/cluster_support.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <numeric>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace trainyard {
namespace {

using ::testing::Contains;
using ::testing::Each;

std::vector<Round> plan(const std::string& algorithm, const CollectiveRequest& request)
{
  return Registry<Collective>::instance().create(algorithm)->plan(request);
}

/// Whose data each rank knows after all rounds, one bit each: what it knows before a round goes along with its
/// messages.
std::vector<std::uint64_t> known_to(const std::vector<Round>& rounds, int ranks)
{
  std::vector<std::uint64_t> known;
  for (int rank = 0; rank < ranks; ++rank)
    known.push_back(std::uint64_t{1} << rank);
  for (const Round& round : rounds)
    for (int i = 0; i < round.repeat; ++i) {
      const std::vector<std::uint64_t> before = known;
      for (const RoundMessage& message : round.messages)
        known[static_cast<std::size_t>(message.to)] |= before[static_cast<std::size_t>(message.from)];
    }
  return known;
}

/// Bytes that each rank sends; receives where @p end is RoundMessage::to.
std::vector<double> bytes_of(const std::vector<Round>& rounds, int ranks, int RoundMessage::*end = &RoundMessage::from)
{
  std::vector<double> sum(static_cast<std::size_t>(ranks), 0.0);
  for (const Round& round : rounds)
    for (const RoundMessage& message : round.messages)
      sum[static_cast<std::size_t>(message.*end)] += message.bytes.value() * round.repeat;
  return sum;
}

class EveryCollective : public testing::TestWithParam<std::string>
{
};

TEST_P(EveryCollective, EveryRanksDataReachWhomTheyMust)
{
  // A sum over all ranks needs the data of each, whoever ends with the sum or a part of it. A broadcast starts and a
  // reduction ends at one rank, which the algorithm chooses.
  const std::unique_ptr<Collective> collective = Registry<Collective>::instance().create(GetParam());
  for (const int ranks : {2, 3, 4, 5, 6, 7, 8, 9, 12, 15, 16, 17, 32})
    for (const char* operation : {"all_reduce", "all_gather", "reduce_scatter", "broadcast", "reduce", "all_to_all"})
      for (const Bytes payload : {Bytes{64}, 1_MB, 100_MB}) {
        CollectiveRequest request{operation, ranks, payload, {}};
        if (!collective->supports(request))
          continue;
        SCOPED_TRACE(std::string{operation} + " of " + std::to_string(ranks));
        std::vector<std::vector<int>> nodes{{}}; // each rank alone; and two in a node, the last perhaps alone
        for (int rank = 0; rank < ranks; ++rank)
          nodes.front().push_back(rank);
        nodes.push_back(nodes.front());
        for (int& node : nodes.back())
          node /= 2;
        for (const std::vector<int>& node_of_rank : nodes) {
          request.node_of_rank = node_of_rank;
          const std::vector<std::uint64_t> known = known_to(collective->plan(request), ranks);
          const std::uint64_t all = (std::uint64_t{1} << ranks) - 1;
          if (operation == std::string{"broadcast"})
            EXPECT_NE(std::accumulate(known.begin(), known.end(), all, std::bit_and{}), 0U);
          else if (operation == std::string{"reduce"})
            EXPECT_THAT(known, Contains(all));
          else
            EXPECT_THAT(known, Each(all));
        }
      }
}

INSTANTIATE_TEST_SUITE_P(Registered, EveryCollective, testing::ValuesIn(Registry<Collective>::instance().names()),
                         [](const auto& test) { return test.param; });

TEST(CollectivePlans, ARankOfARingSendsItsShareOfThePayloadInEveryRound)
{
  // Patarasuk and Yuan 2009: (n-1)/n S for a reduce-scatter or an all-gather, and both for an all-reduce.
  for (const int n : {2, 3, 8, 10}) {
    const double share = 100e6 * (n - 1) / n;
    for (const char* half : {"reduce_scatter", "all_gather"})
      EXPECT_THAT(bytes_of(plan("ring", {half, n, 100_MB, {}}), n), Each(testing::DoubleEq(share))) << half;
    EXPECT_THAT(bytes_of(plan("ring", {"all_reduce", n, 100_MB, {}}), n), Each(testing::DoubleEq(2 * share)));
  }
}

/// How far away the partner of rank 0 is, and how many MB it gets, round by round.
std::vector<std::pair<int, double>> rounds_of_rank_0(const std::vector<Round>& rounds)
{
  std::vector<std::pair<int, double>> result;
  for (const Round& round : rounds)
    for (const RoundMessage& message : round.messages)
      if (message.from == 0)
        result.emplace_back(message.to, message.bytes.value() / 1e6);
  return result;
}

TEST(CollectivePlans, HalvingAndDoublingGoTheSameWayBack)
{
  // Thakur et al. 2005: halves of 8 MB with ranks 4, 2 and 1 away, and the same parts back, nearest first. Each rank
  // sends 2 (n-1)/n S = 14 MB.
  using Rounds = std::vector<std::pair<int, double>>;
  const std::vector<Round> eight = plan("halving_doubling", {"all_reduce", 8, 8_MB, {}});
  EXPECT_EQ(rounds_of_rank_0(eight), (Rounds{{4, 4}, {2, 2}, {1, 1}, {1, 1}, {2, 2}, {4, 4}}));
  EXPECT_THAT(bytes_of(eight, 8), Each(14e6));
  // Six ranks: 4 and 5 hand their 8 MB to 0 and 1, which work as four with 2 and 3, and give all of it back.
  const std::vector<Round> six = plan("halving_doubling", {"all_reduce", 6, 8_MB, {}});
  EXPECT_EQ(rounds_of_rank_0(six), (Rounds{{2, 4}, {1, 2}, {1, 2}, {2, 4}, {4, 8}}));
  EXPECT_EQ(bytes_of(six, 6), (std::vector<double>{20e6, 20e6, 12e6, 12e6, 8e6, 8e6}));
}

// Thakur et al. 2005: all of S in each of log2(n) rounds; of six ranks two hand theirs over before and get it after.
TEST(CollectivePlans, RecursiveDoublingExchangesTheWholePayload)
{
  using Rounds = std::vector<std::pair<int, double>>;
  EXPECT_EQ(rounds_of_rank_0(plan("recursive_doubling", {"all_reduce", 8, 8_MB, {}})),
            (Rounds{{1, 8}, {2, 8}, {4, 8}}));
  EXPECT_EQ(rounds_of_rank_0(plan("recursive_doubling", {"all_reduce", 6, 8_MB, {}})),
            (Rounds{{1, 8}, {2, 8}, {4, 8}}));
}

// Mikami et al. 2018: twelve ranks stand in three rows of four. A row's ring moves quarters of 12 MB three times, a
// column's ring thirds of a quarter four times, and the row again: 2 (4-1)/4 S + 2 (3-1)/3 S/4 = 22 MB a rank, 10
// rounds.
TEST(CollectivePlans, ATorusGoesAlongRowsAndColumns)
{
  using Rounds = std::vector<std::pair<int, double>>;
  const std::vector<Round> twelve = plan("torus", {"all_reduce", 12, 12_MB, {}});
  EXPECT_EQ(rounds_of_rank_0(twelve), (Rounds{{1, 3}, {4, 1}, {1, 3}}));
  ASSERT_EQ(twelve.size(), 3U);
  EXPECT_EQ(twelve[0].repeat + twelve[1].repeat + twelve[2].repeat, 10);
  EXPECT_THAT(bytes_of(twelve, 12), Each(testing::DoubleEq(22e6)));
  EXPECT_EQ(rounds_of_rank_0(plan("torus", {"all_reduce", 7, 7_MB, {}})), (Rounds{{1, 1}, {1, 1}})); // one row
}

TEST(CollectivePlans, ALeafOfOneTreeIsAnInnerRankOfTheOther)
{
  // Sanders et al. 2009: half of the payload over each tree. A leaf sends it up once; an inner rank sends it up once
  // and down to two children. So no rank sends or receives more than S/2 + 3 S/2 = 2 S. Over n-1 edges of both trees
  // S/2 goes up and down: 2 (n-1) S in all. An inner rank of both trees would send up to 3 S.
  for (const int n : {3, 4, 7, 8, 9, 16, 31}) {
    const std::vector<Round> rounds = plan("tree", {"all_reduce", n, 100_MB, {}});
    const std::vector<double> sent = bytes_of(rounds, n), received = bytes_of(rounds, n, &RoundMessage::to);
    EXPECT_THAT(sent, Each(testing::Le(200e6 * (1 + 1e-9)))) << n;
    EXPECT_THAT(received, Each(testing::Le(200e6 * (1 + 1e-9)))) << n;
    EXPECT_NEAR(std::accumulate(sent.begin(), sent.end(), 0.0), 200e6 * (n - 1), 1) << n;
  }
}

TEST(CollectivePlans, EveryChannelLeavesANodeThroughAnotherGpu)
{
  // Two nodes of four GPUs, ranks 0-3 and 4-7, two channels: the second one begins 1 x 4/2 = 2 ranks further in each
  // node. So the last ranks, from which a ring goes on to the other node, are 3 and 7, and 1 and 5. Half of 8 MB each,
  // in chunks of an eighth.
  const Cluster cluster = build_cluster(cluster_of(2, 4, "pcie_tree"));
  CollectiveCall call{.algorithm = "ring", .payload = 8_MB, .channels = 2};
  std::vector<VertexId> ranks;
  for (const Node& node : cluster.nodes())
    ranks.insert(ranks.end(), node.gpus.begin(), node.gpus.end());
  call.ranks = ranks;
  const std::vector<ChannelPlan> plans = channel_plans(cluster, call);
  ASSERT_EQ(plans.size(), 2U);
  const std::vector<std::vector<std::size_t>> orders = {{0, 1, 2, 3, 4, 5, 6, 7}, {2, 3, 0, 1, 6, 7, 4, 5}};
  for (std::size_t channel = 0; channel < 2; ++channel) {
    for (std::size_t i = 0; i < 8; ++i)
      EXPECT_EQ(plans[channel].ranks[i].index, call.ranks[orders[channel][i]].index) << channel << " " << i;
    EXPECT_EQ(plans[channel].rounds.front().messages.front().bytes, Bytes{500e3});
  }
}

TEST(CollectivePlans, PairwiseExchangeMeetsEveryRankOnce)
{
  for (const int n : {2, 3, 5, 8}) {
    for (const char* algorithm : {"pairwise", "by_machine"}) {
      std::multiset<std::pair<int, int>> pairs;
      std::vector<int> machines; // of three ranks, and what is left
      for (int rank = 0; rank < n; ++rank)
        machines.push_back(rank / 3);
      for (const Round& round : plan(algorithm, {"all_to_all", n, 1_MB, machines}))
        for (const RoundMessage& message : round.messages) {
          pairs.emplace(message.from, message.to);
          EXPECT_NE(message.from, message.to);
          EXPECT_DOUBLE_EQ(message.bytes.value() * round.repeat, 1e6 / n);
        }
      EXPECT_EQ(pairs.size(), static_cast<std::size_t>(n * (n - 1)));
      EXPECT_EQ(std::set(pairs.begin(), pairs.end()).size(), pairs.size());
    }
  }
}

// NCCL's schedule: of three machines with two GPUs each GPU sends to both of the next machine, and meanwhile inside its
// own, then to both of the last.
TEST(ByMachine, SendsToAllRanksOfAMachineAtOnce)
{
  const std::vector<Round> rounds = plan("by_machine", {"all_to_all", 6, 6_MB, {0, 0, 1, 1, 2, 2}});
  ASSERT_EQ(rounds.size(), 2U);
  const auto targets = [&](std::size_t round, int from) {
    std::set<int> result;
    for (const RoundMessage& message : rounds[round].messages)
      if (message.from == from)
        result.insert(message.to);
    return result;
  };
  EXPECT_EQ(targets(0, 0), (std::set<int>{1, 2, 3}));
  EXPECT_EQ(targets(0, 5), (std::set<int>{4, 0, 1}));
  EXPECT_EQ(targets(1, 0), (std::set<int>{4, 5}));
  EXPECT_EQ(plan("by_machine", {"all_to_all", 8, 1_MB, std::vector<int>(8, 0)}).size(), 1U);
}

} // namespace
} // namespace trainyard
