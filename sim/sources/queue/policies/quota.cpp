// SPDX-License-Identifier: Apache-2.0
#include "sim/sources/queue/policies/quota.hpp"

#include "models/core/closest.hpp"
#include "models/core/quantity_text.hpp"
#include "models/core/text.hpp"
#include "sim/sources/queue/scheduling.hpp"

#include <limits>
#include <optional>
#include <sstream>

namespace trainyard {
namespace {

int team_index(const Workload& workload, const std::string& key, const std::string& name)
{
  std::vector<std::string> names;
  for (int team = 1; team < workload.teams.size(); ++team) {
    if (workload.teams.name(team) == name)
      return team;
    names.push_back(workload.teams.name(team));
  }
  throw SettingFault{key, "no job belongs to team '" + name + "'" + did_you_mean(name, names)};
}

const char* meant_by(AmountUnit unit)
{
  return unit == AmountUnit::gpus ? "GPUs" : unit == AmountUnit::cores ? "cores" : "memory with its unit (512GiB)";
}

/// Thousandths, or MiB; nothing where it cannot be read.
std::optional<double> amount_of(const std::string& text, AmountUnit unit)
{
  if (unit == AmountUnit::memory) {
    const QuantityText bytes = parse_quantity(text, QuantityKind::bytes);
    return bytes && bytes.value >= 0 && bytes.value <= 1e18 ? std::optional{bytes.value / 1048576} : std::nullopt;
  }
  const auto number = as_number<double>(text);
  return number && *number >= 0 && *number <= 1e9 ? std::optional{*number * 1000} : std::nullopt;
}

} // namespace

std::map<int, std::int64_t> amounts_by_team(const Workload& workload, const std::string& key, const std::string& text,
                                            AmountUnit unit)
{
  std::map<int, std::int64_t> result;
  std::istringstream words{text};
  for (std::string word; words >> word;) {
    const std::size_t equals = word.rfind('=');
    const std::optional<double> amount =
        equals == std::string::npos ? std::nullopt : amount_of(word.substr(equals + 1), unit);
    if (!amount)
      throw SettingFault{key, "'" + word + "' is not team=" + (key == "weights" ? "weight" : meant_by(unit))};
    if (!result.emplace(team_index(workload, key, word.substr(0, equals)), static_cast<std::int64_t>(*amount)).second)
      throw SettingFault{key, "team '" + word.substr(0, equals) + "' is given twice"};
  }
  return result;
}

Quotas::Quotas(const Workload& workload, const std::string& quotas, const std::string& cohorts,
               const std::string& limits, int capacity)
    : quota_{amounts_by_team(workload, "quotas", quotas)}, borrowing_limit_{
                                                               amounts_by_team(workload, "borrowing_limits", limits)}
{
  std::int64_t sum = 0;
  for (const auto& [team, quota] : quota_)
    sum += quota;
  if (sum > static_cast<std::int64_t>(capacity) * 1000)
    throw SettingFault{"quotas", "the quotas add up to " + std::to_string(sum / 1000) + " GPUs, but the cluster has " +
                                     std::to_string(capacity)};
  std::istringstream words{cohorts};
  int number = 0;
  for (std::string word; words >> word; ++number) {
    std::istringstream members{word};
    for (std::string member; std::getline(members, member, '+');) {
      const int team = team_index(workload, "cohorts", member);
      if (!quota_.contains(team))
        throw SettingFault{"cohorts", "team '" + member + "' is in a cohort but has no quota"};
      if (!cohort_.emplace(team, number).second)
        throw SettingFault{"cohorts", "team '" + member + "' is in two cohorts"};
    }
  }
}

std::int64_t Quotas::used(int team) const
{
  const auto found = used_.find(team);
  return found == used_.end() ? 0 : found->second;
}

bool Quotas::same_cohort(int a, int b) const
{
  const auto first = cohort_.find(a);
  const auto second = cohort_.find(b);
  return first != cohort_.end() && second != cohort_.end() && first->second == second->second;
}

std::int64_t Quotas::cohort_nominal(int team) const
{
  std::int64_t sum = 0;
  for (const auto& [other, quota] : quota_)
    sum += other == team || same_cohort(team, other) ? quota : 0;
  return sum;
}

std::int64_t Quotas::cohort_used(int team) const
{
  std::int64_t sum = 0;
  for (const auto& [other, quota] : quota_)
    sum += other == team || same_cohort(team, other) ? used(other) : 0;
  return sum;
}

bool Quotas::allows(int team, std::int64_t needed, bool borrowing) const
{
  if (!limited(team))
    return true;
  if (used(team) + needed <= nominal(team))
    return cohort_used(team) + needed <= cohort_nominal(team); // others may have borrowed its quota
  const auto limit = borrowing_limit_.find(team);
  const std::int64_t most =
      limit == borrowing_limit_.end() ? std::numeric_limits<std::int64_t>::max() : nominal(team) + limit->second;
  return borrowing && used(team) + needed <= most && cohort_used(team) + needed <= cohort_nominal(team);
}

bool Quotas::ever_allows(int team, std::int64_t needed, bool borrowing) const
{
  Quotas unused = *this;
  unused.used_.clear();
  return unused.allows(team, needed, borrowing);
}

} // namespace trainyard
