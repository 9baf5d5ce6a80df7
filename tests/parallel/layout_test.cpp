// SPDX-License-Identifier: Apache-2.0
/// Transformers by their dimensions, layouts, memory of a rank. Expected values: hand, or Korthikanti et al.,
/// arXiv:2205.05198.
#include "models/dnn/builder.hpp"
#include "models/parallel/communication.hpp"
#include "models/parallel/layout.hpp"
#include "models/parallel/rank_memory.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace trainyard {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr double gib = 1073741824;

TEST(Transformers, ParametersAreTheSumOfTheirTensors)
{
  // Llama 3 70B, a layer: queries and output 2 x 8192^2 = 134,217,728; keys and values 2 x 8192 x 1024 = 16,777,216;
  // three matrices of 8192 x 28672 = 704,643,072; two norms of 8192 = 16,384: 855,654,400. 80 of them, embedding and
  // projection 2 x 128256 x 8192 = 2,101,346,304, the last norm 8192.
  EXPECT_EQ(find_transformer("llama3_70b")->layer_parameters(), 855654400.0);
  EXPECT_EQ(find_transformer("llama3_70b")->parameters(), 80 * 855654400.0 + 2101346304.0 + 8192);
  EXPECT_EQ(find_transformer("llama3_70b")->parameters(), 70553706496.0);
  // Mixtral: six of the eight experts of 3 x 4096 x 14336 rest in each of 32 layers: 46,702,792,704 - 33,822,867,456.
  EXPECT_EQ(find_transformer("mixtral_8x7b")->active_parameters(), 12879925248.0);
  for (const Transformer& transformer : transformer_catalogue()) {
    EXPECT_EQ(transformer.parameters(), build_dnn(transformer.name).parameter_elements()) << transformer.name;
    EXPECT_TRUE(transformer_faults(transformer).empty()) << transformer.name;
    if (!transformer.encoder) { // BERT has a pooler
      EXPECT_NEAR(transformer.forward_flop_per_token(transformer.sequence) * transformer.sequence,
                  build_dnn(transformer.name).forward_flop().value(),
                  1e-9 * build_dnn(transformer.name).forward_flop().value())
          << transformer.name;
    }
  }
}

TEST(Transformers, MegatronSeriesHasThePublishedSizes)
{
  // 12 L h^2 (1 + 13/(12 h) + (v + s)/(12 L h)): Narayanan et al., arXiv:2104.04473, eq. 2.
  for (const auto& [name, billions] :
       {std::pair{"megatron_1.7b", 1.7}, std::pair{"megatron_3.6b", 3.6}, std::pair{"megatron_7.5b", 7.5},
        std::pair{"megatron_18b", 18.4}, std::pair{"megatron_39b", 39.1}, std::pair{"megatron_76b", 76.1},
        std::pair{"megatron_145b", 145.6}, std::pair{"megatron_310b", 310.1}, std::pair{"megatron_22b", 22.0},
        std::pair{"megatron_175b", 175.0}, std::pair{"megatron_530b", 530.0}, std::pair{"megatron_1t", 1008.0}}) {
    const Transformer& t = *find_transformer(name);
    const double h = t.hidden, layers = t.layers;
    const double formula = 12 * layers * h * h * (1 + 13 / (12 * h) + (t.vocabulary + t.sequence) / (12 * layers * h));
    EXPECT_NEAR(t.parameters(), formula, 2 * h + 1) << name;                              // and the last norm
    EXPECT_NEAR(t.parameters() / 1e9, billions, std::max(0.05, 0.01 * billions)) << name; // of one decimal
  }
}

TEST(Layouts, ABatchBelowOneStepOfAllReplicasHasOneWayOut)
{
  const ParallelLayout layout{.dp = 16, .global_batch = 7};
  const std::vector<LayoutFault> faults = layout_faults(layout, *find_transformer("llama3_8b"), 16);
  ASSERT_EQ(faults.size(), 1U);
  EXPECT_EQ(faults.front().message, "global_batch = 7 is no multiple of dp x micro_batch = 16 x 1 = 16; try 16");
  // 65,536 x 65,536 = 2^32, which is 0 in 32 bits: not a division by it.
  const std::vector<LayoutFault> huge =
      layout_faults({.dp = 65536, .micro_batch = 65536, .global_batch = 7}, *find_transformer("llama3_8b"), 65536);
  ASSERT_FALSE(huge.empty());
  EXPECT_THAT(huge.front().message, HasSubstr("= 65536 x 65536 = 4294967296; try 4294967296"));
}

TEST(Layouts, EveryFaultIsToldWithAWayOut)
{
  const ParallelLayout layout{.tp = 6, .pp = 7, .dp = 4, .ep = 3, .micro_batch = 3, .global_batch = 100};
  std::string text;
  for (const LayoutFault& fault : layout_faults(layout, *find_transformer("llama3_70b"), 512))
    text += fault.key + ": " + fault.message + "\n";
  EXPECT_THAT(text, HasSubstr("tp: tp = 6 does not divide the 64 heads; try 4 or 8\n"));
  EXPECT_THAT(text, HasSubstr("pp: pp = 7 does not divide the 80 layers"));
  EXPECT_THAT(text, HasSubstr("dp: tp x pp x cp x dp = 6 x 7 x 1 x 4 = 168 GPUs, but the job has 512\n"));
  EXPECT_THAT(text,
              HasSubstr("global_batch: global_batch = 100 is no multiple of dp x micro_batch = 4 x 3 = 12; try 96 "
                        "or 108\n"));
  EXPECT_THAT(text, HasSubstr("ep: ep = 3 does not divide the 1 experts; try 1\n"));
  EXPECT_THAT(text, HasSubstr("ep: experts are divided over the replicas: ep = 3 does not divide dp x cp = 4"));
}

// Replicas of 4 GPUs, 24 sequences. Kept, 5 replicas would not divide them: 1, 2, 3, 4, 6 and 8 do. Else each replica
// brings its 12.
TEST(Layouts, ReplicasComeAndGoAsTheBatchAllows)
{
  ParallelLayout layout{.tp = 4, .dp = 2, .global_batch = 24};
  const Transformer& t = *find_transformer("llama2_7b");
  EXPECT_EQ(elastic_sizes(layout, t, 5, 20), (std::vector<int>{8, 12, 16, 20}));
  EXPECT_EQ(with_replicas(layout, 5).global_batch, 60);
  layout.keep_batch = true;
  EXPECT_EQ(elastic_sizes(layout, t, 1, 32), (std::vector<int>{4, 8, 12, 16, 24, 32}));
  const ParallelLayout three = with_replicas(layout, 3);
  EXPECT_EQ(three.global_batch, 24);
  EXPECT_EQ(three.micro_batches(), 8);
}

// 24 sequences on 5 replicas: 20, four each. With micro-batches of 3 it is 15; of two chunks a stage a micro-batch for
// each of 2 stages besides: 5 x 2 divide 20. 25 replicas have nothing to do.
TEST(Layouts, ABatchThatIsDecreasedLetsMoreReplicasTrain)
{
  ParallelLayout layout{.tp = 4, .dp = 2, .global_batch = 24, .keep_batch = true, .decrease_batch = true};
  EXPECT_EQ(with_replicas(layout, 5).global_batch, 20);
  EXPECT_EQ(elastic_sizes(layout, *find_transformer("llama2_7b"), 1, 24), (std::vector<int>{4, 8, 12, 16, 20, 24}));
  EXPECT_FALSE(layout_faults(with_replicas(layout, 25), *find_transformer("llama2_7b"), 0).empty());
  layout.micro_batch = 3;
  EXPECT_EQ(with_replicas(layout, 5).global_batch, 15);
  layout.micro_batch = 1;
  layout.pp = layout.vp = 2;
  EXPECT_EQ(with_replicas(layout, 5).global_batch, 20);
  EXPECT_EQ(with_replicas(layout, 7).global_batch, 14);
}

// DeepSeek-V3, README_WEIGHTS.md: the layer that predicts the token after the next has 11.5 B parameters besides the
// embedding and the output head, of 0.9 B each, which it shares. In a pipeline the last stage has the head, but not the
// embedding.
TEST(Layouts, ALayerForLaterTokensIsHeldByTheLastStage)
{
  const Transformer& t = *find_transformer("deepseek_v3");
  ParallelLayout layout{.pp = 2, .layers_per_stage = {31, 30}};
  const double first = rank_parameters(layout, t, 0).all(), last = rank_parameters(layout, t, 1).all();
  layout.mtp_layers = 1;
  EXPECT_EQ(rank_parameters(layout, t, 0).all(), first);
  EXPECT_NEAR((rank_parameters(layout, t, 1).all() - last) / 1e9, 11.5 + 129280 * 7168 / 1e9, 0.15);
  EXPECT_GT(rank_memory(layout, t, 1, 1).activations,
            rank_memory({.pp = 2, .layers_per_stage = {31, 30}}, t, 1, 1).activations);
  EXPECT_THAT(to_text(layout), HasSubstr("1 layer for later tokens"));
}

TEST(Layouts, NearestOnesWork)
{
  const Transformer& llama = *find_transformer("llama3_70b");
  const ParallelLayout wrong{.tp = 6, .pp = 4, .dp = 21, .global_batch = 512};
  const std::vector<ParallelLayout> nearest = nearest_layouts(wrong, llama, 512);
  ASSERT_EQ(nearest.size(), 3U);
  for (const ParallelLayout& layout : nearest) {
    EXPECT_TRUE(layout_faults(layout, llama, 512).empty());
    EXPECT_EQ(layout.gpus(), 512);
  }
  EXPECT_EQ(nearest.front().tp, 8); // factor 4/3; 4 is 3/2 away
  EXPECT_EQ(nearest.front().pp, 4);
}

// Of 7 GPUs 7 does not divide the 64 heads: only tp = 1 is left, where these settings have no effect.
TEST(Layouts, NearestOnesForgetWhatHasNoEffect)
{
  const Transformer& llama = *find_transformer("llama3_70b");
  const ParallelLayout wrong{.tp = 7,
                             .sequence_parallel = true,
                             .zero = 3,
                             .global_batch = 7,
                             .loss_parallel = false,
                             .embedding_parallel = false,
                             .tensor_messages = "dtensor_each"};
  const std::vector<ParallelLayout> nearest = nearest_layouts(wrong, llama, 7);
  ASSERT_FALSE(nearest.empty());
  EXPECT_EQ(nearest.front().tp, 1);
  EXPECT_EQ(nearest.front().dp, 7);
}

TEST(Layouts, EmbeddingAndOutputMayCountAsLayers)
{
  // Llama 3.1 405B: 126 layers and both ends in 64 chunks of two.
  const std::vector<int> chunks = layers_of_chunks({.pp = 8, .vp = 8}, *find_transformer("llama3.1_405b"));
  ASSERT_EQ(chunks.size(), 64U);
  EXPECT_EQ(chunks.front(), 1);
  EXPECT_EQ(chunks[1], 2);
  EXPECT_EQ(chunks.back(), 1);
  EXPECT_EQ(std::accumulate(chunks.begin(), chunks.end(), 0), 126);
  // Both ends without a layer leave 126 stages of one (arXiv:2407.21783, section 3.3.2: the first chunk has only the
  // embedding, the last only the output projection).
  const Transformer& llama = *find_transformer("llama3.1_405b");
  const std::vector<int> single = layers_of_chunks({.pp = 16, .vp = 8}, llama);
  ASSERT_EQ(single.size(), 128U);
  EXPECT_EQ(single.front() + single.back(), 0);
  EXPECT_EQ(std::count(single.begin(), single.end(), 1), 126);
  EXPECT_TRUE(layout_faults({.pp = 16, .vp = 8, .global_batch = 16}, llama, 0).empty());
  EXPECT_THAT(layers_of_chunks({.pp = 3, .layers_per_stage = {0, 12, 0}}, *find_transformer("gpt2_small")),
              ElementsAre(0, 12, 0));
  EXPECT_TRUE(layers_of_chunks({.pp = 3, .layers_per_stage = {6, 0, 6}}, *find_transformer("gpt2_small")).empty());
  const std::vector<LayoutFault> faults =
      layout_faults({.pp = 16, .vp = 16, .global_batch = 16, .layers_per_stage = {126}}, llama, 0);
  ASSERT_FALSE(faults.empty());
  EXPECT_EQ(faults.front().message, "layers_per_stage has 1 numbers that add up to 126; the layout has pp x vp = "
                                    "256 stages, and the model 126 layers, each stage at least 1, or 0 beside "
                                    "embedding or output");
  EXPECT_TRUE(layers_of_chunks({.pp = 7}, *find_transformer("llama3_70b")).empty());
  EXPECT_THAT(layers_of_chunks({.pp = 2}, *find_transformer("gpt2_small")), ElementsAre(6, 6));
}

struct KorthikantiRow {
  const char* model;
  int pp, vp, micro_batch;
  double without, sequence_selective, parameters; // GiB
};

TEST(RankMemory, ActivationsAndStatesAreThoseOfKorthikanti)
{
  // Figure 1, table 5 and table 2 of the paper: t = 8; activations of the first stage without recomputation, with
  // sequence parallelism and selective recomputation; weights, gradients and states at 18 B a parameter. Stage 0 holds
  // L (1 + (p-1)/(p m)) layers in all, so that many chunks of one micro-batch: p m + p - 1.
  for (const KorthikantiRow& row : {KorthikantiRow{"megatron_22b", 1, 1, 4, 59.25, 9.5625, 45.5625},
                                    KorthikantiRow{"megatron_175b", 8, 3, 1, 66.84375, 12.3515625, 45.5625},
                                    KorthikantiRow{"megatron_530b", 35, 3, 1, 114.0234375, 23.076171875, 31.640625},
                                    KorthikantiRow{"megatron_1t", 64, 1, 1, 131.25, 26.5625, 32.958984375}}) {
    const Transformer& t = *find_transformer(row.model);
    ParallelLayout layout{.tp = 8,
                          .pp = row.pp,
                          .vp = row.vp,
                          .micro_batch = row.micro_batch,
                          .global_batch = 64 * row.micro_batch,
                          .attention = "unfused"};
    const int in_flight = row.vp == 1 ? row.pp : row.pp * row.vp + row.pp - 1;
    const double layers = 1.0 * t.layers / (row.pp * row.vp) * in_flight;
    EXPECT_NEAR(layer_activations(layout, t).value() * layers / gib, row.without, 1e-6 * row.without) << row.model;
    layout.sequence_parallel = true;
    layout.recomputation = Recomputation::selective;
    EXPECT_NEAR(layer_activations(layout, t).value() * layers / gib, row.sequence_selective, 1e-6 * row.without)
        << row.model;
    const RankMemory memory = rank_memory(layout, t, row.pp == 1 ? 0 : 1, in_flight); // without the embedding
    const double states = (memory.weights + memory.gradients + memory.optimizer).value() / gib;
    EXPECT_NEAR(states, row.parameters, 0.03 * row.parameters) << row.model;
  }
}

TEST(RankMemory, ZeroDividesWhatItsStageSays)
{
  const Transformer& t = *find_transformer("llama2_7b");
  ParallelLayout layout{.dp = 8, .global_batch = 8, .gradient_bytes = 2};
  const double p = t.parameters();
  EXPECT_EQ(rank_memory(layout, t, 0, 1).optimizer.value(), 12 * p);
  layout.zero = 1;
  EXPECT_EQ(rank_memory(layout, t, 0, 1).optimizer.value(), 12 * p / 8);
  EXPECT_EQ(rank_memory(layout, t, 0, 1).gradients.value(), 2 * p);
  layout.zero = 2;
  EXPECT_EQ(rank_memory(layout, t, 0, 1).gradients.value(), 2 * p / 8);
  EXPECT_EQ(rank_memory(layout, t, 0, 1).weights.value(), 2 * p);
  layout.zero = 3;
  // The fp32 copy is the only whole one; at the loss the output (32,000 x 4,096, and a norm) and a layer of 202,383,360
  // parameters are whole in 16 bit.
  EXPECT_NEAR(rank_memory(layout, t, 0, 1).weights.value(), 2 * (131076096.0 + 202383360), 1e3);
}

TEST(RankMemory, StagesTogetherHoldTheModelOnce)
{
  const Transformer& t = *find_transformer("mixtral_8x7b");
  const ParallelLayout layout{.tp = 2, .pp = 4, .dp = 8, .ep = 4, .global_batch = 64};
  double held = 0;
  for (int stage = 0; stage < 4; ++stage) {
    const RankParameters rank = rank_parameters(layout, t, stage);
    held += 2 * rank.dense + 2 * 4 * rank.experts; // tp = 2; ep = 4
  }
  // Norms and routers are whole on both ranks of tp.
  const double twice = 32.0 * (2 * 4096 + 4096 * 8) + 4096;
  EXPECT_NEAR(held, t.parameters() + twice, 1);
}

TEST(RankMemory, FirstLayerGoesWithTheEmbedding)
{
  // Llama 3 70B on tp 8, pp 4: a layer has (855,654,400 - 16,384) / 8 + 16,384 = 106,971,136 parameters on a rank (its
  // norms are whole), the embedding 128,256 x 8,192 / 8 = 131,334,144. First stage: 20 x 106,971,136 + 131,334,144 =
  // 2,270,756,864, of which the first layer and the embedding are 238,305,280.
  const Transformer& t = *find_transformer("llama3_70b");
  const ParallelLayout layout{.tp = 8, .pp = 4, .global_batch = 8};
  EXPECT_NEAR(share_of_layer(layout, t, 0, true), 238305280.0 / 2270756864, 1e-9);
  EXPECT_NEAR(share_of_layer(layout, t, 0, false), 106971136.0 / 2270756864, 1e-9);
  EXPECT_NEAR(share_of_layer(layout, t, 1, true), 1.0 / 20, 1e-9);
  EXPECT_NEAR(share_of_layer(layout, t, 1, false), 1.0 / 20, 1e-9);
}

TEST(ParallelMessages, GroupsLieTensorInnermost)
{
  const ParallelGroups groups = groups_of({.tp = 4, .pp = 2, .dp = 8}, 8);
  EXPECT_EQ(groups.tensor.nodes(), 1);
  EXPECT_EQ(groups.data.per_node, 2);
  EXPECT_EQ(groups.data.nodes(), 4);
  EXPECT_TRUE(groups.stages_between_nodes);
  EXPECT_FALSE(groups_of({.tp = 2, .pp = 4}, 8).stages_between_nodes);
  EXPECT_EQ(groups_of({.tp = 16}, 8).tensor.nodes(), 2);
}

TEST(ParallelMessages, LargePayloadsTakeWhatTheNarrowestPartOfTheRingSays)
{
  ParallelNetwork network;
  network.inside = 300_GBps;
  network.between = 50_GBps;
  // 32 ranks, two of each group in a machine: the ring leaves a machine over 2 x 50 GB/s. 64 GB: 2 x 31/32 x 64e9 /
  // 100e9 = 1.24 s; trees and start-up change less than 3 %.
  const double time = all_reduce_time(network, {32, 2}, Bytes{64e9}).value();
  EXPECT_NEAR(time, 1.24, 0.03 * 1.24);
  // Half of it each for scatter and gather, so that ZeRO-3 moves 1.5 times as much (arXiv:1910.02054, section 7).
  const double part = scatter_time(network, {32, 2}, Bytes{64e9}).value();
  EXPECT_NEAR(3 * part / time, 1.5, 0.03 * 1.5);
  EXPECT_NEAR(point_to_point_time(network, true, Bytes{50e9}).value(), 1, 1e-4);
  EXPECT_EQ(all_reduce_time(network, {1, 1}, Bytes{1e9}).value(), 0);
}

TEST(ParallelMessages, GatherAndScatterKnowRingsOnly)
{
  // NCCL's tuner skips trees for both (src/graph/tuning.cc), so every rank's part passes all others one after another.
  // 8,192 ranks, 8 in each of 1,024 machines, NVLink: 8,191 hops, 1,023 of them between machines. Simple protocol:
  // 7,168 x 3.4 us + 1,023 x 14 us = 38.7 ms; LL128: 7,168 x 1.9 us + 1,023 x 4 us = 17.7 ms; LL: 7,168 x 0.6 us +
  // 1,023 x 5 us = 9.4 ms. So 1 MB cannot be there sooner. An all-reduce takes trees of 10 levels: below a millisecond.
  ParallelNetwork network;
  network.inside = 370_GBps;
  network.between = 50_GBps;
  network.nvlink = true;
  network.tuning = newer_tuning();
  EXPECT_GT(scatter_time(network, {8192, 8}, Bytes{1e6}).value(), 9.4e-3);
  EXPECT_LT(all_reduce_time(network, {8192, 8}, Bytes{1e6}).value(), 1e-3);
  // 300 GB: the simple protocol; (8,191/8,192) x 300e9 / 370e9 = 810.7 ms beside its hops.
  EXPECT_NEAR(scatter_time(network, {8192, 8}, Bytes{300e9}).value(), 810.7e-3 + 38.7e-3, 1e-3);
}

TEST(ParallelMessages, MeasuredCurvesCountInsideAMachine)
{
  ParallelNetwork network;
  network.gpu = "A100-SXM4-80GB";
  network.inside = 230_GBps;
  // 8 GPUs, 16 MiB at 126.33 GB/s of bus bandwidth: 2 x 7/8 x 16,777,216 / 126.33e9.
  EXPECT_NEAR(all_reduce_time(network, {8, 8}, Bytes{16777216}).value(), 1.75 * 16777216 / 126.33e9, 1e-9);
  double before = 0;
  for (double size = 1024; size < 4e9; size *= 1.3) {
    const double time = all_reduce_time(network, {8, 8}, Bytes{size}).value();
    EXPECT_GT(time, before) << size;
    before = time;
  }
}

} // namespace
} // namespace trainyard
