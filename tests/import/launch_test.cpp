// SPDX-License-Identifier: Apache-2.0
/// Launches of large models in other frameworks: what is read, what is assumed, and that the scenario is accepted.
#include "tests/import/import_support.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace trainyard {
namespace {

using ::testing::AllOf;
using ::testing::AnyOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using tests::check_errors;
using tests::find_entry;
using tests::import_texts;
using tests::lines_of;

/// The errors of an import, one a line.
std::string errors_of(const ImportResult& result)
{
  std::string text;
  for (const Diagnostic& fault : result.report.faults.sorted())
    text += format(fault);
  return text;
}

// As the examples of Megatron-LM write it: variables, lists of arguments, ends of lines behind a backslash.
constexpr const char* megatron_script = R"(#!/bin/bash
GPUS_PER_NODE=8
NUM_NODES=16   # of them
TP=8
PP=${PIPELINE:-4}

GPT_MODEL_ARGS=(
    --num-layers 96
    --hidden-size 12288
    --num-attention-heads 96
    --seq-length 2048
    --max-position-embeddings 2048
    --attention-backend auto # the kernel
)
TRAINING_ARGS="--micro-batch-size 1 --global-batch-size 1536 --bf16 --sequence-parallel"
torchrun --nproc_per_node $GPUS_PER_NODE --nnodes $NUM_NODES pretrain_gpt.py \
    ${GPT_MODEL_ARGS[@]} $TRAINING_ARGS \
    --tensor-model-parallel-size=$TP --pipeline-model-parallel-size $PP \
    --num-layers-per-virtual-pipeline-stage 3 --vocab-size 50257 \
    --use-distributed-optimizer --overlap-grad-reduce --recompute-granularity full --recompute-method uniform \
    --lr 6.0e-5 --clip-grad 1.0
)";

TEST(ImportMegatron, ReadsAScript)
{
  const ImportResult result = import_texts({{"train.sh", megatron_script}});
  EXPECT_EQ(errors_of(result), "");
  ASSERT_EQ(result.draft.jobs.size(), 1U);
  const DraftJob& job = result.draft.jobs.front();
  // 96 layers on 4 stages in chunks of 3: 8 chunks of a GPU. 128 GPUs / (8 x 4) = 4 replicas. The vocabulary is padded
  // to a multiple of 128 x 8: 51,200.
  EXPECT_EQ(job.parallel, "{tp: 8, pp: 4, vp: 8, dp: 4, sequence_parallel: true, zero: 1, micro_batch: 1, "
                          "global_batch: 1536, recomputation: full, attention: flash}");
  EXPECT_THAT(job.model, HasSubstr("layers: 96, hidden: 12288, heads: 96, ffn: 49152, vocabulary: 51200"));
  EXPECT_EQ(job.workers, 128);
  ASSERT_EQ(result.draft.machines.size(), 1U);
  EXPECT_EQ(result.draft.machines[0].count, 16);
  EXPECT_EQ(result.draft.machines[0].gpus, 8);
  EXPECT_THAT(lines_of(find_entry(result.report.ignored(), "--clip-grad")), ElementsAre(21));
  EXPECT_THAT(lines_of(find_entry(result.report.understood(), "--tensor-model-parallel-size 8")), ElementsAre(18));
  EXPECT_THAT(result.yaml, HasSubstr("fidelity: closed_form"));
  EXPECT_EQ(check_errors(result), "");
}

TEST(ImportMegatron, ReadsExpertsAndRefusesWhatItCannotEvaluate)
{
  const ImportResult mixtral = import_texts(
      {{"args.txt",
        "--num-layers 32 --hidden-size 4096 --num-attention-heads 32 --group-query-attention "
        "--num-query-groups 8 --ffn-hidden-size 14336 --swiglu --disable-bias-linear --num-experts 8 "
        "--moe-router-topk 2 --expert-model-parallel-size 8 --untie-embeddings-and-output-weights "
        "--position-embedding-type rope --seq-length 4096 --vocab-size 32000 --bf16 "
        "--micro-batch-size 1 --global-batch-size 256 --tensor-model-parallel-size 2 --sequence-parallel "
        "--use-distributed-optimizer --overlap-moe-expert-parallel-comm --mtp-num-layers 1 --world-size 64\n"}});
  EXPECT_EQ(errors_of(mixtral), "");
  EXPECT_THAT(mixtral.draft.jobs.at(0).model,
              HasSubstr("kv_heads: 8, ffn: 14336, vocabulary: 32000, experts: 8, active_experts: 2, gated: true, "
                        "biases: false, tied: false, learnt_positions: false"));
  EXPECT_THAT(mixtral.draft.jobs.at(0).parallel,
              AllOf(HasSubstr("tp: 2, dp: 32, ep: 8"), HasSubstr("overlap_experts: true"), HasSubstr("mtp_layers: 1")));
  EXPECT_EQ(check_errors(mixtral), "");
  const ImportResult broken =
      import_texts({{"a.sh", "x --tensor-model-parallel-size $UNKNOWN --pipeline-model-parallel-size 0\n"}});
  EXPECT_THAT(errors_of(broken), HasSubstr("a.sh:1: error: --tensor-model-parallel-size $UNKNOWN: no number"));
  EXPECT_THAT(errors_of(broken), HasSubstr("--pipeline-model-parallel-size must be a whole number of at least 1"));
  EXPECT_THAT(errors_of(broken), HasSubstr("the file does not name the model: give --model NAME"));
}

TEST(ImportMegatron, ReadsDropoutAndWhatIsStored)
{
  const auto imported = [](const std::string& more) {
    return import_texts({{"args.txt", "--num-layers 24 --hidden-size 2048 --num-attention-heads 16 --seq-length 1024 "
                                      "--bf16 --micro-batch-size 1 --global-batch-size 8 --world-size 8 "
                                      "--vocab-size 51200 --context-parallel-size 2 " +
                                          more + "\n"}});
  };
  const auto layout = [&](const std::string& more) { return imported(more).draft.jobs.at(0).parallel; };
  EXPECT_THAT(layout(""), AllOf(Not(HasSubstr("dropout")), Not(HasSubstr("context_exchange"))));
  EXPECT_THAT(layout("--attention-dropout 0.0 --hidden-dropout 0.0"), HasSubstr("dropout: false"));
  EXPECT_THAT(layout("--attention-dropout 0.1"), HasSubstr("dropout: true"));
  EXPECT_THAT(layout("--hidden-dropout 0.0 --attention-dropout 0"), HasSubstr("dropout: false"));
  const ImportResult hidden_only = imported("--attention-dropout 0.0");
  EXPECT_THAT(hidden_only.draft.jobs.at(0).parallel, HasSubstr("dropout: true"));
  EXPECT_NE(find_entry(hidden_only.report.assumed(), "only --attention-dropout is 0"), nullptr);
  EXPECT_EQ(find_entry(imported("--hidden-dropout 0.1").report.assumed(), "-dropout is 0"), nullptr);
  EXPECT_THAT(layout("--cp-comm-type a2a"), HasSubstr("context_exchange: a2a"));
  EXPECT_THAT(layout("--cp-comm-type allgather"), HasSubstr("context_exchange: all_gather"));
  EXPECT_THAT(layout("--cp-comm-type all_gather"), HasSubstr("context_exchange: all_gather"));
  const ImportResult unknown = imported("--cp-comm-type ring");
  EXPECT_THAT(unknown.draft.jobs.at(0).parallel, Not(HasSubstr("context_exchange")));
  EXPECT_NE(find_entry(unknown.report.ignored(), "--cp-comm-type ring: is not known; p2p is taken"), nullptr);
  const ImportResult by_layer = imported("--cp-comm-type a2a p2p");
  EXPECT_THAT(by_layer.draft.jobs.at(0).parallel, HasSubstr("context_exchange: a2a"));
  EXPECT_NE(find_entry(by_layer.report.assumed(), "as the first one does, by a2a"), nullptr);
  EXPECT_THAT(layout("--fp8-format hybrid"), Not(HasSubstr("low_precision_storage")));
  EXPECT_THAT(layout("--fp8-format hybrid --activation-func-fp8-input-store"),
              HasSubstr("low_precision_storage: [linear_inputs, activation_inputs]"));
  EXPECT_THAT(layout("--fp8-format hybrid --use-megatron-fsdp"), HasSubstr("low_precision_storage: [linear_inputs]"));
}

TEST(ImportMegatron, ABatchThatMayBeDecreasedIsKeptByOtherReplicas)
{
  const std::string plain = "--num-layers 24 --hidden-size 2048 --num-attention-heads 16 --seq-length 1024 --bf16 "
                            "--micro-batch-size 1 --global-batch-size 8 --world-size 8 --vocab-size 51200 "
                            "--overlap-grad-reduce ";
  const ImportResult result = import_texts(
      {{"args.txt",
        plain + "--decrease-batch-size-if-needed --recompute-activations --recompute-granularity selective\n"}});
  EXPECT_EQ(errors_of(result), "");
  EXPECT_EQ(result.draft.jobs.at(0).parallel, "{dp: 8, micro_batch: 1, global_batch: 8, keep_batch: true, "
                                              "decrease_batch: true, recomputation: selective}");
  EXPECT_EQ(check_errors(result), "");
  EXPECT_FALSE(find_entry(result.report.ignored(), "--recompute-activations"));
}

TEST(ImportMegatron, PartsThatAreComputedAgainAreNamed)
{
  const std::string plain = "--num-layers 24 --hidden-size 2048 --num-attention-heads 16 --seq-length 1024 --bf16 "
                            "--micro-batch-size 1 --global-batch-size 8 --world-size 8 --vocab-size 51200 "
                            "--overlap-grad-reduce --recompute-granularity selective ";
  const auto layout = [&](const std::string& modules) {
    const ImportResult result = import_texts({{"args.txt", plain + modules + " --swiglu\n"}});
    EXPECT_EQ(errors_of(result), "");
    EXPECT_EQ(check_errors(result), "");
    return result.draft.jobs.at(0).parallel;
  };
  const std::string head = "{dp: 8, micro_batch: 1, global_batch: 8, ";
  EXPECT_EQ(layout(""), head + "recomputation: selective}");
  EXPECT_EQ(layout("--recompute-modules layernorm moe_act"), head + "recompute_modules: [layernorm, activation]}");
  EXPECT_EQ(layout("--recompute-modules core_attn mlp"), head + "recomputation: selective, recompute_modules: [mlp]}");
}

TEST(ImportMegatron, FlagsTakeFusedKernelsAway)
{
  const std::string plain =
      "--num-layers 32 --hidden-size 4096 --num-attention-heads 32 --seq-length 4096 --bf16 "
      "--micro-batch-size 1 --global-batch-size 8 --world-size 8 --vocab-size 32000 --swiglu "
      "--overlap-grad-reduce --use-distributed-optimizer --use-rotary-position-embeddings --normalization "
      "RMSNorm ";
  const auto layout = [&](const std::string& flags) {
    const ImportResult result = import_texts({{"args.txt", plain + flags + "\n"}});
    EXPECT_EQ(errors_of(result), "");
    EXPECT_EQ(check_errors(result), "");
    EXPECT_FALSE(find_entry(result.report.ignored(), "fusion"));
    return result.draft.jobs.at(0).parallel;
  };
  EXPECT_THAT(layout(""), Not(HasSubstr("fused_elementwise")));
  EXPECT_THAT(layout("--no-rope-fusion"), HasSubstr("fused_elementwise: [norm, activation, dropout]"));
  EXPECT_THAT(layout("--no-rope-fusion --no-bias-swiglu-fusion --no-bias-dropout-fusion"),
              HasSubstr("fused_elementwise: [norm]"));
}

TEST(ImportAnything, AModelIsNoTrainingAndTheMessageSaysWhereItGoes)
{
  try {
    import_texts({{"config.json", R"({"architectures": ["LlamaForCausalLM"], "model_type": "llama"})"}});
    FAIL();
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(),
                HasSubstr("'config.json' describes a model (config.json of Hugging Face), not a training"));
    EXPECT_THAT(error.what(), HasSubstr("simrun layouts config.json --gpus N"));
  }
}

TEST(ImportMegatron, SumsOfATensorParallelGroupAreWaitedFor)
{
  const std::string plain = "--num-layers 24 --hidden-size 2048 --num-attention-heads 16 --seq-length 1024 --bf16 "
                            "--tensor-model-parallel-size 4 --micro-batch-size 1 --global-batch-size 4 --world-size 8 "
                            "--vocab-size 51200 --no-async-tensor-model-parallel-allreduce";
  const auto layout = [](const std::string& arguments) {
    const ImportResult result = import_texts({{"args.txt", arguments + "\n"}});
    EXPECT_EQ(errors_of(result), "");
    return result.draft.jobs.at(0).parallel;
  };
  EXPECT_THAT(layout(plain), HasSubstr("overlap_tensor: none"));
  EXPECT_THAT(layout(plain + " --sequence-parallel"), Not(HasSubstr("overlap_tensor")));
  EXPECT_THAT(layout(plain + " --tp-comm-overlap"), HasSubstr("overlap_tensor: all"));
  // With PyTorch's FSDP2 around it the messages are still Megatron-LM's; Megatron-FSDP is taken so already.
  EXPECT_THAT(layout(plain + " --sequence-parallel --use-torch-fsdp2"),
              HasSubstr("tensor_messages: megatron, overlap_tensor: backward"));
  EXPECT_THAT(layout(plain + " --use-torch-fsdp2"),
              AllOf(HasSubstr("overlap_tensor: none"), Not(HasSubstr("tensor_messages"))));
  EXPECT_THAT(layout(plain + " --sequence-parallel --use-megatron-fsdp"), Not(HasSubstr("tensor_messages")));
}

TEST(ImportKubernetes, TheCommandLineOfATrainingJobNamesItsBatch)
{
  const auto batch_of = [](const std::string& args) {
    return import_texts({{"job.yaml", "apiVersion: kubeflow.org/v1\nkind: PyTorchJob\nmetadata: {name: train}\nspec:\n"
                                      "  pytorchReplicaSpecs:\n    Worker:\n      replicas: 2\n"
                                      "      template: {spec: {containers: [{name: pytorch, image: x, args: " +
                                          args + ", resources: {limits: {nvidia.com/gpu: 8}}}]}}\n"}})
        .draft.jobs.at(0)
        .batch_per_gpu;
  };
  EXPECT_EQ(batch_of(R"(["--epochs=2", "--batch-size=64"])"), 64);
  EXPECT_EQ(batch_of(R"(["--batch_size", "16"])"), 16);
  EXPECT_EQ(batch_of(R"(["--batch-size=many"])"), 32); // the default, which the report names
}

TEST(ImportDeepSpeed, ReadsZeroBatchAndPrecision)
{
  const std::string text = R"({
  "train_batch_size": 512,
  "train_micro_batch_size_per_gpu": 2,
  "gradient_accumulation_steps": 4,
  "zero_optimization": {"stage": 3, "overlap_comm": true},
  "bf16": {"enabled": true},
  "gradient_clipping": 1.0
})";
  const ImportResult result = import_texts({{"ds_config.json", text}}, {.model = "llama3_8b"});
  EXPECT_EQ(errors_of(result), "");
  ASSERT_EQ(result.draft.jobs.size(), 1U);
  // 512 / (2 x 4) = 64 replicas.
  EXPECT_EQ(result.draft.jobs[0].parallel, "{dp: 64, zero: 3, micro_batch: 2, global_batch: 512, gradient_bytes: 2}");
  EXPECT_EQ(result.draft.jobs[0].precision, "bf16");
  EXPECT_EQ(result.draft.gpus(), 64);
  EXPECT_THAT(lines_of(find_entry(result.report.ignored(), "gradient_clipping")), ElementsAre(7));
  EXPECT_THAT(check_errors(result), HasSubstr("out of GPU memory: TP1 PP1 DP64 ZeRO-3, micro-batch 2"));
  EXPECT_THAT(errors_of(import_texts({{"d.json", R"({"train_batch_size": "many", "zero_optimization": {"stage": 4}})"}},
                                     {.model = "llama3_8b"})),
              ::testing::AllOf(HasSubstr("d.json:1: error: train_batch_size must be a whole number"),
                               HasSubstr("the stage of ZeRO is 0, 1, 2 or 3")));
}

TEST(ImportDeepSpeed, ElasticityChoosesTheBatchAsDeepSpeedDoes)
{
  const auto elastic = [](const std::string& keys, int nodes) {
    return import_texts({{"d.json", "{\"zero_optimization\": {\"stage\": 1}, \"bf16\": {\"enabled\": true},\n"
                                    "\"elasticity\": {\"enabled\": true, " +
                                        keys + "}}"}},
                        {.gpu = "A100-SXM4-80GB", .model = "gpt2_small", .nodes = nodes});
  };
  // DeepSpeed's own tests (tests/unit/elasticity/test_elastic.py): at most 10,000 sequences in micro-batches of 8, 12,
  // 16 and 17 on 32 to 1,500 GPUs make 9,792 on 23 numbers of GPUs, with micro-batch 17 on 64; 128 is none of them.
  const std::string basic = R"("max_train_batch_size": 10000, "micro_batch_sizes": [8, 12, 16, 17], "min_gpus": 32,
                               "max_gpus": 1500, "min_time": 20, "version": 0.1)";
  const ImportResult made = elastic(basic, 8);
  EXPECT_EQ(errors_of(made), "");
  EXPECT_EQ(made.draft.jobs.at(0).parallel,
            "{dp: 64, zero: 1, micro_batch: 17, global_batch: 9792, keep_batch: true, overlap_gradients: false, "
            "gradient_bytes: 2}");
  EXPECT_TRUE(find_entry(made.report.understood(),
                         "elasticity: global batch 9792, which 23 numbers of replicas from 32 to 1224 divide"));
  EXPECT_FALSE(find_entry(made.report.ignored(), "elasticity"));
  EXPECT_EQ(check_errors(made), "");
  EXPECT_THAT(errors_of(elastic(basic, 16)), HasSubstr("128 replicas do not divide the global batch 9792 by any "
                                                       "micro-batch; with 102 or 136 they do"));
  // Without --nodes: the fewest. 9,792 = 32 x 18 x 17.
  EXPECT_THAT(elastic(basic, 0).draft.jobs.at(0).parallel, HasSubstr("{dp: 32, zero: 1, micro_batch: 17,"));
  // Machines of 8 GPUs, two for each replica: 4 replicas in a machine. 2,500 sequences for each of them in
  // micro-batches of 2: 2 x 840 = 1,680, so 4 x 1,680 on multiples of 4.
  const ImportResult wide = elastic(R"("max_train_batch_size": 10000, "micro_batch_sizes": [2], "version": 0.2,
                                       "model_parallel_size": 2, "num_gpus_per_node": 8)",
                                    3);
  EXPECT_EQ(errors_of(wide), "");
  EXPECT_THAT(wide.draft.jobs.at(0).parallel,
              HasSubstr("{tp: 2, dp: 12, zero: 1, micro_batch: 2, global_batch: 6720,"));
  // Two primes near the limit of sizes: their common multiple, 1e18, is no batch.
  EXPECT_THAT(elastic(R"("max_train_batch_size": 1000000000, "micro_batch_sizes": [999999937, 999999929])", 0)
                  .draft.jobs.at(0)
                  .parallel,
              HasSubstr("dp: 1, zero: 1,"));
  EXPECT_THAT(errors_of(elastic(R"("micro_batch_sizes": [2])", 1)), HasSubstr("elasticity needs max_train_batch_size"));
  EXPECT_THAT(errors_of(elastic(R"("max_train_batch_size": 7, "micro_batch_sizes": [8])", 1)),
              HasSubstr("no number of GPUs"));
  EXPECT_THAT(errors_of(elastic(R"("max_train_batch_size": 9, "micro_batch_sizes": ["x"])", 1)),
              HasSubstr("micro_batch_sizes must be a whole number"));
  EXPECT_THAT(errors_of(elastic(R"("max_train_batch_size": 9, "micro_batch_sizes": [1], "model_parallel_size": 3)", 1)),
              HasSubstr("model_parallel_size must divide num_gpus_per_node"));
}

TEST(ImportDeepSpeed, OptimiserStatesInTheMemoryOfTheHostStayThere)
{
  // The scenario knows optimiser states on the host, and neither weights there nor NVMe.
  const auto offloaded = [](const std::string& zero) {
    return import_texts({{"d.json", "{\"train_batch_size\": 32, \"train_micro_batch_size_per_gpu\": 1,\n"
                                    "\"zero_optimization\": " +
                                        zero + "}"}},
                        {.model = "llama3_8b"});
  };
  const ImportResult host =
      offloaded(R"({"stage": 2, "offload_optimizer": {"device": "cpu"}, "offload_param": {"device": "none"}})");
  EXPECT_EQ(errors_of(host), "");
  EXPECT_THAT(host.draft.jobs.at(0).parallel, HasSubstr("offload_optimizer: true"));
  EXPECT_FALSE(find_entry(host.report.ignored(), "offload_optimizer"));
  EXPECT_FALSE(find_entry(host.report.ignored(), "offload_param"));
  for (const char* zero : {R"({"stage": 3, "offload_optimizer": {"device": "nvme"}})",
                           R"({"stage": 0, "offload_optimizer": {"device": "cpu"}})"}) {
    const ImportResult kept = offloaded(zero);
    EXPECT_THAT(kept.draft.jobs.at(0).parallel, Not(HasSubstr("offload_optimizer"))) << zero;
    EXPECT_THAT(lines_of(find_entry(kept.report.ignored(), "offload_optimizer")), ElementsAre(2)) << zero;
  }
  const ImportResult weights = offloaded(R"({"stage": 3, "offload_param": {"device": "cpu"}})");
  EXPECT_THAT(lines_of(find_entry(weights.report.ignored(), "offload_param")), ElementsAre(2));
}

TEST(ImportTorchTitan, ABrokenNameOfATableIsAnError)
{
  // toml++ 3.3 ended the program on it.
  const std::string text = "[model]\nflavor = \"8B\"\n[/.toml\n[training]\n";
  EXPECT_TRUE(import_texts({{"broken.toml", text}}, {}).report.faults.has_errors());
}

TEST(ImportTorchTitan, SettingsOfFp8CountOnlyWithTheConverter)
{
  const std::string head = "[model]\nname = \"llama3\"\nflavor = \"8B\"\n",
                    tail = "[training]\nseq_len = 8192\n[quantize.linear.float8]\n"
                           "enable_fsdp_float8_all_gather = true\n";
  const auto why = [](const std::string& text) {
    const ImportResult result = import_texts({{"llama3_8b.toml", text}});
    const auto* entry = find_entry(result.report.ignored(), "quantize.linear");
    return entry == nullptr ? std::string{} : entry->why;
  };
  EXPECT_THAT(why(head + tail), HasSubstr("has no effect without a converter"));
  EXPECT_THAT(why(head + "converters = [\"quantize.linear.float8\"]\n" + tail), HasSubstr("not modelled: "));
}

TEST(ImportTorchTitan, ReadsTheConverterOfMicroscaling)
{
  const std::string head = "[model]\nname = \"llama3\"\nflavor = \"8B\"\n",
                    tail = "[training]\nseq_len = 8192\n[mx]\nrecipe_name = \"mxfp8\"\n";
  for (const char* converter : {"\"quantize.linear.mx\"", "[\"quantize.linear.mx\"]", "[\"mx\"]"}) {
    const ImportResult result = import_texts({{"llama3_8b.toml", head + "converters = " + converter + "\n" + tail}});
    ASSERT_EQ(result.draft.jobs.size(), 1U);
    EXPECT_EQ(result.draft.jobs[0].precision, "mxfp8") << converter;
    EXPECT_THAT(find_entry(result.report.ignored(), "mx.recipe_name")->why, HasSubstr("all products of layers are in "
                                                                                      "mxfp8"));
  }
  const ImportResult without = import_texts({{"llama3_8b.toml", head + tail}});
  EXPECT_EQ(without.draft.jobs.at(0).precision, "bf16");
  EXPECT_THAT(find_entry(without.report.ignored(), "mx.recipe_name")->why,
              HasSubstr("has no effect without a converter"));
}

TEST(ImportTorchTitan, ReadsTheFileOfTheLargestLlama)
{
  // The keys of torchtitan's llama3_405b.toml.
  const std::string text = R"(# torchtitan Config.toml
# NOTE: this toml config is a preset for 128 H100 GPUs.
[job]
description = "Llama 3 405B training"
[model]
name = "llama3"
flavor = "405B"
converters = ["float8"]
[training]
local_batch_size = 2
seq_len = 8192
[parallelism]
data_parallel_replicate_degree = 1
data_parallel_shard_degree = -1
tensor_parallel_degree = 8  # 8-way TP
enable_async_tensor_parallel = true
pipeline_parallel_degree = 1
context_parallel_degree = 1
[activation_checkpoint]
mode = "full"
)";
  const ImportResult result = import_texts({{"llama3_405b.toml", text}});
  if (!result.report.faults.empty() && errors_of(result).find("libtomlplusplus") != std::string::npos)
    GTEST_SKIP() << "built without libtomlplusplus-dev";
  EXPECT_EQ(errors_of(result), "");
  ASSERT_EQ(result.draft.jobs.size(), 1U);
  // 128 / 8 = 16 replicas of two sequences.
  EXPECT_EQ(result.draft.jobs[0].parallel,
            "{tp: 8, dp: 16, sequence_parallel: true, zero: 3, micro_batch: 2, global_batch: 32, recomputation: full, "
            "early_stop: true, attention: flash2, tensor_messages: dtensor, overlap_tensor: all, "
            "fused_elementwise: false, scaling: current, gradient_bytes: 4}");
  EXPECT_EQ(result.draft.jobs[0].model, "{name: llama3.1_405b, sequence_length: 8192}");
  EXPECT_EQ(result.draft.jobs[0].precision, "fp8");
  EXPECT_EQ(result.draft.machines.at(0).gpu, "H100-SXM5");
  EXPECT_THAT(lines_of(find_entry(result.report.assumed(), "128 GPUs")), ElementsAre(2));
  EXPECT_THAT(lines_of(find_entry(result.report.understood(), "parallelism.tensor_parallel_degree 8")),
              ElementsAre(15));
  // A sequence on several GPUs goes round as PyTorch's ring attention does it, here under torch.compile.
  const std::string ring = R"([model]
name = "llama3"
flavor = "8B"
[training]
local_batch_size = 1
seq_len = 131072
[parallelism]
data_parallel_shard_degree = 2
context_parallel_degree = 4
[activation_checkpoint]
mode = "full"
)";
  EXPECT_THAT(import_texts({{"ring.toml", ring}}).draft.jobs.at(0).parallel, HasSubstr("ring_merge: eager"));
  EXPECT_THAT(import_texts({{"ring.toml", ring + "[compile]\nenable = true\n"}}).draft.jobs.at(0).parallel,
              HasSubstr("ring_merge: compiled"));
  EXPECT_THAT(import_texts({{"ring.toml", ring}}).draft.jobs.at(0).parallel, Not(HasSubstr("context_exchange")));
  std::string rotated = ring;
  rotated.replace(rotated.find("context_parallel_degree = 4"), 27,
                  "context_parallel_degree = 4\ncontext_parallel_rotate_method = \"alltoall\"");
  EXPECT_THAT(import_texts({{"ring.toml", rotated}}).draft.jobs.at(0).parallel,
              HasSubstr("ring_merge: eager, context_exchange: p2p"));
  // Groups of 8 replicas, each a sequence of 4 GPUs, divide the states; four of them hold copies. Compiled, kernels
  // between products are fused; single operators are computed again.
  std::string hybrid = ring;
  hybrid.replace(hybrid.find("shard_degree = 2"), 16, "shard_degree = 8\ndata_parallel_replicate_degree = 4");
  hybrid.replace(hybrid.find("mode = \"full\""), 13, "mode = \"selective\"\nselective_ac_option = \"op\"");
  EXPECT_EQ(import_texts({{"hybrid.toml", hybrid + "[compile]\nenable = true\n"}}).draft.jobs.at(0).parallel,
            "{dp: 32, cp: 4, zero: 3, shard_within: 32, micro_batch: 1, global_batch: 32, recomputation: every_second, "
            "attention: flash2, ring_merge: compiled, fused_elementwise: true, gradient_bytes: 4}");
  // Whatever divides the states, its tensor parallelism is DTensor's, whose messages are waited for.
  const std::string staged = R"([model]
name = "llama3"
flavor = "8B"
[training]
seq_len = 8192
[parallelism]
data_parallel_shard_degree = 1
tensor_parallel_degree = 2
pipeline_parallel_degree = 2
)";
  const auto layout_of = [](const std::string& file) {
    return import_texts({{"staged.toml", file}}).draft.jobs.at(0).parallel;
  };
  EXPECT_THAT(layout_of(staged), AllOf(HasSubstr("tensor_messages: dtensor, overlap_tensor: none"), //
                                       Not(HasSubstr("zero:"))));
  std::string sharded = staged;
  sharded.replace(sharded.find("shard_degree = 1"), 16, "shard_degree = 2");
  EXPECT_THAT(layout_of(sharded), HasSubstr("zero: 2, "));
  EXPECT_THAT(layout_of(sharded), HasSubstr("tensor_messages: dtensor, overlap_tensor: none"));
  EXPECT_THAT(layout_of(ring), Not(AnyOf(HasSubstr("tensor_messages"), HasSubstr("overlap_tensor"))));
  EXPECT_THAT(errors_of(import_texts({{"x.toml", "[model]\nflavor = 3\n[training]\nseq_len = = 3\n"}})),
              HasSubstr("x.toml:4:"));
}

TEST(ImportAicb, ReadsLayoutAndRows)
{
  const std::string text =
      "HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: 8 ep: 1 pp: 2 vpp: 80 ga: 8 "
      "all_gpus: 128 checkpoints: 0 checkpoint_initiates: 0 pp_comm: 16777216.0\n"
      "3\n"
      "embedding_layer\t-1\t556000\tALLREDUCE\t134217728\t1\tNONE\t0\t1\tNONE\t0\t100\n"
      "attention_column\t-1\t4000\tALLGATHER\t134217728\t4000\tALLGATHER\t134217728\t1\tNONE\t0\t100\n"
      "attention_row\t-1\t4000\tREDUCESCATTER\t134217728\t4000\tNONE\t0\t1\tALLREDUCE\t8000\t100\n";
  const ImportResult result = import_texts({{"w.txt", text}}, {.model = "llama3_70b"});
  EXPECT_EQ(errors_of(result), "");
  // 16,777,216 B x 8 (sequence parallel) / (2 B x 8192 tokens x 8192) = 1 sequence; 128 / 16 = 8 replicas, 8
  // micro-batches each.
  EXPECT_EQ(result.draft.jobs.at(0).parallel,
            "{tp: 8, pp: 2, dp: 8, sequence_parallel: true, micro_batch: 1, global_batch: 64}");
  EXPECT_NE(find_entry(result.report.understood(), "forward ALLGATHER: 134.2 MB"), nullptr);
  EXPECT_EQ(import_texts({{"w.txt", text}}).draft.jobs.at(0).parallel, ""); // no model: a job of measured times
  std::string broken = text;
  broken.replace(broken.find("\n3\n"), 3, "\n4\n");
  broken.replace(broken.find("134217728"), 9, "many");
  EXPECT_THAT(errors_of(import_texts({{"w.txt", broken}}, {.model = "llama3_70b"})),
              ::testing::AllOf(HasSubstr("w.txt:3: error: time or bytes of the forward are no number"),
                               HasSubstr("w.txt:2: error: the second line says how many rows there are; it is not 3")));
}

} // namespace
} // namespace trainyard
