// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/import/importer.hpp"

#include <map>
#include <string>
#include <vector>

namespace trainyard {

/// The partitions and reservations of each machine that one of them names.
std::map<std::string, std::vector<std::string>> batch_memberships(const BatchRules& rules);

/// What a machine that was listed has become: which group of the draft, and which of the group.
struct HostPlace {
  std::size_t group = 0;
  int number = 0;
};

/// Once machines are grouped: names of machines become those of their groups, reservations begin at the first
/// submission, and the queue's policy is written. @p group_of: machines of the draft by the names that they had.
void complete_batch(ImportContext& context, const std::map<std::string, HostPlace>& group_of);

/// The section `slurm` of a scenario; empty where there are no rules.
std::string batch_yaml(const BatchRules& rules);

/// The section `kueue` of a scenario; empty where there are no cluster queues.
std::string kueue_yaml(const KueueRules& rules);

/// Memory in whole MiB or GiB: "512 GiB", with @p blank before the unit.
std::string bytes_flow(double bytes, const char* blank = " ");

/// Adds a partition, QOS or reservation; one of the same name is replaced.
template <class T>
void put_rule(std::vector<T>& rules, T rule)
{
  const auto found = std::ranges::find(rules, rule.name, &T::name);
  if (found == rules.end())
    rules.push_back(std::move(rule));
  else
    *found = std::move(rule);
}

} // namespace trainyard
