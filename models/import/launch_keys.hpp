// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/core/key_fates.hpp"
#include "models/import/importer.hpp"
#include "models/import/yaml_documents.hpp"

#include <initializer_list>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace trainyard {

/// Arguments of what starts the ranks of a training: torchrun, mpirun, srun, deepspeed, accelerate.
inline constexpr KeyFate launcher_fate{
    "master-addr master-port node-rank rdzv-* standalone monitor-interval max-restarts tee redirects role "
    "start-method no-python module include launcher launcher-args force-multi ssh-port no-ssh* container-* mpi "
    "cpus-per-task mem kill-on-bad-exit label output error export job-name wait unbuffered gres "
    "allow-run-as-root exclusive overlap no-container-* jobid time partition account open-mode "
    "nsys* trace force-overwrite capture-range* cuda-graph-trace deepspeed deepspeed-* deepscale* machine-rank "
    "main-process-* multi-gpu num-cpu-threads-per-process same-network host hosts oversubscribe tag-output np "
    "use-deepspeed start-timeout",
    "starts the processes: where they run is above"};
inline constexpr KeyFate hostfile_fate{
    "hostfile machinefile", "the file with the hosts is not read: --nodes N says how many there are, else those above"};
inline constexpr KeyFate excluded_fate{"exclude", "all GPUs of the machines above count"};
inline constexpr KeyFate binding_fate{"bind-to map-by rank-by report-bindings display-map cpu-bind gpu-bind mem-bind",
                                      "which cores of a machine its ranks are bound to is not modelled"};
inline constexpr KeyFate variables_fate{
    "x mca genv genvall genvlist",
    "variables of programs and settings of MPI are not read: messages are those of the job's own settings"};

/// What the file or the launch of a training sets, by name. Every key is asked for, and told as understood, or told
/// with its fate.
class LaunchKeys
{
public:
  /// Of arguments, a flag is set where it stands there without "false", and 0 is no size; of YAML, 0 and null are as
  /// without the key.
  enum class Kind { yaml, toml, arguments };
  struct Key {
    std::string shown, text; // as the report writes it; its value
    int line = 0;
  };
  /// Names of the same thing: the first that is there counts.
  struct Names {
    std::vector<std::string> all;
    Names(const char* name) : all{name} {}
    Names(const std::string& name) : all{name} {}
    Names(std::initializer_list<const char*> names) : all{names.begin(), names.end()} {}
  };

  LaunchKeys(std::string file, ImportContext& context, Kind kind)
      : file_{std::move(file)}, context_{context}, kind_{kind}
  {
  }
  /// Of two with the same name the first counts.
  void add(const std::string& name, const Key& key) { keys_.try_emplace(name, key); }
  /// All settings of a YAML file by the last part of their names, whatever section holds them.
  void add_yaml(const DocumentNode& node, const std::string& path = "");

  /// Null where none is there. Others that are there are told to have no effect.
  const Key* find(const Names& names);
  std::string word(const Names& names, const std::string& otherwise = "");
  /// What stands there, without use of it.
  std::optional<std::string> value_of(const std::string& name) const
  {
    const auto found = keys_.find(name);
    return found == keys_.end() ? std::nullopt : std::optional{found->second.text};
  }
  /// A size; @p otherwise also where the file says "as many as are left" (-1). What is none is an error of the report.
  int number(const Names& names, int otherwise);
  int size_at(const Key& key, int otherwise);
  /// Whether one of them is set; @p otherwise where none is there.
  bool flag(const Names& names, bool otherwise = false);
  bool is_used(const std::string& name) const { return used_.contains(name); }
  /// Of the key that was found last.
  const ImportPlace& place() const { return place_; }
  /// What nobody asked for.
  void tell_rest(std::span<const KeyFate> fates) const;
  /// The same, with the reason that @p why gives for a name.
  template <class Why>
  void tell_rest_by(const Why& why) const
  {
    for (const auto& [name, key] : keys_)
      if (const std::string reason{used_.contains(name) ? used_key : why(name)}; reason != used_key)
        context_.report.ignored(key.shown, reason, {file_, key.line});
  }

private:
  std::string file_;
  ImportContext& context_;
  Kind kind_;
  std::map<std::string, Key> keys_;
  std::set<std::string> used_;
  ImportPlace place_;
};

/// Devices of a list as CUDA_VISIBLE_DEVICES and NVIDIA_VISIBLE_DEVICES have it ("0,1"); 0: it does not say how many.
int visible_devices(const std::string& list);

/// Machines and ranks of one, where they are named: hosts of mpirun, horovodrun (-H a:4,b:4) and deepspeed (--include
/// a:0,1@b:0,1). 0: they are not. @p ranks: of all; 0: one for each slot.
struct NamedHosts {
  int machines = 0, each = 0;
};
NamedHosts named_hosts(LaunchKeys& keys, int ranks, ImportReport& report);

} // namespace trainyard
