// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/import/importer.hpp"
#include "models/import/yaml_documents.hpp"

#include <any>
#include <map>
#include <string>
#include <vector>

namespace trainyard {

/// What objects of one kind pass to others: topology levels, switches, quotas, priority classes.
struct KubernetesState {
  std::vector<std::string> topology_levels;                         // node labels, widest first
  std::map<std::string, std::pair<double, ImportPlace>> priorities; // of priority classes
  std::map<std::string, std::string> queues;                        // LocalQueue -> ClusterQueue
  std::map<std::string, std::map<std::string, double>> quotas;      // ClusterQueue -> resource -> amount
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
  std::string kind;
  std::string group; // of apiVersion, without the version
  std::string name;
  ImportPlace place;
  ImportContext& context;
  KubernetesState& state;

  ImportPlace at_line(int line) const { return {place.file, line}; }
  /// Lists the keys of @p map that are not in @p known as ignored.
  void ignore_others(const DocumentNode* map, std::initializer_list<std::string_view> known,
                     const std::string& prefix = {}) const;
  std::string label(const std::string& key) const;
  /// The team: the queue of Kueue or Volcano, or the namespace where it is not "default".
  std::string team() const;
};

/// A kind of Kubernetes object: one class, registered under "group/Kind" (the core group is empty: "/Pod").
class KubernetesKind
{
public:
  virtual ~KubernetesKind() = default;
  virtual void read(KubernetesObject& object) const = 0;
};

/// What one pod needs: its containers add up; init containers count where they need more.
struct PodNeeds {
  int gpus = 0;
  double gpu_share = 0; // below 1: a part of one GPU
  double cpu = 0;
  double memory_bytes = 0;
  std::string gpu_type; // of the catalogue
  std::vector<int> host_ports;
  std::vector<std::string> constraints;
  double priority = 0;
  std::string text;    // images and command lines, to look for names of networks
  std::string restart; // never, on_failure, always; empty: not said
};

/// Reads a pod's spec ({containers, nodeSelector…}); @p metadata may be null (annotations of GPU shares).
PodNeeds pod_needs(const KubernetesObject& object, const DocumentNode* spec, const DocumentNode* metadata);

/// "500m" -> 0.5, "4" -> 4; "9216Mi" -> bytes; below 0 where it cannot be read.
double kubernetes_quantity(const std::string& text);

/// A training job of the draft with its service; @p servers may have no replicas.
void add_training(const KubernetesObject& object, const std::string& name, int workers, const PodNeeds& worker,
                  int worker_line, int servers, const PodNeeds& server, int server_line, const std::string& restart,
                  bool mpi);

/// A job of a given time, and its service: pods that run to completion or forever.
void add_pods(const KubernetesObject& object, const std::string& name, int replicas, const PodNeeds& needs,
              bool for_ever, double seconds, const std::string& restart);

/// The time after `sleep` in a command line, in seconds; 0 where there is none.
double sleep_seconds(const DocumentNode* spec);

int replicas_of(const DocumentNode* node, std::initializer_list<std::string_view> keys, int fallback);

} // namespace trainyard
