// SPDX-License-Identifier: Apache-2.0
// The keys of manifests and what becomes of each. Sources: kubernetes/api (core, batch, apps, 1.33);
// kubernetes-sigs/jobset, api/jobset/v1alpha2; kubernetes-sigs/kueue, apis/kueue/v1beta2; kubeflow/training-operator,
// pkg/apis/kubeflow.org/v1; kubeflow/mpi-operator, pkg/apis/kubeflow/v2beta1; kubeflow/trainer, pkg/apis/trainer;
// volcano-sh/apis, pkg/apis/batch and scheduling; ray-project/kuberay, ray-operator/apis/ray/v1.
#include "models/import/kubernetes/kind.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <stdexcept>

namespace trainyard {
namespace {

constexpr std::string_view nothing_ended = "what has ended holds nothing";
constexpr std::string_view of_names = "names and rights take no time";
constexpr std::string_view keeps_size = "the number of pods stays as it is given";
constexpr std::string_view no_files = "sizes of files are not in it, so loading takes no time";
constexpr std::string_view numbers_of_ray = "each GPU of a container has one rank, whatever Ray counts";

constexpr KeyFate container_keys[]{
    {"name image command args resources ports env", used_key},
    {"envFrom", "variables of other objects are not put into the command"},
    {"volumeMounts volumeDevices", no_files},
    {"imagePullPolicy", "the size of the image is not in the file, so pulling takes no time"},
    {"livenessProbe readinessProbe startupProbe", "containers are alive and ready when they have started"},
    {"lifecycle", "what runs before and after a container takes no time"},
    {"securityContext stdin stdinOnce tty terminationMessagePath terminationMessagePolicy workingDir", of_names},
    {"restartPolicy restartPolicyRules", "the pod's restartPolicy counts"},
    {"resizePolicy", "containers keep what they ask for"}};

constexpr KeyFate pod_keys[]{
    {"containers nodeSelector affinity tolerations nodeName restartPolicy priority priorityClassName "
     "activeDeadlineSeconds",
     used_key},
    {"initContainers", "they end before the containers start, and what they ask for is not counted"},
    {"ephemeralContainers", "they ask for nothing"},
    {"topologySpreadConstraints", "the scores of the scheduler alone choose among the nodes"},
    {"schedulingGates", "pods wait for no gates"},
    {"schedulerName", "one scheduler places all pods of a scenario"},
    {"preemptionPolicy", "pods of a higher priority push others away, or none does (orchestrator: preempts)"},
    {"overhead", "what a runtime needs beside the containers is not counted"},
    {"resources", "what the containers ask for is counted"},
    {"resourceClaims", "devices by claims are not counted; limits of nvidia.com/gpu are"},
    {"runtimeClassName", "containers of all runtimes take as long; orchestrator: runtime has others"},
    {"terminationGracePeriodSeconds", "orchestrator: container_stop says how long pods take to end"},
    {"volumes", no_files},
    {"imagePullSecrets securityContext serviceAccountName serviceAccount automountServiceAccountToken hostUsers",
     "it is about rights, not resources"},
    {"hostNetwork dnsPolicy dnsConfig hostAliases hostname subdomain setHostnameAsFQDN hostnameOverride "
     "enableServiceLinks readinessGates",
     "names and networks of pods take no time"},
    {"hostIPC hostPID shareProcessNamespace", "it is about processes inside of the pod"},
    {"os", "all nodes run the same system"}};

constexpr KeyFate job_keys[]{
    {"template parallelism completions backoffLimit activeDeadlineSeconds suspend", used_key},
    {"completionMode", "pods with and without an index run alike"},
    {"backoffLimitPerIndex maxFailedIndexes podFailurePolicy podReplacementPolicy successPolicy",
     "every pod that fails starts again, up to the backoffLimit, and the job ends with its last pod"},
    {"ttlSecondsAfterFinished", nothing_ended},
    {"selector manualSelector managedBy", of_names}};

constexpr KeyFate cron_job_keys[]{{"schedule concurrencyPolicy jobTemplate suspend startingDeadlineSeconds", used_key},
                                  {"timeZone", "time 0 is midnight there, whatever the zone"},
                                  {"successfulJobsHistoryLimit failedJobsHistoryLimit", nothing_ended}};

constexpr KeyFate kept_keys[]{
    {"template replicas", used_key},
    {"selector serviceName volumeClaimTemplates persistentVolumeClaimRetentionPolicy ordinals", of_names},
    {"strategy updateStrategy minReadySeconds revisionHistoryLimit progressDeadlineSeconds paused",
     "pods are not replaced by new versions; 'update' of a service does so"},
    {"podManagementPolicy", "all pods are started at once"}};

constexpr KeyFate job_set_keys[]{{"replicatedJobs failurePolicy suspend", used_key},
                                 {"successPolicy", "each job ends when its pods end"},
                                 {"startupPolicy", "the jobs of a set start together"},
                                 {"ttlSecondsAfterFinished", nothing_ended},
                                 {"network coordinator managedBy", of_names}};
constexpr KeyFate replicated_job_keys[]{
    {"name replicas template", used_key},
    {"dependsOn", "the jobs of a set start together; 'after' of a queue's job makes it wait"},
    {"groupName", of_names}};
constexpr KeyFate failure_policy_keys[]{
    {"maxRestarts", used_key}, {"rules restartStrategy", "every failure restarts what it hits, up to maxRestarts"}};

constexpr KeyFate kubeflow_keys[]{
    {"tfReplicaSpecs pytorchReplicaSpecs paddleReplicaSpecs jaxReplicaSpecs mpiReplicaSpecs slotsPerWorker "
     "nprocPerNode runPolicy runLauncherAsWorker "
     "backoffLimit activeDeadlineSeconds suspend schedulingPolicy", // of older versions, as in a run policy
     used_key},
    {"cleanPodPolicy ttlSecondsAfterFinished", nothing_ended},
    {"elasticPolicy", "the job keeps the workers that it asks for; min_gpus and max_gpus of a job of a queue make it "
                      "elastic"},
    {"enableDynamicWorker", keeps_size},
    {"successPolicy", "the job ends with its steps"},
    {"launcherCreationPolicy", "the launcher starts with its workers"},
    {"mpiImplementation mainContainer", "ranks of all kinds of MPI start alike"},
    {"sshAuthMountPath", of_names}};
constexpr KeyFate replica_keys[]{{"replicas template restartPolicy", used_key}};
constexpr KeyFate run_policy_keys[]{{"backoffLimit activeDeadlineSeconds suspend schedulingPolicy", used_key},
                                    {"cleanPodPolicy ttlSecondsAfterFinished", nothing_ended},
                                    {"managedBy", of_names}};
constexpr KeyFate scheduling_policy_keys[]{{"minAvailable queue priorityClass", used_key},
                                           {"minResources", "a gang starts when all its pods fit"},
                                           {"scheduleTimeoutSeconds", "a gang waits without limit"}};

constexpr KeyFate train_job_keys[]{{"runtimeRef trainer suspend", used_key},
                                   {"initializer", "data and weights are there when the job starts"},
                                   {"podSpecOverrides podTemplateOverrides runtimePatches",
                                    "not modelled: pods are those of the runtime, with what the trainer says"},
                                   {"labels annotations managedBy", of_names}};
constexpr KeyFate trainer_keys[]{{"numNodes numProcPerNode resourcesPerNode image command args env", used_key}};
constexpr KeyFate runtime_keys[]{{"mlPolicy template", used_key},
                                 {"podGroupPolicy", "the pods of a training start together anyway"}};

constexpr KeyFate volcano_job_keys[]{
    {"tasks minAvailable policies queue maxRetry priorityClassName runningEstimate plugins", used_key},
    {"schedulerName", "one scheduler places all pods of a scenario"},
    {"volumes", no_files},
    {"minSuccess", "the job ends when its tasks end"},
    {"networkTopology", "not modelled: the placement policy chooses among the nodes"},
    {"ttlSecondsAfterFinished", nothing_ended}};
constexpr KeyFate volcano_task_keys[]{
    {"name replicas template policies minAvailable", used_key},
    {"dependsOn", "the tasks of a gang start together"},
    {"maxRetry", "the job's own maxRetry counts"},
    {"topologyPolicy", "sockets of a machine are not told apart"},
    {"partitionPolicy", "not modelled: the placement policy chooses among the nodes"}};
constexpr KeyFate pod_group_keys[]{{"queue minMember minResources priorityClassName", used_key},
                                   {"minTaskMember subGroupPolicy", "a gang starts when all its pods can start"},
                                   {"networkTopology", "not modelled: the placement policy chooses among the nodes"}};
constexpr KeyFate volcano_queue_keys[]{
    {"weight capability deserved guarantee reclaimable parent", used_key},
    {"affinity", "not modelled: the jobs of a queue go to all nodes"},
    {"priority", "the order of queues is that of their shares"},
    {"dequeueStrategy", "a job that does not fit does not hold up the others of its queue"},
    {"type extendClusters", of_names}};

constexpr KeyFate ray_job_keys[]{
    {"rayClusterSpec entrypoint backoffLimit activeDeadlineSeconds suspend", used_key},
    {"clusterSelector", "the job has a cluster of its own here"},
    {"runtimeEnvYAML", "what a job installs takes no time"},
    {"entrypointNum* entrypointResources", numbers_of_ray},
    {"submissionMode submitterPodTemplate submitterConfig", "what submits the job asks for nothing"},
    {"shutdownAfterJobFinishes ttlSecondsAfterFinished deletionStrategy deletionPolicy preRunningDeadlineSeconds",
     nothing_ended},
    {"jobId metadata managedBy", of_names}};
constexpr KeyFate ray_cluster_keys[]{{"headGroupSpec workerGroupSpecs suspend", used_key},
                                     {"enableInTreeAutoscaling autoscalerOptions", keeps_size},
                                     {"gcsFaultToleranceOptions", "the head does not fail by itself"},
                                     {"upgradeStrategy", "pods are not replaced by new versions"},
                                     {"rayVersion headServiceAnnotations managedBy authOptions", of_names}};
constexpr KeyFate ray_head_keys[]{{"template", used_key},
                                  {"rayStartParams resources", numbers_of_ray},
                                  {"serviceType headService enableIngress labels", of_names}};
constexpr KeyFate ray_group_keys[]{{"groupName replicas minReplicas maxReplicas numOfHosts template suspend", used_key},
                                   {"rayStartParams resources", numbers_of_ray},
                                   {"idleTimeoutSeconds scaleStrategy", keeps_size},
                                   {"labels", of_names}};
constexpr KeyFate ray_service_keys[]{
    {"rayClusterConfig", used_key},
    {"serveConfigV2", "requests are not in the file; 'serving' of a service has them"},
    {"serviceUnhealthySecondThreshold deploymentUnhealthySecondThreshold upgradeStrategy "
     "rayClusterDeletionDelaySeconds",
     "pods are not replaced by new versions"},
    {"serveService excludeHeadPodFromServeSvc", of_names}};

constexpr KeyFate cluster_queue_keys[]{
    {"resourceGroups cohort cohortName queueingStrategy preemption flavorFungibility fairSharing stopPolicy", used_key},
    {"namespaceSelector", "every namespace with a LocalQueue may use it"},
    {"admissionChecks admissionChecksStrategy", "nothing but quota is checked"},
    {"admissionScope", "usage of the past does not order jobs"},
    {"concurrentAdmissionPolicy", "a job tries its flavors one after the other"}};
constexpr KeyFate cohort_keys[]{{"resourceGroups parent parentName fairSharing", used_key}};
constexpr KeyFate flavor_keys[]{{"nodeLabels tolerations nodeTaints", used_key},
                                {"topologyName", "topologies count by the labels that pods ask for"}};
constexpr KeyFate local_queue_keys[]{{"clusterQueue stopPolicy", used_key},
                                     {"fairSharing", "the queues of a ClusterQueue have no shares of their own"},
                                     {"flavors", "jobs take all flavors of the ClusterQueue"}};
constexpr KeyFate workload_keys[]{
    {"queueName podSets priority active maximumExecutionTimeSeconds", used_key},
    {"priorityClassName priorityClassSource priorityClassRef", "its value stands beside it (priority)"},
    {"preemptionGates", "a job stops others as soon as the rules let it"}};
constexpr KeyFate pod_set_keys[]{{"name count template topologyRequest", used_key},
                                 {"minCount", "all pods start, or none"}};
constexpr KeyFate priority_class_keys[]{
    {"value globalDefault apiVersion kind metadata", used_key},
    {"preemptionPolicy", "pods of a higher priority push others away, or none does (orchestrator: preempts)"},
    {"description", of_names}};

/// A map of manifests: what the report calls it, and an object in which one of its keys stands at KEY.
struct ManifestMap {
  std::string_view name, api_version, kind, body; // TEMPLATE: a pod
  std::span<const KeyFate> keys;
};

constexpr ManifestMap manifest_maps[]{
    {"container", "v1", "Pod", "spec: {containers: [{name: c, KEY: 7}]}", container_keys},
    {"pod", "v1", "Pod", "spec: {KEY: 7}", pod_keys},
    {"job", "batch/v1", "Job", "spec: {TEMPLATE, KEY: 7}", job_keys},
    {"CronJob", "batch/v1", "CronJob", "spec: {schedule: '0 1 * * *', jobTemplate: {spec: {TEMPLATE}}, KEY: 7}",
     cron_job_keys},
    {"set of pods", "apps/v1", "Deployment", "spec: {TEMPLATE, KEY: 7}", kept_keys},
    {"JobSet", "jobset.x-k8s.io/v1alpha2", "JobSet",
     "spec: {replicatedJobs: [{name: a, template: {spec: {TEMPLATE}}}], KEY: 7}", job_set_keys},
    {"replicated job", "jobset.x-k8s.io/v1alpha2", "JobSet",
     "spec: {replicatedJobs: [{name: a, template: {spec: {TEMPLATE}}, KEY: 7}]}", replicated_job_keys},
    {"failure policy", "jobset.x-k8s.io/v1alpha2", "JobSet",
     "spec: {replicatedJobs: [{name: a, template: {spec: {TEMPLATE}}}], failurePolicy: {KEY: 7}}", failure_policy_keys},
    {"training job", "kubeflow.org/v1", "PyTorchJob", "spec: {pytorchReplicaSpecs: {Worker: {TEMPLATE}}, KEY: 7}",
     kubeflow_keys},
    {"role", "kubeflow.org/v1", "TFJob", "spec: {tfReplicaSpecs: {Worker: {TEMPLATE, KEY: 7}}}", replica_keys},
    {"run policy", "kubeflow.org/v1", "TFJob", "spec: {tfReplicaSpecs: {Worker: {TEMPLATE}}, runPolicy: {KEY: 7}}",
     run_policy_keys},
    {"scheduling policy", "kubeflow.org/v1", "TFJob",
     "spec: {tfReplicaSpecs: {Worker: {TEMPLATE}}, runPolicy: {schedulingPolicy: {KEY: 7}}}", scheduling_policy_keys},
    {"TrainJob", "trainer.kubeflow.org/v1alpha1", "TrainJob", "spec: {trainer: {numNodes: 1}, KEY: 7}", train_job_keys},
    {"trainer", "trainer.kubeflow.org/v1alpha1", "TrainJob", "spec: {trainer: {KEY: 7}}", trainer_keys},
    {"runtime", "trainer.kubeflow.org/v1alpha1", "TrainingRuntime", "spec: {KEY: 7}", runtime_keys},
    {"job of Volcano", "batch.volcano.sh/v1alpha1", "Job", "spec: {tasks: [{name: w, TEMPLATE}], KEY: 7}",
     volcano_job_keys},
    {"task", "batch.volcano.sh/v1alpha1", "Job", "spec: {tasks: [{name: w, TEMPLATE, KEY: 7}]}", volcano_task_keys},
    {"pod group", "scheduling.volcano.sh/v1beta1", "PodGroup", "spec: {KEY: 7}", pod_group_keys},
    {"queue of Volcano", "scheduling.volcano.sh/v1beta1", "Queue",
     "spec: {KEY: 7}\n---\napiVersion: "
     "batch.volcano.sh/v1alpha1\nkind: Job\nmetadata: {name: j}\nspec: {tasks: [{name: w, TEMPLATE}]}",
     volcano_queue_keys},
    {"RayJob", "ray.io/v1", "RayJob", "spec: {rayClusterSpec: {workerGroupSpecs: [{replicas: 1, TEMPLATE}]}, KEY: 7}",
     ray_job_keys},
    {"Ray cluster", "ray.io/v1", "RayCluster", "spec: {workerGroupSpecs: [{replicas: 1, TEMPLATE}], KEY: 7}",
     ray_cluster_keys},
    {"head group", "ray.io/v1", "RayCluster", "spec: {headGroupSpec: {TEMPLATE, KEY: 7}}", ray_head_keys},
    {"worker group", "ray.io/v1", "RayCluster", "spec: {workerGroupSpecs: [{TEMPLATE, KEY: 7}]}", ray_group_keys},
    {"RayService", "ray.io/v1", "RayService",
     "spec: {rayClusterConfig: {workerGroupSpecs: [{replicas: 1, TEMPLATE}]}, KEY: 7}", ray_service_keys},
    {"cluster queue", "kueue.x-k8s.io/v1beta2", "ClusterQueue", "spec: {KEY: 7}", cluster_queue_keys},
    {"cohort", "kueue.x-k8s.io/v1beta2", "Cohort", "spec: {KEY: 7}", cohort_keys},
    {"flavor", "kueue.x-k8s.io/v1beta2", "ResourceFlavor", "spec: {KEY: 7}", flavor_keys},
    {"local queue", "kueue.x-k8s.io/v1beta2", "LocalQueue", "spec: {KEY: 7}", local_queue_keys},
    {"workload", "kueue.x-k8s.io/v1beta2", "Workload", "spec: {podSets: [{name: main, count: 1, TEMPLATE}], KEY: 7}",
     workload_keys},
    {"pod set", "kueue.x-k8s.io/v1beta2", "Workload", "spec: {podSets: [{TEMPLATE, KEY: 7}]}", pod_set_keys},
    {"priority class", "scheduling.k8s.io/v1", "PriorityClass", "value: 1\nKEY: 7", priority_class_keys}};

} // namespace

std::vector<KeyTable> manifest_keys()
{
  static const std::vector<std::string> examples = [] {
    std::vector<std::string> made;
    made.reserve(std::size(manifest_maps));
    for (const ManifestMap& map : manifest_maps) {
      std::string text =
          fmt::format("kind: {}\napiVersion: {}\nmetadata: {{name: x}}\n{}\n", map.kind, map.api_version, map.body);
      if (const std::size_t pod = text.find("TEMPLATE"); pod != std::string::npos)
        text.replace(pod, 8, "template: {spec: {containers: [{name: c, resources: {limits: {nvidia.com/gpu: 1}}}]}}");
      made.push_back(std::move(text));
    }
    return made;
  }();
  std::vector<KeyTable> tables;
  tables.reserve(std::size(manifest_maps));
  for (std::size_t i = 0; i < std::size(manifest_maps); ++i)
    tables.push_back({examples[i], manifest_maps[i].keys});
  return tables;
}

namespace {

// Labels and annotations of queues and sets of jobs.
constexpr KeyFate metadata_keys[]{
    {"kueue.x-k8s.io/queue-name kueue.x-k8s.io/cluster-queue-name kueue.x-k8s.io/local-queue-name "
     "kueue.x-k8s.io/priority-class kueue.x-k8s.io/pod-group-name",
     used_key},
    {"kueue.x-k8s.io/job-min-parallelism", "a job starts with all its pods, not with fewer where the quota is short"},
    {"kueue.x-k8s.io/podset-required-topology kueue.x-k8s.io/podset-preferred-topology "
     "kueue.x-k8s.io/podset-unconstrained-topology",
     "it counts in the template of the pods, not here"},
    {"kueue.x-k8s.io/max-exec-time-seconds", "jobs run as long as their pods, or activeDeadlineSeconds, say"},
    {"alpha.jobset.sigs.k8s.io/exclusive-topology", "jobs of a set, and others, may share one domain of the topology"},
    {"kueue.x-k8s.io/* alpha.jobset.sigs.k8s.io/* jobset.sigs.k8s.io/*", "not modelled"}};

} // namespace

void KubernetesObject::tell_metadata() const
{
  if (kind == "Pod" || kind == "Node" || group == "kueue.x-k8s.io")
    return; // what pods have is told with them
  for (const char* list : {"labels", "annotations"})
    for (const DocumentNode::Entry& entry : entries_at(root, {"metadata", list}))
      if (const std::string_view why = fate_of(entry.key, metadata_keys, used_key); why != used_key)
        report.ignored({"{} {}", list == std::string_view{"labels"} ? "label" : "annotation", entry.key}, why,
                       at_line(entry.line));
      else if (entry.key == "kueue.x-k8s.io/priority-class" && !state.queued)
        report.ignored("label " + entry.key, "no job of the files is in a queue of Kueue", at_line(entry.line));
}

void KubernetesObject::tell_keys(const DocumentNode* map, std::string_view of) const
{
  const auto found = std::ranges::find(manifest_maps, of, &ManifestMap::name);
  if (found == std::end(manifest_maps))
    throw std::logic_error{fmt::format("no table of keys for '{}'", of)};
  const std::string otherwise = fmt::format("is no key of a {} that is known here", of);
  if (map != nullptr)
    for (const DocumentNode::Entry& entry : map->entries)
      if (const std::string why{fate_of(entry.key, found->keys, otherwise)}; why != used_key)
        report.ignored(entry.key, why, at_line(entry.line));
}

} // namespace trainyard
