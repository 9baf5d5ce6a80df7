// SPDX-License-Identifier: Apache-2.0
/// Memory and messages of divided jobs by optimiser, frozen weights and the software that shards. By hand from bytes.
#include "models/cost/optimizer_kind.hpp"
#include "models/parallel/gpu_work.hpp"
#include "sim/parallel/goodput.hpp"
#include "tests/parallel/h100_job.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace trainyard {
namespace {

using tests::h100_job;

const Transformer& llama()
{
  return *find_transformer("llama3_8b");
}

ParallelLayout with_optimizer(const char* name, ParallelLayout layout = {})
{
  layout.moment_bytes = optimizer_kind(name).state_bytes;
  layout.master_weights = optimizer_kind(name).master;
  return layout;
}

TEST(DividedMemory, StatesFollowTheOptimiser)
{
  const double p = rank_parameters({}, llama(), 0).all();
  const auto states = [&](const char* name) {
    return rank_memory(with_optimizer(name), llama(), 0, 1).optimizer.value() / p;
  };
  EXPECT_DOUBLE_EQ(states("adam"), 12);
  EXPECT_DOUBLE_EQ(states("sgd"), 4);
  EXPECT_DOUBLE_EQ(states("sgd_momentum"), 8);
  EXPECT_DOUBLE_EQ(states("adam_bf16"), 4);
  EXPECT_DOUBLE_EQ(states("adam_8bit"), 2 + 2 * 4.0 / 256);
  // With ZeRO-3 the copy in fp32 is the only one; without it the 16-bit weights are divided.
  const ParallelLayout sharded{.dp = 8, .zero = 3, .global_batch = 8};
  const auto weights = [&](const char* name) {
    return rank_memory(with_optimizer(name, sharded), llama(), 0, 1).weights;
  };
  EXPECT_NEAR((weights("adam_bf16") - weights("adam")).value(), 2 * p / 8, 1);
}

// 8 B x 8.03e9 go to the GPU and back where nothing but states is too large for it: 64 GB each way.
TEST(DividedMemory, PagedStatesThatDoNotFitCrossTheHostLink)
{
  ParallelLayout layout = with_optimizer("paged_adam");
  ParallelJob job = h100_job("llama3_8b", layout);
  job.network.host = 26_GBps;
  job.gpu.memory = 200_GB;
  const ParallelStep as_adam = parallel_step(job);
  job.layout.kept.paged = true;
  const ParallelStep roomy = parallel_step(job);
  EXPECT_EQ(roomy.step, as_adam.step);
  EXPECT_EQ(roomy.memory.total(), as_adam.memory.total());
  job.gpu.memory = as_adam.memory.total() - as_adam.memory.optimizer;
  const ParallelStep narrow = parallel_step(job);
  const double states = 8 * rank_parameters(layout, llama(), 0).all();
  EXPECT_EQ(narrow.memory.optimizer, Bytes{});
  EXPECT_NEAR((narrow.step - as_adam.step).value(), 2 * states / 26e9, 1e-6);
  EXPECT_GT(2 * states / 26e9, 4.9);
  EXPECT_NEAR(needed_share(job, narrow), 1, 1e-9);
}

// Gradients of one layer or one end at a time: the words, 128,256 x 4,096, are larger than a layer.
TEST(DividedMemory, GradientsUsedInTheBackwardPassAreFreed)
{
  ParallelLayout layout;
  layout.kept.update_in_backward = true;
  EXPECT_DOUBLE_EQ(rank_memory(layout, llama(), 0, 1).gradients.value(), 4 * 128256.0 * 4096);
}

// 1 % of the parameters are trained: gradients and states of these alone. A frozen weight of 4 bit has 4.127, words and
// output projection stay in 16.
TEST(DividedMemory, FrozenWeightsHaveNoStates)
{
  const double p = rank_parameters({}, llama(), 0).all(), ends = 2 * 128256.0 * 4096 + 4096;
  ParallelLayout layout;
  layout.kept.lora = {.rank = 16, .bits = 4, .share = 0.01};
  const RankMemory memory = rank_memory(layout, llama(), 0, 1);
  EXPECT_NEAR(memory.weights.value(), 4.127 / 8 * (p - ends) + 2 * ends, 1e-6 * p);
  EXPECT_NEAR(memory.optimizer.value(), 0.01 * 12 * p, 1e-6 * p);
  EXPECT_NEAR(memory.gradients.value(), 0.01 * 4 * p, 1e-6 * p);
  // No product makes gradients of frozen weights: a third of the work is gone; the small
  // matrices read their inputs and write outputs once more.
  const ParallelStep all = parallel_step(h100_job("llama3_8b", {.global_batch = 4}));
  layout.kept.lora.bits = 16;
  layout.global_batch = 4;
  layout.fused_elementwise = true;
  const ParallelStep frozen = parallel_step(h100_job("llama3_8b", layout));
  EXPECT_GT(frozen.compute / all.compute, 0.6);
  EXPECT_LT(frozen.compute / all.compute, 0.9);
}

// 4 N D: two products with each frozen weight; with the small matrices three. Attention has three of its own: 2 x 2 x
// 8,192 x 4,096 / 2 flop a token below the mask, which is counted whole here, in 32 layers.
TEST(DividedSteps, FrozenWeightsHaveNoProductsForTheirGradients)
{
  ParallelLayout layout{.global_batch = 1};
  layout.kept.lora = {.rank = 16, .share = 0.01};
  const ParallelJob job = h100_job("llama3_8b", layout);
  const ParallelStep step = parallel_step(job);
  const double p = llama().parameters(), words = 128256.0 * 4096, norms = 65.0 * 4096, tokens = llama().sequence;
  const double flop = tokens * (4 * (p - words - norms) + 6 * 0.01 * p + 3 * 32 * 2 * tokens * (4096 + 4096));
  EXPECT_NEAR(step.ideal_compute.value() * job.gpu.peak.at("bf16").value() / flop, 1, 1e-9);
  EXPECT_LT(step.model_flop_utilisation, 0.8);
}

// GPUs of one group each: driver, and a communicator for each kind of groups.
TEST(DividedMemory, EachKindOfGroupsHasBuffers)
{
  EXPECT_DOUBLE_EQ(rank_memory({}, llama(), 0, 1).context.value(), context_bytes);
  EXPECT_DOUBLE_EQ(rank_memory({.tp = 2, .pp = 2, .dp = 2, .global_batch = 2}, llama(), 0, 1).context.value(),
                   context_bytes + 3 * communicator_bytes);
}

ParallelLayout zero_two(int global_batch, const char* sharding)
{
  ParallelLayout layout{.dp = 16, .zero = 2, .global_batch = global_batch, .overlap_gradients = false};
  layout.sharding = sharding;
  return layout;
}

Seconds replica_messages(const ParallelLayout& layout)
{
  return parallel_step(h100_job("llama3_8b", layout)).data;
}

// Sixteen micro-batches more: FSDP gathers weights and scatters gradients with each, DeepSpeed scatters gradients,
// Megatron-LM and Alpa send nothing more. Layers of 218,112,000 parameters (the first with the embedding once more),
// and both ends.
TEST(ZeroTwo, EachSoftwareSendsWhatItsSourceSays)
{
  const ParallelJob job = h100_job("llama3_8b", zero_two(16, "fsdp"));
  const double layer = job.transformer.layer_parameters(), words = 128256.0 * 4096;
  double gather = 0, scatter = 0;
  for (const auto& [parameters, times] : {std::pair{layer, 33.0}, {words, 1.0}, {words + 4096, 1.0}}) {
    gather += times * scatter_time(job.network, {16, 8}, Bytes{2 * parameters}).value();
    scatter += times * scatter_time(job.network, {16, 8}, Bytes{4 * parameters}).value();
  }
  const auto more = [](const char* sharding) {
    return (replica_messages(zero_two(17 * 16, sharding)) - replica_messages(zero_two(16, sharding))).value();
  };
  EXPECT_NEAR(more("fsdp"), 16 * (gather + scatter), 1e-6 * more("fsdp"));
  EXPECT_NEAR(more("deepspeed"), 16 * scatter, 1e-6 * more("deepspeed"));
  EXPECT_NEAR(more("megatron"), 0, 1e-9);
  // DeepSpeed gathers all weights after the update, and has no room for whole gradients.
  const ParallelLayout deepspeed = zero_two(16, "deepspeed");
  const double held = rank_parameters(deepspeed, job.transformer, 0).all();
  EXPECT_NEAR(replica_messages(deepspeed).value(),
              scatter + scatter_time(job.network, {16, 8}, Bytes{2 * held}).value(), 1e-6);
  EXPECT_NEAR(rank_memory(deepspeed, job.transformer, 0, 1).gradients.value(), 4 * held / 16, 1);
  EXPECT_NEAR(rank_memory(zero_two(32, "megatron"), job.transformer, 0, 1).gradients.value(), 4 * held, 1);
}

TEST(ZeroTwo, IsDeepSpeedsWhereNothingOfFsdpIsSaid)
{
  ParallelLayout layout{.dp = 2, .zero = 2, .global_batch = 4};
  EXPECT_EQ(layout.sharded_by(), "deepspeed");
  EXPECT_TRUE(layout.by_layer());
  EXPECT_FALSE(layout.weights_by_layer());
  layout.gradient_sync = "last"; // gradients are added up, as by Megatron-LM
  EXPECT_FALSE(layout.by_layer());
  layout.gradient_sync.reset();
  layout.flat_parameters = true;
  EXPECT_TRUE(layout.weights_by_layer());
  EXPECT_EQ((ParallelLayout{.tp = 2, .zero = 2}).sharded_by(), "megatron"); // whose layers tp divides
}

// In a pipeline FSDP gathers a stage's weights for each micro-batch; its gradients travel after the last one, unless
// each sends them. Shards within a machine travel over NVLink.
TEST(ZeroThree, WorksInAPipeline)
{
  ParallelLayout layout{.pp = 2, .dp = 16, .zero = 3, .global_batch = 128};
  EXPECT_TRUE(layout_faults(layout, llama(), 0).empty());
  EXPECT_FALSE(layout.sends_each());
  const Seconds all = parallel_step(h100_job("llama3_8b", layout)).step;
  ParallelLayout hybrid = layout;
  hybrid.shard_within = 8;
  EXPECT_LT(parallel_step(h100_job("llama3_8b", hybrid)).step, all);
  ParallelLayout two = layout;
  two.zero = 2;
  EXPECT_LT(parallel_step(h100_job("llama3_8b", two)).step, all);
  EXPECT_LT(rank_memory(layout, llama(), 0, 2).weights, rank_memory(two, llama(), 0, 2).weights);
  two.overlap_gradients = false; // what each of eight micro-batches sends is waited for
  ParallelLayout each = two;
  each.gradient_sync = "each";
  EXPECT_GT(parallel_step(h100_job("llama3_8b", each)).step, parallel_step(h100_job("llama3_8b", two)).step);
}

TEST(GradientSync, SaysWhereItHasNoEffect)
{
  ParallelLayout layout{.pp = 2, .dp = 2, .zero = 1, .global_batch = 8};
  for (const char* sync : {"each", "last"}) {
    layout.gradient_sync = sync;
    const std::vector<LayoutFault> faults = layout_faults(layout, llama(), 0);
    ASSERT_EQ(faults.size(), 1);
    EXPECT_EQ(faults.front().message, "gradient_sync has no effect with zero: 1: gradients travel once a step; remove "
                                      "it, or write zero: 2 or 3");
  }
}

// 8 ranks that hold 14 B x 8.03e9 / 8 = 14.05 GB each: pickled at 0.6 GB/s 23.4 s; the machine's 112 GB at 5 GB/s 22.5,
// through ten requests of S3 at 0.85 GB/s 132 s, over NFS 210. A rate alone knows of no process.
TEST(CheckpointRates, FollowTheKindOfStorage)
{
  const ParallelJob job = h100_job("llama3_8b", {.dp = 8, .zero = 3, .global_batch = 8});
  const auto save = [&](const CheckpointsSection& section) {
    return checkpoint_times(job, section.rates()).save.value();
  };
  const double bytes = 14 * 8030261248.0;
  EXPECT_NEAR(save({}), bytes / 8 / 0.6e9, 1e-3);
  EXPECT_NEAR(save({.kind = "object_store"}), bytes / 0.85e9, 1e-3);
  EXPECT_NEAR(save({.kind = "nfs"}), bytes / 0.52e9, 1e-3);
  EXPECT_NEAR(save({.kind = "local_nvme"}), bytes / 4e9, 1e-3);
  EXPECT_NEAR(save({.writer = 2_GBps}), bytes / 5e9, 1e-3);
  EXPECT_NEAR(save({.storage = 200_GBps}), bytes / 200e9, 0.5);
}

// Bytes of a parameter: 2 of the weight, and states with a copy in fp32 where there is one. Of 1 % small matrices all
// of these, and on the way back 2 of each frozen weight.
TEST(CheckpointBytes, AreThoseOfWhatIsTrained)
{
  const auto times = [](const ParallelLayout& layout) { return checkpoint_times(h100_job("llama3_8b", layout), {}); };
  const double p = rank_parameters({}, llama(), 0).all();
  EXPECT_NEAR(times({}).size.value(), 14 * p, 1);
  EXPECT_NEAR(times(with_optimizer("adam_8bit")).size.value(), (2 + 2 + 2 * 4.0 / 256) * p, 1);
  EXPECT_NEAR(times(with_optimizer("adafactor")).size.value(), 2 * p, 1);
  EXPECT_NEAR(times(with_optimizer("sgd")).size.value(), 6 * p, 1);
  ParallelLayout layout;
  layout.kept.lora = {.rank = 16, .bits = 4, .share = 0.01};
  EXPECT_NEAR(times(layout).size.value(), 0.01 * 14 * p, 1);
  EXPECT_NEAR(times(layout).written.value(), 0.01 * 14 * p, 1);
  EXPECT_NEAR(times(layout).read.value(), (2 + 0.01 * 14) * p, 1);
}

} // namespace
} // namespace trainyard
