// SPDX-License-Identifier: Apache-2.0
/// Which machines and GPUs the ranks of a training start on, as torchrun, mpirun, horovodrun, deepspeed, jsrun, sbatch
/// and compose say it. Expected values by hand from their manuals.
#include "tests/import/import_support.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace trainyard {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using tests::check_errors;
using tests::find_entry;
using tests::import_texts;
using tests::lines_of;

using LaunchTexts = std::vector<std::pair<std::string, std::string>>;

/// The import, which has no errors.
ImportResult imported_launch(const LaunchTexts& texts)
{
  ImportResult result = import_texts(texts, {.gpu = "A100-SXM4-80GB"});
  for (const Diagnostic& fault : result.report.faults.sorted())
    ADD_FAILURE() << format(fault);
  EXPECT_EQ(check_errors(result), "");
  return result;
}

/// Machines, and GPUs of one.
std::pair<int, int> ranks_of(const ImportResult& result)
{
  const std::vector<DraftMachines>& machines = result.draft.machines;
  return machines.size() == 1 ? std::pair{machines[0].count, machines[0].gpus} : std::pair{0, 0};
}

std::pair<int, int> ranks_of(const std::string& script)
{
  return ranks_of(imported_launch({{"run.sh", script + "\n"}}));
}

constexpr const char* gpt_arguments =
    " pretrain_gpt.py --num-layers 32 --hidden-size 1024 --num-attention-heads 16 --seq-length "
    "1024 --vocab-size 32000 --micro-batch-size 1 --global-batch-size 64 --bf16 ";

// torch/distributed/run.py: --nnodes is 1 unless it is given; 8 GPUs on 2 stages are 4 replicas.
TEST(ImportLaunchers, TorchrunRunsOnOneMachineUnlessItSaysMore)
{
  for (const char* launcher : {"torchrun --nproc_per_node 8", "torchrun --standalone --nproc-per-node=8",
                               "python -m torch.distributed.launch --nproc_per_node 8", "deepspeed --num_gpus 8"}) {
    const ImportResult result =
        imported_launch({{"run.sh", std::string{launcher} + gpt_arguments + "--pipeline-model-parallel-size 2\n"}});
    EXPECT_EQ(ranks_of(result), std::pair(1, 8)) << launcher;
    EXPECT_THAT(result.draft.jobs.at(0).parallel, HasSubstr("pp: 2, dp: 4")) << launcher;
    EXPECT_NE(find_entry(result.report.assumed(), "1 machine: the command names no number"), nullptr) << launcher;
  }
  EXPECT_EQ(ranks_of(std::string{"torchrun --nnodes 2 --nproc_per_node 8"} + gpt_arguments), std::pair(2, 8));
  EXPECT_EQ(ranks_of(std::string{"mpirun -np 16 -H a:8,b:8 python"} + gpt_arguments), std::pair(2, 8));
  EXPECT_EQ(ranks_of(std::string{"export CUDA_VISIBLE_DEVICES=0,1\ntorchrun --nproc-per-node=gpu"} + gpt_arguments),
            std::pair(1, 2));
}

// The job has 2 x 8 GPUs; what torchrun is told counts, in one machine (--standalone) or several.
TEST(ImportLaunchers, TorchrunInAJobOfSlurmMayStartFewerRanksThanTheJobHasGpus)
{
  const auto job = [](const std::string& launcher, int nodes = 2) {
    return fmt::format("#!/bin/bash\n#SBATCH --nodes={} --gpus-per-node=8\nsrun {} train.py ", nodes, launcher);
  };
  const std::string images = "--model resnet50 --batch-size 8\n";
  const ImportResult two = imported_launch({{"a.sbatch", job("torchrun --standalone --nproc_per_node=2", 1) + images}});
  EXPECT_EQ(two.draft.jobs.at(0).workers, 2);
  EXPECT_NE(find_entry(two.report.assumed(), "2 of 8 GPUs train"), nullptr);
  const auto workers = [&](const std::string& launcher) {
    return imported_launch({{"a.sbatch", job(launcher) + images}}).draft.jobs.at(0).workers;
  };
  EXPECT_EQ(workers("torchrun --nnodes 2 --nproc_per_node 4"), 8);
  EXPECT_EQ(workers("torchrun --nnodes=$SLURM_NNODES --nproc_per_node=gpu"), 16);
  EXPECT_EQ(workers("accelerate launch --num_processes 4"), 4);
  EXPECT_EQ(workers("accelerate launch --num_processes 16"), 16);
  const ImportResult of_cluster =
      imported_launch({{"a.sbatch", job("torchrun --nnodes 2 --nproc_per_node 8") + images},
                       {"slurm.conf", "GresTypes=gpu\nNodeName=n[1-4] CPUs=64 Gres=gpu:a100:8\nPartitionName=p "
                                      "Nodes=ALL Default=YES\n"}});
  EXPECT_EQ(of_cluster.draft.jobs.at(0).workers, 16); // of 32
  const ImportResult sharded = import_texts(
      {{"a.sbatch", job("torchrun --standalone --nproc_per_node=2", 1) +
                        "--model_name_or_path meta-llama/Llama-3.1-8B --per_device_train_batch_size 1 --bf16 --fsdp "
                        "full_shard\n"}});
  EXPECT_THAT(sharded.draft.jobs.at(0).parallel, HasSubstr("{dp: 2, zero: 3"));
}

// pytorch/examples, imagenet/main.py: -a, -b, -j; with --multiprocessing-distributed 4 GPUs share a batch of 256.
TEST(ImportLaunchers, ShortFlagsOfTheProgramCount)
{
  for (const char* program : {"torchrun --nproc_per_node=4 main.py", "torchrun --nproc_per_node=4 -m images.main",
                              "python -m torch.distributed.launch --nproc_per_node=4 main.py"}) {
    const ImportResult result = imported_launch({{"run.sh", std::string{program} + " -a resnet50 -b 256 -j16 -z 3\n"}});
    EXPECT_EQ(result.draft.jobs.at(0).model, "resnet50") << program;
    EXPECT_EQ(result.draft.jobs.at(0).batch_per_gpu, 256) << program;
    EXPECT_NE(find_entry(result.report.ignored(), "-j: reading of samples"), nullptr) << program;
    EXPECT_NE(find_entry(result.report.ignored(), "-z: is not known here"), nullptr) << program;
  }
  const ImportResult shared =
      imported_launch({{"a.sbatch", "#!/bin/bash\n#SBATCH --nodes=2 --gpus-per-node=4\nsrun python main.py -a resnet50 "
                                    "-b 256 --multiprocessing-distributed /data\n"}});
  EXPECT_EQ(shared.draft.jobs.at(0).batch_per_gpu, 64);
}

// mpirun(1) of Open MPI, horovod/runner/launch.py: HOST:SLOTS; ranks fill the hosts in order.
TEST(ImportLaunchers, HostsOfTheCommandAreTheMachines)
{
  const std::string program = " python train.py --model resnet50 --batch-size 64";
  EXPECT_EQ(ranks_of("horovodrun -np 8 -H server1:4,server2:4" + program), std::pair(2, 4));
  EXPECT_EQ(ranks_of("horovodrun -np 8 --hosts server1:4,server2:4" + program), std::pair(2, 4));
  EXPECT_EQ(ranks_of("mpirun -np 4 --host a:4,b:4" + program), std::pair(1, 4));
  EXPECT_EQ(ranks_of("mpirun -H a:4,b:4" + program), std::pair(2, 4));
  EXPECT_EQ(ranks_of("mpirun -np 8 -H a,b" + program), std::pair(2, 4));
  EXPECT_EQ(ranks_of("mpirun -H a,a,b,b" + program), std::pair(2, 2));
  const ImportResult result =
      imported_launch({{"run.sh", "mpirun --allow-run-as-root -np 16 -H node1:8,node2:8 -bind-to none -map-by slot -x "
                                  "NCCL_DEBUG=INFO -mca pml ob1 --hostfile hosts.txt" +
                                      program + "\n"}});
  EXPECT_EQ(ranks_of(result), std::pair(2, 8));
  EXPECT_NE(find_entry(result.report.understood(), "-H node1:8,node2:8: 2 machines with 8 ranks each"), nullptr);
  for (const char* told : {"-bind-to: which cores", "-map-by: which cores", "-x: variables of programs",
                           "-mca: variables of programs", "--hostfile: the file with the hosts is not read"})
    EXPECT_NE(find_entry(result.report.ignored(), told), nullptr) << told;
}

// deepspeed/launcher/runner.py: NAME:GPU,GPU@NAME:GPU; CUDA numbers what a process may see.
TEST(ImportLaunchers, VisibleDevicesAreTheGpus)
{
  const std::string program = " train.py --model_name_or_path facebook/opt-1.3b --per_device_train_batch_size 1 --bf16";
  EXPECT_EQ(ranks_of("export CUDA_VISIBLE_DEVICES=0,1,2,3\ndeepspeed" + program), std::pair(1, 4));
  EXPECT_EQ(ranks_of("CUDA_VISIBLE_DEVICES=0,1,2,3 torchrun --nproc-per-node=gpu" + program), std::pair(1, 4));
  EXPECT_EQ(ranks_of("CUDA_VISIBLE_DEVICES=0,1,2,3 accelerate launch --num_processes 2" + program), std::pair(1, 2));
  EXPECT_EQ(ranks_of("deepspeed --include localhost:0,1,2,3" + program), std::pair(1, 4));
  EXPECT_EQ(ranks_of("deepspeed --include=\"node1:0,1@node2:0,1\"" + program), std::pair(2, 2));
  EXPECT_EQ(ranks_of("deepspeed --num_gpus 4" + program), std::pair(1, 4));
}

// Words of a list stay apart, numbers with commas stay one word.
TEST(ImportLaunchers, CommasPartFlagsButNotNumbers)
{
  const ImportResult result = imported_launch(
      {{"args.txt", "[x.py,--num-layers,4,--hidden-size,256,--num-attention-heads,4,--seq-length,128,"
                    "--vocab-size,1024,--micro-batch-size,1,--global-batch-size,8,--world-size,8,--bf16,x]\n"}});
  EXPECT_THAT(result.draft.jobs.at(0).model, HasSubstr("layers: 4, hidden: 256"));
  EXPECT_EQ(result.draft.jobs[0].workers, 8);
}

TEST(ImportLaunchers, WhatTheFileOfDeepSpeedLeavesOpenTheScriptSays)
{
  const std::string file = R"({"train_micro_batch_size_per_gpu": "auto", "gradient_accumulation_steps": "auto",
    "fp16": {"enabled": "auto"}, "bf16": {"enabled": "auto"}, "zero_optimization": {"stage": 2}})";
  const auto both = [&](const std::string& flags) {
    return imported_launch(
        {{"ds.sh", "deepspeed --num_gpus 8 --num_nodes 2 train.py --deepspeed d.json --model_name_or_path "
                   "facebook/opt-1.3b --per_device_train_batch_size 8 --max_steps 300 " +
                       flags + "\n"},
         {"d.json", file}});
  };
  const ImportResult half = both("--fp16");
  EXPECT_EQ(half.draft.jobs.at(0).precision, "fp16");
  EXPECT_EQ(half.draft.jobs[0].steps, 300);
  EXPECT_EQ(ranks_of(half), std::pair(2, 8));
  EXPECT_NE(find_entry(half.report.understood(), "--deepspeed d.json: its settings are those of the job"), nullptr);
  EXPECT_EQ(find_entry(half.report.ignored(), "--deepspeed"), nullptr);
  EXPECT_EQ(both("--bf16").draft.jobs.at(0).precision, "bf16");
  EXPECT_NE(find_entry(both("").report.assumed(), "products in bf16: \"auto\""), nullptr);
}

constexpr const char* with_settings = R"(#!/bin/bash
#SBATCH --nodes=2
#SBATCH --gres=gpu:a100:4
#SBATCH --time=24:00:00
#SBATCH -p gpu
#SBATCH --mem=0
#SBATCH --exclusive
BATCH=4
cat > ds_config.json <<EOF
{
  "train_micro_batch_size_per_gpu": $BATCH, "gradient_accumulation_steps": 2,
  "bf16": {"enabled": true}, "zero_optimization": {"stage": 2}
}
EOF
deepspeed --hostfile=$hostfile --num_nodes=$SLURM_JOB_NUM_NODES --num_gpus=4 \
  train.py --deepspeed ds_config.json --model_name_or_path facebook/opt-6.7b --max_steps 1000
)";

// The script writes the file itself: 8 replicas of 4 sequences, twice.
TEST(ImportSbatch, AFileThatTheScriptWritesIsRead)
{
  const ImportResult result = imported_launch({{"s.sbatch", with_settings}});
  ASSERT_EQ(result.draft.jobs.size(), 1U);
  EXPECT_THAT(result.draft.jobs[0].parallel, HasSubstr("dp: 8, zero: 2, micro_batch: 4, global_batch: 64"));
  EXPECT_EQ(result.draft.jobs[0].steps, 1000);
  EXPECT_THAT(lines_of(find_entry(result.report.understood(), "ZeRO stage 2")), ::testing::ElementsAre(12));
  for (const char* told : {"--time: the machines are this job's own", "--partition: the machines",
                           "--mem: the machines", "--exclusive: the machines"})
    EXPECT_NE(find_entry(result.report.ignored(), told), nullptr) << told;
}

// sbatch(1): 4 tasks of one GPU, with 8 CPUs and 60 GiB each, on as many machines as there is room for them.
TEST(ImportSbatch, CpusAndMemoryAreOfTheGpus)
{
  const ImportResult result =
      imported_launch({{"a.sbatch", "#SBATCH --ntasks=4\n#SBATCH --gpus-per-task=1\n#SBATCH --cpus-per-gpu=8\n"
                                    "#SBATCH --mem-per-gpu=60G\n#SBATCH --time=01:00:00\nsrun python train.py\n"}});
  const DraftQueueJob& job = result.draft.queue_jobs.at(0);
  EXPECT_EQ(std::tuple(job.gpus, job.tasks, job.cpu_milli, job.memory_mib), std::tuple(4, 4, 8000, 60 * 1024));
  EXPECT_EQ(find_entry(result.report.ignored(), "-per-gpu"), nullptr);
}

// sbatch(1), heterogeneous jobs: 16 CPUs on one machine, and 2 machines of 4 GPUs.
TEST(ImportSbatch, ComponentsOfAHeterogeneousJobStayApart)
{
  for (const char* mark : {"hetjob", "packjob"}) {
    const ImportResult result =
        imported_launch({{"a.sbatch", "#SBATCH --job-name=het\n#SBATCH --time=1-0\n#SBATCH --nodes=1 --ntasks=1 "
                                      "--cpus-per-task=16 --mem=64G --partition=cpu\n#SBATCH " +
                                          std::string{mark} +
                                          "\n#SBATCH --nodes=2 --ntasks-per-node=4 --gpus-per-node=4 --partition=gpu\n"
                                          "srun --het-group=0 python server.py : --het-group=1 python train.py\n"}});
    ASSERT_EQ(result.draft.queue_jobs.size(), 2U);
    const DraftQueueJob &host = result.draft.queue_jobs[0], &ranks = result.draft.queue_jobs[1];
    EXPECT_EQ(std::tuple(host.name, host.tasks, host.gpus, host.cpu_milli, host.queue),
              std::tuple("het", 1, 0, 16'000, "cpu"));
    EXPECT_EQ(std::tuple(ranks.name, ranks.tasks, ranks.gpus, ranks.memory_mib, ranks.queue, ranks.duration_s),
              std::tuple("het-2", 2, 8, 0, "gpu", 86'400.0));
    EXPECT_NE(find_entry(result.report.assumed(), "the components of a heterogeneous job are jobs of their own"),
              nullptr);
  }
}

// jsrun(1): 24 resource sets of a GPU and 7 cores, 6 on a host; 2 sets of 6 GPUs and 42 cores, 1 on a host.
TEST(ImportLsf, ResourceSetsOfJsrunAreTheGpus)
{
  const auto job = [](const std::string& hosts, const std::string& run) {
    const ImportResult result = imported_launch(
        {{"a.bsub", "#BSUB -nnodes " + hosts + "\n#BSUB -W 2:00\njsrun " + run + " python train.py\n"}});
    EXPECT_NE(find_entry(result.report.ignored(), "arguments of the training that the script starts"), nullptr);
    EXPECT_NE(find_entry(result.report.understood(), "jsrun: "), nullptr);
    const DraftQueueJob& made = result.draft.queue_jobs.at(0);
    return std::tuple(made.gpus, made.tasks, made.cpu_milli);
  };
  EXPECT_EQ(job("4", "-n 24 -a 1 -c 7 -g 1 -r 6"), std::tuple(24, 4, 42'000));
  EXPECT_EQ(job("4", "-n24 -g1 -c7"), std::tuple(24, 4, 42'000));
  EXPECT_EQ(job("2", "--nrs 2 --gpu_per_rs=6 --tasks_per_rs 6 --cpu_per_rs 42"), std::tuple(12, 2, 42'000));
}

// Megatron-LM, examples/gpt3/gpt_config.yaml, and the optimiser and tokenizer of NeMo's files. 128,256 words to a
// multiple of 128 x 4; 32,000 are one of 128 x 2.
TEST(ImportNemo, OptimiserTokenizerAndNumberFormatCount)
{
  const auto file = [](const std::string& more) {
    return imported_launch(
        {{"n.yaml", "trainer: {num_nodes: 2, devices: 8}\nrun: {name: mine}\nmodel:\n  num_layers: 4\n  "
                    "hidden_size: 512\n  num_attention_heads: 8\n  encoder_seq_length: 1024\n"
                    "  micro_batch_size: 1\n  global_batch_size: 64\n" +
                        more}});
  };
  const ImportResult llama3 = file("  tensor_model_parallel_size: 4\n  optim: {name: distributed_fused_adam}\n"
                                   "  tokenizer: {library: huggingface, type: meta-llama/Meta-Llama-3-70B}\n");
  EXPECT_THAT(llama3.draft.jobs.at(0).parallel, HasSubstr("zero: 1"));
  EXPECT_THAT(llama3.draft.jobs[0].model, HasSubstr("vocabulary: 128512"));
  EXPECT_EQ(find_entry(llama3.report.ignored(), "tokenizer.type"), nullptr);
  EXPECT_EQ(find_entry(llama3.report.ignored(), "optim.name"), nullptr);
  const ImportResult llama2 = file("  tensor_model_parallel_size: 2\n  optim: {name: mcore_distributed_optim}\n"
                                   "  tokenizer: {library: sentencepiece, model: /llama2/tokenizer.model}\n");
  EXPECT_THAT(llama2.draft.jobs.at(0).parallel, HasSubstr("zero: 1"));
  EXPECT_THAT(llama2.draft.jobs[0].model, HasSubstr("vocabulary: 32000"));
  const ImportResult none = file("  tensor_model_parallel_size: 2\n  optim: {name: adamw}\n");
  EXPECT_THAT(none.draft.jobs.at(0).parallel, Not(HasSubstr("zero")));
  EXPECT_NE(find_entry(none.report.assumed(), "a vocabulary of 50,257 words"), nullptr);
  const ImportResult plain = file("  tensor_model_parallel_size: 2\n  model_parallel: {fp16: True, bf16: False}\n"
                                  "untie_embeddings_and_output_weights: True\npadded_vocab_size: 32001\n");
  EXPECT_EQ(plain.draft.jobs.at(0).precision, "fp16");
  EXPECT_THAT(plain.draft.jobs[0].model, HasSubstr("tied: false"));
  EXPECT_THAT(plain.draft.jobs[0].model, HasSubstr("vocabulary: 32001"));
  EXPECT_EQ(find_entry(plain.report.assumed(), "products in"), nullptr);
}

// 32 layers on 2 stages with 8 on the first: 24 on the last. On 4 with 5 on the last: 9 on each other. In two chunks of
// a stage: 4 and 4 of the first, 12 and 12 of the last.
TEST(ImportMegatron, TheEndsOfAPipelineHaveTheLayersThatAreSaid)
{
  const auto layout = [](const std::string& more) {
    return imported_launch({{"run.sh", "torchrun --nproc_per_node 8" + std::string{gpt_arguments} + more + "\n"}})
        .draft.jobs.at(0)
        .parallel;
  };
  EXPECT_THAT(layout("--pipeline-model-parallel-size 2 --decoder-first-pipeline-num-layers 8"),
              HasSubstr("layers_per_stage: [8, 24]"));
  EXPECT_THAT(layout("--pipeline-model-parallel-size 4 --decoder-last-pipeline-num-layers 5"),
              HasSubstr("layers_per_stage: [9, 9, 9, 5]"));
  EXPECT_THAT(layout("--pipeline-model-parallel-size 2 --decoder-first-pipeline-num-layers 8 "
                     "--num-virtual-stages-per-pipeline-rank 2"),
              HasSubstr("layers_per_stage: [4, 12, 4, 12]"));
  const ImportResult uneven =
      import_texts({{"run.sh", "torchrun --nproc_per_node 8" + std::string{gpt_arguments} +
                                   "--pipeline-model-parallel-size 4 --decoder-first-pipeline-num-layers 8\n"}});
  EXPECT_EQ(check_errors(uneven), "");
  EXPECT_THAT(uneven.draft.jobs.at(0).parallel, HasSubstr("layers_per_stage: [8, 8, 8, 8]"));
}

// The same vocabulary as in a file of NeMo.
TEST(ImportMegatron, TheTokenizerOfAKnownModelSaysItsWords)
{
  const ImportResult result = imported_launch(
      {{"run.sh", "torchrun --nproc_per_node 8 x.py --num-layers 4 --hidden-size 512 --num-attention-heads 8 "
                  "--seq-length 128 --micro-batch-size 1 --global-batch-size 8 --bf16 --tokenizer-type "
                  "HuggingFaceTokenizer --tokenizer-model meta-llama/Meta-Llama-3-8B\n"}});
  EXPECT_THAT(result.draft.jobs.at(0).model, HasSubstr("vocabulary: 128256"));
}

std::string torchrun_service(const std::string& name, const std::string& command)
{
  return "  " + name + ":\n    image: x/train\n    command: " + command +
         "\n    deploy: {resources: {reservations: {devices: [{driver: nvidia, count: 4, capabilities: [gpu]}]}}}\n";
}

TEST(ImportCompose, ContainersThatTorchrunStartsAreOneJob)
{
  for (const auto& [first, second] :
       {std::pair{"trainer0", "trainer1"}, {"worker0", "worker1"}, {"master", "worker"}}) {
    const auto command = [&](const char* rank) {
      return std::string{"torchrun --nnodes=2 --nproc_per_node=4 --node_rank="} + rank + " --master_addr=" + first +
             " train.py --batch-size 16";
    };
    const ImportResult result = imported_launch(
        {{"c.yml", "services:\n" + torchrun_service(first, command("0")) + torchrun_service(second, command("1"))}});
    ASSERT_EQ(result.draft.jobs.size(), 1U) << first;
    EXPECT_EQ(
        std::tuple(result.draft.jobs[0].workers, result.draft.jobs[0].servers, result.draft.jobs[0].batch_per_gpu),
        std::tuple(8, 0, 16))
        << first;
    ASSERT_EQ(result.draft.services.size(), 1U);
    EXPECT_EQ(result.draft.services[0].tasks.at(0).replicas, 2);
    EXPECT_EQ(result.draft.services[0].tasks.at(0).gpus, 4);
  }
  const ImportResult alone = imported_launch(
      {{"c.yml", "services:\n" + torchrun_service("train", "torchrun --standalone --nproc_per_node=4 train.py "
                                                           "--model gpt2 --batch-size 16 --bf16")}});
  ASSERT_EQ(alone.draft.jobs.size(), 1U);
  EXPECT_EQ(std::tuple(alone.draft.jobs[0].workers, alone.draft.jobs[0].model), std::tuple(4, "gpt2_small"));
}

// nvidia-container-toolkit: the variable lists GPUs; "all" does not say how many, but the ranks do.
TEST(ImportCompose, GpusAreThoseThatAContainerSees)
{
  const auto gpus = [](const std::string& settings) {
    const ImportResult result = imported_launch({{"c.yml", "services:\n  a:\n    image: x/train\n" + settings}});
    return result.draft.services.at(0).tasks.at(0).gpus;
  };
  const std::string all = "    deploy: {resources: {reservations: {devices: [{count: all, capabilities: [gpu]}]}}}\n";
  EXPECT_EQ(gpus("    runtime: nvidia\n    environment: [\"NVIDIA_VISIBLE_DEVICES=0,1\"]\n"), 2);
  EXPECT_EQ(gpus("    runtime: nvidia\n    environment:\n      - NVIDIA_VISIBLE_DEVICES=all\n"), 1);
  EXPECT_EQ(gpus("    gpus: all\n    environment: {NVIDIA_VISIBLE_DEVICES: \"0,1,2\"}\n"), 3);
  EXPECT_EQ(gpus(all + "    command: torchrun --nproc_per_node=8 train.py\n"), 8);
  EXPECT_EQ(gpus(all), 1);
}

} // namespace
} // namespace trainyard
