// SPDX-License-Identifier: Apache-2.0
/// What divided jobs are told as they are read: memory of GPUs and machines, advice, keys without effect. By hand from
/// bytes of a parameter.
#include "models/core/data_folder.hpp"
#include "models/parallel/rank_memory.hpp"
#include "models/scenario/calibrated.hpp"
#include "sim/sources/parallel/parallel_job.hpp"
#include "sim/sources/scenario_runner.hpp"
#include "tests/import/import_support.hpp"
#include "tests/support/checked_points.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace trainyard {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

/// One machine of @p machine with one job.
std::string scenario_text(const std::string& machine, const std::string& job)
{
  return fmt::format("trainyard: 1\nname: t\ncluster:\n  node_types: {{m: {{{}}}}}\n  nodes: [{{name: m, type: m, "
                     "count: 1}}]\njobs:\n  - {{name: j, {}}}\nrun: {{fidelity: closed_form}}\n",
                     machine, job);
}

/// All that is told of it, faults and warnings.
std::string told(const std::string& machine, const std::string& job)
{
  Diagnostics diagnostics;
  const Document document = parse_document(scenario_text(machine, job), "t.yaml", diagnostics);
  static_cast<void>(check_points(document, diagnostics));
  std::string text;
  for (const Diagnostic& diagnostic : diagnostics.sorted())
    text += diagnostic.message + "\n";
  return text;
}

ParallelJob job_of(const std::string& machine, const std::string& job)
{
  const Scenario scenario = tests::checked_points(scenario_text(machine, job), "t.yaml").front().scenario;
  Diagnostics diagnostics;
  return parallel_job(scenario, scenario.jobs.front(), calibrated(tests::catalogue(), scenario), diagnostics);
}

// DeepSpeed's ranks have an eighth of the gradients, 4 B x 6.74e9 / 8 = 3.1 GiB; where tp divides layers each has its
// half of them, 12.6 GiB, and too little room.
TEST(SaidLayouts, AdviceIsCheckedAsItWouldBeRead)
{
  const std::string machine = "gpu: A100-SXM4-40GB, gpus: 8";
  const auto job = [](const std::string& layout) {
    return fmt::format("model: llama2_7b, workers: 8, precision: bf16, training: {{parallel: {{zero: 2, micro_batch: "
                       "1, global_batch: 8, {}}}}}",
                       layout);
  };
  const std::string advice = told(machine, job("dp: 8"));
  EXPECT_THAT(advice, HasSubstr("gradients 3.1"));
  EXPECT_THAT(told(machine, job("tp: 2, dp: 4")),
              AllOf(HasSubstr("needs 40.1 of 39.6 GiB"), HasSubstr("gradients 12.6")));
  EXPECT_THAT(advice, Not(HasSubstr("tp: 2, dp: 4 (")));
}

TEST(SaidLayouts, UpdatesInTheBackwardPassDoNotWaitForFurtherMicroBatches)
{
  const std::string machine = "gpu: H100-SXM5";
  const auto job = [](int batch) {
    return fmt::format("model: gpt2_small, precision: bf16, optimizer_in_backward: true, training: {{parallel: "
                       "{{micro_batch: 1, global_batch: {}}}}}",
                       batch);
  };
  EXPECT_THAT(told(machine, job(2)), HasSubstr("optimizer_in_backward uses and frees gradients in each backward pass"));
  EXPECT_EQ(told(machine, job(1)), "");
  EXPECT_THAT(told(machine, "model: gpt2_small, optimizer_in_backward: true, accumulation_steps: 2"),
              HasSubstr("accumulation_steps adds them up; leave one of them out"));
}

// FSDP of one GPU divides nothing.
TEST(SaidLayouts, FrozenWeightsOnOneGpuTakeTheSameWithAndWithoutZero)
{
  const auto memory = [](const std::string& zero) {
    return parallel_step(job_of("gpu: H100-SXM5", fmt::format("model: {{name: llama3_8b, sequence_length: 8192}}, "
                                                              "precision: bf16, lora: {{rank: 16}}, training: "
                                                              "{{parallel: {{{}global_batch: 1}}}}",
                                                              zero)))
        .memory;
  };
  EXPECT_DOUBLE_EQ(memory("").total().value(), memory("zero: 3, ").total().value());
  // PyTorch's cross entropy, 14 B for each of 8,192 x 128,256 logits, and 4 B for inputs of norm and projection.
  EXPECT_NEAR(memory("").transient.value(), 8192.0 * (14 * 128256 + 4 * 4096), 1);
}

// 12 B of states for each of 70,553,706,496 parameters on the host of all GPUs.
TEST(SaidLayouts, OptimiserStatesMustFitTheHost)
{
  const auto said = [](const std::string& memory) {
    return told("gpu: H100-SXM5, gpus: 8" + memory,
                "model: llama3_70b, workers: 8, precision: bf16, training: {parallel: {tp: 2, zero: 3, "
                "offload_optimizer: true, micro_batch: 1, global_batch: 8, recomputation: full}}");
  };
  EXPECT_THAT(said(", memory: 64 GB"), HasSubstr("optimiser states take 846.7 GB in each machine, which has 64 GB"));
  EXPECT_THAT(said(", memory: 64 GB"), Not(HasSubstr("has no effect")));
  EXPECT_THAT(said(", memory: 850 GB"), Not(HasSubstr("host memory")));
  EXPECT_THAT(said(""), Not(HasSubstr("host memory")));
}

// 2 B x 12.85e9 weights are 25.7 of 34 GB; of the gradients 5e8 in 16 bit are there at a time.
TEST(SaidLayouts, ZeroOffloadSendsGradientsAsTheyAppear)
{
  const ParallelJob job = job_of("gpu: V100-SXM2-32GB",
                                 "model: {name: opt_13b, sequence_length: 1024}, precision: fp16, training: {parallel: "
                                 "{zero: 2, offload_optimizer: true, global_batch: 1, recomputation: full}}");
  const ParallelStep step = parallel_step(job);
  EXPECT_DOUBLE_EQ(step.memory.gradients.value(), 2 * 5e8);
  EXPECT_TRUE(fits(job, step));
}

TEST(SaidLayouts, KeysWithoutEffectAreTold)
{
  const auto said = [](const std::string& layout) {
    return told("gpu: H100-SXM5", fmt::format("model: gpt2_small, precision: bf16, training: {{parallel: "
                                              "{{global_batch: 1, {}}}}}",
                                              layout));
  };
  for (const auto& [layout, needed] : {std::pair{"flat_parameters: true", "zero: 3"},
                                       {"prefetch_weights: false", "zero: 3"},
                                       {"overlap_tensor: none", "tp > 1"},
                                       {"ring_merge: eager", "cp > 1"},
                                       {"low_precision_output: true", "precision fp8, mxfp8 or nvfp4"},
                                       {"scaling: current", "precision fp8"},
                                       {"overlap_experts: true", "ep > 1"},
                                       {"early_stop: true", "recomputation: full"}}) {
    const std::string key{layout, std::string{layout}.find(':')};
    EXPECT_EQ(said(layout), fmt::format("'{}' has no effect: it needs {}\n", key, needed));
  }
  EXPECT_EQ(said("early_stop: true, recomputation: full"), "");
}

// As on GPUs of today, and unlike a job of which nothing says who divides it.
TEST(SaidLayouts, ZeroAndLoraArePytorchOnOldGpusToo)
{
  const auto framework = [](const std::string& more) {
    const Scenario scenario =
        tests::checked_points(scenario_text("gpu: V100-SXM2-32GB", "model: gpt2_small, " + more), "t.yaml")
            .front()
            .scenario;
    const std::string* filled = scenario.defaults.find("framework");
    return filled == nullptr ? std::string{} : *filled;
  };
  EXPECT_THAT(framework("batch_per_gpu: 1"), HasSubstr("TensorFlow"));
  for (const char* job : {"precision: fp16, training: {parallel: {zero: 2, global_batch: 1}}",
                          "precision: fp16, lora: {rank: 8}, training: {parallel: {global_batch: 1}}"})
    EXPECT_THAT(framework(job), HasSubstr("PyTorch")) << job;
}

Seconds step_of(const std::string& machine, const std::string& job)
{
  return Seconds{simulate(tests::checked_points(scenario_text(machine, job), "t.yaml")).jobs.front().step_s.mean};
}

// Products at a clock of (200 / 400)^0.47: up to 1.385 times as long; what memory limits stays.
TEST(PowerLimits, SlowJobsThatAreNotDivided)
{
  const std::string job = "model: vgg16, precision: amp, batch_per_gpu: 64";
  const double longer = step_of("gpu: A100-SXM4-80GB, power_limit: 200 W", job) / step_of("gpu: A100-SXM4-80GB", job);
  EXPECT_GT(longer, 1.05);
  EXPECT_LT(longer, 1.386);
  EXPECT_THAT(told("gpu: A100-SXM4-80GB, power_limit: 40 W", job),
              HasSubstr("the A100-SXM4-80GB takes 40 W when it is idle; give a higher limit"));
}

// The largest batches that are named fit and run, and no larger one does.
TEST(AssumedFrameworks, AdviceNamesTheLargestBatchThatRuns)
{
  const auto said = [](int batch) {
    return told("gpu: V100-SXM2-16GB", fmt::format("model: bert_large, precision: amp, batch_per_gpu: {}", batch));
  };
  const std::string advice = said(64);
  const std::size_t at = advice.find("(up to ");
  ASSERT_NE(at, std::string::npos) << advice;
  const int largest = std::stoi(advice.substr(at + 7));
  EXPECT_THAT(said(largest), Not(HasSubstr("out of GPU memory")));
  EXPECT_THAT(said(largest + 1), HasSubstr("out of GPU memory"));
}

} // namespace
} // namespace trainyard
