// SPDX-License-Identifier: Apache-2.0
/// Small files as people paste them. Each has facts that must be found, and changes of one fact: after each the
/// scenario is another one, or the report says something else.
#include "tests/import/import_support.hpp"

#include <gtest/gtest.h>

namespace trainyard {
namespace {

struct Change {
  std::string from, to;
  std::string told; // what must be in the scenario or its report afterwards; empty: anything that differs
};
struct Facts {
  const char* name;
  std::string text;
  std::vector<std::string> finds; // in the scenario or its report, worked out from the file by hand
  std::vector<Change> changes;
  ImportOptions options = {};
};

std::ostream& operator<<(std::ostream& out, const Facts& facts)
{
  return out << facts.name;
}

/// The scenario with its report, without the places: a line that moved is no fact.
std::string outcome(const Facts& facts, const std::string& text)
{
  const ImportResult result = tests::import_texts({{facts.name, text}}, facts.options);
  std::string all = result.yaml.substr(0, result.yaml.find("\n# The report"));
  for (const auto* list : {&result.report.understood(), &result.report.assumed(), &result.report.ignored()})
    for (const ImportEntry& entry : *list)
      all += entry.what + ": " + entry.why + "\n";
  for (const Diagnostic& fault : result.report.faults.sorted())
    all += fault.message + "\n";
  return all;
}

std::string replaced(std::string text, const std::string& from, const std::string& to)
{
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

const std::string fsdp_job = R"(apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {name: finetune}
spec:
  nprocPerNode: "8"
  runPolicy:
    backoffLimit: 3
    cleanPodPolicy: None
    schedulingPolicy: {minAvailable: 2, queue: research}
  pytorchReplicaSpecs:
    Worker:
      replicas: 2
      restartPolicy: OnFailure
      template:
        spec:
          containers:
          - name: pytorch
            image: registry.local/llm:7
            env:
            - {name: MICRO, value: "2"}
            command: [torchrun, --nproc_per_node=8, --nnodes=2, train.py]
            args:
            - --model_name_or_path=meta-llama/Meta-Llama-3-8B
            - --per_device_train_batch_size=$(MICRO)
            - --gradient_accumulation_steps=4
            - --fsdp
            - full_shard auto_wrap
            - --bf16=True
            - --gradient_checkpointing
            - --max_seq_length=4096
            - --max_steps=500
            - --learning_rate=1e-5
            - --some_new_flag=3
            resources: {limits: {nvidia.com/gpu: 8}}
)";

const std::vector<Facts> files{
    {.name = "pytorchjob_fsdp.yaml",
     .text = fsdp_job,
     // 16 GPUs in 16 replicas, 2 sequences each, 4 times: 128 sequences.
     .finds = {"parallel: {dp: 16, zero: 3, micro_batch: 2, global_batch: 128, recomputation: full", "precision: bf16",
               "sequence_length: 4096", "steps: 500", "at most 3 restarts", "queue research", "workers: 16",
               "--learning_rate: does not decide", "--some_new_flag: is not known here",
               "gang: starts when 2 of 2 pods can start"},
     .changes = {{"--bf16=True", "--bf16=False", "products in bf16"},
                 {"full_shard auto_wrap", "shard_grad_op", "zero: 2"},
                 {"full_shard auto_wrap", "full_shard offload", "offload of --fsdp"},
                 {"full_shard auto_wrap", "hybrid_shard", "shard_within: 8"},
                 {"steps=4", "steps=8", "global_batch: 256"},
                 {"value: \"2\"", "value: \"1\"", "micro_batch: 1"},
                 {"--gradient_checkpointing", "--gradient_checkpointing=false"},
                 {"=4096", "=2048", "sequence_length: 2048"},
                 {"--learning_rate=1e-5", "--optim=paged_adamw_8bit", "optimizer: paged_adam_8bit"},
                 {"--learning_rate=1e-5", "--optim=galore", "--optim galore: is not known"},
                 {"nproc_per_node=8", "nproc_per_node=4", "whatever --nproc_per_node says (4)"},
                 {"nnodes=2", "nnodes=3", "whatever --nnodes says (3)"},
                 {"nprocPerNode: \"8\"", "nprocPerNode: \"4\"", "4 processes and 8 GPUs"},
                 {"backoffLimit: 3", "backoffLimit: 0", "at most 0 restarts"},
                 {"minAvailable: 2", "minAvailable: 1", "the whole gang starts at once"},
                 {"queue: research", "queue: other", "queue other"},
                 {"cleanPodPolicy: None", "suspend: true", "job finetune is not suspended"},
                 {"cleanPodPolicy: None", "activeDeadlineSeconds: 600", "activeDeadlineSeconds 600"},
                 {"Worker:", "Wroker:", "Wroker of pytorchReplicaSpecs"},
                 {"restartPolicy: OnFailure", "restartPolicy: Never", "restartPolicy Never"},
                 {"resources:", "envFrom: [{configMapRef: {name: more}}]\n            resources:", "envFrom"},
                 {"      restartPolicy", "      autoScaling: 1\n      restartPolicy", "is no key of a role"}}},
    {.name = "mpijob_plain.yaml",
     .text = R"(apiVersion: kubeflow.org/v2beta1
kind: MPIJob
metadata: {name: resnet}
spec:
  slotsPerWorker: 4
  runLauncherAsWorker: false
  mpiReplicaSpecs:
    Launcher:
      template: {spec: {containers: [{name: l, image: a/b, resources: {limits: {nvidia.com/gpu: 4}}, command: [mpirun, -np, "8", python, t.py, --model=resnet50, --batch-size=64, --fp16, --accumulation-steps=2, --fsdp=full_shard]}]}}
    Worker:
      replicas: 2
      template: {spec: {containers: [{name: w, image: a/b, resources: {limits: {nvidia.com/gpu: 4}}}]}}
)",
     .finds = {"precision: amp", "accumulation_steps: 2", "workers: 8", "batch_per_gpu: 64",
               "division of states among the GPUs: states of transformers can be divided"},
     .changes = {{"--fp16", "--tf32", "precision: tf32"},
                 {"--fp16", "--mixed-precision=bf16", "precision: amp"},
                 {"--fp16", "--precision=int4", "--precision int4: is not known"},
                 {"steps=2", "steps=3", "accumulation_steps: 3"},
                 {"runLauncherAsWorker: false", "runLauncherAsWorker: true", "workers: 12"},
                 {"runLauncherAsWorker: false", "launcherCreationPolicy: WaitForWorkersReady",
                  "launcherCreationPolicy"},
                 {"\"8\"", "\"4\"", "whatever -np says (4)"},
                 {"slotsPerWorker: 4", "slotsPerWorker: 2", "2 slots and 4 GPUs"}}},
    {.name = "job_torchrun.yaml",
     .text = R"(apiVersion: batch/v1
kind: Job
metadata: {name: pretrain}
spec:
  parallelism: 4
  completions: 4
  completionMode: Indexed
  backoffLimit: 2
  ttlSecondsAfterFinished: 60
  template:
    spec:
      restartPolicy: Never
      containers:
      - name: c
        image: a/b
        command: [bash, -c, "torchrun --nnodes=4 --nproc_per_node=8 train.py --model llama3_8b --strategy deepspeed_stage_2 --precision bf16-mixed --accumulate_grad_batches 2"]
        resources: {limits: {nvidia.com/gpu: 8}}
)",
     .finds = {"zero: 2", "global_batch: 64", "workers: 32", "at most 2 restarts",
               "completionMode: pods with and without", "ttlSecondsAfterFinished: what has ended"},
     .changes = {{"deepspeed_stage_2", "ddp", "accumulation_steps: 2"},
                 {"deepspeed_stage_2", "deepspeed_stage_3", "zero: 3"},
                 {"deepspeed_stage_2", "colossalai", "--strategy colossalai: is not known"},
                 {"parallelism: 4", "parallelism: 2", "runs 2 times as long"},
                 {"torchrun --nnodes=4 --nproc_per_node=8", "python", "command of pretrain"},
                 {"torchrun --nnodes=4 --nproc_per_node=8", "python", "condition: on_failure, attempts: 2"},
                 {"backoffLimit: 2", "podReplacementPolicy: Failed", "podReplacementPolicy"}}},
    {.name = "jobset.yaml",
     .text = R"(apiVersion: jobset.x-k8s.io/v1alpha2
kind: JobSet
metadata: {name: pair}
spec:
  failurePolicy: {maxRestarts: 4}
  replicatedJobs:
  - name: workers
    replicas: 2
    template:
      spec:
        parallelism: 2
        completions: 2
        backoffLimit: 0
        template: {spec: {restartPolicy: Never, containers: [{name: c, image: a/b, command: [sleep, "600"], resources: {limits: {nvidia.com/gpu: 4}}}]}}
)",
     .finds = {"replicas: 4", "attempts: 4", "work: 600 s"},
     .changes = {{"maxRestarts: 4", "maxRestarts: 0", "condition: never"},
                 {"maxRestarts: 4", "rules: []", "rules: every failure"},
                 {"sleep, \"600\"", "python, a.py", "command of pair"},
                 {"replicas: 2\n", "replicas: 2\n    dependsOn: [{name: x, status: Ready}]\n", "dependsOn"},
                 {"  failurePolicy", "  startupPolicy: {startupPolicyOrder: InOrder}\n  failurePolicy",
                  "startupPolicy"},
                 {"  failurePolicy", "  suspend: true\n  failurePolicy", "is not suspended"}}},
    {.name = "cronjob.yaml",
     // Due each hour, 90 min of work: runs start at 0:00, and under Forbid at 1:30, 3:00 …
     .text = R"(apiVersion: batch/v1
kind: CronJob
metadata: {name: nightly}
spec:
  schedule: "0 * * * *"
  concurrencyPolicy: Forbid
  startingDeadlineSeconds: 7200
  successfulJobsHistoryLimit: 1
  jobTemplate: {spec: {template: {spec: {restartPolicy: Never, containers: [{name: c, image: a/b, command: [sleep, "5400"], resources: {limits: {nvidia.com/gpu: 1}}}]}}}}
)",
     .finds = {"arrival: 5400 s", "runs that would start more than 7200 s late", "successfulJobsHistoryLimit"},
     .changes = {{"7200", "60", "arrival: 7200 s"},
                 {"startingDeadlineSeconds: 7200", "suspend: true", "it is suspended"},
                 {"startingDeadlineSeconds: 7200", "timeZone: Asia/Tokyo", "timeZone"},
                 {"Forbid", "Allow", "startingDeadlineSeconds: runs start"}}},
    {.name = "volcano.yaml",
     .text = R"(apiVersion: batch.volcano.sh/v1alpha1
kind: Job
metadata: {name: gang}
spec:
  minAvailable: 4
  schedulerName: volcano
  maxRetry: 5
  queue: default
  ttlSecondsAfterFinished: 30
  policies: [{event: PodEvicted, action: RestartJob}]
  tasks:
  - name: worker
    replicas: 4
    template: {spec: {containers: [{name: c, image: pytorch/pytorch:2.3.0, command: [python, -m, torch.distributed.run, t.py, "--model=bert_base", "--batch_size=8"], resources: {limits: {nvidia.com/gpu: 2}}}]}}
)",
     .finds = {"workers: 8", "attempts: 5", "gang: starts when 4 of 4", "schedulerName", "ttlSecondsAfterFinished"},
     .changes = {{"minAvailable: 4", "minAvailable: 2", "the whole gang starts at once"},
                 {"replicas: 4", "replicas: 4\n    minAvailable: 1", "minAvailable 1 of task worker"},
                 {"replicas: 4", "replicas: 4\n    dependsOn: {name: [x]}", "dependsOn: the tasks"},
                 {"replicas: 4", "replicas: 4\n    topologyPolicy: best-effort", "topologyPolicy"},
                 {"replicas: 4", "replicas: 4\n    replica: 9", "is no key of a task"},
                 {"maxRetry: 5", "networkTopology: {mode: hard, highestTierAllowed: 1}", "networkTopology"}}},
    {.name = "rayjob.yaml",
     .text = R"(apiVersion: ray.io/v1
kind: RayJob
metadata: {name: ray}
spec:
  entrypoint: python train.py --model llama3_8b --fsdp full_shard
  backoffLimit: 2
  shutdownAfterJobFinishes: true
  rayClusterSpec:
    rayVersion: "2.40"
    headGroupSpec: {rayStartParams: {}, template: {spec: {containers: [{name: h, image: a/b, resources: {limits: {cpu: 4}}}]}}}
    workerGroupSpecs:
    - groupName: gpu
      replicas: 2
      minReplicas: 2
      maxReplicas: 4
      rayStartParams: {num-gpus: "8"}
      template: {spec: {containers: [{name: w, image: a/b, resources: {limits: {nvidia.com/gpu: 8}}}]}}
)",
     .finds = {"zero: 3", "workers: 16", "at most 2 restarts", "maxReplicas", "rayStartParams",
               "shutdownAfterJobFinishes"},
     .changes = {{"backoffLimit: 2", "backoffLimit: 0", "at most 0 restarts"},
                 {"backoffLimit: 2", "activeDeadlineSeconds: 60", "activeDeadlineSeconds 60"},
                 {"replicas: 2", "replicas: 3", "workers: 24"},
                 {"groupName: gpu", "suspend: true\n      groupName: gpu", "it is suspended: it has no pods"},
                 {"groupName: gpu", "idleTimeoutSeconds: 60\n      groupName: gpu", "idleTimeoutSeconds"},
                 {"rayVersion: \"2.40\"", "enableInTreeAutoscaling: true", "enableInTreeAutoscaling"}}},
    {.name = "priorities.yaml",
     .text = R"(apiVersion: scheduling.k8s.io/v1
kind: PriorityClass
metadata: {name: usual}
value: 500
globalDefault: true
---
apiVersion: batch/v1
kind: Job
metadata: {name: one}
spec: {template: {spec: {restartPolicy: Never, containers: [{name: c, image: a/b, command: [sleep, "60"], resources: {limits: {nvidia.com/gpu: 1}}}]}}}
)",
     .finds = {"priority: 500"},
     .changes = {{"globalDefault: true", "globalDefault: false"}, {"value: 500", "value: 600", "priority: 600"}}},
    {.name = "kueue_pytorchjob.yaml",
     // The master has no GPU: 2 x 8 GPUs, not 3 x 8.
     .text = R"(apiVersion: kueue.x-k8s.io/v1beta2
kind: ResourceFlavor
metadata: {name: f}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata: {name: cq}
spec: {namespaceSelector: {}, resourceGroups: [{coveredResources: [nvidia.com/gpu], flavors: [{name: f, resources: [{name: nvidia.com/gpu, nominalQuota: 16}]}]}]}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: LocalQueue
metadata: {name: lq, namespace: a}
spec: {clusterQueue: cq}
---
apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {name: tune, namespace: a, labels: {kueue.x-k8s.io/queue-name: lq}}
spec:
  runPolicy: {activeDeadlineSeconds: 900}
  pytorchReplicaSpecs:
    Master: {replicas: 1, template: {spec: {containers: [{name: m, image: a/b, resources: {limits: {cpu: 2}}}]}}}
    Worker: {replicas: 2, template: {spec: {containers: [{name: w, image: a/b, resources: {limits: {nvidia.com/gpu: 8}}}]}}}
)",
     .finds = {"duration: 900 s, gpus: 16, tasks: [{role: master, count: 1, cpu_milli: 2000}, {role: worker, count: 2, "
               "gpus: 8}]",
               "namespaceSelector: every namespace"},
     .changes = {{"900", "1800", "duration: 1800 s"},
                 {"cpu: 2", "nvidia.com/gpu: 4", "{role: master, count: 1, gpus: 4}"},
                 {"namespaceSelector: {}", "admissionChecks: [x]", "admissionChecks: nothing but quota"},
                 {"nominalQuota: 16", "nominalQuota: 8", "never fits"}}},
    {.name = "docker-compose.yml",
     .text = R"(services:
  worker0:
    image: registry.local/train:3
    command: python t.py --worker_hosts=worker0:1,worker1:1 --job_name=worker --task_index=0 --batch_size=${BATCH} --accumulation_steps 4 --amp --log_dir=/x
    environment: {BATCH: "16", NCCL_DEBUG: INFO}
    gpus: [{driver: nvidia, count: 2}]
    cpus: 4
    shm_size: 8g
    depends_on: [worker1]
  worker1:
    image: registry.local/train:3
    command: python t.py --worker_hosts=worker0:1,worker1:1 --job_name=worker --task_index=1
    gpus: [{driver: nvidia, count: 2}]
networks: {inner: {}}
)",
     .finds = {"batch_per_gpu: 16", "workers: 4", "precision: amp", "accumulation_steps: 4",
               "variable BATCH of the command", "environment variable NCCL_DEBUG", "shm_size: it is about processes",
               "depends_on: all services", "networks: names and networks", "flag --log_dir: does not decide"},
     .changes = {{"\"16\"", "\"8\"", "batch_per_gpu: 8"},
                 {"count: 2}]\n    cpus", "device_ids: [a]}]\n    cpus"},
                 {"gpus: [{driver: nvidia, count: 2}]\n    cpus", "gpus: all\n    cpus",
                  "'all' depends on the machine"},
                 {"shm_size: 8g", "profiles: [later]", "profiles: all services are started"},
                 {"shm_size: 8g", "extends: {service: x}", "extends: settings of the other service are not read"},
                 {"shm_size: 8g", "gpu: 3", "gpu: is no key of compose files"},
                 {"networks: {inner: {}}", "include: [more.yml]", "include: the other file is not read"},
                 {"--amp", "--tf32", "precision: tf32"}},
     .options = {.model = "resnet50"}},
    {.name = "stack.yml",
     .text = R"(version: "3.8"
services:
  web:
    image: a/b
    deploy:
      replicas: 3
      placement: {max_replicas_per_node: 1}
      update_config: {parallelism: 1, monitor: 5s}
      resources: {limits: {cpus: "2", pids: 100}}
)",
     .finds = {"replicas: 3", "most_per_node: 1", "monitor of update_config", "pids of limits"},
     .changes = {{"replicas: 3", "replicas: 4", "replicas: 4"},
                 {"max_replicas_per_node: 1", "spread: 1", "spread of placement: is no key"},
                 {"replicas: 3", "replicas: 3\n      rollback_config: {parallelism: 2}", "rollback_config of deploy"}}},
    {.name = "ds.json",
     .text = R"({"train_micro_batch_size_per_gpu": 1, "gradient_accumulation_steps": 4,
"bf16": {"enabled": true, "immediate_grad_update": true},
"optimizer": {"type": "AdamW", "params": {"lr": 1e-4}},
"zero_optimization": {"stage": 2, "offload_optimizer": {"device": "cpu", "ratio": 0.5, "pin_memory": true}}}
)",
     .finds = {"zero: 2", "micro_batch: 1", "offload_optimizer: true",
               "zero_optimization.offload_optimizer.ratio: not modelled",
               "zero_optimization.offload_optimizer.pin_memory", "optimizer.params", "bf16.immediate_grad_update"},
     .changes = {{"\"stage\": 2", "\"stage\": 3", "zero: 3"},
                 {"\"bf16\"", "\"fp16\"", "precision: fp16"},
                 {"{\"enabled\": true, \"immediate_grad_update\": true}", "\"on\"", "bf16: an object is expected"},
                 {"steps\": 4", "steps\": 8", "x 8 of them"},
                 {"\"ratio\"", "\"rate\"", "zero_optimization.offload_optimizer.rate"}},
     .options = {.gpu = "H100-SXM5", .model = "llama3_8b", .nodes = 2}},
    {.name = "platform.xml",
     .text = R"(<?xml version='1.0'?>
<platform version="4.1">
  <zone id="z" routing="Full">
    <cluster id="c" prefix="n-" suffix="" radical="0-3" speed="1Gf" bw="1GBps" lat="1us" loopback_bw="9GBps"/>
  </zone>
</platform>
)",
     .finds = {"cluster of 4 hosts", "routing of zone: messages go the shortest way", "loopback_bw of cluster"},
     .changes = {{"0-3", "0-7", "cluster of 8 hosts"},
                 {"1GBps", "2GBps", "2 GB/s"},
                 {"loopback_bw=\"9GBps\"", "sharing_policy=\"FATPIPE\"", "sharing_policy of cluster"},
                 {"loopback_bw=\"9GBps\"", "speeed=\"3\"", "speeed of cluster"}}},
    {.name = "qos.txt",
     .text = "Name|Priority|Preempt|GraceTime|UsageFactor|MaxWall|MinPrioThres|Rank\nnormal|5|||2.0|1-00:00:00||x\n",
     .finds = {"UsageFactor of QOS: GPU time counts as it is used", "Rank of QOS: the policy slurm has no such rule"},
     .changes = {{"2.0", ""}, {"Rank", "Flags", "Flags of QOS"}}},
    {.name = "matrix.txt", // one bridge of four GPUs, one card
     .text = "\tGPU0\tGPU1\tGPU2\tGPU3\tmlx5_0\tCPU Affinity\nGPU0\t X \tNV4\tPHB\tSYS\tNODE\t0-15\n"
             "GPU1\tNV4\t X \tPHB\tSYS\tNODE\t0-15\nGPU2\tPHB\tPHB\t X \tSYS\tPIX\t0-15\n"
             "GPU3\tSYS\tSYS\tSYS\t X \tSYS\t16-31\nmlx5_0\tNODE\tNODE\tPIX\tSYS\t X \t\n",
     .finds = {"nics: 1", "pcie_tree", "NVLinks of 1 pair are left out"},
     .changes = {{"GPU2\tPHB\tPHB\t X \tSYS", "GPU2\tPHB\tPHB\t X \tNV4", "nvlink_pairs"}},
     .options = {.gpu = "A40"}},
    {.name = "vars.yml",
     .text = "version: '3'\nservices:\n  w:\n    image: x\n    deploy:\n      replicas: \"${N:-4}\"\n",
     .finds = {"replicas: 4"},
     .changes = {{":-4", ":-5", "replicas: 5"}, {"${N:-4}", "${N}", "the file gives the variable"}}},
    {.name = "hsdp.toml", // 128 GPUs, 2 x 8 of them in a replica: 8 shards
     .text = "[model]\nname = \"llama3\"\nflavor = \"8B\"\n[training]\nlocal_batch_size = 1\nseq_len = 8192\n"
             "[parallelism]\ndata_parallel_replicate_degree = 2\ndata_parallel_shard_degree = -1\n"
             "tensor_parallel_degree = 8\n",
     .finds = {"shard_within: 8"},
     .changes = {{"replicate_degree = 2", "replicate_degree = 4", "shard_within: 4"}},
     .options = {.gpu = "H100-SXM5", .nodes = 16}},
    {.name = "array.sbatch",
     .text = "#!/bin/bash\n#SBATCH --array=0-7%1 --gres=gpu:a100:1\n#SBATCH --time=1:00:00\n./run.sh\n",
     .finds = {"array_limit: 1", "policy: slurm"},
     .changes = {{"%1", "", "policy: easy_backfill"}}},
    {.name = "tf.yml",
     .text = "version: '3'\nservices:\n  w: {image: 'tensorflow/tensorflow:1.15.0-gpu', command: python "
             "tf_cnn_benchmarks.py --job_name=worker --task_index=0 --ps_hosts=p:1 --worker_hosts=w:1 "
             "--model=inception3}\n  p: {image: 'tensorflow/tensorflow:1.15.0', command: python tf_cnn_benchmarks.py "
             "--job_name=ps --task_index=0 --ps_hosts=p:1 --worker_hosts=w:1}\n",
     .finds = {"inception_v3"},
     .changes = {{"inception3", "inception9", "trains 'inception9', which is not in the catalogue"}},
     .options = {.gpu = "V100-SXM2-16GB"}},
};

class ImportFacts : public ::testing::TestWithParam<Facts>
{
};

TEST_P(ImportFacts, AreFoundAndAChangedOneChangesTheScenarioOrIsTold)
{
  const Facts& facts = GetParam();
  const std::string base = outcome(facts, facts.text);
  for (const std::string& find : facts.finds)
    EXPECT_NE(base.find(find), std::string::npos) << find << "\n" << base;
  if (const ImportResult whole = tests::import_texts({{facts.name, facts.text}}, facts.options); !whole.yaml.empty()) {
    EXPECT_EQ(tests::check_errors(whole), "");
  }
  for (const Change& change : facts.changes) {
    const std::string after = outcome(facts, replaced(facts.text, change.from, change.to));
    EXPECT_NE(after, base) << change.from << " -> " << change.to;
    EXPECT_NE(after.find(change.told), std::string::npos)
        << change.from << " -> " << change.to << ": " << change.told << "\n"
        << after;
  }
}

INSTANTIATE_TEST_SUITE_P(All, ImportFacts, ::testing::ValuesIn(files), [](const auto& facts) {
  std::string name = facts.param.name;
  std::erase_if(name, [](unsigned char c) { return std::isalnum(c) == 0; });
  return name;
});

} // namespace
} // namespace trainyard
