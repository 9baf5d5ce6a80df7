// SPDX-License-Identifier: Apache-2.0
/// Queues of Kubernetes: the present state as kubectl prints it, Kueue's and Volcano's objects. What must be in the
/// scenario, and when its jobs start, are worked out by hand.
#include "models/core/csv.hpp"
#include "tests/import/import_support.hpp"
#include "tests/support/places.hpp"
#include "tests/support/queue_scenario.hpp"
#include "tests/support/read_bytes.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace trainyard {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using tests::check_errors;
using tests::find_entry;
using tests::import_texts;
using tests::lines_of;
using tests::read_bytes;

std::pair<std::string, std::string> sample(const std::string& name)
{
  return {name, read_bytes(tests::source_folder() / "tests/data/samples/k8s" / name)};
}

const DraftQueueJob& job_named(const ImportResult& result, const std::string& name)
{
  const auto found = std::ranges::find(result.draft.queue_jobs, name, &DraftQueueJob::name);
  if (found == result.draft.queue_jobs.end())
    throw std::runtime_error{"there is no job " + name};
  return *found;
}

/// When each job starts in a run of the imported scenario, in seconds since its time 0.
std::map<std::string, std::string> starts_of(const ImportResult& result)
{
  const tests::QueueFolder folder{tests::run_queue(result.yaml)};
  const CsvTable table = parse_csv(read_bytes(folder.path() / "jobs.csv"), "jobs.csv");
  std::map<std::string, std::string> starts;
  for (const CsvTable::Row& row : table.rows)
    starts[table.cell(row, "job")] = table.cell(row, "start_s");
  return starts;
}

/// Two nodes of 8 GPUs: n1 is in pool a, n2 in pool b.
std::string two_nodes(const std::string& spec_of_second = "{}")
{
  return R"(apiVersion: v1
kind: NodeList
items:
  - metadata: {name: n1, labels: {pool: a, memory: "80", nvidia.com/gpu.product: NVIDIA-A100-SXM4-80GB}}
    status:
      allocatable: {cpu: "64", memory: 512Gi, nvidia.com/gpu: "8"}
      conditions: [{type: Ready, status: "True", lastHeartbeatTime: "2026-03-02T12:00:00Z"}]
  - metadata: {name: n2, labels: {pool: b, memory: "40", nvidia.com/gpu.product: NVIDIA-A100-SXM4-80GB}}
    status: {allocatable: {cpu: "64", memory: 512Gi, nvidia.com/gpu: "8"}}
    spec: )" +
         spec_of_second + "\n";
}

std::string pod(const std::string& name, int gpus, const std::string& spec, const std::string& phase = "Pending",
                const std::string& labels = "{}")
{
  return "---\napiVersion: v1\nkind: Pod\nmetadata: {name: " + name + ", namespace: ml, labels: " + labels +
         ", creationTimestamp: \"2026-03-02T11:00:00Z\", ownerReferences: [{kind: Job, name: " + name +
         "}]}\nspec: {restartPolicy: Never, " + spec +
         "containers: [{name: c, resources: {limits: {nvidia.com/gpu: " + std::to_string(gpus) + "}}}]}\n" +
         "status: {phase: " + phase + (phase == "Running" ? ", startTime: \"2026-03-02T10:00:00Z\"" : "") + "}\n";
}

TEST(ImportKubectl, PodsHoldTheirNodesAndOthersWait)
{
  // It is 12:00. llama has 8 GPUs of gpu-a from 10:00, which is time 0, until 14:00 (activeDeadlineSeconds); resnet 4
  // of gpu-b from 11:30 until 12:30, since a pod runs for 1 h where nothing is known. gpu-c is cordoned. eval finds 4
  // GPUs on gpu-b now (7200 s) and holds them until 13:00; finetune needs 8 on one node and gets them there, at 10800
  // s.
  const ImportResult result = import_texts({sample("kubectl-nodes-pods.json")});
  EXPECT_EQ(result.report.faults.errors(), 0);
  EXPECT_EQ(check_errors(result), "");
  EXPECT_THAT(result.yaml, HasSubstr("- {name: llama-0, submit: 0 s, duration: 14400 s, gpus: 8, tasks: 1, cpu_milli: "
                                     "96000, memory_mib: 524288, team: language, node_selector: "
                                     "[kubernetes.io/hostname=gpu-a-0]}"));
  EXPECT_THAT(result.yaml, HasSubstr("policy: {name: priority}\n  placement: kubernetes\n"));
  EXPECT_DOUBLE_EQ(job_named(result, "resnet-0").submit_s, 5400);
  EXPECT_DOUBLE_EQ(job_named(result, "resnet-0").duration_s, 3600);
  EXPECT_THAT(job_named(result, "eval-0").node_selector, ElementsAre("pool=1")); // neither gpu-c nor the tainted head
  EXPECT_DOUBLE_EQ(result.draft.machines.at(0).cpu_cores, 127);                  // 127.5 less 0.5 of kube-proxy
  EXPECT_DOUBLE_EQ(result.draft.machines.at(1).cpu_cores, 128);                  // 127.5, in whole cores
  ASSERT_NE(find_entry(result.report.ignored(), "job huge-0: never fits"), nullptr);
  EXPECT_NE(find_entry(result.report.understood(), "node gpu-c is cordoned"), nullptr);
  EXPECT_NE(find_entry(result.report.assumed(), "--assume-duration TIME chooses another"), nullptr);
  EXPECT_NE(find_entry(result.report.ignored(), "pods that have ended"), nullptr);
  const auto starts = starts_of(result);
  EXPECT_EQ(starts.size(), 4U);
  EXPECT_EQ(starts.at("llama-0"), "0");
  EXPECT_EQ(starts.at("resnet-0"), "5400");
  EXPECT_EQ(starts.at("eval-0"), "7200");
  EXPECT_EQ(starts.at("finetune-0"), "10800");
}

TEST(ImportKubectl, AssumedRunTimesAreThoseOfTheOption)
{
  // With 30 min: resnet has run so long already, so it gets 30 min more; eval and finetune run for 30 min.
  ImportOptions options;
  options.duration_s = 1800;
  const ImportResult result = import_texts({sample("kubectl-nodes-pods.json")}, options);
  EXPECT_DOUBLE_EQ(job_named(result, "llama-0").duration_s, 14400); // known
  EXPECT_DOUBLE_EQ(job_named(result, "resnet-0").duration_s, 3600);
  EXPECT_DOUBLE_EQ(job_named(result, "eval-0").duration_s, 1800);
  EXPECT_NE(find_entry(result.report.assumed(), "pods that have run for longer than 30 min"), nullptr);
}

TEST(ImportKubectl, KueueHoldsBackWhatHasNoQuota)
{
  // vision has 4 GPUs and may borrow 2: resnet uses 4, so the 4 x 1 GPUs of sweep wait until 12:30 (9000 s), although 4
  // GPUs of gpu-b would be free for eval, which is in no queue. finetune still waits for 8 GPUs on one node.
  const ImportResult result = import_texts({sample("kubectl-nodes-pods.json"), sample("kueue-workloads.yaml")});
  EXPECT_EQ(result.report.faults.errors(), 0);
  EXPECT_EQ(check_errors(result), "");
  EXPECT_THAT(result.yaml, HasSubstr("kueue:\n  quota_check_strategy: IgnoreUndeclared\n"
                                     "  flavors:\n    - {name: a100, nodes: [gpu-a, gpu-b, gpu-c]}\n"
                                     "    - {name: unmanaged}\n"
                                     "  cohorts:\n    - {name: company, quotas: [{flavor: a100, nominal_quota: 4}]}\n"
                                     "  cluster_queues:\n"));
  EXPECT_THAT(
      result.yaml,
      HasSubstr(
          "    - {name: vision, cohort: company, quotas: [{flavor: a100, nominal_quota: 4, "
          "borrowing_limit: 2, lending_limit: 4, cpu: 128}], queueing_strategy: StrictFIFO, within_cluster_queue: "
          "LowerPriority, reclaim_within_cohort: Any}\n"));
  EXPECT_THAT(result.yaml,
              HasSubstr("    - {name: language, cohort: company, quotas: [{flavor: a100, nominal_quota: 8}]"
                        ", when_can_borrow: TryNextFlavor, when_can_preempt: Preempt}\n"));
  // resnet asks for memory, of which vision has no quota, and runs: Kueue lets that pass.
  EXPECT_NE(find_entry(result.report.assumed(), "job resnet-0 runs although its cluster queue has no quota of memory"),
            nullptr);
  EXPECT_THAT(result.yaml, HasSubstr("policy: {name: kueue}"));
  EXPECT_EQ(job_named(result, "llama-0").team, "language"); // of the Workload that its Job owns
  const DraftQueueJob& sweep = job_named(result, "sweep");
  EXPECT_EQ(sweep.team, "vision");
  EXPECT_EQ(sweep.gpus, 4);
  EXPECT_EQ(sweep.tasks, 4);
  EXPECT_EQ(sweep.cpu_milli, 4000);
  EXPECT_DOUBLE_EQ(sweep.duration_s, 1800); // maximumExecutionTimeSeconds
  const auto starts = starts_of(result);
  EXPECT_EQ(starts.at("eval-0"), "7200");
  EXPECT_EQ(starts.at("sweep"), "9000");
  EXPECT_EQ(starts.at("finetune-0"), "10800");
}

TEST(ImportKubectl, JobsToComeAreSubmittedNow)
{
  // A manifest beside the state asks for 6 GPUs in the queue of language, whose 8 llama has until 14400 s. The cohort
  // has 4 left, and 8 when sweep ends at 10800 s. Then finetune, which came first, takes the node that is free, for 1
  // h.
  const std::string manifest = "apiVersion: batch/v1\nkind: Job\nmetadata:\n  name: new\n  namespace: language\n"
                               "  labels: {kueue.x-k8s.io/queue-name: main}\nspec:\n  activeDeadlineSeconds: 600\n"
                               "  template:\n    spec:\n      restartPolicy: Never\n      containers:\n"
                               "        - {name: c, resources: {limits: {nvidia.com/gpu: 6}}}\n";
  const ImportResult result =
      import_texts({sample("kubectl-nodes-pods.json"), sample("kueue-workloads.yaml"), {"new.yaml", manifest}});
  EXPECT_EQ(check_errors(result), "");
  EXPECT_DOUBLE_EQ(job_named(result, "new").submit_s, 7200);
  EXPECT_DOUBLE_EQ(job_named(result, "new").duration_s, 600);
  EXPECT_EQ(starts_of(result).at("new"), "14400");
}

TEST(ImportKubectl, NodesAreThoseThatSelectorsAffinityAndTaintsAdmit)
{
  // n2 has a taint that only `tolerant` tolerates, with its effect.
  const std::string terms =
      "affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: "
      "{nodeSelectorTerms: [{matchExpressions: [{key: memory, operator: Gt, values: ['40']}]}]}}}, ";
  const std::string all = "tolerations: [{operator: Exists}], ";
  const ImportResult result = import_texts(
      {{"state.yaml",
        two_nodes("{taints: [{key: team, value: x, effect: NoExecute}, {key: old, effect: PreferNoSchedule}]}") +
            pod("plain", 1, "") + pod("tolerant", 1, "tolerations: [{key: team, value: x, effect: NoExecute}], ") +
            pod("other-effect", 1, "tolerations: [{key: team, operator: Exists, effect: NoSchedule}], ") +
            pod("large", 1, all + terms) + pod("selects", 1, all + "nodeSelector: {pool: b}, ") +
            pod("nowhere", 1, all + "nodeSelector: {pool: c}, ") + pod("too-much", 9, all)}});
  EXPECT_EQ(check_errors(result), "");
  EXPECT_THAT(job_named(result, "plain").node_selector, ElementsAre("pool=1")); // n1
  EXPECT_THAT(job_named(result, "tolerant").node_selector, IsEmpty());          // both
  EXPECT_THAT(job_named(result, "other-effect").node_selector, ElementsAre("pool=1"));
  EXPECT_THAT(job_named(result, "large").node_selector, ElementsAre("pool=1"));
  EXPECT_THAT(job_named(result, "selects").node_selector, ElementsAre("pool=2")); // n2
  EXPECT_NE(find_entry(result.report.ignored(), "job nowhere: never fits: no node has the resources and labels"),
            nullptr);
  EXPECT_NE(find_entry(result.report.ignored(), "job too-much: never fits"), nullptr);
  EXPECT_NE(find_entry(result.report.ignored(), "taint old=:PreferNoSchedule"), nullptr);
  EXPECT_THAT(result.yaml, HasSubstr("    - {nodes: n1, labels: [pool=1]}\n    - {nodes: n2, labels: [pool=2]}\n"));
}

TEST(ImportKubectl, PodsOfAGroupStartTogether)
{
  const std::string group = "{kueue.x-k8s.io/pod-group-name: pair}";
  const ImportResult result = import_texts(
      {{"state.yaml", two_nodes() + pod("a", 4, "", "Pending", group) + pod("b", 4, "", "Pending", group)}});
  ASSERT_EQ(result.draft.queue_jobs.size(), 1U);
  EXPECT_EQ(result.draft.queue_jobs[0].name, "pair");
  EXPECT_EQ(result.draft.queue_jobs[0].tasks, 2);
  EXPECT_EQ(result.draft.queue_jobs[0].gpus, 8);
  EXPECT_EQ(check_errors(result), "");
}

TEST(ImportKubectl, LongRunningPodsGoOnFromNow)
{
  // It runs since 10:00, now is 12:00: 2 h and the hour that is assumed.
  const ImportResult result = import_texts({{"state.yaml", two_nodes() + pod("old", 2, "nodeName: n1, ", "Running")}});
  EXPECT_DOUBLE_EQ(job_named(result, "old").duration_s, 10800);
  EXPECT_THAT(job_named(result, "old").node_selector, ElementsAre("kubernetes.io/hostname=n1-0"));
}

TEST(ImportKubectl, SaysWhatItCannotPlace)
{
  const std::string queue = "{kueue.x-k8s.io/queue-name: gone}";
  const std::string rules = "---\napiVersion: kueue.x-k8s.io/v1beta1\nkind: ClusterQueue\nmetadata: {name: held}\n"
                            "spec: {stopPolicy: Hold, resourceGroups: [{coveredResources: [nvidia.com/gpu], flavors: "
                            "[{name: f, resources: [{name: nvidia.com/gpu, nominalQuota: 8}]}]}]}\n"
                            "---\napiVersion: kueue.x-k8s.io/v1beta1\nkind: LocalQueue\nmetadata: {name: h, namespace: "
                            "ml}\nspec: {clusterQueue: held}\n"
                            "---\napiVersion: kueue.x-k8s.io/v1beta1\nkind: ResourceFlavor\nmetadata: {name: f}\n"
                            "spec: {nodeLabels: {pool: none}}\n";
  const ImportResult result =
      import_texts({{"state.yaml", two_nodes() + rules + pod("lost", 1, "", "Pending", queue) + pod("free", 1, "") +
                                       pod("stopped", 1, "", "Pending", "{kueue.x-k8s.io/queue-name: h}") +
                                       pod("far", 1, "nodeName: n9, ", "Running")}});
  EXPECT_NE(find_entry(result.report.ignored(), "job lost: never starts: the files have no cluster queue"), nullptr);
  EXPECT_NE(find_entry(result.report.ignored(), "job stopped: never starts: its queue 'held' is held"), nullptr);
  EXPECT_NE(find_entry(result.report.ignored(), "pods on nodes that are not in the files"), nullptr);
  EXPECT_NE(find_entry(result.report.assumed(), "the quotas of flavor f are 0: no node has its labels"), nullptr);
  EXPECT_EQ(result.draft.queue_jobs.size(), 1U);
  EXPECT_EQ(check_errors(result), "");
}

TEST(ImportKueue, QuotasWithoutNodesGetMachines)
{
  // 12 GPUs of the flavor: 2 machines of 8. The job in its queue waits for nobody.
  const ImportResult result = import_texts({{"q.yaml", R"(apiVersion: kueue.x-k8s.io/v1beta2
kind: ResourceFlavor
metadata: {name: h100}
spec: {nodeLabels: {nvidia.com/gpu.product: NVIDIA-H100-80GB-HBM3}}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata: {name: all}
spec:
  resourceGroups:
    - coveredResources: [nvidia.com/gpu]
      flavors: [{name: h100, resources: [{name: nvidia.com/gpu, nominalQuota: 12}]}]
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: LocalQueue
metadata: {name: main, namespace: ml}
spec: {clusterQueue: all}
---
apiVersion: batch/v1
kind: Job
metadata: {name: j, namespace: ml, labels: {kueue.x-k8s.io/queue-name: main}}
spec:
  template: {spec: {restartPolicy: Never, containers: [{name: c, resources: {limits: {nvidia.com/gpu: 8}}}]}}
)"}});
  ASSERT_EQ(result.draft.machines.size(), 1U);
  EXPECT_EQ(result.draft.machines[0].count, 2);
  EXPECT_EQ(result.draft.machines[0].gpus, 8);
  EXPECT_EQ(result.draft.machines[0].gpu, "H100-SXM5");
  EXPECT_EQ(check_errors(result), "");
  EXPECT_EQ(starts_of(result).at("j"), "0");
}

// Kueue admits a workload only on a flavor whose taints its pods, or the flavor's own tolerations, tolerate.
TEST(ImportKueue, TaintsOfAFlavorKeepOutWhoDoesNotTolerateThem)
{
  const auto queue = [](const std::string& tolerations, const std::string& of_flavor) {
    return "apiVersion: kueue.x-k8s.io/v1beta2\nkind: ResourceFlavor\nmetadata: {name: h100}\nspec:\n"
           "  nodeLabels: {nvidia.com/gpu.product: NVIDIA-H100-80GB-HBM3}\n"
           "  nodeTaints: [{key: gpu, value: h100, effect: NoSchedule}]\n" +
           of_flavor +
           "---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: ClusterQueue\nmetadata: {name: all}\nspec:\n"
           "  resourceGroups:\n    - coveredResources: [nvidia.com/gpu]\n"
           "      flavors: [{name: h100, resources: [{name: nvidia.com/gpu, nominalQuota: 8}]}]\n"
           "---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: LocalQueue\nmetadata: {name: main, namespace: ml}\n"
           "spec: {clusterQueue: all}\n---\napiVersion: batch/v1\nkind: Job\n"
           "metadata: {name: j, namespace: ml, labels: {kueue.x-k8s.io/queue-name: main, "
           "kueue.x-k8s.io/priority-class: hi}, annotations: {kueue.x-k8s.io/job-min-parallelism: \"1\"}}\nspec:\n"
           "  template: {spec: {restartPolicy: Never, " +
           tolerations + "containers: [{name: c, resources: {limits: {nvidia.com/gpu: 8}}}]}}\n";
  };
  const std::string list = "tolerations: [{key: gpu, operator: Exists}]";
  const std::string node = "---\napiVersion: v1\nkind: Node\nmetadata: {name: n1, labels: {nvidia.com/gpu.product: "
                           "NVIDIA-H100-80GB-HBM3}}\nstatus: {allocatable: {cpu: \"64\", nvidia.com/gpu: \"8\"}}\n";
  for (const std::string& more : {std::string{}, node}) {
    const ImportResult out = import_texts({{"q.yaml", queue("", "") + more}});
    EXPECT_NE(find_entry(out.report.ignored(),
                         "job j: never fits: its pods do not tolerate gpu=h100:NoSchedule of flavor h100"),
              nullptr);
    EXPECT_NE(find_entry(out.report.ignored(), "annotation kueue.x-k8s.io/job-min-parallelism"), nullptr);
    EXPECT_NE(find_entry(out.report.assumed(), "jobs of the workload priority class hi"), nullptr);
    for (const ImportResult& in : {import_texts({{"q.yaml", queue(list + ", ", "") + more}}),
                                   import_texts({{"q.yaml", queue("", "  " + list + "\n") + more}})}) {
      EXPECT_EQ(in.draft.queue_jobs.size(), 1U);
      EXPECT_EQ(check_errors(in), "");
    }
  }
}

TEST(ImportKueue, WithoutNodesMachinesAreOfTheMakerThatTheQuotaNames)
{
  const ImportResult result =
      import_texts({{"q.yaml", "apiVersion: kueue.x-k8s.io/v1beta2\nkind: ResourceFlavor\nmetadata: {name: f}\n---\n"
                               "apiVersion: kueue.x-k8s.io/v1beta2\nkind: ClusterQueue\nmetadata: {name: all}\nspec:\n"
                               "  resourceGroups:\n    - coveredResources: [amd.com/gpu]\n"
                               "      flavors: [{name: f, resources: [{name: amd.com/gpu, nominalQuota: 8}]}]\n---\n"
                               "apiVersion: kueue.x-k8s.io/v1beta2\nkind: LocalQueue\nmetadata: {name: main}\n"
                               "spec: {clusterQueue: all}\n---\napiVersion: batch/v1\nkind: Job\n"
                               "metadata: {name: j, labels: {kueue.x-k8s.io/queue-name: main}}\nspec:\n"
                               "  template: {spec: {restartPolicy: Never, containers: [{name: c, resources: {limits: "
                               "{amd.com/gpu: 8}}}]}}\n"}});
  EXPECT_EQ(result.draft.machines.at(0).gpu, "MI300X");
  EXPECT_EQ(result.draft.queue_jobs.size(), 1U);
  EXPECT_EQ(check_errors(result), "");
}

TEST(ImportJobSet, ATopologyOfItsOwnIsSaidToBeIgnored)
{
  const ImportResult result = import_texts(
      {{"s.yaml", "apiVersion: jobset.x-k8s.io/v1alpha2\nkind: JobSet\nmetadata:\n  name: s\n  annotations: "
                  "{alpha.jobset.sigs.k8s.io/exclusive-topology: zone}\nspec:\n  replicatedJobs: [{name: a, template: "
                  "{spec: {template: {spec: {restartPolicy: Never, containers: [{name: c, resources: {limits: "
                  "{nvidia.com/gpu: 1}}}]}}}}}]\n"}});
  EXPECT_EQ(
      lines_of(find_entry(result.report.ignored(),
                          "annotation alpha.jobset.sigs.k8s.io/exclusive-topology: jobs of a set, and others, may")),
      std::vector<int>{5});
}

/// A ClusterQueue `all` with these resource groups, the LocalQueue `main` of it, and the flavor `f` of any node.
std::string cluster_queue(const std::string& groups)
{
  return "---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: ResourceFlavor\nmetadata: {name: f}\n"
         "---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: ClusterQueue\nmetadata: {name: all}\nspec:\n"
         "  cohortName: c\n  resourceGroups:\n" +
         groups +
         "---\napiVersion: kueue.x-k8s.io/v1beta2\nkind: LocalQueue\nmetadata: {name: main, namespace: ml}\n"
         "spec: {clusterQueue: all}\n";
}

/// A Job in that queue that runs for 10 min.
std::string queued_job(const std::string& name, const std::string& requests, int second)
{
  return "---\napiVersion: batch/v1\nkind: Job\nmetadata: {name: " + name +
         ", namespace: ml, labels: {kueue.x-k8s.io/queue-name: main}, creationTimestamp: \"2026-03-02T11:00:0" +
         std::to_string(second) +
         "Z\"}\nspec: {activeDeadlineSeconds: 600, template: {spec: {restartPolicy: Never, containers: [{name: c, "
         "resources: {requests: {" +
         requests + "}}}]}}}\n";
}

TEST(ImportKueue, QuotasOfCpuAndMemoryHoldJobsBack)
{
  // 16 GPUs on two nodes; 40 cores and 96 GiB of quota. second needs 24 cores beside the 24 of first, third 64 GiB
  // beside its 48: both wait until 600 s, and fourth does not.
  const ImportResult result = import_texts(
      {{"state.yaml", two_nodes() +
                          cluster_queue("    - coveredResources: [cpu, memory, nvidia.com/gpu, ephemeral-storage]\n"
                                        "      flavors:\n"
                                        "        - name: f\n"
                                        "          resources:\n"
                                        "            - {name: cpu, nominalQuota: 40, borrowingLimit: 8}\n"
                                        "            - {name: memory, nominalQuota: 96Gi, lendingLimit: 512Mi}\n"
                                        "            - {name: nvidia.com/gpu, nominalQuota: 16}\n"
                                        "            - {name: ephemeral-storage, nominalQuota: 1Ti}\n") +
                          queued_job("first", "cpu: 24, memory: 48Gi, nvidia.com/gpu: 1", 1) +
                          queued_job("second", "cpu: 24, memory: 1Gi, nvidia.com/gpu: 1", 2) +
                          queued_job("third", "cpu: 1, memory: 64Gi, nvidia.com/gpu: 1", 3) +
                          queued_job("fourth", "cpu: 8, memory: 32Gi, nvidia.com/gpu: 1", 4)}});
  EXPECT_EQ(result.report.faults.errors(), 0);
  EXPECT_EQ(check_errors(result), "");
  EXPECT_THAT(result.yaml,
              HasSubstr("quotas: [{flavor: f, nominal_quota: 16, cpu: {nominal_quota: 40, borrowing_limit: 8}, memory: "
                        "{nominal_quota: 96 GiB, lending_limit: 512 MiB}}]"));
  EXPECT_THAT(result.yaml, Not(HasSubstr("quota_check_strategy")));
  EXPECT_EQ(find_entry(result.report.ignored(), "quota of cpu"), nullptr);
  EXPECT_NE(find_entry(result.report.ignored(), "quota of ephemeral-storage"), nullptr);
  const auto starts = starts_of(result);
  EXPECT_EQ(starts.at("first"), "0");
  EXPECT_EQ(starts.at("second"), "600");
  EXPECT_EQ(starts.at("third"), "600");
  EXPECT_EQ(starts.at("fourth"), "0");
}

TEST(ImportKueue, SaysWhoAsksForWhatHasNoQuota)
{
  // Kueue admits no job that asks for a resource of no resource group, unless it is configured to.
  const ImportResult result = import_texts(
      {{"state.yaml", two_nodes() +
                          cluster_queue("    - coveredResources: [cpu, nvidia.com/gpu]\n"
                                        "      flavors: [{name: f, resources: [{name: cpu, nominalQuota: 40}, {name: "
                                        "nvidia.com/gpu, nominalQuota: 16}]}]\n") +
                          queued_job("lean", "cpu: 1, nvidia.com/gpu: 1", 1) +
                          queued_job("fat", "cpu: 1, memory: 1Gi, nvidia.com/gpu: 1", 2)}});
  EXPECT_EQ(check_errors(result), "");
  EXPECT_NE(find_entry(result.report.assumed(), "job fat never starts: its cluster queue has no quota of memory"),
            nullptr);
  EXPECT_EQ(find_entry(result.report.assumed(), "job lean"), nullptr);
  const auto starts = starts_of(result);
  EXPECT_EQ(starts.at("lean"), "0");
  EXPECT_EQ(starts.at("fat"), "");
}

TEST(ImportVolcano, CapabilitiesAndGuaranteesOfCpuAndMemory)
{
  // a may hold 16 cores: its second job of 12 waits for the first, with 128 cores and all GPUs free.
  const auto job = [](const std::string& name, const std::string& queue) {
    return "---\napiVersion: batch.volcano.sh/v1alpha1\nkind: Job\nmetadata: {name: " + name +
           ", namespace: ml}\nspec: {minAvailable: 1, schedulerName: volcano, queue: " + queue +
           ", tasks: [{name: worker, replicas: 1, template: {spec: {activeDeadlineSeconds: 600, containers: [{name: c, "
           "resources: {requests: {cpu: 12, memory: 8Gi, nvidia.com/gpu: 1}}}]}}}]}\n";
  };
  const std::string queues = "---\napiVersion: scheduling.volcano.sh/v1beta1\nkind: Queue\nmetadata: {name: a}\n"
                             "spec: {weight: 1, capability: {cpu: 16, memory: 100Gi, pods: 10}}\n"
                             "---\napiVersion: scheduling.volcano.sh/v1beta1\nkind: Queue\nmetadata: {name: b}\n"
                             "spec: {weight: 1, guarantee: {resource: {cpu: 4, memory: 1536Mi}}}\n";
  const ImportResult result =
      import_texts({{"state.yaml", two_nodes() + queues + job("first", "a") + job("second", "a") + job("other", "b")}});
  EXPECT_EQ(result.report.faults.errors(), 0);
  EXPECT_EQ(check_errors(result), "");
  EXPECT_THAT(result.yaml,
              HasSubstr("policy: {name: volcano, weights: a=1 b=1, cpu_capabilities: a=16, cpu_guarantees: "
                        "b=4, memory_capabilities: a=100GiB, memory_guarantees: b=1536MiB}"));
  EXPECT_NE(find_entry(result.report.ignored(), "capability of pods"), nullptr);
  const auto starts = starts_of(result);
  EXPECT_EQ(starts.at("first"), "0");
  EXPECT_EQ(starts.at("second"), "600");
  EXPECT_EQ(starts.at("other"), "0");
}

TEST(ImportVolcano, WhatQueuesDeserveSwitchesToPluginCapacity)
{
  const auto queue = [](const std::string& name, const std::string& deserved) {
    return "---\napiVersion: scheduling.volcano.sh/v1beta1\nkind: Queue\nmetadata: {name: " + name +
           "}\nspec: {weight: 1, deserved: {" + deserved + "}}\n";
  };
  const auto job = [](const std::string& name) {
    return "---\napiVersion: batch.volcano.sh/v1alpha1\nkind: Job\nmetadata: {name: " + name +
           ", namespace: ml}\nspec: {minAvailable: 1, schedulerName: volcano, queue: " + name +
           ", tasks: [{name: worker, replicas: 1, template: {spec: {activeDeadlineSeconds: 600, containers: [{name: c, "
           "resources: {requests: {nvidia.com/gpu: 1}}}]}}}]}\n";
  };
  const ImportResult result =
      import_texts({{"state.yaml", two_nodes() + queue("a", "nvidia.com/gpu: 3, cpu: 64, pods: 10") +
                                       queue("b", "memory: 64Gi") + job("a") + job("b")}});
  EXPECT_EQ(result.report.faults.errors(), 0);
  EXPECT_EQ(check_errors(result), "");
  EXPECT_THAT(result.yaml, HasSubstr("policy: {name: volcano, weights: a=1 b=1, deserved: a=3, cpu_deserved: a=64, "
                                     "memory_deserved: b=64GiB}"));
  EXPECT_NE(find_entry(result.report.ignored(), "deserved of pods"), nullptr);
  EXPECT_NE(find_entry(result.report.assumed(), "Volcano's plugin capacity"), nullptr);
}

TEST(ImportVolcano, QueuesHaveWeightsCapabilitiesAndGuarantees)
{
  // 16 GPUs. train takes the 8 that research may have, for 2 h; so the 2 GPUs of more wait for it. serve has its own.
  const ImportResult result = import_texts({sample("volcano-queues.yaml"), {"nodes.yaml", two_nodes()}});
  EXPECT_EQ(result.report.faults.errors(), 0);
  EXPECT_EQ(check_errors(result), "");
  EXPECT_THAT(result.yaml, HasSubstr("policy: {name: volcano, weights: research=2 product=1, capabilities: research=8, "
                                     "guarantees: product=4}"));
  EXPECT_EQ(job_named(result, "train").tasks, 4);
  EXPECT_EQ(job_named(result, "train").gpus, 8);
  const auto starts = starts_of(result);
  EXPECT_EQ(starts.at("train"), "0");
  EXPECT_EQ(starts.at("serve"), "0");
  EXPECT_EQ(starts.at("more"), "7200");
}

// 8 pods of a GPU in a queue of 4: with minAvailable 1 all have run after two rounds of 60 s.
TEST(ImportVolcano, PodsThatTheGangDoesNotNeedStartByThemselves)
{
  const ImportResult result = import_texts(
      {{"v.yaml",
        "apiVersion: batch.volcano.sh/v1alpha1\nkind: Job\nmetadata: {name: v}\nspec:\n  minAvailable: 1\n"
        "  queue: q\n  tasks:\n  - {name: w, replicas: 8, template: {spec: {restartPolicy: Never, containers: "
        "[{name: c, image: x, command: [sleep, '60'], resources: {limits: {nvidia.com/gpu: 1}}}]}}}\n"
        "---\napiVersion: scheduling.volcano.sh/v1beta1\nkind: Queue\nmetadata: {name: q}\n"
        "spec: {weight: 1, capability: {nvidia.com/gpu: 4}}\n"},
       {"nodes.yaml", two_nodes()}});
  EXPECT_EQ(check_errors(result), "");
  EXPECT_EQ(job_named(result, "v").tasks, 1);
  EXPECT_EQ(std::tuple(job_named(result, "v-more").gpus, job_named(result, "v-more").copies), std::tuple(1, 7));
  EXPECT_NE(find_entry(result.report.assumed(), "the gang of v has 1 pod"), nullptr);
  EXPECT_EQ(starts_of(result).at("v"), "0");
}

TEST(ImportVolcano, PodGroupsWaitWithTheirPods)
{
  // A group without pods yet asks for its minResources: 2 pods of 4 GPUs, 3 cores and 8 GiB.
  const std::string group = "---\napiVersion: scheduling.volcano.sh/v1beta1\nkind: PodGroup\n"
                            "metadata: {name: g, namespace: ml}\n"
                            "spec: {queue: q, minMember: 2, minResources: {nvidia.com/gpu: 8, cpu: 6, memory: "
                            "16Gi}}\nstatus: {phase: Pending}\n"
                            "---\napiVersion: scheduling.volcano.sh/v1beta1\nkind: Queue\nmetadata: {name: q}\n"
                            "spec: {weight: 3}\n";
  const ImportResult result =
      import_texts({{"state.yaml", two_nodes() + group + pod("now", 4, "nodeName: n1, ", "Running")}});
  EXPECT_EQ(job_named(result, "g").tasks, 2);
  EXPECT_EQ(job_named(result, "g").gpus, 8);
  EXPECT_EQ(job_named(result, "g").cpu_milli, 3000);
  EXPECT_EQ(job_named(result, "g").memory_mib, 8192);
  EXPECT_EQ(job_named(result, "g").team, "q");
  EXPECT_THAT(result.yaml, HasSubstr("weights: q=3"));
  EXPECT_EQ(check_errors(result), "");
}

TEST(ImportKubernetes, ReadsJsonValuesOneAfterTheOther)
{
  const ImportResult result = import_texts(
      {{"lines.json",
        "{\"apiVersion\": \"v1\", \"kind\": \"Node\", \"metadata\": {\"name\": \"a{\\\"b\"}, \"status\": "
        "{\"allocatable\": {\"cpu\": \"4\", \"nvidia.com/gpu\": \"2\"}}}\n"
        "{\"apiVersion\": \"v1\", \"kind\": \"Node\",\n \"metadata\": {\"name\": \"c\"}, \"status\": {\"allocatable\": "
        "{\"cpu\": \"8\"}}}\n"
        "{\"apiVersion\": \"example.org/v1\", \"kind\": \"Strange\", \"metadata\": {\"name\": \"s\"}}\n"}});
  EXPECT_EQ(result.report.faults.errors(), 0);
  ASSERT_EQ(result.draft.machines.size(), 2U);
  EXPECT_EQ(result.draft.machines[0].gpus, 2);
  EXPECT_DOUBLE_EQ(result.draft.machines[1].cpu_cores, 8);
  EXPECT_THAT(lines_of(find_entry(result.report.ignored(), "Strange example.org/v1")), ElementsAre(4));
}

/// A gang of Volcano whose class and command say what a queue needs to know.
TEST(ImportVolcano, TheClassOfAJobIsItsPriorityAndItsSleepItsRunTime)
{
  const ImportResult result = import_texts(
      {{"job.yaml",
        two_nodes() + "---\napiVersion: batch.volcano.sh/v1alpha1\nkind: Job\nmetadata: {name: gang}\nspec:\n"
                      "  minAvailable: 4\n  queue: q\n  priorityClassName: high\n  tasks:\n"
                      "    - name: worker\n      replicas: 4\n      template: {spec: {containers: [{name: w, command: "
                      "[sh, -c, \"echo begins; sleep 20m\"], resources: {limits: {nvidia.com/gpu: 1}}}]}}\n"
                      "---\napiVersion: scheduling.k8s.io/v1\nkind: PriorityClass\nmetadata: {name: high}\n"
                      "value: 1000\n---\napiVersion: scheduling.volcano.sh/v1beta1\nkind: Queue\n"
                      "metadata: {name: q}\nspec: {weight: 1}\n"}});
  EXPECT_DOUBLE_EQ(job_named(result, "gang").priority, 1000);
  EXPECT_DOUBLE_EQ(job_named(result, "gang").duration_s, 1200);
  EXPECT_EQ(find_entry(result.report.ignored(), "priorityClassName"), nullptr);
  EXPECT_EQ(check_errors(result), "");
}

/// A script that does more than sleep runs for a time that nobody knows; so does one that sleeps in a loop. Commands in
/// the background run beside the others, and the container ends with its shell.
TEST(ImportKubernetes, OnlyAScriptThatJustSleepsSaysHowLongItRuns)
{
  for (const auto& [script, seconds] :
       std::vector<std::pair<std::string, double>>{{"sleep 90", 90},
                                                   {"date && sleep 60; sleep 30s", 90},
                                                   {"exec sleep 60; sleep 9", 60},
                                                   {"sleep 1d", 86400},
                                                   {"sleep .5h 1.5m 30", 1920},
                                                   {"sleep 1h30m", 3600},
                                                   {"sleep 30 & sleep 60", 60},
                                                   {"sleep 60 & sleep 30", 30},
                                                   {"sleep 60 & sleep 30; wait", 60},
                                                   {"sleep 20 && sleep 50 & sleep 30 && wait && sleep 5", 75},
                                                   {"echo 'a & sleep 5' > /tmp/x 2>&1; sleep 60 # sleep 5", 60},
                                                   {"nvidia-smi; sleep 60", 60},
                                                   {"nvidia-smi -l 5 & sleep 60", 3600},
                                                   {"sleep $(cat seconds); sleep 60", 3600},
                                                   {"sleep $TIME; sleep 60", 3600},
                                                   {"sleep 60 || sleep 30", 3600},
                                                   {"sleep 60 | cat", 3600},
                                                   {"(sleep 60; sleep 30)", 3600},
                                                   {"python train.py; sleep 60", 3600},
                                                   {"while true; do sleep 30; done", 3600},
                                                   {"sleep infinity", 3600}}) {
    const ImportResult result = import_texts(
        {{"job.yaml", two_nodes() +
                          "---\napiVersion: batch/v1\nkind: Job\nmetadata: {name: one}\nspec: {template: {spec: "
                          "{restartPolicy: Never, containers: [{name: c, command: [bash, -c, \"" +
                          script + "\"], resources: {limits: {nvidia.com/gpu: 1}}}]}}}\n"}});
    EXPECT_DOUBLE_EQ(job_named(result, "one").duration_s, seconds) << script;
    EXPECT_EQ(find_entry(result.report.ignored(), "sleep in a command") != nullptr, seconds == 3600) << script;
  }
}

/// A pod runs until all its containers have ended: beside one that trains, a sleep says nothing.
TEST(ImportKubernetes, AContainerThatSleepsBesideOneThatTrainsSaysNothing)
{
  const ImportResult result = import_texts(
      {{"job.yaml", two_nodes() +
                        "---\napiVersion: batch/v1\nkind: Job\nmetadata: {name: one}\nspec: {template: {spec: "
                        "{restartPolicy: Never, containers: [{name: a, command: [sleep, \"60\"]}, {name: b, "
                        "command: [python, train.py, sleep, \"30\"]}]}}}\n"}});
  EXPECT_DOUBLE_EQ(job_named(result, "one").duration_s, 3600);
}

TEST(ImportKubeflow, TheLauncherOfAnMpiJobSaysWhatItsWorkersTrain)
{
  const ImportResult result = import_texts(
      {{"mpi.yaml",
        "apiVersion: kubeflow.org/v2beta1\nkind: MPIJob\nmetadata: {name: mpi}\nspec:\n  slotsPerWorker: 4\n"
        "  mpiReplicaSpecs:\n"
        "    Launcher: {replicas: 1, template: {spec: {containers: [{name: l, command: [mpirun, -np, \"8\", "
        "python, train.py, --model=vgg16, --batch_size=64]}]}}}\n"
        "    Worker: {replicas: 2, template: {spec: {containers: [{name: w, resources: {limits: "
        "{nvidia.com/gpu: 4}}}]}}}\n"}});
  ASSERT_EQ(result.draft.jobs.size(), 1U);
  EXPECT_EQ(result.draft.jobs[0].model, "vgg16");
  EXPECT_EQ(result.draft.jobs[0].batch_per_gpu, 64);
  EXPECT_THAT(lines_of(find_entry(result.report.assumed(), "job mpi has a batch of 64")), ElementsAre(7));
}

/// What the workers of an MPIJob run is a server that waits; their image is not what trains.
TEST(ImportKubeflow, TheCommandOfTheLauncherCountsBeforeTheImageOfTheWorkers)
{
  const auto mpi = [](const std::string& command) {
    return import_texts(
        {{"mpi.yaml",
          "apiVersion: kubeflow.org/v2beta1\nkind: MPIJob\nmetadata: {name: mpi}\nspec:\n"
          "  mpiReplicaSpecs:\n    Launcher: {replicas: 1, template: {spec: {containers: [{name: l, command: "
          "[mpirun, python, train.py" +
              command +
              "]}]}}}\n    Worker: {replicas: 2, template: {spec: {containers: [{name: w, image: "
              "resnet50-img, command: [sleep, \"300\"], args: [--batch-size=7], resources: {limits: "
              "{nvidia.com/gpu: 4}}}]}}}\n"}});
  };
  const ImportResult named = mpi(", --model=vgg16, --batch-size=64");
  EXPECT_EQ(named.draft.jobs.at(0).model, "vgg16");
  EXPECT_EQ(named.draft.jobs.at(0).batch_per_gpu, 64);
  EXPECT_EQ(mpi("").draft.jobs.at(0).model, "resnet50"); // the launcher does not say
}

TEST(ImportKubeflow, NoKeyOfAPyTorchJobIsLeftOutWithoutALine)
{
  const ImportResult result = import_texts(
      {{"pt.yaml", "apiVersion: kubeflow.org/v1\nkind: PyTorchJob\nmetadata: {name: pt}\nspec:\n  nprocPerNode: \"4\"\n"
                   "  elasticPolicy: {minReplicas: 1, maxReplicas: 4}\n  surprise: 1\n  pytorchReplicaSpecs:\n"
                   "    Worker: {replicas: 3, template: {spec: {containers: [{name: w, resources: {limits: "
                   "{nvidia.com/gpu: 8}}}]}}}\n"}});
  EXPECT_THAT(lines_of(find_entry(result.report.assumed(), "4 processes and 8 GPUs a worker differ")), ElementsAre(5));
  EXPECT_THAT(lines_of(find_entry(result.report.ignored(), "elasticPolicy")), ElementsAre(6));
  EXPECT_THAT(lines_of(find_entry(result.report.ignored(), "surprise")), ElementsAre(7));
}

/// Rank 0's manifest says what all ranks run, and on which GPUs.
TEST(ImportKubeflow, TheMasterOfAPyTorchJobSpeaksForItsWorkers)
{
  const ImportResult result = import_texts(
      {{"pt.yaml",
        "apiVersion: kubeflow.org/v1\nkind: PyTorchJob\nmetadata: {name: pt}\nspec:\n  pytorchReplicaSpecs:\n"
        "    Master: {replicas: 1, template: {spec: {nodeSelector: {nvidia.com/gpu.product: NVIDIA-H100-80GB-HBM3}, "
        "containers: [{name: m, image: \"nvcr.io/nvidia/pytorch:24.05-py3\", args: [train.py, --model_name_or_path, "
        "meta-llama/Meta-Llama-3-8B, --per_device_train_batch_size, \"2\", --fsdp_config, a, --fsdp, full_shard, "
        "--max_steps=300], resources: {limits: "
        "{nvidia.com/gpu: 8}}}]}}}\n"
        "    Worker: {replicas: 3, template: {spec: {containers: [{name: w, resources: {limits: {nvidia.com/gpu: "
        "8}}}]}}}\n"}});
  ASSERT_EQ(result.draft.jobs.size(), 1U);
  EXPECT_EQ(result.draft.jobs[0].workers, 32);
  EXPECT_EQ(result.draft.jobs[0].model, "llama3_8b");
  EXPECT_EQ(result.draft.jobs[0].batch_per_gpu, 2);
  EXPECT_EQ(result.draft.framework, "{name: pytorch}"); // the tag is a month
  ASSERT_EQ(result.draft.machines.size(), 1U);
  EXPECT_EQ(result.draft.machines[0].gpu, "H100-SXM5");
  EXPECT_EQ(result.draft.jobs[0].steps, 300);
  EXPECT_EQ(result.draft.jobs[0].parallel, "{dp: 32, zero: 3, micro_batch: 2, global_batch: 64}");
  EXPECT_NE(find_entry(result.report.ignored(), "flag --fsdp_config: "), nullptr);
}

TEST(ImportKubeflow, WhatTheMasterAsksForOtherwiseIsTold)
{
  const std::string padding(500, 'x');
  const auto pod = [](const std::string& image, const std::string& args, int gpus) {
    return "{replicas: 1, template: {spec: {containers: [{name: c, image: " + image + ", args: [sh, -c, \"" + args +
           "\"], resources: {limits: {nvidia.com/gpu: " + std::to_string(gpus) + "}}}]}}}\n";
  };
  const ImportResult result =
      import_texts({{"pt.yaml", "apiVersion: kubeflow.org/v1\nkind: PyTorchJob\nmetadata: {name: pt}\nspec:\n"
                                "  pytorchReplicaSpecs:\n    Master: " +
                                    pod("own", "run --note " + padding + " --batch-size 64", 1) +
                                    "    Worker: " + pod("pytorch/pytorch:2.1.0", "run --batch-size 8", 8)}});
  EXPECT_EQ(result.draft.jobs.at(0).batch_per_gpu, 64); // however long the command is
  EXPECT_NE(find_entry(result.report.assumed(), "the master has 8 GPUs, too: it asks for 1"), nullptr);
  EXPECT_NE(find_entry(result.report.assumed(), "where commands differ, that of the master counts"), nullptr);
  EXPECT_EQ(result.draft.framework, "{name: pytorch, version: \"2.1\"}");
}

/// The role's pods: each with so many GPUs and cores.
std::string role_of(const std::string& name, int replicas, int gpus, int cores)
{
  return "    " + name + ": {replicas: " + std::to_string(replicas) +
         ", template: {spec: {containers: [{name: c, resources: {requests: {cpu: " + std::to_string(cores) +
         (gpus > 0 ? ", nvidia.com/gpu: " + std::to_string(gpus) : "") + "}}}]}}}\n";
}

TEST(ImportKubeflow, PodsOfAQueueThatAreNotEqualAreListed)
{
  // The files are of a running cluster. The launcher of 2 cores computes nothing, but holds them; the workers have a
  // node of 8 GPUs each. The master of pt has 4 GPUs, its workers 1: it waits for the end of mpi, which runs for 1 h.
  const std::string head = "---\napiVersion: kubeflow.org/";
  const ImportResult result =
      import_texts({{"jobs.yaml", two_nodes() + pod("ended", 1, "", "Succeeded") + head +
                                      "v2beta1\nkind: MPIJob\nmetadata: {name: mpi}\nspec:\n  mpiReplicaSpecs:\n" +
                                      role_of("Launcher", 1, 0, 2) + role_of("Worker", 2, 8, 4) + head +
                                      "v1\nkind: PyTorchJob\nmetadata: {name: pt}\nspec:\n  pytorchReplicaSpecs:\n" +
                                      role_of("Master", 1, 4, 8) + role_of("Worker", 4, 1, 1)}});
  EXPECT_EQ(check_errors(result), "");
  EXPECT_THAT(result.yaml, HasSubstr("tasks: [{role: launcher, count: 1, cpu_milli: 2000}, {role: worker, count: 2, "
                                     "gpus: 8, cpu_milli: 4000}]"));
  EXPECT_THAT(result.yaml, HasSubstr("gpus: 8, tasks: [{role: master, count: 1, gpus: 4, cpu_milli: 8000}, {role: "
                                     "worker, count: 4, gpus: 1, cpu_milli: 1000}]"));
  const auto starts = starts_of(result);
  EXPECT_EQ(starts.at("mpi"), "0");
  EXPECT_EQ(starts.at("pt"), "3600");
}

TEST(ImportKueue, PodSetsGetFlavorsOfTheirOwn)
{
  // Node n1 is of flavor a, n2 of b, each with quota for 8 GPUs. Master and worker ask for the same, but are two pod
  // sets: the master gets a, the worker b. With one flavor for both they are equal tasks.
  const std::string rules = R"(---
apiVersion: kueue.x-k8s.io/v1beta2
kind: ResourceFlavor
metadata: {name: a}
spec: {nodeLabels: {pool: a}}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: ResourceFlavor
metadata: {name: b}
spec: {nodeLabels: {pool: b}}
)";
  const auto queue = [](const std::string& flavors) {
    return cluster_queue("    - {coveredResources: [nvidia.com/gpu], flavors: [" + flavors + "]}\n");
  };
  const auto flavor = [](const std::string& name) {
    return "{name: " + name + ", resources: [{name: nvidia.com/gpu, nominalQuota: 8}]}";
  };
  const auto job = [](int gpus) {
    return "---\napiVersion: kubeflow.org/v1\nkind: PyTorchJob\nmetadata: {name: pt, namespace: ml, labels: "
           "{kueue.x-k8s.io/queue-name: main}}\nspec:\n  pytorchReplicaSpecs:\n" +
           role_of("Master", 1, gpus, 0) + role_of("Worker", 1, gpus, 0);
  };
  const ImportResult two =
      import_texts({{"q.yaml", two_nodes() + rules + queue(flavor("a") + ", " + flavor("b")) + job(8)}});
  EXPECT_EQ(check_errors(two), "");
  ASSERT_EQ(job_named(two, "pt").task_list.size(), 2U);
  EXPECT_EQ(starts_of(two).at("pt"), "0");
  const ImportResult one = import_texts({{"q.yaml", two_nodes() + rules + queue(flavor("a")) + job(4)}});
  EXPECT_THAT(job_named(one, "pt").task_list, IsEmpty());
  EXPECT_EQ(job_named(one, "pt").tasks, 2);
}

TEST(ImportVolcano, TasksThatAreNotEqualAreListed)
{
  // The master may only go to n1 (label pool: a).
  const ImportResult result = import_texts(
      {{"job.yaml",
        two_nodes() +
            "---\napiVersion: batch.volcano.sh/v1alpha1\nkind: Job\nmetadata: {name: gang}\nspec:\n  queue: q\n  "
            "tasks:\n"
            "    - {name: master, replicas: 1, template: {spec: {nodeSelector: {pool: a}, containers: [{name: c, "
            "resources: {limits: {nvidia.com/gpu: 2}}}]}}}\n"
            "    - {name: worker, replicas: 2, template: {spec: {containers: [{name: c, resources: {limits: "
            "{nvidia.com/gpu: 6}}}]}}}\n"
            "---\napiVersion: scheduling.volcano.sh/v1beta1\nkind: Queue\nmetadata: {name: q}\nspec: {weight: 1}\n"}});
  EXPECT_EQ(check_errors(result), "");
  EXPECT_THAT(result.yaml, HasSubstr("gpus: 14, tasks: [{role: master, count: 1, gpus: 2, node_selector: [pool=1]}, "
                                     "{role: worker, count: 2, gpus: 6}]"));
  EXPECT_EQ(starts_of(result).at("gang"), "0");
}

/// MIG. Strategy "single": 14 slices 1g.10gb under the name nvidia.com/gpu are two GPUs, and a pod that asks for one
/// has a seventh of a GPU. Strategy "mixed": 7 x 1g and 2 x 3g are 13 of 7 slices each: two GPUs as well.
TEST(ImportKubernetes, SlicesOfMigAreCutFromWholeGpus)
{
  const std::string single = "apiVersion: v1\nkind: Node\nmetadata: {name: n1, labels: {nvidia.com/gpu.product: "
                             "NVIDIA-A100-SXM4-80GB-MIG-1g.10gb, nvidia.com/gpu.memory: \"9728\"}}\n"
                             "status: {allocatable: {cpu: \"64\", memory: 100Gi, nvidia.com/gpu: \"14\"}}\n---\n";
  const std::string job = "apiVersion: batch/v1\nkind: Job\nmetadata: {name: small}\nspec: {template: {spec: "
                          "{restartPolicy: Never, containers: [{name: c, command: [sleep, 30m], resources: {limits: "
                          "{nvidia.com/gpu: 1}}}]}}}\n";
  const ImportResult one = import_texts({{"a.yaml", single + job}});
  ASSERT_EQ(one.draft.machines.size(), 1U);
  EXPECT_EQ(one.draft.machines[0].gpus, 2);
  EXPECT_EQ(one.draft.machines[0].gpu, "A100-SXM4-80GB");
  EXPECT_EQ(job_named(one, "small").gpu_milli, 142);
  EXPECT_EQ(check_errors(one), "");
  const std::string mixed =
      "apiVersion: v1\nkind: Node\nmetadata: {name: n2, labels: {nvidia.com/gpu.product: NVIDIA-A100-SXM4-80GB}}\n"
      "status: {allocatable: {cpu: \"64\", nvidia.com/gpu: \"0\", nvidia.com/mig-1g.10gb: \"7\", "
      "nvidia.com/mig-3g.40gb: \"2\"}}\n";
  const ImportResult two = import_texts({{"b.yaml", mixed}});
  ASSERT_EQ(two.draft.machines.size(), 1U);
  EXPECT_EQ(two.draft.machines[0].gpus, 2);
  EXPECT_EQ(find_entry(two.report.ignored(), "nvidia.com/mig"), nullptr);
  // Where other nodes have whole GPUs under the same name, pods that ask for it get whole ones.
  const ImportResult both = import_texts(
      {{"c.yaml", single +
                      "apiVersion: v1\nkind: Node\nmetadata: {name: n3, labels: {nvidia.com/gpu.product: "
                      "NVIDIA-A100-SXM4-80GB}}\nstatus: {allocatable: {cpu: \"64\", nvidia.com/gpu: \"8\"}}\n---\n" +
                      job}});
  EXPECT_EQ(job_named(both, "small").gpu_milli, 1000);
}

// Replicas of a Deployment are no gang: six of one GPU beside a pod that waits are six jobs. Where nothing can start,
// nothing is made up.
TEST(ImportKubernetes, PodsOfADeploymentStartOneByOneAndNothingIsMadeUp)
{
  const std::string node =
      "apiVersion: v1\nkind: Node\nmetadata: {name: a, labels: {nvidia.com/gpu.product: "
      "NVIDIA-L40S}}\nstatus: {allocatable: {cpu: '32', memory: 128Gi, nvidia.com/gpu: '4'}}\n---\n";
  const std::string pod =
      "---\napiVersion: v1\nkind: Pod\nmetadata: {name: done, namespace: default}\nspec: {nodeName: "
      "a, containers: [{name: x, image: y, resources: {limits: {nvidia.com/gpu: 1}}}]}\nstatus: "
      "{phase: Succeeded}\n";
  const auto deployment = [](const char* gpus) {
    return std::string{"apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: serve}\nspec:\n  replicas: 6\n  "
                       "selector: {matchLabels: {app: s}}\n  template: {metadata: {labels: {app: s}}, spec: "
                       "{containers: [{name: s, image: v, resources: {limits: {nvidia.com/gpu: '"} +
           gpus + "'}}}]}}\n";
  };
  const ImportResult six = import_texts({{"k.yaml", node + deployment("1") + pod}});
  EXPECT_EQ(job_named(six, "serve").copies, 6);
  EXPECT_EQ(job_named(six, "serve").gpus, 1);
  const ImportResult never = import_texts({{"k.yaml", node + deployment("8") + pod}});
  EXPECT_TRUE(never.report.faults.has_errors());
  EXPECT_THAT(never.yaml, Not(HasSubstr("resnet50")));
}

} // namespace
} // namespace trainyard
