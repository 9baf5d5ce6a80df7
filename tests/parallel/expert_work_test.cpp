// SPDX-License-Identifier: Apache-2.0
/// What experts run beside their products, and who holds them. Expected values by hand.
#include "models/parallel/expert_work.hpp"
#include "models/parallel/gpu_work.hpp"
#include "models/parallel/rank_memory.hpp"
#include "sim/export/rank_trace.hpp"
#include "sim/parallel/message_sizes.hpp"
#include "sim/parallel/search.hpp"
#include "tests/parallel/h100_job.hpp"

#include <gtest/gtest.h>

namespace trainyard {
namespace {

/// 8 experts, of which a token passes 2.
Transformer eight_experts()
{
  Transformer t;
  t.hidden = 1024;
  t.ffn = 4096;
  t.heads = t.kv_heads = 8;
  t.biases = t.tied = t.learnt_positions = false;
  t.gated = true;
  t.sequence = 4096;
  t.experts = 8;
  t.active_experts = 2;
  return t;
}

// One pass over the routed tokens: 4,096 x 2 x 1,024 numbers of 2 B; over the tokens half of it. Scores: 4,096 x 8.
constexpr double tokens = 4096, routed = 16777216, whole = 8388608, scores = 32768;

TEST(ExpertOperators, MegatronsKernelsCopyTokensThereAndBack)
{
  const ExpertOperators work = expert_operators(eight_experts(), {.zero = 1}, tokens, 8);
  EXPECT_DOUBLE_EQ(work.forward.bytes, 4 * routed);
  EXPECT_DOUBLE_EQ(work.backward.bytes, 4 * routed);
  EXPECT_DOUBLE_EQ(work.waits, 0);
  EXPECT_DOUBLE_EQ(work.rows, 1024); // 4,096 x 2 / 8
}

// Compiled, forward: gather 2, vstack 2, into the order of the product 2, and back 2, times the score 2, atomics 3.
// Backward: gather 2, score 4, gather 2, slice 3, index 4, atomics 3. Line by line the score is 3 + 4 + 3, and 3 + 4 +
// 6
// + 2 + 3.
TEST(ExpertOperators, PytorchMovesTokensOperatorByOperator)
{
  const ExpertOperators compiled = expert_operators(eight_experts(), {.zero = 3, .fused_elementwise = true}, tokens, 8);
  EXPECT_DOUBLE_EQ(compiled.forward.bytes, 22 * scores + 13 * routed + whole);
  EXPECT_DOUBLE_EQ(compiled.backward.bytes, 22 * scores + 18 * routed + whole);
  const ExpertOperators eager = expert_operators(eight_experts(), {.zero = 3}, tokens, 8);
  EXPECT_DOUBLE_EQ(eager.forward.bytes - compiled.forward.bytes, 8 * routed);
  EXPECT_DOUBLE_EQ(eager.backward.bytes - compiled.backward.bytes, 14 * routed);
  EXPECT_GT(eager.forward.kernels, compiled.forward.kernels);
  EXPECT_DOUBLE_EQ(eager.waits, 0);
  EXPECT_DOUBLE_EQ(expert_operators(eight_experts(), {.dp = 4, .ep = 4, .zero = 3}, tokens, 2).waits, 1);
}

// The gradient of all tokens is a tensor of zeros for each of 8 experts, which is added up: 4 passes each.
TEST(ExpertOperators, ALoopWaitsForEachExpert)
{
  const ExpertOperators loop = expert_operators(eight_experts(), {.zero = 3, .expert_kernels = "loop"}, tokens, 8);
  EXPECT_DOUBLE_EQ(loop.waits, 8);
  EXPECT_TRUE(loop.apart);
  EXPECT_DOUBLE_EQ(loop.backward.bytes, 22 * scores + 10 * routed + 4 * 8 * whole);
}

// The busiest expert gets twice the mean: 2,048 rows, and so does each other. Of 8 experts the gradients of two tensors
// are copied whole (2 + 2 x 2), and two tensors of zeros are added up (4 + 4 x 2).
TEST(ExpertOperators, PaddedExpertsTakeTheRowsOfTheBusiest)
{
  const ExpertOperators padded =
      expert_operators(eight_experts(), {.zero = 3, .expert_kernels = "padded", .expert_imbalance = 2}, tokens, 8);
  EXPECT_DOUBLE_EQ(padded.rows, 2048);
  EXPECT_DOUBLE_EQ(padded.forward.bytes, 22 * scores + (12 + 2) * routed + whole);
  EXPECT_DOUBLE_EQ(padded.backward.bytes, 22 * scores + (11 + 8 * (6 + 12)) * routed);
}

// 8 experts on 4 ranks, the busiest with 4 times the mean: the others have 4/7 of it, and its rank (4 + 4/7) / 2.
TEST(ExpertOperators, TheRankOfTheBusiestExpertIsWaitedFor)
{
  EXPECT_DOUBLE_EQ(busiest_rank(eight_experts(), {.dp = 4, .ep = 4, .expert_imbalance = 4}), 16.0 / 7);
  EXPECT_DOUBLE_EQ(busiest_rank(eight_experts(), {.dp = 4, .ep = 4}), 1);
  EXPECT_DOUBLE_EQ(busiest_rank(eight_experts(), {.dp = 4, .expert_imbalance = 4}), 1);
}

// One expert on each of 8 ranks, the busiest with 4 times the mean: every rank computes 4 times the mean rows, 4,096 x
// 2 x 4. Of 8 passes that are repeated over the padded rows one is forward.
TEST(ExpertOperators, PaddedRowsAreTheSameOnEveryRank)
{
  const ParallelLayout layout{.dp = 8, .ep = 8, .zero = 3, .expert_kernels = "padded", .expert_imbalance = 4};
  const ExpertOperators padded = expert_operators(eight_experts(), layout, tokens, 1);
  EXPECT_DOUBLE_EQ(padded.rows, 4 * 8192);
  // R of the rank that gets the most is 4 times the mean too; P is 4 times the mean R.
  EXPECT_DOUBLE_EQ(padded.forward.bytes, 22 * scores + (12 + 4) * 4 * routed + 4 * routed + whole);
}

// Tokens that experts keep are those that they get. 8 experts on 8 ranks, 4 times the mean: of a routed token the input
// (2 B x 1,024), gate, its SiLU, projection up and their product (4 x 2 B x 4,096).
TEST(ExpertMemory, TheBusiestRankKeepsWhatItGets)
{
  const ParallelLayout even{.dp = 8, .ep = 8, .zero = 3, .expert_kernels = "grouped"};
  ParallelLayout busy = even;
  busy.expert_imbalance = 4;
  const double more = (layer_activations(busy, eight_experts()) - layer_activations(even, eight_experts())).value();
  EXPECT_DOUBLE_EQ(more, 3 * (2 * tokens) * (2.0 * 1024 + 4 * 2.0 * 4096));
}

// The same, of which gate or projection up is kept (2 B x 4,096).
TEST(ExpertMemory, PaddedRowsCountWhereEverySecondProductIsKept)
{
  ParallelLayout even{.zero = 3, .recomputation = Recomputation::every_second, .expert_kernels = "padded"};
  ParallelLayout padded = even;
  padded.expert_imbalance = 2;
  const double more = (layer_activations(padded, eight_experts()) - layer_activations(even, eight_experts())).value();
  EXPECT_DOUBLE_EQ(more, (2 * tokens) * 2.0 * 4096);
}

// Mixtral 8x7B has 46.7e9 parameters. With whole experts on each of 8 ranks of tp, all 8 hold the same experts and
// divide their optimiser's 12 B a parameter: 46.7e9 x 12 / 8 = 70 GB (Megatron-Core: the experts' replicas are world /
// (etp x ep x pp)). Their gradients in fp32 are added up over the 8.
TEST(ExpertTensorParallel, RanksOfAGroupAreReplicasOfWholeExperts)
{
  const Transformer& t = *find_transformer("mixtral_8x7b");
  const ParallelLayout layout{.tp = 8, .sequence_parallel = true, .zero = 1, .expert_tp = 1};
  EXPECT_NEAR(rank_memory(layout, t, 0, 1).optimizer.value(), 46.7e9 * 12 / 8, 0.1e9);
  const RankParameters held = rank_parameters(layout, t, 0);
  const std::vector<ReplicaMessage> sent = gradient_messages(layout, 8, held);
  ASSERT_EQ(sent.size(), 1U);
  EXPECT_EQ(sent[0].among.ranks, 8);
  EXPECT_EQ(sent[0].among.per_node, 8);
  EXPECT_TRUE(sent[0].experts);
  EXPECT_DOUBLE_EQ(sent[0].payload.value(), 4 * held.experts);
}

// 16 GPUs, tp 4, ep 2, dp 4: an expert is whole on 4 x 4 / 2 = 8 ranks, of which 4 lie in a machine of 8.
TEST(ExpertTensorParallel, ReplicasOfExpertsThatEpDividesToo)
{
  const ParallelLayout layout{.tp = 4, .dp = 4, .ep = 2, .sequence_parallel = true, .expert_tp = 1};
  for (const ReplicaMessage& message : gradient_messages(layout, 8, rank_parameters(layout, eight_experts(), 0))) {
    EXPECT_EQ(message.among.ranks, message.experts ? 8 : 4);
    EXPECT_EQ(message.among.per_node, message.experts ? 4 : 2);
  }
}

// Megatron-Core numbers the experts' ranks tp (of experts: 1), ep, dp: with tp 4, dp 2 and ep 4 ranks 0 to 3 share the
// experts, which are one tensor-parallel group, and ranks 0 and 4 hold the same. ep 8 is all of them. KempnerForge
// (padded) spreads experts over replicas alone.
TEST(ExpertTensorParallel, EpGoesOverTheRanksOfTpFirst)
{
  ParallelLayout layout{.tp = 4, .dp = 2, .ep = 4, .sequence_parallel = true, .global_batch = 2, .expert_tp = 1};
  const Transformer t = eight_experts();
  EXPECT_TRUE(layout_faults(layout, t, 8).empty());
  const RankGroup inside = groups_of(layout, 4).expert;
  EXPECT_EQ(inside.ranks, 4);
  EXPECT_EQ(inside.nodes(), 1);
  EXPECT_EQ(expert_replicas(layout, 2), 2);
  EXPECT_DOUBLE_EQ(rank_parameters(layout, t, 0).experts, t.layers * 2 * t.expert_parameters());
  for (const ReplicaMessage& message : gradient_messages(layout, 4, rank_parameters(layout, t, 0)))
    EXPECT_EQ(message.among.nodes(), 2);
  using Groups = std::vector<std::vector<int>>;
  EXPECT_EQ(ranks_of_groups(layout, TraceGroup::expert), (Groups{{0, 1, 2, 3}, {4, 5, 6, 7}}));
  EXPECT_EQ(ranks_of_groups(layout, TraceGroup::expert_data), (Groups{{0, 4}, {1, 5}, {2, 6}, {3, 7}}));
  layout.ep = 8;
  EXPECT_TRUE(layout_faults(layout, t, 8).empty());
  EXPECT_EQ(groups_of(layout, 4).expert.nodes(), 2);
  layout.sequence_parallel = false;
  ASSERT_EQ(layout_faults(layout, t, 8).size(), 1U);
  EXPECT_EQ(layout_faults(layout, t, 8).front().key, "expert_tp");
  layout.sequence_parallel = true;
  layout.expert_kernels = "padded";
  EXPECT_EQ(layout_faults(layout, t, 8).front().key, "ep");
  layout.ep = 2;
  EXPECT_EQ(groups_of(layout, 4).expert.nodes(), 2);
}

// A setting of the file that tp = 1 or zero: 1 has no use for must not hide those layouts.
TEST(LayoutSearch, SettingsCountOnlyWhereTheyHaveAnEffect)
{
  ParallelJob job = tests::h100_job("llama3_8b", {.tp = 8, .global_batch = 64, .root_unit = true});
  job.layout.loss_parallel = job.layout.embedding_parallel = false;
  job.layout.gradient_sync = "last";
  EXPECT_FALSE(search_layouts(job, 64, 5, {}, {.tp = {1}}).best.empty());
  EXPECT_FALSE(search_layouts(job, 64, 5, {}, {.tp = {8}, .zero = {1}}).best.empty());
}

// Matrices of experts that tp does not divide: each rank holds four times as many numbers of them, and without sequence
// parallelism computes with all tokens, so as long as without tp. Attention keeps one of the two sums of a layer.
TEST(ExpertTensorParallel, WholeExpertsOnEachRank)
{
  const Transformer t = eight_experts();
  ParallelLayout divided{.tp = 4, .zero = 1, .overlap_tensor = "none"}, one = divided;
  one.expert_tp = 1;
  const ParallelLayout alone{.zero = 1};
  EXPECT_DOUBLE_EQ(rank_parameters(one, t, 0).experts, 4 * rank_parameters(divided, t, 0).experts);
  EXPECT_DOUBLE_EQ(rank_parameters(one, t, 0).dense, rank_parameters(divided, t, 0).dense);
  EXPECT_EQ(tensor_passes(one, t).blocks, 1);
  EXPECT_EQ(tensor_passes(divided, t).blocks, 2);
  EXPECT_EQ(tensor_passes(one, t.without_experts()).blocks, 2);

  ParallelJob job = tests::h100_job("llama3_8b", divided);
  job.transformer = t;
  const double two = parallel_step(job).tensor.value();
  job.layout = one;
  const ParallelStep whole_experts = parallel_step(job);
  // A layer's sums go from 4 to 2 (12 layers); the ends keep one each.
  EXPECT_NEAR(whole_experts.tensor.value() / two, (12 * 2 + 2) / (12 * 4 + 2.0), 1e-9);
  job.layout = alone;
  const double all = parallel_step(job).compute.value();
  EXPECT_GT(whole_experts.compute.value(), 0.7 * all); // attention and vocabulary are divided
}

TEST(ExpertFaults, SettingsThatCannotBeAreToldWithTheWayOut)
{
  const Transformer t = eight_experts();
  Transformer dense = t;
  dense.experts = dense.active_experts = 1;
  dense.name = "plain";
  const auto first = [](const ParallelLayout& layout, const Transformer& of) {
    const std::vector<LayoutFault> faults = layout_faults(layout, of, 0);
    return faults.empty() ? std::string{} : faults.front().key + ": " + faults.front().message;
  };
  EXPECT_EQ(first({.expert_kernels = "loop"}, dense),
            "expert_kernels: expert_kernels has no effect: plain has no experts; remove it");
  EXPECT_EQ(first({.expert_imbalance = 5}, t), "expert_imbalance: expert_imbalance = 5: the busiest of 8 experts gets "
                                               "at most every token, 8 / 2 = 4 times the mean");
  EXPECT_EQ(first({.tp = 4, .expert_tp = 2}, t),
            "expert_tp: expert_tp = 2 is neither 1 nor tp = 4; other divisions are not modelled");
  EXPECT_EQ(first({.tp = 4, .expert_kernels = "padded", .expert_imbalance = 4, .expert_tp = 1}, t), "");
  EXPECT_EQ(first({.expert_imbalance = 2}, t),
            "expert_imbalance: expert_imbalance has no effect without ep > 1 or expert_kernels: padded: one GPU takes "
            "all tokens, however they are spread; remove it");
  EXPECT_EQ(first({.tp = 2, .ep = 8, .sequence_parallel = true, .expert_tp = 1}, t),
            "ep: experts are divided over the ranks of a stage: ep = 8 does not divide dp x cp x tp = 2; try 2");
  EXPECT_EQ(
      first({.tp = 4, .dp = 2, .ep = 8, .global_batch = 2, .expert_tp = 1}, t),
      "expert_tp: with expert_tp: 1 the tp = 4 ranks of a group would send the same tokens to the experts that ep "
      "= 8 spreads; write sequence_parallel: true");
  Transformer tied = dense;
  tied.tied = true;
  EXPECT_EQ(first({.tp = 4, .embedding_parallel = false}, tied),
            "embedding_parallel: the output projection of plain has the weights of the embedding, and is divided over "
            "tp: remove embedding_parallel: false");
  EXPECT_EQ(layout_faults({.loss_parallel = false, .embedding_parallel = false}, dense, 0).size(), 2U);
}

} // namespace
} // namespace trainyard
