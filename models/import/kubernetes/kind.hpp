// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/core/key_fates.hpp"
#include "models/hardware/mig.hpp"
#include "models/import/importer.hpp"
#include "models/import/yaml_documents.hpp"
#include "models/job/kueue_rules.hpp"

#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace trainyard {

/// What one pod needs: its containers add up; init containers count where they need more.
struct PodNeeds {
  int gpus = 0;
  double gpu_share = 0; // below 1: a part of one GPU
  double cpu = 0;
  double memory_bytes = 0;
  std::string gpu_type;                                       // of the catalogue
  std::map<std::string, std::pair<double, int>> accelerators; // by resource: all that the containers ask for, a line
  std::vector<int> host_ports;
  std::vector<std::string> constraints;
  double priority = 0;
  double seconds = 0;                           // that it runs at most; 0: not known
  double sleeps_s = 0;                          // its containers do nothing else
  const DocumentNode* spec = nullptr;           // where it may go
  std::string text;                             // images and command lines, to look for names of networks
  int text_line = 0;                            // where that is from; 0: from the pods themselves
  int command_line = 0;                         // of the first command; 0: the files have none
  std::map<std::string, std::string> variables; // of their environments
  std::string restart;                          // never, on_failure, always; empty: not said
  std::string domain; // label of nodes: all pods go to nodes with one value of it (Kueue's required topology)
  std::string role;   // of the pods in their job: launcher, worker; may be empty
};

using PodKinds = std::vector<std::pair<PodNeeds, int>>; // and how many there are of each

/// A Node, for the rules of pods that name its labels and taints.
struct KubernetesNode {
  std::string name;
  std::map<std::string, std::string> labels;
  const DocumentNode* taints = nullptr;
  bool cordoned = false;
  bool ready = true;
  std::string gpu;                 // of the catalogue; empty: none
  std::set<std::string> resources; // whole GPUs and slices, by the names that pods ask for
  std::optional<MigProfile> slice; // what it lists as nvidia.com/gpu (MIG, strategy "single"); none: whole GPUs
};

/// A ResourceFlavor of Kueue.
struct KubernetesFlavor {
  std::string name;
  std::vector<std::pair<std::string, std::string>> labels; // of its nodes
  const DocumentNode* taints = nullptr;                    // that its pods must tolerate
  const DocumentNode* tolerations = nullptr;               // that its pods get
  ImportPlace place;
};

/// A Queue of Volcano.
struct VolcanoQueue {
  struct Amounts {
    double gpus = -1; // negative: not said
    double cores = -1;
    double bytes = -1;
  };
  std::string name;
  double weight = 1;
  Amounts capability;
  Amounts guarantee;
  Amounts deserved;
};

/// Pods that start together: a job of the queue.
struct KubernetesJob {
  DraftQueueJob job;                           // submit_s is in seconds since 1970
  std::string space;                           // namespace
  std::string local_queue;                     // of Kueue
  std::string cluster_queue;                   // of Kueue, where it is known already
  std::string volcano_queue;                   // empty: its scheduler is another
  const DocumentNode* spec = nullptr;          // of its pods, which says where they may go; null: anywhere
  std::vector<const DocumentNode*> task_specs; // the same of each entry of job.task_list
  std::string domain;                          // label of nodes of which all pods need one value
  std::string node;                            // where it runs; empty: it waits, or its place is not known
  bool runs = false;
  double created = 0;             // since 1970
  std::optional<double> priority; // in its queue, where that is not the pods'
  ImportPlace place;
};

/// What is known of the Kueue Workload or the Job that a pod belongs to.
struct KubernetesOwner {
  std::string local_queue;
  std::string cluster_queue;
  double seconds = 0; // that it may run; 0: not limited
  double priority = 0;
  bool is_workload = false;
  bool runs = false; // a Workload that has its quota
  int pods = 0;      // of it in the files
};

/// Pods that wait for each other: a PodGroup of Volcano, or a pod group of Kueue.
struct KubernetesGroup {
  std::string name;      // of its job
  std::string queue;     // of Volcano
  bool known = false;    // the PodGroup is in the files
  bool waits = false;    // and says that it has not started
  int least = 0;         // minMember
  double least_gpus = 0; // minResources
  double least_cores = 0;
  double least_bytes = 0;
  KubernetesJob job; // of the first of its pods that wait
  PodKinds waiting;
  int pods = 0; // of it in the files
};

/// What objects of one kind pass to others: topology levels, switches, quotas, priority classes.
struct KubernetesState {
  bool closed = false;    // a node of the files takes no pods
  bool live = false;      // the files are what kubectl prints of a cluster: pods have a node and a time
  bool queued = false;    // the scenario is a queue, not services
  bool workloads = false; // Kueue's Workloads are in the files: they say which pods wait for quota
  double now = 0;         // since 1970: the newest time in the files
  std::vector<KubernetesNode> nodes;
  std::vector<std::vector<bool>> pools; // sets of nodes that only some pods may go to, where no simpler words say it
  std::map<std::string, const DocumentNode*> runtimes; // of TrainJobs, by name
  std::deque<DocumentNode> made;                       // pods that no file has as a whole
  std::vector<KubernetesFlavor> flavors;
  KueueRules kueue;                                  // without its flavors
  std::map<std::string, double> workload_priorities; // by class
  std::set<std::string> held;                        // cluster queues that admit nobody
  std::vector<VolcanoQueue> volcano_queues;
  std::map<std::string, KubernetesOwner> owners; // by "namespace/name"
  std::map<std::string, KubernetesGroup> groups; // by "namespace/name"
  std::vector<KubernetesJob> jobs;
  struct Kept {
    int pods = 0;
    double cpu = 0;
    double memory_bytes = 0;
    double gpus = 0; // also parts of them
  };
  std::map<std::string, Kept> kept;         // by node: pods that run as long as nobody stops them
  std::vector<std::string> topology_levels; // node labels, widest first
  std::map<std::string, std::pair<double, ImportPlace>> priorities; // of priority classes
  double default_priority = 0;                                      // of pods without a class
  std::map<std::string, std::string> queues;                        // "namespace/LocalQueue" -> ClusterQueue
  std::map<std::string, std::map<std::string, double>> quotas;      // ClusterQueue -> resource -> amount
  std::map<std::string, std::string> flavor_resources; // flavor -> the first resource of GPUs of its quotas
  struct HyperNode {
    std::string name;
    int tier = 0;
    std::vector<std::string> nodes;    // exact names
    std::vector<std::string> patterns; // regular expressions of names
    std::vector<std::pair<std::string, std::string>> labels;
    std::vector<std::string> hypernodes; // exact names
    ImportPlace place;
  };
  std::vector<HyperNode> hypernodes;
};

/// An object while it is read.
struct KubernetesObject {
  const DocumentNode& root;
  const DocumentNode* spec; // of it; null where it has none
  std::string kind;
  std::string group; // of apiVersion, without the version
  std::string name;
  ImportPlace place;
  ImportContext& context;
  KubernetesState& state;
  ImportReport& report = context.report;

  ImportPlace at_line(int line) const { return {place.file, line}; }
  /// Lists the keys of @p map that are not used, each with its reason. @p name: of its table of keys (keys.cpp).
  void tell_keys(const DocumentNode* map, std::string_view name) const;
  std::string label(const std::string& key) const;
  /// Lists the labels and annotations of queues and sets of jobs that nothing becomes of.
  void tell_metadata() const;
  std::string space() const
  {
    const std::string given = text_at(root, {"metadata", "namespace"});
    return given.empty() ? "default" : given;
  }
  /// Whether the API server has sent it, so that it is in the cluster already.
  bool is_live() const { return at(root, {"metadata", "uid"}) != nullptr || at(root, {"status", "phase"}) != nullptr; }
  /// The team: the queue of Kueue or Volcano, or the namespace where it is not "default".
  std::string team() const;
  /// The name of its first owner; its own where it has none.
  std::string owner() const;
};

/// A kind of Kubernetes object: one class, registered under "group/Kind" (the core group is empty: "/Pod").
class KubernetesKind
{
public:
  virtual ~KubernetesKind() = default;
  virtual void read(KubernetesObject& object) const = 0;
};

/// The tables of all maps of manifests.
std::vector<KeyTable> manifest_keys();

/// Reads a pod's spec ({containers, nodeSelector…}); @p metadata may be null (annotations of GPU shares).
PodNeeds pod_needs(const KubernetesObject& object, const DocumentNode* spec, const DocumentNode* metadata);

/// The same of the pods that @p owner describes ({template: {metadata, spec}}).
PodNeeds template_needs(const KubernetesObject& object, const DocumentNode* owner);

/// "500m" -> 0.5, "4" -> 4; "9216Mi" -> bytes; below 0 where it cannot be read.
double kubernetes_quantity(const std::string& text);

/// A training job of the draft with its service; @p servers may have no replicas. @p kinds: all of its pods, where they
/// are not alike; in a queue each counts as it is.
void add_training(const KubernetesObject& object, const std::string& name, int workers, const PodNeeds& worker,
                  int worker_line, int servers, const PodNeeds& server, int server_line, const std::string& restart,
                  bool mpi, const PodKinds& kinds = {});

/// A limit of a training's time (activeDeadlineSeconds): a queue has such limits.
void tell_limit(const KubernetesObject& object, const DocumentNode* policy);
/// A gang that starts with @p least of its @p pods (minAvailable).
void tell_gang(const KubernetesObject& object, int least, int pods, int line);
/// The service of the training that was added last; null where the object gave none.
DraftService* service_of(const KubernetesObject& object);
/// The queue of its job.
void join_queue(const KubernetesObject& object, const std::string& queue, int line);
/// What is suspended is taken as running (`suspend: true`).
void tell_suspension(const KubernetesObject& object, const DocumentNode* spec);

/// A job of a given time, and its service: pods that run to completion or forever.
void add_pods(const KubernetesObject& object, const std::string& name, int replicas, const PodNeeds& needs,
              bool for_ever, double seconds, const std::string& restart);

/// The queue of an object by its labels and annotations, its namespace, and when it was created.
KubernetesJob job_of(const KubernetesObject& object);

/// Pods of several kinds that start together become one job; each kind with its number of pods. Kinds that ask for the
/// same are one, but for pod sets of Kueue. A run time that the job has stays.
void make_gang(KubernetesJob& gang, const PodKinds& pods, ImportContext& context);

/// The run time that is assumed where the files say none.
double assumed_seconds(const ImportOptions& options);

/// A time of the API ("2026-03-02T10:00:00Z") in seconds since 1970; 0 where there is none.
double time_at(const DocumentNode* node, std::initializer_list<std::string_view> keys);

/// Whether new pods with this spec may go to the node by its labels and taints; @p more: further tolerations, or null.
bool node_takes(const KubernetesNode& node, const DocumentNode* spec, const DocumentNode* more = nullptr);
/// The taint of a flavor that a pod with this spec does not tolerate, "gpu=h100:NoSchedule"; empty: it tolerates all.
std::string untolerated_taint(const KubernetesFlavor& flavor, const DocumentNode* spec);
/// The same, and the node has the resources of GPUs that the pods ask for by name.
bool node_admits(const KubernetesNode& node, const DocumentNode* spec, const DocumentNode* more = nullptr);

/// A pod of a running cluster: it holds what it asks for on its node, or waits.
void read_live_pod(KubernetesObject& object);

/// Alternatives of a pod's node affinity of which one must hold; null where it has none.
const DocumentNode* required_terms(const DocumentNode* spec);

/// The number of GPUs in a map of resources ({nvidia.com/gpu: 8}); negative where none is given.
double gpus_in(const DocumentNode* resources);
/// Whether a resource is whole GPUs.
bool is_gpu_resource(std::string_view name);
/// The chips that so much of a resource is: of aws.amazon.com/neuroncore half as many.
double chips_of(std::string_view resource, double amount);
/// The GPU that is assumed for a resource that names no more than its maker, or a slice, and said so; empty: the
/// resource says nothing of it. A maker that the catalogue does not have is an error.
std::string usual_gpu(const ImportContext& context, const std::string& resource, const ImportPlace& place);
/// The product that a label of nodes names, without what a cloud adds to it.
std::string product_of(std::string_view label, std::string product);
/// Whether a resource is whole GPUs or slices of MIG.
bool is_accelerator(const std::string& resource);
/// Whether the node has every resource of GPUs that the pod asks for; true for nodes that list none.
bool lists_accelerators(const KubernetesNode& node, const DocumentNode* spec);
/// The GPUs of a pod from what its containers ask for, and their type where only some nodes list the resource.
void add_accelerators(const KubernetesObject& object, PodNeeds& needs);
/// What a slice counts in a quota of GPUs: thousandths, as jobs do.
double mig_quota_share(const MigProfile& profile, const MigGpu& gpu);
/// The priority of the class that a spec names, which is reported; nothing where it names none.
std::optional<double> priority_of_class(const KubernetesObject& object, const DocumentNode& spec,
                                        std::string_view key = "priorityClassName");
/// Whether a label of nodes names their GPU.
bool is_product_label(std::string_view key);

/// Machines of 8 GPUs for the quotas, where the files have no Node.
void add_quota_machines(ImportContext& context, const KubernetesState& state);
/// What pods hold that are kept running is not there for others.
void take_what_is_kept(ImportContext& context, const KubernetesState& state);
/// After the last object: the queue of a scenario from the jobs, nodes and quotas.
void finish_queue(ImportContext& context, KubernetesState& state);

/// How long the containers of a pod sleep that do nothing else, in seconds; 0 where one of them does more.
double sleep_seconds(const KubernetesObject& object, const DocumentNode* spec);

/// A whole number below @p node; @p fallback where there is none. Anything else is an error of the report.
int replicas_of(const KubernetesObject& object, const DocumentNode* node, std::initializer_list<std::string_view> keys,
                int fallback);

} // namespace trainyard
