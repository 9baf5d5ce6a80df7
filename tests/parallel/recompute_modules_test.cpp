// SPDX-License-Identifier: Apache-2.0
/// Parts of layers that the backward pass computes again (recompute_modules): memory by hand, time from the kernels.
#include "models/parallel/gpu_work.hpp"
#include "models/parallel/rank_memory.hpp"
#include "sim/parallel/step.hpp"
#include "tests/parallel/h100_job.hpp"

#include <gmock/gmock.h>

namespace trainyard {
namespace {

using ::testing::HasSubstr;

/// GiB of activations that @p parts save in each of @p layers layers of one micro-batch.
double saved(const std::string& model, ParallelLayout layout, std::vector<std::string> parts)
{
  const Transformer& t = *find_transformer(model);
  const double all = rank_memory(layout, t, 0, 1).activations.value();
  layout.recomputed = std::move(parts);
  return all - rank_memory(layout, t, 0, 1).activations.value();
}

// Llama 3 8B: 32 layers of width 4,096 and 14,336, 8,192 tokens. Results of two norms, 2 x 2 B; the product of gate and
// activation, 2 B; gate, up and their product, 6 B.
TEST(RecomputeModules, LeaveOutWhatTheyComputeAgain)
{
  const ParallelLayout layout{.global_batch = 1};
  EXPECT_NEAR(saved("llama3_8b", layout, {"layernorm"}), 32.0 * 8192 * 4 * 4096, 1);
  EXPECT_NEAR(saved("llama3_8b", layout, {"activation"}), 32.0 * 8192 * 2 * 14336, 1);
  EXPECT_NEAR(saved("llama3_8b", layout, {"mlp"}), 32.0 * 8192 * 6 * 14336, 1);
  EXPECT_NEAR(saved("llama3_8b", layout, {"mlp", "layernorm"}), 32.0 * 8192 * (6 * 14336 + 4 * 4096), 1);
  EXPECT_EQ(saved("llama3_8b", layout, {"moe"}), 0);
}

// Mixtral 8x7B: 32 layers of width 4,096, two experts a token of width 14,336, 4,096 tokens: 2 x 6 B x 14,336 and the
// input sorted by expert, 2 x 2 B x 4,096. DeepSeek-V2-Lite: 27 layers, 16 heads of 128 + 64 for queries and keys and
// of 128 for values.
TEST(RecomputeModules, KnowExpertsAndLatentAttention)
{
  const ParallelLayout layout{.global_batch = 1};
  EXPECT_NEAR(saved("mixtral_8x7b", layout, {"moe"}), 32.0 * 4096 * (2 * 6 * 14336 + 2 * 2 * 4096), 1);
  EXPECT_NEAR(saved("deepseek_v2_lite", layout, {"mla_up_proj"}), 27.0 * 4096 * 2 * 16 * (192 + 192 + 128), 1);
}

// Each RMSNorm of a layer reads and writes 2 B a value, and follows its kernel after the gap.
TEST(RecomputeModules, NormsAreTwoKernelsMore)
{
  ParallelLayout layout{.dp = 8, .micro_batch = 1, .global_batch = 8};
  const ParallelJob none = tests::h100_job("llama3_8b", layout);
  layout.recomputed = {"layernorm"};
  const ParallelJob norms = tests::h100_job("llama3_8b", layout);
  const GpuRates rates = gpu_rates(none.gpu, layout, none.transformer, none.host_per_operator);
  const double norm = 4 * 8192.0 * 4096 / rates.memory + rates.gap;
  EXPECT_NEAR((parallel_step(norms).compute - parallel_step(none).compute).value(), 32 * 2 * norm, 1e-9);
}

// With sequence parallelism a feed-forward network gathers its input and scatters its sum: both come once more.
TEST(RecomputeModules, WholeFeedForwardNetworksSendTheirMessagesAgain)
{
  ParallelLayout layout{
      .tp = 8, .sequence_parallel = true, .global_batch = 1, .attention = "flash", .overlap_tensor = "none"};
  const ParallelJob none = tests::h100_job("llama3_8b", layout);
  layout.recomputed = {"mlp"};
  const ParallelJob again = tests::h100_job("llama3_8b", layout);
  const Seconds one = scatter_time(none.network, {8, 8}, Bytes{2.0 * 8192 * 4096});
  EXPECT_NEAR((parallel_step(again).tensor - parallel_step(none).tensor).value(), 32 * 2 * one.value(), 1e-9);
}

// Tokens go to their experts and back in the forward pass, in the backward pass, and once more where it is repeated.
TEST(RecomputeModules, ExpertsSendTheirTokensAThirdTime)
{
  ParallelLayout layout{.dp = 16, .ep = 8, .global_batch = 16};
  const ParallelJob none = tests::h100_job("mixtral_8x7b", layout);
  layout.recomputed = {"moe"};
  const ParallelJob again = tests::h100_job("mixtral_8x7b", layout);
  EXPECT_GT(parallel_step(none).expert.value(), 0);
  EXPECT_NEAR(parallel_step(again).expert / parallel_step(none).expert, 1.5, 1e-9);
}

// DeepSeek-V3's first three layers have no experts: nothing of them is computed again, and their sums over the
// tensor-parallel group come as often as before. The other 58 gather their tokens and scatter their sums once more.
TEST(RecomputeModules, LayersWithoutExpertsRepeatNothingOfMoe)
{
  ParallelLayout layout{.tp = 8, .ep = 1, .sequence_parallel = true, .global_batch = 1, .overlap_tensor = "none"};
  const ParallelJob none = tests::h100_job("deepseek_v3", layout);
  layout.recomputed = {"moe"};
  const Seconds one = scatter_time(none.network, {8, 8}, Bytes{2.0 * 4096 * 7168});
  EXPECT_NEAR((parallel_step(tests::h100_job("deepseek_v3", layout)).tensor - parallel_step(none).tensor).value(),
              58 * 2 * one.value(), 1e-9);
}

// Layers are computed again, the projection to the vocabulary and its cross entropy are not (Megatron-LM's
// TransformerBlock, torchtitan's apply_ac).
TEST(RecomputeModules, EndsOfTheNetworkAreComputedOnce)
{
  ParallelLayout layout{.dp = 8, .micro_batch = 1, .global_batch = 8};
  const ParallelJob none = tests::h100_job("llama3_8b", layout);
  const GpuRates rates = gpu_rates(none.gpu, layout, none.transformer, none.host_per_operator);
  const double layer = layer_work(none.transformer, layout, rates).forward.seconds;
  layout.recomputation = Recomputation::full;
  const ParallelJob full = tests::h100_job("llama3_8b", layout);
  EXPECT_NEAR((parallel_step(full).compute - parallel_step(none).compute).value(), 32 * layer, 1e-9);
}

TEST(RecomputeModules, SayWhatDoesNotFitTogether)
{
  const Transformer& t = *find_transformer("llama3_8b");
  ParallelLayout layout{.global_batch = 1, .recomputed = {"norm"}};
  EXPECT_THAT(layout_faults(layout, t, 1).at(0).message, HasSubstr("unknown part 'norm' of a layer; known are"));
  layout.recomputed = {"moe"};
  EXPECT_THAT(layout_faults(layout, t, 1).at(0).message, HasSubstr("'moe' has no effect: llama3_8b has no such part"));
  layout.recomputed = {"layernorm"};
  EXPECT_TRUE(layout_faults(layout, t, 1).empty());
  layout.recomputation = Recomputation::full;
  EXPECT_THAT(layout_faults(layout, t, 1).at(0).message, HasSubstr("recomputation: full computes more again already"));
}

} // namespace
} // namespace trainyard
