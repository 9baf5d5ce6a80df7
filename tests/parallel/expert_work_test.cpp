// SPDX-License-Identifier: Apache-2.0
/// What experts run beside their products, and who holds them. Expected values by hand.
#include "models/parallel/expert_work.hpp"
#include "models/parallel/gpu_work.hpp"
#include "models/parallel/rank_memory.hpp"
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
}

} // namespace
} // namespace trainyard
