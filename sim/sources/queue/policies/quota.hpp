// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "models/job/workload.hpp"

#include <cstdint>
#include <map>
#include <string>

namespace trainyard {

/// What a text gives teams.
enum class AmountUnit : std::uint8_t { gpus, cores, memory };

/// Thousandths by team: "team-a=8 team-b=16"; of memory MiB: "team-a=512GiB". Throws SettingFault, for the setting @p
/// key, for what cannot be read and for teams that no job belongs to.
std::map<int, std::int64_t> amounts_by_team(const Workload& workload, const std::string& key, const std::string& text,
                                            AmountUnit unit = AmountUnit::gpus);

/// Nominal quotas of teams in GPUs, and the cohorts inside which unused quota may be borrowed (Kueue's ClusterQueue and
/// cohort).
class Quotas
{
public:
  /// @p quotas "team-a=8 team-b=16", @p cohorts "team-a+team-b team-c+team-d", @p limits like quotas: how much more a
  /// team may borrow.
  ///
  /// Throws std::invalid_argument for what cannot be read, teams the workload does not have, and quotas that add up to
  /// more than
  /// @p capacity GPUs.
  Quotas(const Workload& workload, const std::string& quotas, const std::string& cohorts, const std::string& limits,
         int capacity);

  bool limited(int team) const { return quota_.contains(team); }
  /// Thousandths of GPUs.
  std::int64_t nominal(int team) const { return quota_.at(team); }
  std::int64_t used(int team) const;
  /// What the team may start now: its own unused quota and what its cohort leaves unused, up to its borrowing limit.
  bool allows(int team, std::int64_t needed, bool borrowing) const;
  /// Whether it may while nobody else uses anything.
  bool ever_allows(int team, std::int64_t needed, bool borrowing) const;
  bool same_cohort(int a, int b) const;
  /// Whether the team uses more than its own.
  bool borrows(int team) const { return limited(team) && used(team) > nominal(team); }
  void change(int team, std::int64_t milli) { used_[team] += milli; }

private:
  std::int64_t cohort_nominal(int team) const;
  std::int64_t cohort_used(int team) const;

  std::map<int, std::int64_t> quota_;
  std::map<int, std::int64_t> borrowing_limit_;
  std::map<int, int> cohort_;
  std::map<int, std::int64_t> used_;
};

} // namespace trainyard
