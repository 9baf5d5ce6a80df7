// SPDX-License-Identifier: Apache-2.0
/// Launches of large models in other frameworks: what is read, what is assumed, and that the scenario is accepted.
#include "tests/import/import_support.hpp"
#include "tests/support/places.hpp"
#include "tests/support/read_bytes.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <iterator>
#include <map>
#include <sstream>

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
  // arguments.py sets "selective" wherever this flag stands, whatever the other says.
  const ImportResult both =
      import_texts({{"args.txt", plain + "--recompute-granularity full --recompute-activations\n"}});
  EXPECT_NE(both.draft.jobs.at(0).parallel.find("recomputation: selective"), std::string::npos);
  EXPECT_TRUE(find_entry(both.report.ignored(), "--recompute-granularity full"));
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

constexpr const char* plain_launch = "--num-layers 8 --hidden-size 1024 --num-attention-heads 16 --seq-length 2048 "
                                     "--micro-batch-size 1 --global-batch-size 64 --vocab-size 32000 --bf16 ";

DraftJob launched(const std::string& script)
{
  const ImportResult result = import_texts({{"run.sh", script + "\n"}}, {.gpu = "H100-SXM5"});
  EXPECT_EQ(errors_of(result), "") << script;
  EXPECT_EQ(check_errors(result), "") << script;
  return result.draft.jobs.empty() ? DraftJob{} : result.draft.jobs.front();
}

// bash: quotes are removed, in defaults too; ${A:-B} and ${A:=B} are B where A is empty; $((…)) is computed; a list
// that no command names is not passed on, and echo passes nothing on.
TEST(ImportMegatron, VariablesAreWhatBashMakesOfThem)
{
  const std::string launch =
      std::string{"torchrun --nnodes $NODES --nproc_per_node=${GPUS} pretrain_gpt.py "} + plain_launch;
  const auto sharding = [&](const std::string& head, const std::string& word) {
    return launched(head + "\nNODES=4; GPUS=8\n" + launch + "--use-megatron-fsdp --data-parallel-sharding-strategy " +
                    word)
        .parallel;
  };
  for (const char* head : {"S=${S:-\"optim_grads_params\"}", "S=${S:-'optim_grads_params'}", "S='optim_grads_params'",
                           "export S=\"optim_grads_params\"", ": ${S:=optim_grads_params}"})
    EXPECT_THAT(sharding(head, "${S}"), HasSubstr("dp: 32, zero: 3")) << head;
  EXPECT_THAT(sharding("S=optim", "\"$S\""), HasSubstr("dp: 32, zero: 1"));
  const DraftJob computed = launched("NODES=$(( 2 * 2 ))\nGPUS=$((NODES + 8 / 2))\nTP=${TP:-${GPUS}}\n" + launch +
                                     "--tensor-model-parallel-size $TP --sequence-parallel");
  EXPECT_THAT(computed.parallel, HasSubstr("tp: 8, dp: 4, sequence_parallel: true"));
  const ImportResult lists = import_texts(
      {{"run.sh",
        "NODES=1\nGPUS=8\nUSED=(--bf16 # the format\n  --swiglu)\nMOE=\"--num-experts 8 --moe-router-topk 2\"\n"
        "echo \"try --num-layers 99\"\n" +
            launch + "${USED[@]}\n"}});
  EXPECT_EQ(errors_of(lists), "");
  EXPECT_THAT(lists.draft.jobs.at(0).model,
              AllOf(HasSubstr("layers: 8"), HasSubstr("gated: true"), Not(HasSubstr("experts"))));
  EXPECT_THAT(lines_of(find_entry(lists.report.ignored(), "arguments in MOE")), ElementsAre(5));
  const ImportResult branch =
      import_texts({{"run.sh", "NODES=1\nGPUS=8\nif [ $SIZE = large ]; then\n  TP=8\nelse\n  TP=2\nfi\n" + launch +
                                   "--tensor-model-parallel-size $TP\n"}});
  EXPECT_THAT(branch.draft.jobs.at(0).parallel, HasSubstr("tp: 2"));
  EXPECT_THAT(lines_of(find_entry(branch.report.assumed(), "what stands in branches")), ElementsAre(4, 6));
  EXPECT_EQ(launched("NODES=2\r\nGPUS=4\r\ntorchrun --nnodes $NODES --nproc_per_node=$GPUS \\\r\n x.py " +
                     std::string{plain_launch} + "\r\n")
                .workers,
            8);
  // Values that double with each line, and lists in lists, end.
  std::string doubled = "A=aaaaaaaaaa\n", nested;
  for (int i = 0; i < 60; ++i) {
    doubled += "A=$A$A\n";
    nested += "A=(";
  }
  import_texts({{"run.sh", doubled + nested + launch}});
}

// sbatch(1): options of lines #SBATCH; the job sees them as SLURM_NNODES, SLURM_GPUS_ON_NODE, SLURM_NTASKS.
TEST(ImportMegatron, AJobOfSlurmRunsOnTheMachinesThatItsLinesAskFor)
{
  const auto imported = [](const std::string& lines, const std::string& launch) {
    return import_texts(
        {{"train.sbatch", "#!/bin/bash\n#SBATCH --job-name=pre\n" + lines + "\n" + launch + " " + plain_launch + "\n"}},
        {.gpu = "H100-SXM5"});
  };
  for (const auto& [lines, launch] : std::vector<std::pair<std::string, std::string>>{
           {"#SBATCH --nodes=4\n#SBATCH --ntasks-per-node=1\n#SBATCH --gpus-per-node=8",
            "srun torchrun --nnodes $SLURM_NNODES --nproc_per_node 8 pretrain_gpt.py"},
           {"#SBATCH -N 4 --gres=gpu:8",
            "srun torchrun --nnodes=${SLURM_JOB_NUM_NODES} --nproc-per-node=$SLURM_GPUS_ON_NODE x.py"},
           {"#SBATCH --gpus-per-node=8", "srun -N4 -n 32 python pretrain_gpt.py"},
           {"#SBATCH --gpus-per-node=8", "srun -N4 -n4 torchrun --nnodes 4 --nproc_per_node 8 pretrain_gpt.py"},
           {"#SBATCH --nodes=4", "mpirun -np 32 -npernode 8 python pretrain_gpt.py"},
           {"#SBATCH -N4\n#SBATCH --ntasks-per-node 8\n#SBATCH --gpus-per-task=1", "srun python -u pretrain_gpt.py"},
           {"#SBATCH --ntasks=32\n#SBATCH --ntasks-per-node=8\n#SBATCH --gres=gpu:8", "srun python pretrain_gpt.py"},
           {"#SBATCH --gpus=32 --gpus-per-node=8", "deepspeed --num_nodes $SLURM_NNODES --num_gpus 8 pretrain_gpt.py"},
           {"#SBATCH --nodes=4 # of them\n#SBATCH --gres=gpu:8\nN=$((SLURM_NNODES * 8))",
            "torchrun --nnodes $(( N / 8 )) --nproc_per_node 8 x.py"}}) {
    const ImportResult result = imported(lines, launch);
    EXPECT_EQ(errors_of(result), "") << lines;
    ASSERT_EQ(result.draft.machines.size(), 1U);
    EXPECT_EQ(result.draft.machines[0].count, 4) << lines;
    EXPECT_EQ(result.draft.machines[0].gpus, 8) << lines;
    EXPECT_THAT(result.draft.jobs.at(0).parallel, HasSubstr("dp: 32")) << lines;
    EXPECT_THAT(lines_of(find_entry(result.report.ignored(), "#SBATCH --job-name")), ElementsAre(2));
  }
  const ImportResult named =
      import_texts({{"a.sbatch", std::string{"#SBATCH -N 2\n#SBATCH --gres=gpu:a100:4\nsrun python pretrain_gpt.py "} +
                                     plain_launch + "\n"}});
  EXPECT_THAT(named.draft.machines.at(0).gpu, HasSubstr("A100"));
  EXPECT_THAT(errors_of(imported("#SBATCH --nodes=many", "python x.py")),
              HasSubstr("train.sbatch:3: error: --nodes 'many'"));
}

TEST(ImportMegatron, NodesThatNothingSaysAreThoseOfTheOption)
{
  const auto imported = [](const std::string& nodes, int option) {
    return import_texts({{"run.sh", "torchrun --nnodes " + nodes + " --nproc_per_node 8 x.py " + plain_launch + "\n"}},
                        {.gpu = "H100-SXM5", .nodes = option});
  };
  EXPECT_THAT(errors_of(imported("$HOW_MANY", 0)), HasSubstr("; --nodes N gives it"));
  const ImportResult given = imported("$HOW_MANY", 4);
  EXPECT_EQ(errors_of(given), "");
  EXPECT_EQ(given.draft.machines.at(0).count, 4);
  EXPECT_EQ(imported("2", 4).draft.machines.at(0).count, 2);
}

// Megatron-LM, megatron/training/arguments.py, and its versions of 2021 for the older names.
TEST(ImportMegatron, WhatDecidesTimeAndMemoryHasItsPlace)
{
  const std::string launch = std::string{"torchrun --nproc_per_node=8 --nnodes=4 pretrain_gpt.py "} + plain_launch;
  const auto layout = [&](const std::string& more) { return launched(launch + more).parallel; };
  const auto model = [&](const std::string& more) { return launched(launch + more).model; };
  for (const char* again : {"--checkpoint-activations", "--activations-checkpoint-method uniform",
                            "--checkpoint-activations --checkpoint-num-layers 1 --distribute-checkpointed-activations",
                            "--recompute-granularity full --recompute-method uniform --recompute-num-layers 1"})
    EXPECT_THAT(layout(again), HasSubstr("recomputation: full")) << again;
  EXPECT_THAT(layout("--grad-reduce-in-bf16"), HasSubstr("gradient_bytes: 2"));
  EXPECT_THAT(
      layout("--use-precision-aware-optimizer --main-grads-dtype bf16 --exp-avg-dtype bf16 --exp-avg-sq-dtype bf16"),
      HasSubstr("gradient_bytes: 2, moment_bytes: 4"));
  EXPECT_THAT(layout("--use-distributed-optimizer --optimizer-cpu-offload"), HasSubstr("offload_optimizer: true"));
  EXPECT_THAT(layout("--use-distributed-optimizer --num-distributed-optimizer-instances 4"),
              HasSubstr("shard_within: 8"));
  EXPECT_EQ(import_texts({{"run.sh", launch + "--fp8-format e4m3 --fp8-recipe mxfp8\n"}}).draft.jobs.at(0).precision,
            "mxfp8");
  EXPECT_THAT(layout("--fp8-format hybrid --fp8-recipe tensorwise"), HasSubstr("scaling: current"));
  // 6 + 2 layers in 4 stages of 2: one fewer at both ends.
  EXPECT_THAT(launched("torchrun --nproc_per_node=8 --nnodes=4 x.py --num-layers 6 --hidden-size 1024 "
                       "--num-attention-heads 16 --seq-length 2048 --micro-batch-size 1 --global-batch-size 64 "
                       "--vocab-size 32000 --bf16 --pipeline-model-parallel-size 4 "
                       "--account-for-embedding-in-pipeline-split --account-for-loss-in-pipeline-split")
                  .parallel,
              HasSubstr("layers_per_stage: [1, 2, 2, 1]"));
  EXPECT_THAT(
      model("--multi-latent-attention --q-lora-rank 256 --kv-lora-rank 128 --qk-head-dim 64 "
            "--qk-pos-emb-head-dim 32 --v-head-dim 64"),
      HasSubstr("head_width: 96, vocabulary: 32000, kv_rank: 128, query_rank: 256, rope_width: 32, value_width: 64"));
  const std::string experts = "--num-experts 16 --moe-router-topk 2 --moe-ffn-hidden-size 512 ";
  EXPECT_THAT(model(experts + "--moe-layer-freq 2"), HasSubstr("dense_ffn: 4096, expert_step: 2"));
  EXPECT_THAT(model(experts + "--moe-layer-freq '([0]*3+[1]*5)'"), HasSubstr("dense_layers: 3, dense_ffn: 4096,"));
  EXPECT_THAT(model(experts + "--moe-layer-freq \"([0]*1+[1]*1)*4\""), HasSubstr("dense_ffn: 4096, expert_step: 2"));
  EXPECT_THAT(model(experts + "--moe-layer-freq ([1]*8)"), Not(HasSubstr("dense")));
  EXPECT_THAT(model("--padded-vocab-size 32064 --tensor-model-parallel-size 8"), HasSubstr("vocabulary: 32064"));
  EXPECT_THAT(model("--pad-vocab-size-to 250880"), HasSubstr("vocabulary: 250880"));
  EXPECT_THAT(model("--position-embedding-type alibi"), HasSubstr("learnt_positions: false"));
  const ImportResult told = import_texts(
      {{"run.sh",
        launch + "--num-query-groups 4 --group-query-attention --window-size 128,0 --my-own-flag 3 --lr 1e-4\n"}});
  // By hand: a layer has 2 x 1024 x (1024 + 256) + 1024 + 2 x 256 + 1024 of attention, 8 x 1024 x 1024 + 4096 + 1024 of
  // the network and two norms of 2 x 1024; 8 of them, 32,000 words and 2,048 positions of 1,024, a norm: 123.0 million.
  EXPECT_NE(find_entry(told.report.understood(), "a model of 0.123 billion parameters"), nullptr);
  EXPECT_NE(find_entry(told.report.ignored(), "--window-size: attention is counted over the whole sequence"), nullptr);
  EXPECT_NE(find_entry(told.report.ignored(), "--my-own-flag: is not known here"), nullptr);
  EXPECT_NE(find_entry(told.report.ignored(), "--lr: does not decide how long"), nullptr);
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
  EXPECT_FALSE(find_entry(made.report.ignored(), "elasticity: "));
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

// deepspeed/runtime/zero/config.py: cpu_offload is the old name of offload_optimizer; a mere true is stage 1.
TEST(ImportDeepSpeed, OldNamesAndNumberFormatsCount)
{
  const auto imported = [](const std::string& keys) {
    return import_texts(
        {{"d.json", "{\"train_micro_batch_size_per_gpu\": 1, \"bf16\": {\"enabled\": true},\n" + keys + "}"}},
        {.gpu = "H100-SXM5", .model = "llama3_8b", .nodes = 1});
  };
  const auto layout = [&](const std::string& keys) { return imported(keys).draft.jobs.at(0).parallel; };
  EXPECT_THAT(layout(R"("zero_optimization": {"stage": 2, "cpu_offload": true})"),
              HasSubstr("offload_optimizer: true"));
  EXPECT_THAT(layout(R"("zero_optimization": {"stage": 2, "cpu_offload": false})"),
              Not(HasSubstr("offload_optimizer")));
  EXPECT_THAT(layout(R"("zero_optimization": true)"), HasSubstr("zero: 1,"));
  EXPECT_THAT(layout(R"("zero_optimization": {"stage": 3, "mics_shard_size": 4})"), HasSubstr("shard_within: 4"));
  EXPECT_THAT(layout(R"("communication_data_type": "fp32")"), HasSubstr("gradient_bytes: 4"));
  EXPECT_THAT(layout(R"("sequence_parallel_size": 4)"),
              AllOf(HasSubstr("dp: 2, cp: 4"), HasSubstr("context_exchange: a2a")));
  EXPECT_THAT(layout(R"("optimizer": {"type": "Lion"})"), HasSubstr("moment_bytes: 4"));
  const ImportResult told = imported(
      R"("zero_optimization": {"stage": 3, "cpu_offload_params": true, "zero_quantized_weights": true,
         "reduce_bucket_size": 5e8}, "gradient_clipping": 1.0, "what_is_this": {})");
  for (const char* text : {"cpu_offload_params: what would lie on cpu", "zero_quantized_weights: not modelled",
                           "reduce_bucket_size: sizes of messages", "gradient_clipping: does not decide",
                           "what_is_this: is not known here"})
    EXPECT_NE(find_entry(told.report.ignored(), text), nullptr) << text;
}

// torchtitan/config/job_config.py: training.dtype has weights, gradients and states; mixed_precision_reduce is what
// FSDP adds gradients up in.
TEST(ImportTorchTitan, NumberFormatsOfGradientsAndStates)
{
  const auto imported = [](const std::string& keys) {
    return import_texts({{"t.toml", "[model]\nname = \"llama3\"\nflavor = \"8B\"\n[training]\nlocal_batch_size = 1\n" +
                                        keys + "[parallelism]\ndata_parallel_shard_degree = -1\n"}},
                        {.gpu = "H100-SXM5", .nodes = 1});
  };
  const ImportResult plain = imported("");
  if (errors_of(plain).find("libtomlplusplus") != std::string::npos)
    GTEST_SKIP() << "built without libtomlplusplus-dev";
  const auto layout = [&](const std::string& keys) { return imported(keys).draft.jobs.at(0).parallel; };
  EXPECT_THAT(layout(""), AllOf(HasSubstr("gradient_bytes: 4"), Not(HasSubstr("master_weights"))));
  EXPECT_THAT(layout("mixed_precision_reduce = \"bfloat16\"\n"),
              AllOf(HasSubstr("gradient_bytes: 2"), Not(HasSubstr("moment"))));
  EXPECT_EQ(imported("[float8]\nenable_float8_linear = true\n").draft.jobs.at(0).precision, "fp8");
  EXPECT_THAT(layout("dtype = \"bfloat16\"\nmixed_precision_reduce = \"bfloat16\"\n"),
              HasSubstr("gradient_bytes: 2, moment_bytes: 4, master_weights: false"));
  const ImportResult told = imported("steps = 3\nenable_cpu_offload = true\nunheard_of = 1\n");
  for (const char* text : {"training.steps: does not decide", "training.enable_cpu_offload: not modelled",
                           "training.unheard_of: is not known here"})
    EXPECT_NE(find_entry(told.report.ignored(), text), nullptr) << text;
}

// The config.json of Mixtral 8x7B has 46.7 billion parameters, of which a token passes 12.88.
// One of several names of the same thing is set; the other one, which is not, says nothing.
TEST(ImportNemo, AFlagIsSetUnderAnyOfItsNames)
{
  const ImportResult result = import_texts({{{"run.yaml", "tensor_model_parallel_size: 1\nfsdp: false\n"
                                                          "use_torch_fsdp2: true\nnum_layers: 2\nhidden_size: 256\n"
                                                          "num_attention_heads: 2\nencoder_seq_length: 64\n"}}});
  EXPECT_THAT(result.yaml, HasSubstr("zero: 3"));
}

// A size under two names: the first counts, and the report says so of the other.
TEST(ImportMegatron, ASecondNameOfTheSameSizeIsTold)
{
  const ImportResult result = import_texts({{{"run.sh", "pretrain.py --num-layers 2 --hidden-size 256 "
                                                        "--num-attention-heads 2 --seq-length 64 "
                                                        "--tensor-model-parallel-size 2 --micro-batch-size 4 "
                                                        "--batch-size 8\n"}}});
  EXPECT_THAT(result.yaml, HasSubstr("micro_batch: 4"));
  const ImportEntry* told = find_entry(result.report.ignored(), "--batch-size");
  ASSERT_NE(told, nullptr);
  EXPECT_EQ(told->why, "has no effect: --micro-batch-size says the same");
}

TEST(ImportAnything, TheModelOfAFileSaysHowLargeItIs)
{
  const std::string file = (tests::source_folder() / "tests/data/samples/launch/config.json").string();
  const ImportResult result =
      import_texts({{"d.json", R"({"train_batch_size": 8, "train_micro_batch_size_per_gpu": 1})"}},
                   {.gpu = "H100-SXM5", .model = file, .nodes = 1});
  EXPECT_EQ(errors_of(result), "");
  EXPECT_NE(find_entry(result.report.understood(), "a model of 46.7 billion parameters, of which a token passes 12.88"),
            nullptr);
}

TEST(ImportTorchTitan, ABrokenNameOfATableIsAnError)
{
  // toml++ 3.3 ended the program on it.
  const std::string text = "[model]\nflavor = \"8B\"\n[/.toml\n[training]\n";
  EXPECT_TRUE(import_texts({{"broken.toml", text}}, {}).report.faults.has_errors());
}

// toml++ frees tables in tables by recursion, so that 100,000 of them end the program.
TEST(ImportTorchTitan, AKeyOfManyPartsIsAnErrorAtItsLine)
{
  std::string many = "a";
  for (int i = 0; i < 100'000; ++i)
    many += i % 2 == 0 ? ".a" : " . \"b.c\"";
  const std::string head = "[model]\nname = \"llama3\"\nflavor = \"8B\"\n[training]\n";
  for (const std::string& text :
       {many + " = 1\n", "[" + many + "]\n", "[[" + many + "]]\n", "x = {" + many + " = 1}\n"}) {
    const auto faults = import_texts({{"t.toml", head + text}}, {.format = "torchtitan"}).report.faults.sorted();
    ASSERT_FALSE(faults.empty());
    EXPECT_EQ(faults.front().where.line, 5);
    EXPECT_THAT(faults.front().message, HasSubstr("a key has more than 100 parts"));
  }
  // dots in texts and comments are no parts
  const std::string dots(1000, '.');
  const std::string text = head + "a = \"" + dots + "\"\nb = \"\"\"\n" + dots + "\n\\\"\"\"\"\nc = '" + dots + "' # " +
                           dots + "\nseq_len = 1024\n";
  EXPECT_FALSE(import_texts({{"t.toml", text}}, {.format = "torchtitan"}).report.faults.has_errors());
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

std::string launch_sample(const std::string& name)
{
  return tests::read_bytes(tests::source_folder() / "tests/data/samples/launch" / name);
}

// Without a model an array of ten jobs of 2 machines, two at once, each for its limit of 26 h; with one the training on
// these machines: 16 replicas of 4 sequences, twice.
TEST(ImportSbatch, AScriptIsAJobOfTheQueueOrTheTrainingOfAModel)
{
  const ImportResult queued = import_texts({{"train.sbatch", launch_sample("train.sbatch")}});
  EXPECT_EQ(errors_of(queued), "");
  ASSERT_EQ(queued.draft.queue_jobs.size(), 1U);
  const DraftQueueJob& job = queued.draft.queue_jobs[0];
  EXPECT_EQ(std::tuple(job.name, job.tasks, job.gpus, job.copies, job.array_limit, job.queue),
            std::tuple("finetune", 2, 16, 10, 2, "gpu"));
  EXPECT_EQ(std::tuple(job.duration_s, job.cpu_milli, job.memory_mib, job.gpu_type),
            std::tuple(26 * 3600.0, 96'000, 512 * 1024, "H100-SXM5"));
  EXPECT_THAT(lines_of(find_entry(queued.report.ignored(), "--mail-type: has no effect")), ElementsAre(9));
  EXPECT_EQ(check_errors(queued), "");
  const ImportResult trained = import_texts({{"train.sbatch", launch_sample("train.sbatch")}}, {.model = "llama3_8b"});
  EXPECT_EQ(errors_of(trained), "");
  EXPECT_TRUE(trained.draft.queue_jobs.empty());
  EXPECT_THAT(trained.draft.jobs.at(0).parallel,
              HasSubstr("{dp: 16, zero: 3, micro_batch: 4, global_batch: 128, recomputation: full"));
  // A file of DeepSpeed runs on the machines of the script that starts it.
  const ImportResult both =
      import_texts({{"train.sbatch", launch_sample("train.sbatch")},
                    {"ds.json", R"({"train_micro_batch_size_per_gpu": 1, "bf16": {"enabled": true},
                                    "zero_optimization": {"stage": 3}})"}},
                   {.model = "llama3_8b"});
  EXPECT_EQ(errors_of(both), "");
  ASSERT_EQ(both.draft.jobs.size(), 1U);
  EXPECT_THAT(both.draft.jobs[0].parallel, HasSubstr("{dp: 16, zero: 3, micro_batch: 1, global_batch: 16,"));
  EXPECT_TRUE(both.draft.queue_jobs.empty());
  EXPECT_THAT(errors_of(import_texts({{"a.sh", "#SBATCH --time=soon\n#SBATCH --array=x\n"}})),
              AllOf(HasSubstr("a.sh:1: error: --time 'soon' is no time"), HasSubstr("a.sh:2: error: --array 'x'")));
}

// What accelerate's file says of the host is what its job does; none and false are as without the line.
TEST(ImportAccelerate, OptimiserStatesMayLieOnTheHost)
{
  const auto zero = [](const std::string& lines) {
    return import_texts({{"run.sh", "accelerate launch --config_file acc.yaml train.py --model_name_or_path "
                                    "meta-llama/Llama-2-13b-hf --per_device_train_batch_size 1\n"},
                         {"acc.yaml", "compute_environment: LOCAL_MACHINE\ndistributed_type: DEEPSPEED\n"
                                      "deepspeed_config:\n  zero_stage: 2\n" +
                                          lines + "mixed_precision: bf16\nnum_machines: 1\nnum_processes: 8\n"}});
  };
  const ImportResult host = zero("  offload_optimizer_device: cpu\n  offload_param_device: none\n");
  EXPECT_THAT(host.draft.jobs.at(0).parallel, HasSubstr("offload_optimizer: true"));
  EXPECT_EQ(find_entry(host.report.ignored(), "kept on the GPU"), nullptr);
  EXPECT_NE(find_entry(host.report.understood(), "--config-file acc.yaml"), nullptr);
  EXPECT_EQ(find_entry(zero("  fsdp_offload_params: false\n").report.ignored(), "kept on the GPU"), nullptr);
  const ImportResult disk = zero("  offload_optimizer_device: nvme\n");
  EXPECT_THAT(disk.draft.jobs.at(0).parallel, Not(HasSubstr("offload_optimizer")));
  EXPECT_NE(find_entry(disk.report.ignored(), "kept on the GPU"), nullptr);
}

// A format that is on counts before one that is left to others; a bare true is one that is on.
TEST(ImportDeepSpeed, AFormatThatIsOnCountsBeforeOneThatIsOpen)
{
  for (const auto& [text, precision] : {std::pair{R"("bf16": true, "fp16": {"enabled": "auto"})", "bf16"},
                                        {R"("bf16": {"enabled": "auto"}, "fp16": {"enabled": true})", "fp16"}}) {
    const ImportResult result = import_texts(
        {{"ds.json",
          std::string{R"({"train_micro_batch_size_per_gpu": 1, "zero_optimization": {"stage": 1}, )"} + text + "}"}},
        {.model = "llama3_8b"});
    EXPECT_EQ(result.draft.jobs.at(0).precision, precision);
    EXPECT_EQ(find_entry(result.report.assumed(), "fills it in"), nullptr) << text;
  }
}

// BERT's attention sees all tokens: the report says that a decoder is taken.
TEST(ImportMegatron, AnotherModelThanGptIsSaid)
{
  const std::string arguments = "torchrun --nproc_per_node 8 pretrain_{}.py --num-layers 24 --hidden-size 1024 "
                                "--num-attention-heads 16 --seq-length 512 --micro-batch-size 4 --fp16\n";
  for (const auto& [name, other] : {std::pair{"bert", true}, {"gpt", false}}) {
    const ImportResult result = import_texts({{"run.sh", fmt::format(fmt::runtime(arguments), name)}});
    EXPECT_EQ(find_entry(result.report.assumed(), "the model is a decoder") != nullptr, other) << name;
  }
}

std::string sbatch_script(const std::string& options)
{
  return "#!/bin/bash\n#SBATCH -J j " + options + "\nsrun x\n";
}

ImportResult import_script(const std::string& options, const std::string& conf, const ImportOptions& given = {})
{
  std::vector<std::pair<std::string, std::string>> files = {{"j.sbatch", sbatch_script(options)}};
  if (!conf.empty())
    files.emplace_back("slurm.conf", "ClusterName=c\n" + conf);
  return import_texts(files, given);
}

constexpr const char* four_machines = "NodeName=n[1-4] CPUs=64 RealMemory=512000 Gres=gpu:h100:8\n"
                                      "PartitionName=p Nodes=ALL Default=YES\n";

// sbatch(1): without --nodes as many machines as the tasks need. 12 GPUs with the memory of two machines, 60 GiB each,
// are 12 x 10 GiB; with three tasks on each of two machines half a CPU each; 128 tasks of 2 CPUs need four machines,
// and 80 tasks of 1 CPU beside 2 GPUs a machine two.
TEST(ImportSbatch, WithoutNodesTasksLieWhereThereIsRoom)
{
  struct Case {
    std::string options;
    std::tuple<int, int, int, int, bool> job; // tasks, GPUs, thousandths of a CPU, MiB, whether tasks share machines
  };
  for (const Case& one :
       {Case{"--ntasks=16 --gpus-per-task=1 -t 60 -c 4", {16, 16, 4000, 0, true}},
        Case{"-G 12 -t 30 --mem=60G", {12, 12, 84, 10 * 1024, true}}, Case{"-G 8 -t 30 -c 4", {1, 8, 4000, 0, false}},
        Case{"-G 12 -t 30 --ntasks-per-node=3", {12, 12, 500, 0, true}},
        Case{"--ntasks=128 --cpus-per-task=2 -t 60", {128, 0, 2000, 0, true}},
        Case{"--ntasks=80 --gres=gpu:2 --mem-per-cpu=1G -t 60", {2, 4, 40'000, 40 * 1024, false}},
        Case{"--nodes=2 --gpus=16 --gpus-per-task=4 -t 60", {2, 16, 2000, 0, false}},
        Case{"--ntasks=16 --gpus-per-task=1 -t 60 -c 4 --exclusive", {2, 16, 64'000, 0, false}}}) {
    const ImportResult result = import_script(one.options, four_machines);
    ASSERT_EQ(result.draft.queue_jobs.size(), 1U) << one.options;
    const DraftQueueJob& job = result.draft.queue_jobs[0];
    EXPECT_EQ(std::tuple(job.tasks, job.gpus, job.cpu_milli, job.memory_mib, job.spread), one.job) << one.options;
    EXPECT_EQ(check_errors(result), "") << one.options;
  }
  // Without a file of machines: 16 GPUs are two machines of eight; 128 tasks of 2 CPUs 16 machines of 16 cores.
  EXPECT_EQ(import_script("--ntasks=16 --gpus-per-task=1 -t 60", "").draft.machines.at(0).count, 2);
  EXPECT_EQ(import_script("--ntasks=128 --cpus-per-task=2 -t 60", "").draft.machines.at(0).count, 16);
  EXPECT_EQ(import_script("-n 16 --gpus-per-task=1 -t 60", "", {.gpus_per_node = 4}).draft.machines.at(0).count, 4);
}

TEST(ImportSbatch, WithoutPartitionTheDefaultOneCounts)
{
  const std::string conf = "NodeName=n[1-4] CPUs=64 Gres=gpu:h100:8\nPartitionName=big Nodes=n[2-4]\n"
                           "PartitionName=dbg Nodes=n1 Default=YES MaxTime=30\n";
  EXPECT_EQ(import_script("--gres=gpu:8 -N 1 -t 10", conf).draft.queue_jobs.at(0).queue, "dbg");
  EXPECT_EQ(import_script("--gres=gpu:8 -N 1 -t 10 -p big", conf).draft.queue_jobs.at(0).queue, "big");
}

TEST(ImportSbatch, LinesBehindTheFirstCommandAreTold)
{
  const ImportResult result = import_texts(
      {{"a.sbatch", "#!/bin/bash\n#SBATCH -N 1 --gres=gpu:2\n\n# more\n#SBATCH -t 10\nsrun x\n#SBATCH --nodes=7\n"}});
  EXPECT_EQ(std::tuple(result.draft.queue_jobs.at(0).tasks, result.draft.queue_jobs.at(0).duration_s),
            std::tuple(1, 600.0));
  EXPECT_THAT(lines_of(find_entry(result.report.ignored(), "behind the first command")), ElementsAre(7));
  // A here-document is a script of its own.
  const ImportResult inner =
      import_texts({{"go.sh", "#!/bin/bash\nsbatch <<EOF\n#!/bin/bash\n#SBATCH -N 3 -t 10\nsrun x\nEOF\n"}});
  EXPECT_EQ(inner.draft.queue_jobs.at(0).tasks, 3);
}

// slurm.conf(5): DefaultTime, else MaxTime, is the limit of who names none; DefMemPerGPU of two GPUs is 20,000 MiB, and
// DefCpuPerGPU four CPUs.
TEST(ImportSbatch, APartitionGivesAndRefuses)
{
  const std::string nodes = "DefMemPerCPU=1000\nNodeName=n[1-4] CPUs=64 RealMemory=512000 Gres=gpu:h100:8\n";
  const std::string conf = nodes +
                           "PartitionName=p Nodes=ALL Default=YES MaxTime=2-0 DefaultTime=30 DefMemPerGPU=10000 "
                           "JobDefaults=DefCpuPerGPU=2\n"
                           "PartitionName=q Nodes=ALL MaxTime=20 MaxNodes=1 AllowAccounts=vip,ops "
                           "MaxCPUsPerNode=16\nPartitionName=closed Nodes=ALL State=DRAIN\n";
  const auto job = [&](const std::string& options) { return import_script(options, conf).draft.queue_jobs.at(0); };
  const DraftQueueJob usual = job("--gres=gpu:2 -N 1");
  EXPECT_EQ(std::tuple(usual.duration_s, usual.memory_mib, usual.cpu_milli), std::tuple(1800.0, 20'000, 4000));
  EXPECT_EQ(job("--gres=gpu:2 -N 1 --mem=1G").memory_mib, 1024);
  const DraftQueueJob other = job("-N 1 -c 8 -p q -A vip");
  EXPECT_EQ(std::tuple(other.duration_s, other.estimate_s, other.memory_mib), std::tuple(1200.0, 1200.0, 8000));
  for (const auto& [options, why] : std::vector<std::pair<std::string, std::string>>{
           {"-N 4 -t 10 -p q -A vip", "MaxNodes=1, and it needs 4"},
           {"-N 1 -t 10 -p q -A guest", "allowaccounts=vip,ops, and it is of guest"},
           {"-N 1 -c 64 -t 10 -p q -A vip", "MaxCPUsPerNode=16, and it needs 64"},
           {"-N 1 -t 10 -p closed", "State=DRAIN"}}) {
    const ImportResult result = import_script(options, conf);
    EXPECT_TRUE(result.draft.queue_jobs.empty()) << options;
    EXPECT_THAT(errors_of(result), HasSubstr("no job of the files ever starts"));
    EXPECT_NE(find_entry(result.report.ignored(), "job j: never starts: its partition has " + why), nullptr) << options;
  }
}

// A seventh of a GPU, as the machine's own slices; two slices 3g of an A100 are 6/7 of one.
TEST(ImportSbatch, MigSlicesArePartsOfTheMachinesGpus)
{
  const std::string conf = "NodeName=m1 CPUs=64 Gres=gpu:a100_1g.10gb:7\nPartitionName=p Nodes=ALL Default=YES\n";
  for (const auto& [gres, milli, type] :
       {std::tuple{"gpu:1g.10gb:1", 142, ""}, std::tuple{"gpu:a100_1g.10gb:1", 142, "A100-SXM4-80GB"},
        std::tuple{"gpu:a100_3g.40gb:2", 857, "A100-SXM4-80GB"}}) {
    const ImportResult result = import_script(std::string{"-N 1 -t 30 --gres="} + gres, conf);
    const DraftQueueJob& job = result.draft.queue_jobs.at(0);
    EXPECT_EQ(std::tuple(job.gpus, job.gpu_milli, job.gpu_type), std::tuple(1, milli, type)) << gres;
    EXPECT_EQ(check_errors(result), "") << gres;
  }
  EXPECT_EQ(import_script("-N 1 -t 30 --gres=gpu:1g.10gb", "").draft.machines.at(0).gpu, "A100-SXM4-80GB");
}

TEST(ImportSbatch, WithoutSlurmConfJobsAreBackfilled)
{
  const ImportResult result = import_script("-N 2 --gres=gpu:8 -t 30", "");
  EXPECT_THAT(result.yaml, HasSubstr("policy: easy_backfill"));
  EXPECT_NE(find_entry(result.report.assumed(), "SchedulerType is sched/backfill by default"), nullptr);
  EXPECT_THAT(import_script("-N 2 --gres=gpu:8 -t 30", four_machines).yaml, HasSubstr("policy: {name: slurm"));
}

// A script that names its model trains it, on the machines of Slurm or of the launcher: 2 x 8 GPUs, FSDP in accelerate;
// 4 x 8 with DeepSpeed, whose file leaves the batch to the arguments; a network of images has no layout.
TEST(ImportTrainingScript, TheArgumentsNameTheModel)
{
  const std::string accelerate =
      "#!/bin/bash\n#SBATCH --nodes=2\n#SBATCH --gres=gpu:a100:8\n#SBATCH --time=20:00:00\n"
      "srun accelerate launch --num_processes $((SLURM_NNODES * 8)) --mixed_precision bf16 --use_fsdp \\\n"
      "  train.py --model_name_or_path Qwen/Qwen2.5-7B --per_device_train_batch_size 2 "
      "--gradient_accumulation_steps 4 --max_seq_length 8192 --gradient_checkpointing\n";
  const ImportResult sharded = import_texts({{"ft.sbatch", accelerate}});
  EXPECT_EQ(errors_of(sharded), "");
  EXPECT_TRUE(sharded.draft.queue_jobs.empty());
  ASSERT_EQ(sharded.draft.jobs.size(), 1U);
  EXPECT_EQ(sharded.draft.jobs[0].model, "{name: qwen2_7b, sequence_length: 8192}");
  EXPECT_THAT(sharded.draft.jobs[0].parallel,
              HasSubstr("{dp: 16, zero: 3, micro_batch: 2, global_batch: 128, recomputation: full"));

  const ImportResult deepspeed = import_texts(
      {{"run.sh", "deepspeed --num_nodes 4 --num_gpus 8 run_clm.py --deepspeed ds.json --model_name_or_path "
                  "meta-llama/Llama-2-13b-hf --per_device_train_batch_size 4 --gradient_accumulation_steps 2 "
                  "--block_size 4096 --gradient_checkpointing True\n"},
       {"ds.json", R"({"train_micro_batch_size_per_gpu": "auto", "gradient_accumulation_steps": "auto",
                       "bf16": {"enabled": "auto"}, "zero_optimization": {"stage": 3}})"}},
      {.gpu = "A100-SXM4-80GB"});
  EXPECT_EQ(errors_of(deepspeed), "");
  ASSERT_EQ(deepspeed.draft.jobs.size(), 1U);
  EXPECT_EQ(deepspeed.draft.jobs[0].model, "{name: llama2_13b, sequence_length: 4096}");
  EXPECT_THAT(deepspeed.draft.jobs[0].parallel,
              HasSubstr("{dp: 32, zero: 3, micro_batch: 4, global_batch: 256, recomputation: full"));
  EXPECT_EQ(deepspeed.draft.gpus(), 32);

  const ImportResult images = import_texts(
      {{"imagenet.sh", "torchrun --nnodes=1:2 --nproc_per_node=4 main.py --arch resnet50 --batch-size 64 --amp\n"}},
      {.gpu = "V100-SXM2-16GB"});
  EXPECT_EQ(errors_of(images), "");
  ASSERT_EQ(images.draft.jobs.size(), 1U);
  EXPECT_EQ(std::tuple(images.draft.jobs[0].model, images.draft.jobs[0].batch_per_gpu, images.draft.jobs[0].precision,
                       images.draft.jobs[0].workers, images.draft.jobs[0].parallel),
            std::tuple("resnet50", 64, "amp", 4, ""));
  EXPECT_EQ(check_errors(images), "");
  EXPECT_THAT(errors_of(import_texts({{"run.sh", "torchrun --nproc_per_node 8 train.py --model ours\n"}})),
              HasSubstr("the file does not name the model: give --model NAME"));
}

// 32 GPUs / (4 x 2) = 4 replicas; 32,000 words to a multiple of 128 x 4. By hand: a layer has 4 x 4096 x 4096 + 3 x
// 4096 x 11008 + 2 x 4096, 32 of them, 2 x 32,256 x 4096 and 4096: 6.741 billion.
TEST(ImportNemo, ReadsModelLayoutAndBatch)
{
  const ImportResult result = import_texts({{"nemo.yaml", launch_sample("nemo.yaml")}});
  EXPECT_EQ(errors_of(result), "");
  EXPECT_EQ(result.draft.jobs.at(0).parallel,
            "{tp: 4, pp: 2, dp: 4, sequence_parallel: true, zero: 1, micro_batch: 2, global_batch: 256, recomputation: "
            "selective, schedule: 1f1b, gradient_bytes: 2}");
  EXPECT_THAT(result.draft.jobs[0].model,
              HasSubstr("layers: 32, hidden: 4096, heads: 32, ffn: 11008, vocabulary: 32256, "
                        "gated: true, biases: false, tied: false, learnt_positions: false"));
  EXPECT_NE(find_entry(result.report.understood(), "a model of 6.741 billion parameters"), nullptr);
  EXPECT_EQ(result.draft.machines.at(0).count, 4);
  EXPECT_EQ(result.report.files.at(0).format, "nemo");
  EXPECT_EQ(find_entry(result.report.ignored(), "is not known here"), nullptr);
  EXPECT_EQ(check_errors(result), "");
}

// Two slices of 8: states are divided within one, and copied to the other. The dimensions are those of Mistral 7B.
TEST(ImportMaxText, ReadsMeshModelAndBatch)
{
  const ImportResult result = import_texts({{"maxtext.yml", launch_sample("maxtext.yml")}});
  EXPECT_EQ(errors_of(result), "");
  EXPECT_EQ(result.draft.jobs.at(0).parallel,
            "{dp: 16, zero: 3, shard_within: 8, micro_batch: 4, global_batch: 64, recomputation: full, "
            "fused_elementwise: true}");
  EXPECT_NE(find_entry(result.report.understood(), "a model of 7.242 billion parameters"), nullptr);
  EXPECT_EQ(find_entry(result.report.ignored(), "is not known here"), nullptr);
  EXPECT_EQ(check_errors(result), "");
}

/// What the report calls unknown.
std::string unknown_keys(const ImportResult& result)
{
  std::string names;
  for (const ImportEntry& entry : result.report.ignored())
    if (entry.why.starts_with("is not known here"))
      names += entry.what + " ";
  return names;
}

std::vector<std::string> blank_parted(const std::string& text)
{
  std::istringstream in{text};
  return {std::istream_iterator<std::string>{in}, {}};
}

// Names of megatron/training/arguments.py (NVIDIA/Megatron-LM 000c4ac2): each is used, or has a reason of its own.
TEST(ImportMegatron, NoArgumentIsWithoutAFate)
{
  const std::string names =
      "mrope-section make-vocab-size-divisible-by normalization norm-epsilon apply-layernorm-1p "
      "apply-residual-connection-post-layernorm openai-gelu squared-relu swiglu quick-geglu "
      "activation-func-clamp-value glu-linear-offset onnx-safe bert-no-binary-head "
      "untie-embeddings-and-output-weights multi-latent-attention mtp-num-layers mtp-loss-scaling-factor "
      "log-straggler disable-straggler-on-startup straggler-ctrlr-port straggler-minmax-count "
      "run-workload-inspector-server inprocess-restart inprocess-max-iterations inprocess-granularity "
      "no-one-logger one-logger-project one-logger-async app-tag-run-name enable-ft-package calc-ft-timeouts "
      "config-logger-dir log-params-norm log-num-zeros-in-grad log-throughput log-progress timing-log-level "
      "log-energy no-barrier-with-level-1-timing timing-log-option tensorboard-log-interval "
      "tensorboard-queue-size log-timers-to-tensorboard no-log-loss-scale-to-tensorboard wandb-project "
      "wandb-exp-name logging-level attention-dropout hidden-dropout weight-decay start-weight-decay "
      "end-weight-decay weight-decay-incr-style clip-grad adam-beta1 adam-eps sgd-momentum muon-momentum "
      "muon-tp-mode perform-rl-step rl-prompts-per-eval grpo-group-size langrl-env-config micro-batch-size "
      "batch-size global-batch-size rampup-batch-size decrease-batch-size-if-needed recompute-activations "
      "recompute-granularity no-check-for-nan-in-loss-and-grad check-for-spiky-loss "
      "distribute-saved-activations recompute-method recompute-num-layers recompute-modules "
      "cpu-offloading-num-layers no-clone-scatter-output-in-embedding profile profile-step-start "
      "iterations-to-skip result-rejected-tracker-filename disable-gloo-process-groups use-pytorch-profiler "
      "profile-ranks record-memory-history memory-snapshot-path tp-comm-overlap tp-comm-overlap-cfg "
      "disable-tp-comm-overlap-ag tp-comm-overlap-rs-dgrad disable-tp-comm-bulk-dgrad "
      "tp-comm-bootstrap-backend use-cpu-initialization empty-unused-memory-level deterministic-mode "
      "check-weight-hash-across-dp-replicas-interval calculate-per-token-loss train-sync-interval "
      "checkpoint-activations train-iters train-samples log-interval exit-interval exit-duration-in-mins "
      "exit-signal-handler tensorboard-dir no-masked-softmax-fusion no-bias-gelu-fusion no-bias-swiglu-fusion "
      "use-fused-weighted-squared-relu no-bias-dropout-fusion no-rope-fusion rope-type "
      "cross-entropy-loss-fusion cross-entropy-fusion-impl use-flash-attn disable-bias-linear add-qkv-bias "
      "optimizer optimizer-cpu-offload optimizer-offload-fraction use-torch-optimizer-for-cpu-offload "
      "overlap-cpu-optimizer-d2h-h2d dump-param-to-param-group-map no-pin-cpu-grads no-pin-cpu-params "
      "dataloader-type no-async-tensor-model-parallel-allreduce no-persist-layer-norm sequence-parallel "
      "no-gradient-accumulation-fusion use-mcore-models use-legacy-models manual-gc manual-gc-interval "
      "no-manual-gc-eval disable-tp-comm-split-ag pipeline-model-parallel-comm-backend "
      "high-priority-stream-groups use-te-activation-func error-injection-rate rerun-mode seed "
      "data-parallel-random-init init-method-std embedding-init-method-std init-method-xavier-uniform lr "
      "lr-decay-style lr-wsd-decay-style lr-decay-iters lr-warmup-fraction warmup min-lr "
      "override-opt-param-scheduler use-checkpoint-opt-param-scheduler decoupled-lr decoupled-min-lr save "
      "save-interval save-retain-interval no-save-optim no-save-rng load no-load-optim "
      "load-main-params-from-ckpt no-load-rng no-strict-fsdp-dtensor-load non-persistent-save-interval "
      "non-persistent-ckpt-type finetune pretrained-checkpoint ckpt-step no-initialization use-checkpoint-args "
      "use-mp-args-from-checkpoint-args no-use-tokenizer-model-from-checkpoint-args exit-on-missing-checkpoint "
      "use-dist-ckpt use-persistent-ckpt-worker auto-detect-ckpt-format dist-ckpt-format ckpt-format "
      "ckpt-convert-format ckpt-fully-parallel-save no-ckpt-fully-parallel-save async-save "
      "ckpt-fully-parallel-load ckpt-assume-constant-structure dist-ckpt-strictness "
      "dist-ckpt-optim-fully-reshardable distrib-optim-fully-reshardable-mem-efficient fp16 bf16 "
      "grad-reduce-in-bf16 loss-scale initial-loss-scale min-loss-scale loss-scale-window hysteresis "
      "fp32-residual-connection apply-query-key-layer-scaling attention-softmax-in-fp32 "
      "accumulate-allreduce-grads-in-fp32 fp16-lm-cross-entropy disable-bf16-reduced-precision-matmul "
      "reuse-grad-buf-for-mxfp8-param-ag tensor-model-parallel-size pipeline-model-parallel-size "
      "decoder-first-pipeline-num-layers decoder-last-pipeline-num-layers pipeline-model-parallel-layout "
      "model-parallel-size num-layers-per-virtual-pipeline-stage num-virtual-stages-per-pipeline-rank "
      "microbatch-group-size-per-virtual-pipeline-stage no-overlap-p2p-communication "
      "overlap-p2p-communication-warmup-flush distributed-backend distributed-timeout-minutes "
      "overlap-grad-reduce defer-embedding-wgrad-compute wgrad-deferral-limit no-align-grad-reduce "
      "ddp-num-buckets ddp-bucket-size ddp-pad-buckets-for-high-nccl-busbw "
      "ddp-reduce-scatter-with-fp32-accumulation ddp-average-in-collective overlap-param-gather "
      "overlap-param-gather-with-optimizer-step no-align-param-gather no-scatter-gather-tensors-in-pipeline "
      "use-ring-exchange-p2p local-rank lazy-mpu-init account-for-embedding-in-pipeline-split "
      "account-for-loss-in-pipeline-split use-distributed-optimizer use-nccl-ub disable-symmetric-registration "
      "use-sharp sharp-enabled-group use-megatron-fsdp init-model-with-meta-device "
      "data-parallel-sharding-strategy no-gradient-reduce-div-fusion fsdp-double-buffer "
      "suggested-communication-unit-size keep-fp8-transpose-cache enable-full-sharding-in-hsdp "
      "num-distributed-optimizer-instances use-torch-fsdp2 torch-fsdp2-no-reshard-after-forward "
      "context-parallel-size cp-comm-type hierarchical-context-parallel-sizes nccl-communicator-config-path "
      "use-tp-pp-dp-mapping replication replication-jump full-validation multiple-validation-sets eval-iters "
      "eval-interval test-mode skip-train vocab-size padded-vocab-size vocab-file merge-file vocab-extra-ids "
      "tokenizer-type tokenizer-model tokenizer-metadata tiktoken-pattern legacy-tokenizer trust-remote-code "
      "data-path split train-data-path valid-data-path test-data-path data-args-path per-split-data-args-path "
      "data-cache-path no-mmap-bin-files mock-data seq-length encoder-seq-length decoder-seq-length "
      "retriever-seq-length sample-rate mask-prob short-seq-prob num-workers reset-position-ids "
      "reset-attention-mask eod-mask-loss no-create-attention-mask-in-dataloader num-dataset-builder-threads "
      "object-storage-cache-path mid-level-dataset-surplus allow-ambiguous-pad-tokens adlr-autoresume "
      "ict-head-size biencoder-projection-dim bert-load titles-data-path query-in-block-prob use-one-sent-docs "
      "evidence-data-path retriever-score-scaling block-data-path embedding-path indexer-batch-size "
      "num-classes img-h num-channels patch-dim classes-fraction data-per-class-fraction no-data-sharding "
      "head-lr-mult vision-pretraining swin-backbone-type mask-type iter-per-epoch dino-local-img-size "
      "qk-layernorm qk-l2-norm expert-model-parallel-size expert-tensor-parallel-size num-experts "
      "moe-layer-freq moe-ffn-hidden-size moe-shared-expert-intermediate-size moe-shared-expert-overlap "
      "moe-grouped-gemm moe-use-legacy-grouped-gemm moe-layer-recompute moe-extended-tp moe-use-upcycling "
      "moe-router-load-balancing-type moe-router-dtype moe-router-fusion moe-router-score-function "
      "moe-router-topk moe-router-pre-softmax moe-router-num-groups moe-router-group-topk "
      "moe-router-topk-scaling-factor moe-router-enable-expert-bias moe-router-bias-update-rate "
      "moe-router-force-load-balancing moe-router-padding-for-fp8 moe-aux-loss-coeff moe-z-loss-coeff "
      "moe-input-jitter-eps moe-per-layer-logging moe-token-dispatcher-type moe-enable-deepep "
      "moe-deepep-num-sms moe-permute-fusion moe-expert-capacity-factor moe-pad-expert-input-to-capacity "
      "moe-token-drop-policy moe-apply-probs-on-input overlap-moe-expert-parallel-comm q-lora-rank "
      "kv-lora-rank qk-head-dim qk-pos-emb-head-dim v-head-dim num-layers hidden-size ffn-hidden-size "
      "num-attention-heads kv-channels group-query-attention num-query-groups attention-backend "
      "max-position-embeddings position-embedding-type use-rotary-position-embeddings rotary-base "
      "rotary-percent rotary-interleaved rotary-seq-len-interpolation-factor use-rope-scaling "
      "rope-scaling-factor window-size fp8-format fp8-recipe fp8-margin fp8-param-gather "
      "first-last-layers-bf16 fp4-format transformer-impl te-rng-tracker "
      "inference-batch-times-seqlen-threshold retro-project-dir enable-cuda-graph cuda-graph-scope "
      "external-cuda-graph main-grads-dtype main-params-dtype exp-avg-dtype exp-avg-sq-dtype "
      "use-precision-aware-optimizer heterogeneous-layers-config-path yaml-cfg mamba-state-dim spec "
      "use-kitchen";
  std::string script = "torchrun --nproc_per_node=8 --nnodes=4 pretrain_gpt.py";
  for (const std::string& name : blank_parted(names))
    script += " --" + name + " 1";
  EXPECT_EQ(unknown_keys(import_texts({{"run.sh", script + "\n"}})), "");
}

// torchtitan/config/job_config.py (6404b932, 000204a4): tables and keys.
TEST(ImportTorchTitan, NoKeyIsWithoutAFate)
{
  const std::string names =
      "job.config_file job.dump_folder job.description job.print_args profiling.enable_profiling "
      "profiling.profile_freq metrics.log_freq metrics.enable_wandb model.name model.flavor "
      "model.tokenizer_path model.converters model.print_after_conversion optimizer.name optimizer.lr "
      "optimizer.beta1 optimizer.eps optimizer.weight_decay optimizer.implementation "
      "optimizer.early_step_in_backward lr_scheduler.warmup_steps lr_scheduler.decay_ratio training.dataset "
      "training.dataset_path training.local_batch_size training.global_batch_size training.seq_len "
      "training.max_norm training.steps training.enable_cpu_offload training.dtype "
      "training.mixed_precision_param training.mixed_precision_reduce training.compile training.gc_freq "
      "training.gc_debug training.seed training.deterministic parallelism.data_parallel_replicate_degree "
      "parallelism.enable_compiled_autograd parallelism.data_parallel_shard_degree "
      "parallelism.fsdp_reshard_after_forward parallelism.tensor_parallel_degree "
      "parallelism.disable_loss_parallel parallelism.enable_async_tensor_parallel "
      "parallelism.pipeline_parallel_degree parallelism.pipeline_parallel_split_points "
      "parallelism.pipeline_parallel_layers_per_stage parallelism.pipeline_parallel_schedule "
      "parallelism.pipeline_parallel_schedule_csv parallelism.pipeline_parallel_microbatch_size "
      "parallelism.context_parallel_degree parallelism.context_parallel_rotate_method "
      "parallelism.expert_parallel_degree parallelism.expert_tensor_parallel_degree checkpoint.folder "
      "checkpoint.interval checkpoint.async_mode activation_checkpoint.mode "
      "activation_checkpoint.selective_ac_option "
      "activation_checkpoint.per_op_sac_force_recompute_mm_shapes_by_fqns float8.enable_fsdp_float8_all_gather "
      "float8.recipe_name mx.recipe_name comm.init_timeout_seconds memory_estimation.enabled "
      "fault_tolerance.enable fault_tolerance.group_size experimental.custom_import validation.enabled "
      "validation.freq compile.enable";
  std::map<std::string, std::string> tables;
  for (const std::string& name : blank_parted(names))
    tables[name.substr(0, name.find('.'))] += name.substr(name.find('.') + 1) + " = 1\n";
  std::string text;
  for (const auto& [table, keys] : tables)
    text += "[" + table + "]\n" + keys;
  EXPECT_EQ(unknown_keys(import_texts({{"t.toml", text}}, {.model = "llama3_8b"})), "");
}

// DeepSpeed, docs/_pages/config-json.md and deepspeed/runtime/zero/config.py.
TEST(ImportDeepSpeed, NoKeyIsWithoutAFate)
{
  const std::string names =
      "train_batch_size train_micro_batch_size_per_gpu gradient_accumulation_steps optimizer scheduler "
      "communication_data_type prescale_gradients gradient_predivide_factor sparse_gradients fp16 bf16 amp "
      "gradient_clipping zero_optimization zero_allow_untested_optimizer zero_force_ds_cpu_optimizer aio "
      "steps_per_print wall_clock_breakdown dump_state autotuning flops_profiler activation_checkpointing "
      "sparse_attention data_efficiency curriculum_learning tensorboard wandb csv_monitor elasticity "
      "comms_logger compression_training checkpoint data_types pipeline tensor_parallel sequence_parallel_size "
      "compile progressive_layer_drop dataloader_drop_last disable_allgather";
  const std::string of_zero =
      "stage allgather_partitions allgather_bucket_size overlap_comm reduce_scatter reduce_bucket_size "
      "contiguous_gradients load_from_fp32_weights grad_hooks round_robin_gradients offload_param "
      "offload_optimizer cpu_offload cpu_offload_params cpu_offload_use_pin_memory sub_group_size "
      "elastic_checkpoint stage3_max_live_parameters stage3_max_reuse_distance stage3_prefetch_bucket_size "
      "stage3_param_persistence_threshold stage3_model_persistence_threshold "
      "stage3_gather_16bit_weights_on_model_save zero_hpz_partition_size zero_quantized_weights "
      "zero_quantized_gradients ignore_unused_parameters legacy_stage1 mics_shard_size "
      "mics_hierarchical_params_gather memory_efficient_linear pipeline_loading_checkpoint "
      "override_module_apply log_trace_cache_warnings";
  std::string text, zero;
  for (const std::string& name : blank_parted(of_zero))
    zero += (zero.empty() ? "" : ", ") + ("\"" + name + "\": 1");
  for (const std::string& name : blank_parted(names))
    text +=
        (text.empty() ? "" : ", ") + ("\"" + name + "\": " + (name == "zero_optimization" ? "{" + zero + "}" : "1"));
  EXPECT_EQ(unknown_keys(import_texts({{"d.json", "{" + text + "}"}}, {.model = "llama3_8b"})), "");
}

// One replica: nothing adds gradients up. Without a model the messages inside it are told as left out.
TEST(ImportAicb, MessagesThatAreNotInTheJobAreTold)
{
  const auto imported = [](int tp) {
    return import_texts(
        {{"w.txt", "HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: " + std::to_string(tp) +
                       " ep: 1 pp: 1 vpp: 8 ga: 1 all_gpus: 8 checkpoints: 0 checkpoint_initiates: 0\n1\n"
                       "layer\t-1\t500000\tALLREDUCE\t100000000\t1\tNONE\t0\t1\tALLREDUCE\t8000000\t1\n"}});
  };
  const ImportResult one = imported(8), four = imported(2);
  EXPECT_NE(find_entry(one.report.ignored(), "forward ALLREDUCE: 100 MB: without the model"), nullptr);
  EXPECT_NE(find_entry(one.report.ignored(), "gradients ALLREDUCE: 8 MB: there is one replica"), nullptr);
  EXPECT_THAT(one.draft.jobs.at(0).model, HasSubstr("elements: 1}"));
  EXPECT_NE(find_entry(four.report.understood(), "gradients ALLREDUCE: 8 MB"), nullptr);
  EXPECT_THAT(four.draft.jobs.at(0).model, HasSubstr("elements: 4000000"));
}

// MaxText runs on TPUs: a word of the file says which, or nothing does.
TEST(ImportMaxText, HardwareIsWhatTheFileNames)
{
  const std::string text = "model_name: llama2-7b\nper_device_batch_size: 4\nici_fsdp_parallelism: 16\nhardware: tpu\n";
  const ImportResult known = import_texts({{"maxtext.yml", text + "run_name: v5e-16-test\n"}});
  EXPECT_EQ(errors_of(known), "");
  EXPECT_EQ(known.draft.machines.at(0).gpu, "TPU-v5e");
  EXPECT_THAT(errors_of(import_texts({{"maxtext.yml", text}})), HasSubstr("hardware: tpu, and no word of which"));
  EXPECT_EQ(import_texts({{"maxtext.yml", text}}, {.gpu = "TPU-v5p"}).draft.machines.at(0).gpu, "TPU-v5p");
}

// What serves, generates or evaluates is no training, whatever network it names: a job of Slurm runs for its limit, and
// a script by itself is no file of ours. Programs of other kinds under mpirun are none either.
TEST(ImportTrainingScript, WhatServesOrEvaluatesIsNoTraining)
{
  const std::string head = "#!/bin/bash\n#SBATCH --nodes=1\n#SBATCH --gres=gpu:a100:4\n#SBATCH --time=04:00:00\n";
  for (const char* command :
       {"srun python -m vllm.entrypoints.openai.api_server --model meta-llama/Llama-3.1-8B",
        "srun python evaluate.py --model resnet50", "torchrun tools/generate.py --model llama3_8b"}) {
    const ImportResult result = import_texts({{"s.sbatch", head + command + "\n"}});
    EXPECT_TRUE(result.draft.jobs.empty()) << command;
    ASSERT_EQ(result.draft.queue_jobs.size(), 1U) << command;
    EXPECT_EQ(result.draft.queue_jobs[0].duration_s, 4 * 3600.0);
  }
  EXPECT_EQ(import_texts({{"s.sbatch", head + "srun python train_and_eval.py --model resnet50\n"}}).draft.jobs.size(),
            1U);
  for (const char* script :
       {"mpirun -np 64 ./lmp -in in.lj\n", "deepspeed --num_gpus 8 inference.py --model llama2_13b\n"})
    EXPECT_THROW(import_texts({{"run.sh", script}}), InputError) << script;
}

// What the launcher leaves open is said: the fewest machines of a range, the batch, and who fills DeepSpeed's "auto".
TEST(ImportTrainingScript, SaysWhatTheCommandLeavesOpen)
{
  const std::string auto_batch = R"({"train_micro_batch_size_per_gpu": "auto", "gradient_accumulation_steps": "auto",
                                     "bf16": {"enabled": "auto"}, "zero_optimization": {"stage": 3}})";
  const ImportResult result = import_texts(
      {{"run.sh", "torchrun --nnodes 2:4 --nproc_per_node 8 train.py --deepspeed ds.json --model_name_or_path "
                  "meta-llama/Llama-2-13b-hf\n"},
       {"ds.json", auto_batch}},
      {.gpu = "A100-SXM4-80GB"});
  EXPECT_EQ(errors_of(result), "");
  EXPECT_EQ(result.draft.gpus(), 16);
  EXPECT_NE(find_entry(result.report.assumed(), "2 machines: the fewest of the range"), nullptr);
  EXPECT_NE(find_entry(result.report.assumed(), "micro-batch 1: the command names no batch"), nullptr);
  EXPECT_NE(find_entry(result.report.understood(), "gradient_accumulation_steps \"auto\": what the script says"),
            nullptr);
}

// accelerate config: 16 processes on 2 machines are 8 GPUs each; FULL_SHARD divides weights, gradients and states.
TEST(ImportAccelerate, MachinesPrecisionAndShardingAreThoseOfTheFile)
{
  const std::string file = "compute_environment: LOCAL_MACHINE\ndebug: false\ndistributed_type: FSDP\n"
                           "downcast_bf16: 'no'\nfsdp_config:\n  fsdp_auto_wrap_policy: TRANSFORMER_BASED_WRAP\n"
                           "  fsdp_sharding_strategy: FULL_SHARD\n  fsdp_activation_checkpointing: true\n"
                           "machine_rank: 0\nmain_process_ip: 10.0.0.1\nmixed_precision: bf16\nnum_machines: 2\n"
                           "num_processes: 16\nrdzv_backend: c10d\nuse_cpu: false\n";
  const ImportResult alone = import_texts({{"acc.yaml", file}}, {.model = "llama3_8b"});
  ASSERT_EQ(alone.draft.machines.size(), 1U);
  EXPECT_EQ(alone.draft.machines[0].count, 2);
  EXPECT_EQ(alone.draft.machines[0].gpus, 8);
  ASSERT_EQ(alone.draft.jobs.size(), 1U);
  EXPECT_EQ(alone.draft.jobs[0].workers, 16);
  EXPECT_THAT(alone.draft.jobs[0].parallel, HasSubstr("zero: 3"));
  EXPECT_THAT(alone.draft.jobs[0].parallel, HasSubstr("recomputation: full"));
  EXPECT_EQ(check_errors(alone), "");
  // A script beside it names the network and the batch, and starts fewer processes.
  const ImportResult both = import_texts(
      {{"run.sh", "#!/bin/bash\naccelerate launch --config_file acc.yaml --num_processes 8 --num_machines 1 train.py "
                  "--model_name_or_path mistralai/Mistral-7B-v0.1 --per_device_train_batch_size 2\n"},
       {"acc.yaml", file}});
  ASSERT_EQ(both.draft.jobs.size(), 1U);
  EXPECT_EQ(both.draft.jobs[0].workers, 8);
  EXPECT_EQ(both.draft.jobs[0].model, "mistral_7b");
  EXPECT_THAT(both.draft.jobs[0].parallel, HasSubstr("zero: 3"));
  EXPECT_EQ(check_errors(both), "");
  const ImportResult zero2 =
      import_texts({{"acc.yaml", "compute_environment: LOCAL_MACHINE\ndistributed_type: DEEPSPEED\ndeepspeed_config:\n"
                                 "  zero_stage: 2\n  gradient_accumulation_steps: 4\n  offload_optimizer_device: none\n"
                                 "mixed_precision: fp16\nnum_machines: 1\nnum_processes: 4\n"}},
                   {.model = "llama3_8b"});
  ASSERT_EQ(zero2.draft.jobs.size(), 1U);
  EXPECT_EQ(zero2.draft.machines.at(0).gpus, 4);
  EXPECT_THAT(zero2.draft.jobs[0].parallel, HasSubstr("zero: 2"));
  EXPECT_EQ(check_errors(zero2), "");
}

} // namespace
} // namespace trainyard
