// SPDX-License-Identifier: Apache-2.0
/// What single settings change in the step of a divided transformer. Expected values by hand from the parts that other
/// tests check.
#include "models/cluster/build.hpp"
#include "models/core/data_folder.hpp"
#include "models/cost/nccl_choice.hpp"
#include "models/hardware/catalogue.hpp"
#include "sim/parallel/message_sizes.hpp"
#include "sim/parallel/step.hpp"
#include "sim/step/training/divided.hpp"
#include "tests/cluster/cluster_support.hpp"
#include "tests/parallel/h100_job.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>

namespace trainyard {
namespace {

/// On machines of 8 H100.
ParallelJob h100s(const std::string& model, const ParallelLayout& layout)
{
  ParallelJob job = tests::h100_job(model, layout);
  job.host_per_operator = 10_us;
  return job;
}

// Llama 3 8B, 16,384 tokens: a layer computes much longer than its weights travel. Prefetched, 16 of 132
// multiprocessors carry them; else the GPU waits: 116/132 of the gather more, in each of 32 layers.
TEST(StepMechanisms, WeightsThatAreNotPrefetchedAreWaitedFor)
{
  ParallelLayout layout{.dp = 8, .zero = 3, .micro_batch = 2, .global_batch = 16};
  const ParallelJob early = h100s("llama3_8b", layout);
  const Bytes weights{2 * early.transformer.layer_parameters()};
  const double gather = scatter_time(early.network, {8, 8}, weights).value();
  layout.prefetch_weights = false;
  const double more = (parallel_step(h100s("llama3_8b", layout)).step - parallel_step(early).step).value();
  EXPECT_NEAR(more, 32 * gather * 116 / 132, 1e-6 * gather);
}

// Llama 3 8B, FSDP on 8 GPUs. Before the first layer of each micro-batch the embedding (525,336,576 parameters) and the
// layer (218,112,000) are gathered, after its backward pass their gradients are scattered, and nothing is left to
// compute but the embedding's own kernels. Four micro-batches wait four times.
TEST(StepMechanisms, EachMicroBatchWaitsForTheFirstWeightsAndTheLastGradients)
{
  ParallelLayout layout{.dp = 8, .zero = 3, .micro_batch = 2, .global_batch = 16};
  const ParallelJob job = h100s("llama3_8b", layout);
  const auto both = [&](double parameters) { // gathered in 16 bit, scattered in 32
    return (scatter_time(job.network, {8, 8}, Bytes{2 * parameters}) +
            scatter_time(job.network, {8, 8}, Bytes{4 * parameters}))
        .value();
  };
  const double waits = both(525336576) + both(218112000), once = parallel_step(job).data.value();
  EXPECT_GT(once, 0.85 * waits);
  layout.global_batch = 64;
  EXPECT_NEAR(parallel_step(h100s("llama3_8b", layout)).data.value(), 4 * once, 1e-9);
  // In one unit the output projection (525,336,576) and the last norm (4,096) wait as well, but for what their copies
  // hide of the first layer's messages (2 + 2 B of a weight, 2 + 4 B of a gradient, at 0.8 of 3.35 TB/s). Beside their
  // own products they took 16 of 132 multiprocessors.
  layout.root_unit = true;
  EXPECT_NEAR(parallel_step(h100s("llama3_8b", layout)).data.value() - 4 * once,
              4 * (both(525340672) * 116 / 132 - 10 * 525340672.0 / (0.8 * 3.35e12)), 0.02 * 4 * waits);
}

/// Llama 3 8B with 8 experts, and none in the first of two layers; FSDP on 8 GPUs, where nothing is beside anything.
ParallelJob one_dense_layer(const ParallelLayout& layout)
{
  ParallelJob job = h100s("llama3_8b", layout);
  job.layout.dp = job.layout.global_batch = 8;
  job.layout.zero = 3;
  job.layout.overlap_gradients = false;
  job.transformer.layers = 2;
  job.transformer.dense_layers = 1;
  job.transformer.dense_ffn = job.transformer.ffn;
  job.transformer.experts = 8;
  job.transformer.active_experts = 2;
  return job;
}

// A layer is gathered twice and scattered once; embedding and output are gathered and scattered once; and the first
// layer, which has no experts, is waited for once more each way. Parameters: 218,112,000 of a layer without experts;
// with seven experts more (3 x 4096 x 14336 each) and the router 1,451,261,952; ends as above.
TEST(StepMechanisms, LayersWithoutExpertsSendTheirOwnWeights)
{
  const ParallelJob job = one_dense_layer({});
  const auto time = [&](double parameters, double bytes) {
    return scatter_time(job.network, {8, 8}, Bytes{bytes * parameters}).value();
  };
  // Experts, 8 x 176,160,768 parameters, travel by themselves.
  const double dense = 218112000, attention = dense - 176160768 + 8 * 4096, experts = 8 * 176160768.0;
  double expected = 3 * time(dense, 2) + 2 * time(dense, 4);
  for (const double part : {attention, experts})
    expected += 2 * time(part, 2) + time(part, 4);
  for (const double end : {525336576.0, 525340672.0})
    expected += time(end, 2) + time(end, 4);
  EXPECT_NEAR(parallel_step(job).data.value(), expected, 1e-6 * expected);
}

// A layer for later tokens sends what a layer does. The output that it uses once more is there, and its gradients are
// sent with those of the first use.
TEST(StepMechanisms, TheSharedOutputOfLaterTokensTravelsOnce)
{
  const ParallelJob job = one_dense_layer({}), later = one_dense_layer({.mtp_layers = 1});
  double layer = 0;
  for (const double part : {218112000.0 - 176160768 + 8 * 4096, 8 * 176160768.0})
    layer +=
        (scatter_time(job.network, {8, 8}, Bytes{2 * part}) * 2.0 + scatter_time(job.network, {8, 8}, Bytes{4 * part}))
            .value();
  EXPECT_NEAR((parallel_step(later).data - parallel_step(job).data).value(), layer, 1e-6 * layer);
}

// An embedding that every rank holds whole: with sequence parallelism its output needs no scatter, and its gradient a
// gather of the same bytes. Without, neither.
TEST(StepMechanisms, AWholeEmbeddingGathersTheGradientOfItsOutput)
{
  ParallelLayout layout{.tp = 8, .sequence_parallel = true, .global_batch = 4, .overlap_tensor = "none"};
  const Seconds divided = parallel_step(h100s("llama3_8b", layout)).tensor;
  layout.embedding_parallel = false;
  EXPECT_NEAR(parallel_step(h100s("llama3_8b", layout)).tensor.value(), divided.value(), 1e-9);
  layout.sequence_parallel = false;
  const ParallelJob job = h100s("llama3_8b", layout);
  const double sum = all_reduce_time(job.network, {8, 8}, Bytes{2.0 * 8192 * 4096}).value();
  layout.embedding_parallel = true;
  EXPECT_NEAR((parallel_step(h100s("llama3_8b", layout)).tensor - parallel_step(job).tensor).value(), 4 * sum, 1e-9);
}

// Gradients that only the last of four micro-batches sends: of the embedding and the first layer three scatters less
// are waited for, of which the embedding's kernels hid a part (its gradient of 2 + 2 + 2 x 4 B a parameter, 4 B for
// each of 16,384 x 4,096 x 2 numbers, and the copy of 2 + 4 B); other layers' took 16 of 132 multiprocessors. A rank
// holds all gradients in fp32: 4 x 8,030,261,248 B.
TEST(StepMechanisms, GradientsThatTravelOnceAStepAreKeptWhole)
{
  ParallelLayout layout{.dp = 8, .zero = 3, .micro_batch = 2, .global_batch = 64};
  const ParallelStep each = parallel_step(h100s("llama3_8b", layout));
  layout.gradient_sync = "last";
  const ParallelJob job = h100s("llama3_8b", layout);
  const ParallelStep last = parallel_step(job);
  const double waited = scatter_time(job.network, {8, 8}, Bytes{4.0 * (525336576 + 218112000)}).value();
  const double beside = scatter_time(job.network, {8, 8}, Bytes{4.0 * 218112000}).value() * 32 +
                        scatter_time(job.network, {8, 8}, Bytes{4.0 * 525340672}).value();
  const double hid = (18 * 525336576.0 + 8 * 16384 * 4096.0) / (0.8 * 3.35e12);
  EXPECT_NEAR((each.data - last.data).value(), 3 * (waited - hid + beside * 16 / 132), 0.03 * 3 * waited);
  EXPECT_DOUBLE_EQ((last.memory.gradients - Bytes{4 * 8030261248.0}).value(),
                   (each.memory.gradients - Bytes{4 * 8030261248.0 / 8}).value());
}

// Logits of 16,384 tokens x 128,256 words in 16 bit, gathered on 4 ranks and copied once (2 + 2 B at 0.8 of 3.35 TB/s).
TEST(StepMechanisms, LogitsAreGatheredWithoutLossParallel)
{
  ParallelLayout layout{.tp = 4, .dp = 2, .zero = 3, .micro_batch = 2, .global_batch = 4};
  const ParallelStep divided = parallel_step(h100s("llama3_8b", layout));
  layout.loss_parallel = false;
  const ParallelJob job = h100s("llama3_8b", layout);
  const ParallelStep whole = parallel_step(job);
  const Bytes logits{2.0 * 16384 * 128256};
  EXPECT_NEAR((whole.tensor - divided.tensor).value(),
              (scatter_time(job.network, {4, 4}, logits) + Seconds{2 * logits.value() / (0.8 * 3.35e12)}).value(),
              1e-5);
  EXPECT_GT(whole.compute, divided.compute);
}

// Llama 3 8B on 8 GPUs: the embedding is 128,256 x 4,096 = 525,336,576 of 8,030,261,248 parameters, each of 32 layers a
// 32nd of the others. With the first layer it is 525,336,576 + 234,528,896 = 759,865,472 whose gradients are ready when
// nothing is left to compute; the others take 16 of 132 multiprocessors beside the backward pass.
TEST(StepMechanisms, GradientsOfTheEmbeddingComeLast)
{
  const ParallelJob job = h100s("llama3_8b", {.dp = 8, .micro_batch = 2, .global_batch = 16});
  const double all = all_reduce_time(job.network, {8, 8}, Bytes{4 * 8030261248.0}).value();
  const double last = 759865472.0 / 8030261248;
  EXPECT_NEAR(parallel_step(job).data.value(), all * (last + (1 - last) * 16 / 132), 1e-6 * all);
}

// cp 4 of 1,024 tokens each. PyTorch gathers keys and values of all 32 heads of 128 in 16 bit beside the attention to a
// rank's own piece, a quarter of it, in both passes; their gradients in fp32 take four hops, of which three may hide
// behind three quarters of the backward attention. Transformer Engine sends those of 8 heads, three hops beside all of
// the attention.
TEST(StepMechanisms, KeysAndValuesTravelAsTheFrameworkSendsThem)
{
  ParallelLayout layout{.cp = 4, .global_batch = 1, .sequence = 4096, .ring_merge = "eager"};
  const ParallelJob eager = h100s("llama3_8b", layout);
  const LayerWork work =
      layer_work(eager.transformer, layout, gpu_rates(eager.gpu, layout, eager.transformer, eager.host_per_operator));
  const Bytes piece{2 * 2 * 1024.0 * 32 * 128};
  const double gather = scatter_time(eager.network, {4, 4}, piece * 4.0).value();
  const double hop = point_to_point_time(eager.network, false, piece * 2.0).value();
  const double expected = std::max(0.0, gather - work.attention / 4) +
                          std::max(0.0, gather - work.attention_backward / 4) + 4 * hop -
                          std::min(3 * hop, work.attention_backward * 3 / 4);
  EXPECT_GT(expected, hop);
  EXPECT_NEAR(parallel_step(eager).context.value(), 32 * expected, 1e-9);

  // Under torch.compile each message is waited for where it is sent.
  layout.ring_merge = "compiled";
  EXPECT_NEAR(parallel_step(h100s("llama3_8b", layout)).context.value(), 32 * (2 * gather + 4 * hop), 1e-9);

  layout.ring_merge = "fused";
  const double ring = 3 * point_to_point_time(eager.network, false, piece / 4).value();
  EXPECT_NEAR(parallel_step(h100s("llama3_8b", layout)).context.value(),
              32 * (std::max(0.0, ring - work.attention) + std::max(0.0, 2 * ring - work.attention_backward)), 1e-9);
}

// PyTorch's alltoall: three hops of a piece, each beside the attention to the piece before, three quarters of it.
TEST(StepMechanisms, PyTorchsRotationByAllToAllSendsPieceByPiece)
{
  ParallelLayout layout{
      .cp = 4, .global_batch = 1, .sequence = 4096, .ring_merge = "eager", .context_exchange = KeyValueExchange::p2p};
  const ParallelJob eager = h100s("llama3_8b", layout);
  const LayerWork work =
      layer_work(eager.transformer, layout, gpu_rates(eager.gpu, layout, eager.transformer, eager.host_per_operator));
  const Bytes piece{2 * 2 * 1024.0 * 32 * 128};
  const double hop = point_to_point_time(eager.network, false, piece).value();
  const double large = point_to_point_time(eager.network, false, piece * 2.0).value();
  const double expected = std::max(0.0, 3 * hop - work.attention * 3 / 4) +
                          std::max(0.0, 3 * hop - work.attention_backward * 3 / 4) + 4 * large -
                          std::min(3 * large, work.attention_backward * 3 / 4);
  EXPECT_GT(expected, large);
  EXPECT_NEAR(parallel_step(eager).context.value(), 32 * expected, 1e-9);
}

// Llama 3's way: keys and values of 8 heads of 128 of all 4,096 tokens are gathered before the attention of both
// passes, and their gradients scattered after it, with nothing beside them: three times 16 MiB in each of 32 layers.
// Nothing is merged: the forward pass of attention is 2 x 1024 x 4096 x 32 x (128 + 128) / 2 flop at the rate of 4,096
// keys, 518 TFLOP/s, in two calls.
TEST(StepMechanisms, KeysAndValuesAreGatheredBeforeTheAttentionAsInLlama3)
{
  ParallelLayout layout{.cp = 4, .global_batch = 1, .sequence = 4096, .context_exchange = KeyValueExchange::all_gather};
  layout.spread = "none";
  const ParallelJob job = h100s("llama3_8b", layout);
  const GpuRates rates = gpu_rates(job.gpu, layout, job.transformer, job.host_per_operator);
  const LayerWork work = layer_work(job.transformer, layout, rates);
  EXPECT_NEAR(work.attention, 34359738368.0 / 518e12, 1e-12);
  EXPECT_NEAR(work.core.seconds, work.attention, 1e-12);
  const double gather = scatter_time(job.network, {4, 4}, Bytes{16777216}).value();
  EXPECT_GT(gather, 16777216 * 0.75 / 360e9);
  EXPECT_NEAR(parallel_step(job).context.value(), 32 * 3 * gather, 1e-9);
  layout.context_exchange = KeyValueExchange::p2p;
  const LayerWork ring = layer_work(job.transformer, layout, gpu_rates(job.gpu, layout, job.transformer, 10_us));
  EXPECT_NEAR(ring.attention, 34359738368.0 / 410e12, 1e-12); // pieces of 1,024 keys
}

// Ulysses: of 1,024 tokens 4,096 + 1,024 + 1,024 numbers of queries, keys and values and 4,096 of the output change
// places in 16 bit, 3/4 of them leave the rank: 15,728,640 B at 360 GB/s in each pass.
TEST(StepMechanisms, HeadsAreExchangedForTheWholeSequence)
{
  ParallelLayout layout{.cp = 4, .global_batch = 1, .sequence = 4096, .context_exchange = KeyValueExchange::a2a};
  layout.spread = "none";
  const ParallelJob job = h100s("llama3_8b", layout);
  const double once = token_exchange_time(job.network, {4, 4}, Bytes{20971520}, 1).value();
  EXPECT_NEAR(once, 15728640 / 360e9, 30e-6); // and start-up
  EXPECT_NEAR(parallel_step(job).context.value(), 32 * 2 * once, 1e-9);
  const LayerWork work = layer_work(job.transformer, layout, gpu_rates(job.gpu, layout, job.transformer, 10_us));
  EXPECT_NEAR(work.attention, 34359738368.0 / 518e12, 1e-12);
  EXPECT_NEAR(work.core.seconds, work.attention, 1e-12);
}

// Mixtral on 8 GPUs, one expert each: 4,096 tokens of 4,096 numbers go to two experts and come back, in both passes of
// 32 layers. Rounded to 8 bit on the way there it is half as many bytes.
TEST(StepMechanisms, TokensTravelToTheirExpertsAsTheyAreRounded)
{
  ParallelLayout layout{.dp = 8, .ep = 8, .global_batch = 8, .sequence = 4096, .precision = "fp8"};
  const ParallelJob job = h100s("mixtral_8x7b", layout);
  const Bytes share{2 * 4096.0 * 4096};
  const auto way = [&](Bytes bytes) { return token_exchange_time(job.network, {8, 8}, bytes, 2).value(); };
  EXPECT_NEAR(parallel_step(job).expert.value(), 64 * 2 * way(share), 1e-9);
  layout.low_precision_dispatch = true;
  EXPECT_NEAR(parallel_step(h100s("mixtral_8x7b", layout)).expert.value(), 64 * (way(share / 2) + way(share)), 1e-9);
}

// 8 heads of keys and values, 4 on each of 2 ranks, cannot be divided by 8.
TEST(StepMechanisms, HeadsThatCannotBeExchangedAreAFault)
{
  ParallelLayout layout{.tp = 2, .cp = 8, .global_batch = 1, .context_exchange = KeyValueExchange::a2a};
  const Transformer& t = *find_transformer("llama3_8b");
  ASSERT_EQ(layout_faults(layout, t, 0).size(), 1U);
  EXPECT_EQ(
      layout_faults(layout, t, 0)[0].message,
      "context_exchange: a2a divides the heads of keys and values: cp = 8 does not divide the 4 of a rank; try cp "
      "= 4, or context_exchange: all_gather");
  layout.cp = 4;
  EXPECT_TRUE(layout_faults(layout, t, 0).empty());
  layout.ring_merge = "eager";
  EXPECT_EQ(layout_faults(layout, t, 0).at(0).key, "ring_merge");
  layout.cp = 1;
  EXPECT_EQ(layout_faults(layout, t, 0).at(0).message, "context_exchange has no effect without cp > 1; remove it");
}

TEST(StepMechanisms, RoundedTokensNeedExpertsOnOtherRanksAndLowPrecision)
{
  ParallelLayout layout{.dp = 8, .ep = 8, .global_batch = 8, .sequence = 4096, .precision = "fp8"};
  layout.low_precision_dispatch = true;
  const Transformer& t = *find_transformer("mixtral_8x7b");
  EXPECT_TRUE(layout_faults(layout, t, 0).empty());
  layout.ep = 1;
  ASSERT_EQ(layout_faults(layout, t, 0).size(), 1U);
  EXPECT_EQ(layout_faults(layout, t, 0)[0].key, "low_precision_dispatch");
  layout.ep = 8;
  layout.precision = "bf16";
  ASSERT_EQ(layout_faults(layout, t, 0).size(), 1U);
  EXPECT_EQ(layout_faults(layout, t, 0)[0].message,
            "low_precision_dispatch has no effect without ep > 1 and precision fp8, mxfp8 or nvfp4; remove it");
}

// While a layer of Llama 3 405B is computed, 131,072 tokens x 1,024 numbers of keys and as many of values, an eighth of
// them on each rank, in 16 bit, are there, and in the backward pass their gradients: 128 MiB.
TEST(RankMemory, GatheredKeysAndValuesAreThereWhileALayerIsComputed)
{
  ParallelLayout layout{.tp = 8, .pp = 16, .cp = 16, .global_batch = 16, .sequence = 131072};
  layout.layers_per_stage = {7, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 7};
  const Transformer& t = *find_transformer("llama3.1_405b");
  const Bytes ring = rank_memory(layout, t, 1, 1).transient;
  layout.context_exchange = KeyValueExchange::all_gather;
  EXPECT_NEAR((rank_memory(layout, t, 1, 1).transient - ring).value(), 134217728, 1);
}

TEST(StepMechanisms, RecomputationThatStopsEarlyLeavesOutTheLastProduct)
{
  ParallelLayout layout{.dp = 8, .micro_batch = 2, .global_batch = 16, .recomputation = Recomputation::full};
  const ParallelJob whole = h100s("llama3_8b", layout);
  const LayerWork work =
      layer_work(whole.transformer, layout, gpu_rates(whole.gpu, layout, whole.transformer, whole.host_per_operator));
  layout.early_stop = true;
  const double less = (parallel_step(whole).compute - parallel_step(h100s("llama3_8b", layout)).compute).value();
  EXPECT_NEAR(less, 32 * work.last.seconds, 1e-9);
}

// Llama 3 8B, 8,192 tokens: each message carries 2 x 8,192 x 4,096 B. Megatron-LM sends 4 in a layer's forward pass,
// and 6 in its backward pass: the gradients of two outputs, two inputs once more, and their two gradients. DTensor
// sends 4 and 4 and copies each (read and written); with a gather for each of five matrices 7 and 7. The embedding's
// sum and the gradient of the projection's input are one message each.
TEST(StepMechanisms, DTensorKeepsWhatItHasGatheredAndCopiesIt)
{
  ParallelLayout layout{.tp = 8, .micro_batch = 1, .global_batch = 1};
  layout.sequence_parallel = true;
  layout.overlap_tensor = "none";
  const ParallelJob megatron = h100s("llama3_8b", layout);
  const GpuRates rates = gpu_rates(megatron.gpu, layout, megatron.transformer, megatron.host_per_operator);
  constexpr double activation = 2.0 * 8192 * 4096;
  const double one = scatter_time(megatron.network, {8, 8}, Bytes{activation}).value();
  const double copy = 2 * activation / rates.memory + rates.gap;
  layout.tensor_messages = "dtensor";
  const double kept = parallel_step(h100s("llama3_8b", layout)).tensor.value();
  EXPECT_NEAR(parallel_step(megatron).tensor.value(), (32 * 10 + 2) * one, 1e-6 * one);
  EXPECT_NEAR(kept, (32 * 8 + 2) * (one + copy), 1e-6 * one);
  layout.tensor_messages = "dtensor_each";
  EXPECT_NEAR(parallel_step(h100s("llama3_8b", layout)).tensor.value() - kept, 32 * 6 * (one + copy), 1e-6 * one);
  // Both results of the norms, 2 B a number, are kept whole instead of an eighth: 32 x 2 x 7/8 of a message more.
  const auto activations = [&](const char* by) {
    layout.tensor_messages = by;
    return rank_memory(layout, megatron.transformer, 0, 1).activations.value();
  };
  EXPECT_NEAR(activations("dtensor") - activations("megatron"), 32 * 2 * activation * 7 / 8, 1);
  // Each of five matrices keeps what it gathered: three more than two, 32 x 3 x 67.1 MB = 6.44 GB.
  EXPECT_NEAR(activations("dtensor_each") - activations("dtensor"), 32 * 3 * activation, 1);
}

// Gather, scatter, gather, scatter: what stops before the last product sends three of four again, of seven messages
// six; without sequence parallelism one of two sums.
TEST(StepMechanisms, RecomputationThatStopsEarlySendsAllButTheLastMessage)
{
  ParallelLayout layout{.tp = 8, .recomputation = Recomputation::full};
  layout.early_stop = true;
  const Transformer& t = *find_transformer("llama3_8b");
  const LayerWork work;
  EXPECT_DOUBLE_EQ(repeated_messages(layout, t, work).tensor, 0.5);
  layout.sequence_parallel = true;
  EXPECT_DOUBLE_EQ(repeated_messages(layout, t, work).tensor, 0.75);
  layout.tensor_messages = "dtensor_each";
  EXPECT_DOUBLE_EQ(repeated_messages(layout, t, work).tensor, 6.0 / 7);
}

// PyTorch's FSDP is used with DTensor, Megatron-FSDP and Megatron-LM with their own messages.
TEST(StepMechanisms, WhoDividesWeightsSendsTensorParallelMessages)
{
  ParallelLayout layout{.tp = 8, .zero = 3};
  EXPECT_EQ(layout.messages_by(), "dtensor");
  EXPECT_EQ(layout.overlap(), "none");
  layout.flat_parameters = true;
  EXPECT_EQ(layout.messages_by(), "megatron");
  EXPECT_EQ(layout.overlap(), "backward");
  layout.tensor_messages = "dtensor";
  EXPECT_EQ(layout.overlap(), "none");
  layout.overlap_tensor = "all";
  EXPECT_EQ(layout.overlap(), "all");
  const std::vector<LayoutFault> faults = layout_faults(layout, *find_transformer("llama3_8b"), 8);
  EXPECT_TRUE(std::ranges::any_of(faults, [](const LayoutFault& fault) { return fault.key == "tensor_messages"; }));
}

// One micro-batch of 512 tokens is bound by launching everywhere. The slowest of 8 processes is 1.42 of 5 % slower.
TEST(StepMechanisms, TensorParallelGroupsLaunchAsTheirSlowestProcess)
{
  ParallelLayout layout{.tp = 8, .global_batch = 1, .sequence = 512};
  ParallelJob job = h100s("gpt3_125m", layout);
  job.transformer.heads = job.transformer.kv_heads = 16;
  job.transformer.hidden = 1024;
  job.transformer.ffn = 4096;
  job.host_per_operator = 200_us;
  const double once = parallel_step(job).step.value();
  job.host_per_operator = 400_us;
  const double twice = parallel_step(job).step.value();
  job.layout.tp = 1;
  const double alone_twice = parallel_step(job).step.value();
  job.host_per_operator = 200_us;
  const double alone_once = parallel_step(job).step.value();
  // What another 200 us for each operator costs, without what computes: operators x 200 us, and x (1 + 0.05 x 1.42).
  // A group launches collectives too, three of some forty operators of a layer.
  const double ratio = (twice - once) / (alone_twice - alone_once);
  EXPECT_GT(ratio, 1 + 0.05 * expected_maximum(8) - 0.01);
  EXPECT_LT(ratio, 1.15 * (1 + 0.05 * expected_maximum(8)));
}

TEST(StepMechanisms, TokensTravelBesideAnotherMicroBatch)
{
  ParallelLayout layout{.dp = 16, .ep = 8, .zero = 1, .global_batch = 64};
  const ParallelStep exposed = parallel_step(h100s("mixtral_8x7b", layout));
  layout.overlap_experts = true;
  const ParallelStep hidden = parallel_step(h100s("mixtral_8x7b", layout));
  // A layer computes longer than its tokens travel inside a machine: 16 of 132 multiprocessors are what it costs.
  EXPECT_NEAR(hidden.expert / exposed.expert, 16.0 / 132, 1e-6);
}

TEST(StepMechanisms, CollectivesTakeMultiprocessorsFromGradients)
{
  // Messages of tensor parallelism beside products of weight gradients: all hidden, 16 of 132 remain; none hidden: all.
  ParallelLayout layout{.tp = 8, .global_batch = 8, .sequence = 8192, .overlap_tensor = "backward"};
  const ParallelStep some = parallel_step(h100s("llama3_70b", layout));
  layout.overlap_tensor = "none";
  const ParallelStep none = parallel_step(h100s("llama3_70b", layout));
  const ParallelJob job = h100s("llama3_70b", layout);
  const double one = all_reduce_time(job.network, {8, 8}, Bytes{2.0 * 8192 * 8192}).value();
  EXPECT_NEAR((none.tensor - some.tensor).value(), 8 * 80 * 2 * one * 116 / 132, 1e-6 * one);
}

// Of a mesh, few GPUs have few links: one link of xGMI 48 GB/s, of NVLink 2 23 GB/s; rings of two, four and eight GPUs
// as in Rings.*. The first four GPUs of a PCIe tree lie below one switch, eight below two sockets (NCCL's 12 and 6
// GB/s).
TEST(StepMechanisms, FewGpusOfAMachineExchangeOverTheLinksTheyHave)
{
  const Catalogue catalogue = load_catalogue(data_folder());
  struct Machine {
    const char* wiring;
    double two, four, eight; // GB/s
  };
  for (const Machine& machine : {Machine{"full_mesh", 48, 2 * 48, 7 * 48},
                                 Machine{"nvlink_cube_mesh", 23, 4 * 23, 6 * 23}, Machine{"pcie_tree", 12, 12, 6}}) {
    const Cluster cluster = build_cluster(cluster_of(1, 8, machine.wiring));
    const ParallelNetwork network =
        parallel_network(cluster, cluster.nodes().front(), Gpu{}, catalogue.transports.at("nccl"), {}, {});
    EXPECT_NEAR(network.among(2).value() / 1e9, machine.two, 1e-3) << machine.wiring;
    EXPECT_NEAR(network.among(4).value() / 1e9, machine.four, 1e-3) << machine.wiring;
    EXPECT_NEAR(network.among(8).value() / 1e9, machine.eight, 1e-3) << machine.wiring;
    EXPECT_EQ(network.among(8), network.inside) << machine.wiring;
  }
}

// The curve of eight A100 with NVSwitch and twelve NVLinks each. Others: 0.92 of PCIe 3's 13 GB/s at most, six links.
TEST(StepMechanisms, MeasuredCurvesCountWhereTheMachineIsWiredAsTheMeasuredOne)
{
  const Catalogue catalogue = load_catalogue(data_folder());
  const auto curve = [&](const char* wiring, const Settings& settings) {
    ClusterSpec spec = cluster_of(1, 8, wiring);
    for (auto& [name, type] : spec.node_types)
      type.intra_settings = settings;
    const Cluster cluster = build_cluster(spec);
    return parallel_network(cluster, cluster.nodes().front(), catalogue.gpus.at("A100-SXM4-80GB"),
                            catalogue.transports.at("nccl"), {}, {});
  };
  const auto with = [](const char* key, double value) {
    Settings settings;
    settings.set(key, value);
    return settings;
  };
  EXPECT_EQ(curve("nvswitch", {}).gpu, "A100-SXM4-80GB");
  for (const ParallelNetwork& other :
       {curve("pcie_tree", {}), curve("nvswitch", with("links_per_gpu", 6)), curve("nvswitch", with("generation", 2)),
        curve("nvswitch", with("link_bandwidth", 10e9))})
    EXPECT_EQ(other.gpu, "");
  // 7/4 of a gigabyte over the 6 GB/s between two sockets.
  EXPECT_GT(all_reduce_time(curve("pcie_tree", {}), {8, 8}, 1_GB), Seconds{1.75 / 6.1});
}

// NVLS_NCHANNELS_SM90, NVLS_NCHANNELS_SM100_NVL and NVLS_NCHANNELS_SM100 (NCCL, src/transport/nvls.cc).
TEST(StepMechanisms, BlackwellUsesItsSwitchesWithMoreChannels)
{
  const Catalogue catalogue = load_catalogue(data_folder());
  const auto channels = [&](const char* gpu) {
    const Cluster cluster = build_cluster(cluster_of(1, 8, "nvswitch"));
    return parallel_network(cluster, cluster.nodes().front(), catalogue.gpus.at(gpu), catalogue.transports.at("nccl"),
                            {}, {})
        .tuning.switch_channels;
  };
  EXPECT_EQ(channels("H100-SXM5"), (std::array{16, 16}));
  EXPECT_EQ(channels("B200-SXM"), (std::array{24, 32}));
}

} // namespace
} // namespace trainyard
