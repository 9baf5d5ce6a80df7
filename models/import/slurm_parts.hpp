// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/import/importer.hpp"

#include <map>
#include <string>
#include <string_view>
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

/// Switches with what is below them: names of machines, names of switches.
struct SlurmSwitch {
  std::string name;
  std::vector<std::string> nodes;
  std::vector<std::string> switches;
  ImportPlace place;
};

/// Puts a tree of switches into the draft; an earlier tree is replaced.
void set_slurm_tree(const std::vector<SlurmSwitch>& tree, ImportContext& context);

} // namespace trainyard
