// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/import/importer.hpp"
#include "models/scenario/document.hpp"

#include <map>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace trainyard {

/// What both versions of compose files have in common: services with commands, labels, ports, restart rules.
struct ComposeService {
  std::string name;
  const DocumentNode* node = nullptr;
  int line = 0;
  std::string container; // container_name, or the service's name
  std::vector<std::string> command;
  std::map<std::string, std::pair<std::string, int>> labels;      // value, line
  std::map<std::string, std::pair<std::string, int>> environment; // value, line
  std::map<std::string, std::string> variables;                   // of the environment, those that the command names
  std::string restart;                                            // never, on_failure, always; empty: not said
  int attempts = 0;
  int replicas = 1;
  int gpus = 0;
  double cpus = 0;
  double memory_bytes = 0;
  std::vector<int> host_ports;
  std::string image;
};

/// A TensorFlow cluster as its tasks' command lines (or TF_CONFIG) have it: role -> host:port.
struct ClusterSpecText {
  std::string text; // worker|a:2222;b:2222,ps|c:2222
  std::map<std::string, std::vector<std::string>> hosts;
};

class ComposeReader
{
public:
  ComposeReader(const Document& document, const InputFile& file, ImportContext& context);

  /// Every service with what all versions say about it; `deploy` is left to the caller, marked as seen.
  std::vector<ComposeService> services();
  /// Training clusters among the services: jobs, and one service per cluster, go into the draft; what remains is
  /// returned.
  std::vector<ComposeService> take_training(const std::vector<ComposeService>& services, bool heals_by_default);
  ImportPlace place(int line) const { return {file_.name(), line}; }
  /// Tells an entry that nothing is made of, whose key stands in @p fates.
  void tell(const DocumentNode::Entry& entry, std::span<const KeyFate> fates, const std::string& of = "") const;

private:
  using InsidePorts = std::vector<std::pair<std::string, int>>; // of the containers' own network, with their lines

  void read_service(const DocumentNode::Entry& entry, ComposeService& service);
  void read_gpus(const DocumentNode& node, ComposeService& service);
  void read_restart(const std::string& text, const ImportPlace& where, ComposeService& service);
  void read_ports(const DocumentNode& list, ComposeService& service, InsidePorts& inside);
  void ignore_ports(const InsidePorts& inside, const ComposeService& service);
  std::set<std::string> host_names() const;
  void read_labels(ComposeService& service);
  void check_spec(const ClusterSpecText& spec, int workers, int servers, const ImportPlace& where);
  /// @p launched: their commands start the ranks, so that all are workers.
  void add_training(const std::string& cluster, const ClusterSpecText& spec,
                    const std::vector<const ComposeService*>& members, bool heals_by_default, bool launched = false);

  const Document& document_;
  const InputFile& file_;
  ImportContext& context_;
};

/// Keys of services, of their `deploy`, and of the file as a whole.
extern const std::span<const KeyFate> compose_service_keys, compose_deploy_keys, compose_top_keys;
/// A request for devices ({count, device_ids, driver}) in GPUs.
int device_count(const DocumentNode& request, const ComposeService& service, const ImportPlace& place,
                 ImportReport& report);

/// Whether the file has services of compose, in YAML or as `docker compose config --format json` prints them.
bool is_compose(const InputFile& file);
/// Whether a service of the file has the key `deploy`, however far the file indents its keys.
bool has_deploy(std::string_view head);
/// "512m", "8G", "2gb" as bytes; compose counts in powers of 1024. Nothing below 0; 0 where it cannot be read.
double compose_bytes(const std::string& text);
/// "1m30s", "10s" as seconds; below 0 where it cannot be read.
double compose_seconds(const std::string& text);
/// Applies labels of reschedule policies: 1, 0, or -1 where there is none.
int reschedule_of(const ComposeService& service);

} // namespace trainyard
