// SPDX-License-Identifier: Apache-2.0
#include "models/import/batch_draft.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

namespace trainyard {
namespace {

/// Groups that hold these machines; nothing where they are all machines of the draft.
std::vector<std::string> groups_of(const std::vector<std::string>& machines, const Draft& draft,
                                   const std::map<std::string, std::size_t>& group_of)
{
  std::set<std::size_t> which;
  for (const std::string& machine : machines)
    if (const auto found = group_of.find(machine); found != group_of.end())
      which.insert(found->second);
  std::vector<std::string> names;
  names.reserve(which.size());
  for (const std::size_t group : which)
    names.push_back(draft.machines[group].name);
  return names.size() == draft.machines.size() ? std::vector<std::string>{} : names;
}

/// "{name: slurm, backfill: true, weight_age: 1000}"
std::string policy_flow(const std::map<std::string, std::string>& settings)
{
  std::string text = "{name: slurm";
  for (const auto& [name, value] : settings)
    text += fmt::format(", {}: {}", name, value);
  return text + "}";
}

std::string names_flow(const std::vector<std::string>& names)
{
  std::vector<std::string> quoted;
  quoted.reserve(names.size());
  for (const std::string& name : names)
    quoted.push_back(yaml_text(name));
  return fmt::format("[{}]", fmt::join(quoted, ", "));
}

/// One rule in flow style, with what is not as without it.
class Rule
{
public:
  explicit Rule(const std::string& name, const std::string& key = "name")
  {
    parts_.push_back(key + ": " + yaml_text(name));
  }

  void number(const char* key, double value, double unless = 0)
  {
    if (value != unless)
      parts_.push_back(fmt::format("{}: {:.10g}", key, value));
  }
  void time(const char* key, Seconds value, bool given)
  {
    if (given)
      parts_.push_back(fmt::format("{}: {}", key, seconds_text(value.value())));
  }
  void text(const char* key, const std::string& value)
  {
    if (!value.empty())
      parts_.push_back(fmt::format("{}: {}", key, yaml_text(value)));
  }
  void names(const char* key, const std::vector<std::string>& values)
  {
    if (!values.empty())
      parts_.push_back(fmt::format("{}: {}", key, names_flow(values)));
  }
  void limits(const BatchLimits& limits)
  {
    time("max_time", limits.time, is_finite(limits.time));
    number("max_gpus_per_job", limits.job_gpus);
    number("max_gpus_per_user", limits.user_gpus);
    number("max_gpus_per_account", limits.account_gpus);
    number("group_gpus", limits.all_gpus);
    number("max_jobs_per_user", limits.user_jobs);
    number("group_jobs", limits.all_jobs);
    number("max_submitted_per_user", limits.user_submitted);
    number("group_submitted", limits.all_submitted);
  }
  std::string line() const { return fmt::format("    - {{{}}}\n", fmt::join(parts_, ", ")); }

private:
  std::vector<std::string> parts_;
};

/// Absolute times become those of the workload; what is over before its start is left out.
void place_reservations(ImportContext& context)
{
  Draft& draft = context.draft;
  std::vector<BatchReservation> kept;
  for (BatchReservation reservation : draft.batch.rules.reservations) {
    if (draft.first_submission < 0) {
      context.report.ignored("reservation " + reservation.name, "there are no jobs whose times tell when it begins");
      continue;
    }
    reservation.start -= Seconds{draft.first_submission};
    if (reservation.end() <= Seconds{0}) {
      context.report.ignored("reservation " + reservation.name, "it is over before the first submission");
      continue;
    }
    if (reservation.start < Seconds{0}) {
      reservation.length = reservation.end();
      reservation.start = Seconds{0};
    }
    kept.push_back(std::move(reservation));
  }
  draft.batch.rules.reservations = std::move(kept);
}

} // namespace

std::map<std::string, std::vector<std::string>> batch_memberships(const BatchRules& rules)
{
  std::map<std::string, std::vector<std::string>> memberships;
  for (const BatchPartition& partition : rules.partitions)
    for (const std::string& node : partition.nodes)
      memberships[node].push_back("partition " + partition.name);
  for (const BatchReservation& reservation : rules.reservations)
    for (const std::string& node : reservation.nodes)
      memberships[node].push_back("reservation " + reservation.name);
  for (auto& [node, all] : memberships)
    std::ranges::sort(all);
  return memberships;
}

void complete_batch(ImportContext& context, const std::map<std::string, std::size_t>& group_of)
{
  Draft& draft = context.draft;
  BatchRules& rules = draft.batch.rules;
  const auto use_groups = [&](auto& all, const char* what) {
    std::erase_if(all, [&](auto& one) {
      const bool none = !one.nodes.empty() &&
                        std::ranges::none_of(one.nodes, [&](const auto& node) { return group_of.contains(node); });
      if (none)
        context.report.ignored(fmt::format("{} {}", what, one.name), "none of its machines is in the files");
      one.nodes = groups_of(one.nodes, draft, group_of);
      return none;
    });
  };
  use_groups(rules.partitions, "partition");
  use_groups(rules.reservations, "reservation");
  place_reservations(context);
  if (draft.batch.policy.empty() && rules.empty())
    return;
  if (const auto preempt = draft.batch.policy.find("preempt");
      preempt != draft.batch.policy.end() && preempt->second == "qos" && rules.qos.empty()) {
    preempt->second = "none";
    context.report.ignored("preemption by QOS", "the files have no QOS; give the output of sacctmgr -P show qos too");
  }
  draft.scheduling.emplace_back("policy", policy_flow(draft.batch.policy));
  draft.scheduling.emplace_back("placement", "best_fit");
}

std::string batch_yaml(const BatchRules& rules)
{
  if (rules.empty())
    return "";
  std::string text = "slurm:\n";
  text += rules.partitions.empty() ? "" : "  partitions:\n";
  for (const BatchPartition& one : rules.partitions) {
    Rule rule{one.name};
    rule.names("nodes", one.nodes);
    rule.number("priority_tier", one.tier, 1);
    rule.number("priority_job_factor", one.factor, 1);
    rule.time("grace_time", one.grace, one.grace > Seconds{0});
    rule.text("qos", one.qos);
    rule.limits(one.limits);
    text += rule.line();
  }
  text += rules.qos.empty() ? "" : "  qos:\n";
  for (const BatchQos& one : rules.qos) {
    Rule rule{one.name};
    rule.number("priority", one.priority);
    rule.names("preempts", one.preempts);
    rule.time("grace_time", one.grace, one.grace > Seconds{0});
    rule.limits(one.limits);
    text += rule.line();
  }
  text += rules.associations.empty() ? "" : "  associations:\n";
  for (const BatchAssociation& one : rules.associations) {
    Rule rule{one.account, "account"};
    rule.text("user", one.user);
    rule.text("parent", one.parent);
    rule.limits(one.limits);
    text += rule.line();
  }
  text += rules.reservations.empty() ? "" : "  reservations:\n";
  for (const BatchReservation& one : rules.reservations) {
    Rule rule{one.name};
    rule.time("start", one.start, true);
    rule.time("duration", one.length, true);
    rule.names("nodes", one.nodes);
    rule.names("users", one.users);
    rule.names("accounts", one.accounts);
    text += rule.line();
  }
  return text;
}

} // namespace trainyard
