// SPDX-License-Identifier: Apache-2.0
/// ZeRO-1 with an owner for each tensor, who broadcasts it. Expected values by hand.
#include "models/cost/nccl_choice.hpp"
#include "models/parallel/rank_memory.hpp"
#include "sim/parallel/message_sizes.hpp"

#include <gtest/gtest.h>

namespace trainyard {
namespace {

/// 16 GPUs of two machines with four cards of 100 Gbit/s each.
const CollectiveShape four_cards{.ranks = 16, .nodes = 2, .nvlink = true, .bus_bandwidth = 50_GBps};

// NCCL 2.7, broadcasts of 60 MB. The tuner counts 16 hops: LL128 10 + 16 x 4 + 60 MB / 46 GB/s = 1,378 us, simple 8.4 +
// 16 x 50 + 1,200 = 2,008 us. A hop between machines: 4 us and 614,400 B at half of a card, 98.3 us; 14 inside, 1.9 us
// each. Four owners: 4 x (10 + 26.6 + 102.3) us + 240 MB / 46 GB/s.
TEST(Broadcasts, OneOwnerAfterTheOtherFillsTheRing)
{
  const Seconds time = broadcasts_time({}, four_cards, 240_MB, 4, 4, 12.5_GBps);
  EXPECT_NEAR(time.value(), 4 * (10e-6 + 14 * 1.9e-6 + 4e-6 + 614400 / 6.25e9) + 240e6 / 46e9, 1e-9);
}

// With one card all rings are the same, and the tuner counts one hop: simple 8.4 + 50 + 4,800 us against LL128's 10 + 4
// + 5,217. Inside a hop has a piece (28 us), between machines 512 KiB at 6.25 GB/s.
TEST(Broadcasts, OverOneCardTheTunerTakesTheSimpleProtocol)
{
  CollectiveShape shape = four_cards;
  shape.bus_bandwidth = 12.5_GBps;
  const Seconds time = broadcasts_time({}, shape, 60_MB, 1, 1, 12.5_GBps);
  EXPECT_NEAR(time.value(), 8.4e-6 + 14 * 28e-6 + 9.6e-6 + 524288 / 6.25e9 + 60e6 / 12.5e9, 1e-9);
}

// A piece is no longer than what a ring has to send: 1 MB over 8 rings of 4 cards.
TEST(Broadcasts, SmallTensorsFillLess)
{
  const Seconds time = broadcasts_time({}, four_cards, 1_MB, 1, 4, 12.5_GBps);
  EXPECT_NEAR(time.value(), 10e-6 + 14 * 1.9e-6 + 4e-6 + 1e6 / 8 / 0.92 / 6.25e9 + 1e6 / 46e9, 1e-9);
}

/// Two layers of four matrices, an embedding that is the output projection too.
Transformer two_layers()
{
  Transformer t;
  t.layers = 2;
  t.hidden = 1024;
  t.ffn = 4096;
  t.heads = t.kv_heads = 8;
  t.vocabulary = 32000;
  t.sequence = 1024;
  return t;
}

TEST(WholeTensors, GradientsAreAddedUpByAllAndWeightsComeFromTheirOwners)
{
  const Transformer t = two_layers();
  ParallelLayout layout{.dp = 32, .zero = 1, .shard_within = 8, .whole_tensors = true};
  const RankParameters held = rank_parameters(layout, t, 0);
  using Kind = ReplicaMessage::Kind;
  const std::vector<ReplicaMessage> gradients = gradient_messages(layout, 8, held);
  ASSERT_EQ(gradients.size(), 1U);
  EXPECT_EQ(gradients[0].kind, Kind::all_reduce);
  EXPECT_EQ(gradients[0].among.ranks, 32);
  EXPECT_DOUBLE_EQ(gradients[0].payload.value(), 4 * held.all());
  std::vector<ReplicaMessage> weights = weight_messages(layout, 8, held);
  ASSERT_EQ(weights.size(), 1U);
  EXPECT_EQ(weights[0].kind, Kind::broadcasts);
  EXPECT_EQ(weights[0].among.ranks, 8);
  EXPECT_EQ(weights[0].owners, 8);
  EXPECT_DOUBLE_EQ(weights[0].payload.value(), 2 * held.all());
  layout.shard_within = 0;
  weights = weight_messages(layout, 8, held);
  EXPECT_EQ(weights[0].among.ranks, 32);
  EXPECT_EQ(weights[0].owners, 9); // 2 x (queries, keys and values; output; up; down), the embedding: 9 of 32 ranks
}

// A middle stage of four has no embedding. Queries, keys and values are one matrix of 1,024 x 3,072, up is 1,024 x
// 2,048.
TEST(WholeTensors, QueriesKeysAndValuesAreOneMatrix)
{
  Transformer t = two_layers();
  t.layers = 8;
  t.ffn = 2048;
  const ParallelLayout layout{.pp = 4, .dp = 64, .zero = 1, .whole_tensors = true};
  EXPECT_DOUBLE_EQ(rank_memory(layout, t, 1, 1).optimizer.value(), 1024.0 * 3072 * 12);
}

// The owner of the embedding holds 32,000 x 1,024 x 12 B, more than a 32nd of 58e6 parameters.
TEST(WholeTensors, TheOwnerOfTheLargestTensorNeedsTheMost)
{
  const ParallelLayout layout{.dp = 32, .zero = 1, .whole_tensors = true};
  EXPECT_DOUBLE_EQ(rank_memory(layout, two_layers(), 0, 1).optimizer.value(), 32000.0 * 1024 * 12);
}

} // namespace
} // namespace trainyard
