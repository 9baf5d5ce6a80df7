// SPDX-License-Identifier: Apache-2.0
/// What single settings change in the step of a divided transformer. Expected values by hand from the parts that other
/// tests check.
#include "models/core/data_folder.hpp"
#include "models/cost/nccl_choice.hpp"
#include "models/hardware/catalogue.hpp"
#include "sim/parallel/step.hpp"

#include <gtest/gtest.h>

namespace trainyard {
namespace {

/// On machines of 8 H100.
ParallelJob h100s(const std::string& model, const ParallelLayout& layout)
{
  ParallelJob job;
  job.transformer = *find_transformer(model);
  job.layout = layout;
  job.gpu = load_catalogue(data_folder()).gpus.at("H100-SXM5");
  job.network.gpu = job.gpu.name;
  job.network.inside = 360_GBps;
  job.network.between = 46_GBps;
  job.network.tuning = newer_tuning();
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

} // namespace
} // namespace trainyard
