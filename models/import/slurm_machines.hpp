// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/import/slurm_parts.hpp"

#include <map>
#include <string>
#include <string_view>

namespace trainyard {

/// A value of a line; empty where it stands for none: "(null)", "N/A", "NONE", "UNLIMITED".
std::string slurm_value(const SlurmLine& line, std::string_view key);

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
