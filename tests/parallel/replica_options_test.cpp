// SPDX-License-Identifier: Apache-2.0
/// What replicas divide and where it lies: sharding within groups, optimiser states in host memory. Expected values by
/// hand from parameters, bytes and the collectives that other tests check.
#include "models/core/data_folder.hpp"
#include "models/cost/nccl_choice.hpp"
#include "models/hardware/catalogue.hpp"
#include "models/parallel/gpu_work.hpp"
#include "sim/parallel/goodput.hpp"
#include "sim/parallel/step.hpp"
#include "tests/parallel/h100_job.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace trainyard {
namespace {

using ::testing::HasSubstr;

/// On machines of 8 H100, launches in a CUDA graph.
ParallelJob two_machines(const ParallelLayout& layout)
{
  ParallelJob job = tests::h100_job("llama3_8b", layout);
  job.network.host = 50_GBps;
  return job;
}

constexpr int llama_layers = 32;                                                   // of llama3_8b
constexpr double llama_words = 128256.0 * 4096, llama_output = llama_words + 4096; // with the last norm

// Sixteen replicas on two machines, each machine with a whole copy: weights are gathered and gradients scattered over
// NVLink among 8, and then each GPU adds its eighth of the gradients up with its twin in the other machine. Nothing is
// beside the computation: each layer gathers twice and reduces once, embedding and output once each, and the first
// layer's gather and reduction come once more.
TEST(ReplicaOptions, ShardsWithinAMachineCrossTheNetworkAsAnEighth)
{
  const ParallelLayout layout{.dp = 16, .zero = 3, .shard_within = 8, .global_batch = 16, .overlap_gradients = false};
  const ParallelJob job = two_machines(layout);
  const Bytes weights{2 * job.transformer.layer_parameters()}, gradients = weights * 2.0; // kept in fp32
  const Seconds gather = scatter_time(job.network, {8, 8}, weights);
  const Seconds scatter = scatter_time(job.network, {8, 8}, gradients);
  const Seconds twins = all_reduce_time(job.network, {2, 1}, gradients * 0.125);
  EXPECT_GT(twins, gradients * 0.125 / job.network.between); // 2 (n-1)/n = 1 times the payload, and start-up
  EXPECT_LT(twins, 1.2 * (gradients * 0.125 / job.network.between));
  const ParallelStep step = parallel_step(job);
  Seconds expected = (llama_layers + 1.0) * (gather + scatter + twins) + llama_layers * gather;
  for (const double parameters : {llama_words, llama_output})
    expected += scatter_time(job.network, {8, 8}, Bytes{2 * parameters}) +
                scatter_time(job.network, {8, 8}, Bytes{4 * parameters}) +
                all_reduce_time(job.network, {2, 1}, Bytes{4 * parameters / 8});
  EXPECT_NEAR(step.data.value(), expected.value(), 1e-9);
}

// A stage keeps its weights and adds gradients up until its last micro-batch (PyTorch's pipelining with FSDP): both
// travel once a step, whatever the number of micro-batches, and a GPU holds them whole.
TEST(ReplicaOptions, InAPipelineZeroTwoSendsOnceAStep)
{
  ParallelLayout layout{.pp = 2, .dp = 16, .zero = 2, .global_batch = 32, .overlap_gradients = false};
  const ParallelJob two = two_machines(layout);
  layout.global_batch = 256;
  const ParallelJob sixteen = two_machines(layout);
  const double held = rank_parameters(layout, two.transformer, 0).all();
  const Seconds once =
      scatter_time(two.network, {16, 8}, Bytes{2 * held}) + scatter_time(two.network, {16, 8}, Bytes{4 * held});
  EXPECT_NEAR(parallel_step(two).data.value(), once.value(), 1e-9);
  EXPECT_NEAR(parallel_step(sixteen).data.value(), once.value(), 1e-9);
  const RankMemory memory = rank_memory(layout, two.transformer, 0, 1);
  EXPECT_NEAR(memory.gradients.value(), 4 * held, 1);
  EXPECT_NEAR(memory.weights.value(), 2 * held, 1);
  EXPECT_NEAR(memory.optimizer.value(), 12 * held / 16, 1);
}

// Each of 32 layers copies its weights (2 + 2 B a parameter) in both passes and its gradients (2 + 4 B) once, embedding
// and output theirs once each; in flat buffers nothing is copied.
TEST(ReplicaOptions, WeightsAreCopiedOutOfGatheredBuffersUnlessTheyStayThere)
{
  ParallelLayout layout{.dp = 16, .zero = 3, .global_batch = 16, .overlap_gradients = false};
  const ParallelJob job = two_machines(layout);
  const GpuRates rates = gpu_rates(job.gpu, layout, job.transformer, job.host_per_operator);
  layout.flat_parameters = true;
  const Seconds more = parallel_step(job).compute - parallel_step(two_machines(layout)).compute;
  const double bytes = (2 * 4.0 + 6) * job.transformer.layer_parameters();
  const double ends = 10 * (llama_words + llama_output);
  EXPECT_NEAR(more.value(), llama_layers * (bytes / rates.memory + 3 * rates.gap) + ends / rates.memory + 4 * rates.gap,
              1e-9);
}

TEST(ReplicaOptions, ShardsWithinAGroupNeedMoreMemory)
{
  const ParallelLayout whole{.dp = 16, .zero = 3, .global_batch = 16};
  ParallelLayout halves = whole;
  halves.shard_within = 8;
  const Transformer& t = *find_transformer("llama3_8b");
  const double parameters = rank_parameters(whole, t, 0).all();
  const RankMemory all = rank_memory(whole, t, 0, 1), within = rank_memory(halves, t, 0, 1);
  EXPECT_NEAR(all.optimizer.value(), 12 * parameters / 16, 1);
  EXPECT_NEAR(within.optimizer.value(), 12 * parameters / 8, 1);
  EXPECT_NEAR((within.gradients - all.gradients).value(), 4 * parameters / 16, 1);
  EXPECT_NEAR(parallel_step(two_machines(halves)).optimizer / parallel_step(two_machines(whole)).optimizer, 2, 0.01);
}

TEST(ReplicaOptions, GroupsThatDoNotDivideTheReplicasAreRefused)
{
  const Transformer& t = *find_transformer("llama3_8b");
  const auto fault = [&](const ParallelLayout& layout) {
    const std::vector<LayoutFault> faults = layout_faults(layout, t, 8);
    return faults.size() == 1 ? faults.front().message : "not one fault";
  };
  EXPECT_EQ(fault({.dp = 8, .zero = 3, .shard_within = 3, .global_batch = 8}),
            "shard_within = 3 does not divide dp x cp = 8; try 2 or 4");
  EXPECT_THAT(fault({.dp = 8, .shard_within = 4, .global_batch = 8}), HasSubstr("it needs zero: 1, 2 or 3"));
  const std::vector<LayoutFault> experts = layout_faults(
      {.dp = 24, .ep = 8, .zero = 1, .shard_within = 6, .global_batch = 24}, *find_transformer("mixtral_8x7b"), 24);
  ASSERT_EQ(experts.size(), 1U);
  EXPECT_THAT(experts.front().message, HasSubstr("shard_within = 6 and ep = 8: one must divide the other"));
  // Experts over tp as well: 6 replicas of 2 GPUs are the 12 ranks that are compared.
  const std::vector<LayoutFault> over_tp = layout_faults({.tp = 2,
                                                          .dp = 24,
                                                          .ep = 8,
                                                          .sequence_parallel = true,
                                                          .zero = 1,
                                                          .shard_within = 6,
                                                          .global_batch = 24,
                                                          .expert_tp = 1},
                                                         *find_transformer("mixtral_8x7b"), 48);
  ASSERT_EQ(over_tp.size(), 1U);
  EXPECT_THAT(over_tp.front().message, HasSubstr("shard_within x tp = 12 and ep = 8: one must divide the other"));
}

// The states of an eighth of the model on each of 8 GPUs: gradients (4 B) go down PCIe at 50 GB/s; the host touches
// 4 + 2 x 12 + 2 B of each parameter of all GPUs at 300 GB/s while weights (2 B) go up; the GPU has read its gradients
// for their norm and set them to zero (8 B).
TEST(ReplicaOptions, OptimiserStatesOnTheHostCostTimeAndFreeMemory)
{
  ParallelLayout layout{.dp = 8, .zero = 1, .global_batch = 8};
  const ParallelStep on_gpu = parallel_step(two_machines(layout));
  layout.offload_optimizer = true;
  layout.host_bandwidth = 300_GBps;
  const ParallelJob job = two_machines(layout);
  const ParallelStep on_host = parallel_step(job);
  const double parameters = rank_parameters(layout, job.transformer, 0).all() / 8;
  const double gpu = 8 * parameters / (job.gpu.memory_bandwidth * job.gpu.memory_efficiency).value();
  EXPECT_NEAR(on_host.optimizer.value(), gpu + 4 * parameters / 50e9 + 30 * parameters * 8 / 300e9, 1e-9);
  EXPECT_NEAR((on_gpu.memory.total() - on_host.memory.total()).value(), 12 * parameters, 1);
  EXPECT_NEAR((on_host.step - on_gpu.step).value(), (on_host.optimizer - on_gpu.optimizer).value(), 1e-9);
  // With ZeRO-3 the GPU keeps its share in 16 bit instead of the states, and of its gradients the largest tensor's.
  layout.zero = 3;
  const RankMemory sharded = rank_memory(layout, job.transformer, 0, 1);
  layout.offload_optimizer = false;
  EXPECT_NEAR((rank_memory(layout, job.transformer, 0, 1).total() - sharded.total()).value(),
              (10 + 4) * parameters - 2 * llama_words, 1);
}

// After a failure each rank reads its share of the states: with groups of 8 twice that of 16 replicas.
TEST(ReplicaOptions, ShardsWithinAGroupAreReadTwice)
{
  ParallelLayout layout{.dp = 16, .zero = 3, .global_batch = 16};
  const CheckpointTimes whole = checkpoint_times(two_machines(layout), {});
  layout.shard_within = 8;
  const CheckpointTimes halves = checkpoint_times(two_machines(layout), {});
  EXPECT_NEAR(halves.written / whole.written, 1, 1e-12);
  EXPECT_NEAR(halves.read / whole.read, 2, 1e-12);
}

// Weights and gradients that travel longer than a layer computes: a pass takes as long as they do, and what is
// computed beside them costs nothing, however slowed.
TEST(ReplicaOptions, MessagesThatOutlastTheComputationAreAllThatCounts)
{
  const ParallelJob job = two_machines({.dp = 16, .zero = 3, .global_batch = 16, .sequence = 256});
  const Bytes weights{2 * job.transformer.layer_parameters()};
  const Seconds gather = scatter_time(job.network, {16, 8}, weights);
  const Seconds scatter = scatter_time(job.network, {16, 8}, weights * 2.0);
  const ParallelStep step = parallel_step(job);
  Seconds expected = (llama_layers + 1.0) * (gather + scatter) + llama_layers * gather; // and those of both ends
  for (const double parameters : {llama_words, llama_output})
    expected += scatter_time(job.network, {16, 8}, Bytes{2 * parameters}) +
                scatter_time(job.network, {16, 8}, Bytes{4 * parameters});
  EXPECT_NEAR((step.compute + step.data).value(), expected.value(), 1e-9);
}

} // namespace
} // namespace trainyard
