// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/core/key_fates.hpp"
#include "models/import/importer.hpp"

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace trainyard {

/// A line of a Slurm configuration file: "NodeName=gpu[01-04] CPUs=128"; keys in lower case, line continuations joined.
struct SlurmLine {
  int line = 0;
  std::vector<std::pair<std::string, std::string>> values; // in order; the first key says what the line is

  /// Empty where the key is absent.
  std::string value(std::string_view key) const;
};

std::vector<SlurmLine> read_slurm_lines(const std::string& text);

/// Whether @p head has a line that begins with one of the keys (any case), as in "NodeName=".
bool has_slurm_key(std::string_view head, std::initializer_list<std::string_view> keys);

/// Names of a host list; a faulty list is an error of the report and gives no names.
std::vector<std::string> slurm_hosts(const std::string& list, const ImportPlace& place, ImportReport& report);

/// The machine of that name in the draft; added where it is missing.
DraftMachines& slurm_machine(Draft& draft, const std::string& name, std::map<std::string, std::size_t>& index);
/// Names of the draft's single machines and where they stand.
std::map<std::string, std::size_t> slurm_index(const Draft& draft);

/// They take no jobs: they leave the draft, and no later file brings them back.
void take_out_of_service(const std::vector<std::string>& hosts, Draft& draft,
                         std::map<std::string, std::size_t>& index);

/// Switches with what is below them: names of machines, names of switches.
struct SlurmSwitch {
  std::string name;
  std::vector<std::string> nodes;
  std::vector<std::string> switches;
  ImportPlace place;
};

/// Puts a tree of switches into the draft; an earlier tree is replaced.
void set_slurm_tree(const std::vector<SlurmSwitch>& tree, ImportContext& context);

/// A value of a line; empty where it stands for none: "(null)", "N/A", "NONE", "UNLIMITED".
std::string slurm_value(const SlurmLine& line, std::string_view key);

/// Tells the keys of a line that nothing becomes of; @p keys are in lower case.
void report_keys(const SlurmLine& line, const char* what, std::span<const KeyFate> keys, const ImportPlace& place,
                 ImportReport& report);

/// Those of machines, and of partitions, in slurm.conf.
std::span<const KeyFate> slurm_node_keys();
std::span<const KeyFate> slurm_partition_keys();

/// PreemptMode of a partition or QOS (in lower case): off, requeue, cancel; untouched where it is the cluster's.
void read_preempt_mode(const std::string& text, const std::string& whose, std::string& mode, const ImportPlace& place,
                       ImportReport& report);

/// Machines of a line of slurm.conf that begins with NodeName, or of `scontrol show node` with the same keys. @p again:
/// they may be there already, and are replaced.
void read_slurm_nodes(const SlurmLine& line, const SlurmLine& defaults, const ImportPlace& place,
                      ImportContext& context, std::map<std::string, std::size_t>& index, bool again = false);

/// A partition of slurm.conf or `scontrol show partition`; it replaces one of the same name.
void read_slurm_partition(const SlurmLine& line, const SlurmLine& defaults, const ImportPlace& place,
                          ImportContext& context);

/// What a partition says under a key of slurm.conf (in lower case) that only jobs of scripts need: its own value, else
/// that of the cluster; empty: none.
std::string slurm_partition_value(const Draft& draft, const std::string& partition, std::string_view key);
/// The machines that a partition has; all where it names none.
std::vector<const DraftMachines*> slurm_machines_of(const Draft& draft, const std::string& partition);

/// After the last file: GPUs whose type neither slurm.conf nor gres.conf names get the usual one.
void name_untyped_gpus(ImportContext& context);

/// Jobs that get whole machines (OverSubscribe=EXCLUSIVE, --exclusive, select/linear) hold all GPUs and cores of them.
void give_whole_machines(ImportContext& context);

} // namespace trainyard
