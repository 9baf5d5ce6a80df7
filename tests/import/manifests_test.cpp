// SPDX-License-Identifier: Apache-2.0
/// Manifests and machine files as people have them: each fact reaches the scenario, or is reported with the reason.
#include "tests/import/import_support.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace trainyard {
namespace {

using ::testing::HasSubstr;
using tests::check_errors;
using tests::find_entry;
using tests::import_texts;

std::string ready_node(const std::string& name, const std::string& labels, const std::string& spec = "{}",
                       const std::string& status = "")
{
  return "apiVersion: v1\nkind: Node\nmetadata: {name: " + name + ", labels: {" + labels +
         (labels.empty() ? "" : ", ") + "nvidia.com/gpu.product: NVIDIA-H100-80GB-HBM3}}\nspec: " + spec +
         "\nstatus: {allocatable: {cpu: \"64\", memory: 512Gi, nvidia.com/gpu: \"8\"}" + status + "}\n---\n";
}

std::string job(const std::string& pod, const std::string& spec = "")
{
  return "apiVersion: batch/v1\nkind: Job\nmetadata: {name: one}\nspec: {" + spec +
         "template: {spec: {restartPolicy: Never, " + pod +
         "containers: [{name: c, image: a/b, resources: {limits: {nvidia.com/gpu: 8}}}]}}}\n";
}

int machines_of(const ImportResult& result)
{
  int count = 0;
  for (const DraftMachines& group : result.draft.machines)
    count += group.count;
  return count;
}

/// Machines with the labels that the first service asks for ("key == value").
std::vector<std::string> open_machines(const ImportResult& result)
{
  std::vector<std::string> names;
  for (const DraftMachines& machines : result.draft.machines) {
    bool open = true;
    for (const std::string& constraint : result.draft.services[0].tasks[0].constraints) {
      const std::size_t middle = constraint.find(" == ");
      const auto label = machines.labels.find(constraint.substr(0, middle));
      open = open && label != machines.labels.end() && label->second == constraint.substr(middle + 4);
    }
    if (open)
      names.push_back(machines.name);
  }
  return names;
}

TEST(ImportKubernetes, NodesThatAreNotReadyOrCordonedTakeNoPods)
{
  const std::string bad = ", conditions: [{type: Ready, status: \"False\"}]";
  const ImportResult result =
      import_texts({{"m.yml", ready_node("up", "") + ready_node("dead", "", "{}", bad) +
                                  ready_node("gone", "", "{}", ", conditions: [{type: Ready, status: Unknown}]") +
                                  ready_node("cordoned", "", "{unschedulable: true}") + job("")}});
  EXPECT_EQ(machines_of(result), 1);
  EXPECT_NE(find_entry(result.report.understood(), "node dead takes no pods: Ready is False"), nullptr);
  EXPECT_EQ(check_errors(result), "");
  const ImportResult none = import_texts({{"m.yml", ready_node("dead", "", "{}", bad) + job("")}});
  EXPECT_TRUE(none.report.faults.has_errors()); // no machine is invented
}

// A pod goes where its selector, its affinity and its tolerations let it, whatever the labels are called.
TEST(ImportKubernetes, PodsGoToTheNodesThatTakeThem)
{
  const std::string nodes =
      ready_node("a", "node.kubernetes.io/instance-type: big, kubernetes.io/os: linux, gpu: \"yes\"") +
      ready_node("b", "kubernetes.io/os: linux", "{taints: [{key: k, value: v, effect: NoSchedule}]}");
  for (const char* pod :
       {"nodeSelector: {node.kubernetes.io/instance-type: big}, ", "nodeSelector: {kubernetes.io/os: linux}, ",
        "nodeSelector: {gpu: \"yes\"}, ", "nodeName: a, ", "",
        "affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: "
        "[{matchExpressions: [{key: gpu, operator: Exists}]}]}}}, "}) {
    const ImportResult result = import_texts({{"m.yml", nodes + job(pod)}});
    EXPECT_EQ(check_errors(result), "") << pod;
    EXPECT_EQ(open_machines(result), std::vector<std::string>{"a"}) << pod; // b is tainted
  }
  const ImportResult tolerates = import_texts({{"m.yml", nodes + job("tolerations: [{key: k, operator: Exists}], ")}});
  EXPECT_EQ(open_machines(tolerates), (std::vector<std::string>{"a", "b"}));
}

TEST(ImportKubernetes, AJobHasNoMorePodsThanCompletionsAndNumbersAreNumbers)
{
  const ImportResult few = import_texts({{"m.yml", job("", "parallelism: 4, completions: 1, ")}});
  EXPECT_EQ(few.draft.services[0].tasks[0].replicas, 1);
  for (const char* value : {"$HOW_MANY", "{{ n }}", "2.5", "-1"}) {
    const ImportResult result = import_texts({{"m.yml", job("", "parallelism: " + std::string{value} + ", ")}});
    EXPECT_TRUE(result.report.faults.has_errors()) << value;
  }
}

// The deadline of a Job is that of all its pods: 5 rounds of 300 s end after 900 s, those of 100 s by themselves.
TEST(ImportKubernetes, TheDeadlineOfAJobIsThatOfAllItsPods)
{
  const auto seconds = [](const std::string& sleep) {
    const ImportResult result = import_texts(
        {{"m.yml",
          "apiVersion: batch/v1\nkind: Job\nmetadata: {name: j}\nspec:\n  completions: 10\n  parallelism: 2\n"
          "  activeDeadlineSeconds: 900\n  template: {spec: {restartPolicy: Never, containers: [{name: c, image: "
          "x, command: [sleep, \"" +
              sleep + "\"]}]}}\n"}});
    EXPECT_NE(find_entry(result.report.understood(), "j ends after 900 s at the latest"), nullptr);
    return result.draft.services.at(0).work_s;
  };
  EXPECT_EQ(seconds("300"), 900);
  EXPECT_EQ(seconds("1200"), 900);
  EXPECT_EQ(seconds("100"), 500);
}

TEST(ImportKubernetes, TellsATemplateOfHelmFromManifests)
{
  const ImportResult result = import_texts(
      {{"t.yml",
        "{{- $n := div .Values.gpus 8 }}\napiVersion: batch/v1\nkind: Job\nmetadata: {name: {{ .Release.Name }}}\n"}});
  ASSERT_TRUE(result.report.faults.has_errors());
  EXPECT_THAT(result.report.faults.sorted().front().message, HasSubstr("this is a Helm template"));
  EXPECT_EQ(result.yaml, "");
  // "{{ … }}" in the text of a value is not one.
  EXPECT_FALSE(import_texts({{"m.yml", job("") + "# {{ .Values.x }}\n"}}).report.faults.has_errors());
}

constexpr const char* train_job = R"(apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainJob
metadata: {name: tune}
spec:
  runtimeRef: {name: torch-distributed}
  trainer: {numNodes: 4, numProcPerNode: 8)";

TEST(ImportKubeflow, TrainJobsHaveTheirNodesAndThoseOfTheirRuntime)
{
  const std::string own = std::string{train_job} + ", resourcesPerNode: {limits: {nvidia.com/gpu: 8}}}\n";
  const std::string runtime = std::string{train_job} + R"(}
---
apiVersion: trainer.kubeflow.org/v1alpha1
kind: ClusterTrainingRuntime
metadata: {name: torch-distributed}
spec:
  mlPolicy: {numNodes: 1, torch: {numProcPerNode: auto}}
  template: {spec: {replicatedJobs: [{name: node, template: {spec: {template: {spec: {containers: [{name: node, resources: {limits: {nvidia.com/gpu: 8}}}]}}}}}]}}
)";
  for (const std::string& text : {own, runtime}) {
    const ImportResult result = import_texts({{"t.yml", text}});
    ASSERT_EQ(result.draft.jobs.size(), 1U);
    EXPECT_EQ(result.draft.jobs[0].workers, 32); // 4 nodes of 8 GPUs
    EXPECT_EQ(result.draft.services[0].tasks[0].replicas, 4);
    EXPECT_EQ(check_errors(result), "");
  }
}

TEST(ImportRay, JobsTrainOnTheWorkersOfTheirCluster)
{
  const std::string groups =
      R"({headGroupSpec: {rayStartParams: {}, template: {spec: {containers: [{name: h, resources: {limits: {cpu: 4}}}]}}},
    workerGroupSpecs: [{groupName: g, replicas: 3, minReplicas: 1, maxReplicas: 9, template: {spec: {containers: [{name: w, resources: {limits: {nvidia.com/gpu: 4}}}]}}}]}
)";
  const ImportResult trains = import_texts({{"r.yml", "apiVersion: ray.io/v1\nkind: RayJob\nmetadata: {name: "
                                                      "r}\nspec:\n  entrypoint: python train.py\n  rayClusterSpec: " +
                                                          groups}});
  ASSERT_EQ(trains.draft.jobs.size(), 1U);
  EXPECT_EQ(trains.draft.jobs[0].workers, 12);
  EXPECT_NE(find_entry(trains.report.ignored(), "maxReplicas"), nullptr);
  EXPECT_EQ(check_errors(trains), "");
  const ImportResult kept =
      import_texts({{"r.yml", "apiVersion: ray.io/v1\nkind: RayCluster\nmetadata: {name: r}\nspec: " + groups}});
  ASSERT_EQ(kept.draft.services.size(), 1U);
  EXPECT_EQ(kept.draft.services[0].tasks[0].replicas, 3);
  EXPECT_EQ(kept.draft.services[0].tasks[0].gpus, 4);
}

// Two blocks of two nodes with 4 GPUs: 6 pods of 2 GPUs fit into none of them, 4 pods do.
TEST(ImportKueue, AJobThatNeedsOneDomainOfTheTopologyIsAdmittedOnlyWhereItFits)
{
  const auto text = [](int pods) {
    std::string all;
    for (int i = 0; i < 4; ++i)
      all += "apiVersion: v1\nkind: Node\nmetadata: {name: n" + std::to_string(i) + ", labels: {block: b" +
             std::to_string(i / 2) +
             "}}\nstatus: {allocatable: {cpu: \"64\", memory: 512Gi, nvidia.com/gpu: \"4\"}}\n---\n";
    return all + R"(apiVersion: kueue.x-k8s.io/v1beta1
kind: ResourceFlavor
metadata: {name: f}
---
apiVersion: kueue.x-k8s.io/v1beta1
kind: ClusterQueue
metadata: {name: cq}
spec: {resourceGroups: [{coveredResources: [nvidia.com/gpu], flavors: [{name: f, resources: [{name: nvidia.com/gpu, nominalQuota: 16}]}]}]}
---
apiVersion: kueue.x-k8s.io/v1beta1
kind: LocalQueue
metadata: {name: lq, namespace: a}
spec: {clusterQueue: cq}
---
apiVersion: batch/v1
kind: Job
metadata: {name: big, namespace: a, labels: {kueue.x-k8s.io/queue-name: lq}}
spec:
  parallelism: )" +
           std::to_string(pods) + R"(
  completions: )" +
           std::to_string(pods) + R"(
  template:
    metadata: {annotations: {kueue.x-k8s.io/podset-required-topology: block}}
    spec: {restartPolicy: Never, containers: [{name: t, resources: {limits: {nvidia.com/gpu: 2}}}]}
)";
  };
  const ImportResult large = import_texts({{"k.yml", text(6)}});
  EXPECT_NE(find_entry(large.report.assumed(), "job big is never admitted: all its pods need one block"), nullptr);
  ASSERT_EQ(large.draft.queue_jobs.size(), 1U); // it waits for ever, on two of the nodes
  EXPECT_EQ(large.draft.queue_jobs[0].node_selector, std::vector<std::string>{"pool=1"});
  const ImportResult fits = import_texts({{"k.yml", text(4)}});
  ASSERT_EQ(fits.draft.queue_jobs.size(), 1U);
  EXPECT_EQ(fits.draft.queue_jobs[0].node_selector, std::vector<std::string>{"pool=1"});
  EXPECT_EQ(check_errors(fits), "");
}

TEST(ImportTrace, JobsFindTheMachinesOfAListInAnyOrderOfTheFiles)
{
  const std::pair<std::string, std::string> pods{
      "pods.csv",
      "name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos,pod_phase,creation_time,deletion_time,scheduled_time\n"
      "p0,4000,8192,1,1000,P100,LS,Succeeded,0,3600,0\np1,4000,8192,2,1000,G9,BE,Succeeded,60,3660,60\n"};
  const std::pair<std::string, std::string> nodes{
      "nodes.csv", "sn,cpu_milli,memory_mib,gpu,model\nm0,64000,262144,2,P100\nm1,64000,262144,2,G9\n"};
  for (const auto& files : {std::vector{pods, nodes}, std::vector{nodes, pods}}) {
    const ImportResult result = import_texts(files);
    EXPECT_EQ(result.draft.gpus(), 4);
    EXPECT_THAT(result.yaml, HasSubstr("  machines: nodes.csv\n")); // by the names that the jobs ask for
    EXPECT_EQ(result.yaml.find("\ncluster:"), std::string::npos);
  }
}

constexpr const char* platform = R"(<?xml version='1.0'?><platform version="4.1"><zone id="top" routing="Full">)";

std::string nic_of(const ImportResult& result, const std::string& name)
{
  for (const DraftMachines& machines : result.draft.machines)
    if (machines.name == name)
      return machines.nic_bandwidth + " " + machines.nic_latency;
  return "none";
}

// A host has the rate of its own links and routes, also where the only one leads out of its zone.
TEST(ImportSimGrid, HostsHaveTheirOwnLinks)
{
  const ImportResult far = import_texts({{"p.xml", std::string{platform} + R"(
    <cluster id="dc" prefix="a-" suffix="" radical="0-3" speed="10Gf" bw="1GBps" lat="1us" router_id="r"/>
    <zone id="far" routing="None"><host id="lone" speed="10Gf"/></zone>
    <link id="thin" bandwidth="1MBps" latency="20ms"/>
    <zoneRoute src="dc" dst="far" gw_src="r" gw_dst="lone"><link_ctn id="thin"/></zoneRoute></zone></platform>)"}});
  EXPECT_EQ(check_errors(far), "");
  EXPECT_EQ(nic_of(far, "a"), "1 GB/s 1e-06 s");
  EXPECT_THAT(nic_of(far, "lone"), HasSubstr("1 MB/s"));
  EXPECT_THAT(far.yaml, HasSubstr("{from: dc-switch, to: far-switch, bandwidth: 1 MB/s, latency: 0.02 s}"));

  // Three hosts with a link of their own each, all routes over two of them: h2 has the slow one.
  const ImportResult star = import_texts({{"p.xml", std::string{platform} + R"(
    <host id="h1" speed="8Gf,4Gf" pstate="1"/><host id="h2" speed="8Gf"/><host id="h3" speed="8Gf"/>
    <link id="l1" bandwidth="1GBps" latency="10us"/><link id="l2" bandwidth="10MBps" latency="10us"/><link id="l3" bandwidth="1GBps" latency="10us"/>
    <route src="h1" dst="h2"><link_ctn id="l1"/><link_ctn id="l2"/></route>
    <route src="h1" dst="h3"><link_ctn id="l1"/><link_ctn id="l3"/></route>
    <route src="h2" dst="h3"><link_ctn id="l2"/><link_ctn id="l3"/></route></zone></platform>)"}});
  EXPECT_EQ(check_errors(star), "");
  EXPECT_THAT(star.yaml, HasSubstr("nic_bandwidth: 10 MB/s"));
  EXPECT_DOUBLE_EQ(star.draft.core_flops, 4e9); // state 1 of h1, the slowest
  EXPECT_NE(find_entry(star.report.assumed(), "all cores compute 4 Gflop/s"), nullptr);

  // Two clusters, joined by one link of 10 Gbit/s: both count, and the link is between them.
  const ImportResult two = import_texts({{"p.xml", std::string{platform} + R"(
    <cluster id="x" prefix="x-" suffix="" radical="0-7" speed="1Gf" bw="1GBps" lat="1us"/>
    <cluster id="y" prefix="y-" suffix="" radical="0-3" speed="1Gf" bw="1GBps" lat="1us"/>
    <link id="l" bandwidth="10Gbps" latency="1ms"/>
    <zoneRoute src="x" dst="y" gw_src="x-0" gw_dst="y-0"><link_ctn id="l"/></zoneRoute></zone></platform>)"}});
  EXPECT_EQ(check_errors(two), "");
  EXPECT_EQ(machines_of(two), 12);
  EXPECT_THAT(two.yaml, HasSubstr("{from: x-switch, to: y-switch, bandwidth: 1.25 GB/s, latency: 0.001 s}"));
}

// A pod that asks for a machine of a cloud says what is in it: 8 A100 of 80 GB and 4 x 100 Gbit/s; the dimensions of
// its network stand in its command: 32 layers of 4096 with three matrices of 11008 are Llama 2 7B.
TEST(Manifests, AnInstanceTypeAndTheDimensionsInACommandCount)
{
  const ImportResult result = import_texts({{"job.yaml", R"(apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {name: fsdp}
spec:
  pytorchReplicaSpecs:
    Worker:
      replicas: 4
      template:
        spec:
          nodeSelector: {node.kubernetes.io/instance-type: p4de.24xlarge}
          containers:
            - name: pytorch
              image: a/b
              resources: {limits: {nvidia.com/gpu: 8}}
              command: [torchrun, --nproc_per_node=8, --nnodes=4, train.py, --max_context_width=4096, --num_key_value_heads=32,
                --intermediate_size=11008, --hidden_width=4096, --num_layers=32, --num_heads=32, --model_type=llama_v2,
                --train_batch_size=2, --use_fsdp, --bf16]
)"}});
  EXPECT_EQ(check_errors(result), "");
  ASSERT_EQ(result.draft.machines.size(), 1U);
  const DraftMachines& machines = result.draft.machines[0];
  EXPECT_EQ(std::tuple(machines.gpu, machines.gpus, machines.count, machines.nics),
            std::tuple("A100-SXM4-80GB", 8, 4, 4));
  EXPECT_EQ(result.draft.network.link, "EFA-p4d");
  EXPECT_EQ(result.draft.jobs.at(0).model,
            "{name: transformer, layers: 32, hidden: 4096, heads: 32, ffn: 11008, vocabulary: 32000, gated: true, "
            "biases: false, tied: false, learnt_positions: false, sequence_length: 4096}");
  EXPECT_THAT(result.draft.jobs.at(0).parallel, HasSubstr("{dp: 32, zero: 3, micro_batch: 2, global_batch: 64}"));
  EXPECT_NE(find_entry(result.report.understood(), "a model of 6.738 billion parameters"), nullptr);
}

// Eight billion parameters with Adam take 16 B each and more: no L4 of 24 GB has them, which `simrun check` says too.
TEST(Manifests, AJobThatFitsIntoNoGpuOfItsPodsIsFoundBeforeTheRun)
{
  const ImportResult result = import_texts({{"job.yaml", R"(apiVersion: kubeflow.org/v1
kind: PyTorchJob
metadata: {name: whole}
spec:
  pytorchReplicaSpecs:
    Worker:
      replicas: 2
      template:
        spec:
          nodeSelector: {cloud.google.com/gke-accelerator: nvidia-l4}
          containers:
            - {name: pytorch, image: a/b, resources: {limits: {nvidia.com/gpu: 4}}, command: [python, train.py, --model, meta-llama/Llama-3.1-8B]}
)"}});
  EXPECT_THAT(check_errors(result), HasSubstr("out of GPU memory on all machines where 'whole' may run: llama3_8b"));
}

} // namespace
} // namespace trainyard
