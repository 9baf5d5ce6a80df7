// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/core/key_fates.hpp"
#include "models/import/slurm_parts.hpp"

#include <map>
#include <string>
#include <string_view>
#include <utility>

namespace trainyard {

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

/// Jobs that get whole machines (OverSubscribe=EXCLUSIVE, --exclusive, select/linear) hold all GPUs and cores of them.
void give_whole_machines(ImportContext& context);

} // namespace trainyard
