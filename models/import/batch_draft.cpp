// SPDX-License-Identifier: Apache-2.0
#include "models/import/batch_draft.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
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

/// "{name: slurm, label: slurm, backfill: true, weight_age: 1000}": without the label, tables would repeat all settings
std::string policy_flow(const std::map<std::string, std::string>& settings)
{
  std::string text = "{name: slurm, label: slurm";
  for (const auto& [name, value] : settings)
    text += fmt::format(", {}: {}", name, value);
  return text + "}";
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
  void flow(const char* key, const std::string& value)
  {
    if (!value.empty())
      parts_.push_back(fmt::format("{}: {}", key, value));
  }
  void choice(const char* key, const char* value, bool given) { flow(key, given ? value : ""); }
  std::string text() const { return fmt::format("{{{}}}", fmt::join(parts_, ", ")); }
  std::string line() const { return fmt::format("    - {}\n", text()); }

private:
  std::vector<std::string> parts_;
};

/// A quota of CPU, memory or pods: its amount alone, or a map; empty where there is none.
std::string amount_flow(const KueueAmount& amount, bool bytes)
{
  if (amount.nominal < 0)
    return "";
  const auto text = [&](double value) { return bytes ? bytes_flow(value) : fmt::format("{:.10g}", value); };
  std::string parts;
  if (std::isfinite(amount.borrowing_limit))
    parts += ", borrowing_limit: " + text(amount.borrowing_limit);
  if (std::isfinite(amount.lending_limit))
    parts += ", lending_limit: " + text(amount.lending_limit);
  return parts.empty() ? text(amount.nominal) : fmt::format("{{nominal_quota: {}{}}}", text(amount.nominal), parts);
}

std::string quotas_flow(const std::vector<KueueQuota>& quotas)
{
  constexpr double no_limit = std::numeric_limits<double>::infinity();
  std::vector<std::string> list;
  for (const KueueQuota& one : quotas) {
    Rule rule{one.flavor, "flavor"};
    rule.number("nominal_quota", one.nominal, -1);
    rule.number("borrowing_limit", one.borrowing_limit, no_limit);
    rule.number("lending_limit", one.lending_limit, no_limit);
    rule.flow("cpu", amount_flow(one.cpu, false));
    rule.flow("memory", amount_flow(one.memory, true));
    rule.flow("pods", amount_flow(one.pods, false));
    list.push_back(rule.text());
  }
  return list.empty() ? "" : fmt::format("[{}]", fmt::join(list, ", "));
}

const char* preemption_text(KueuePreemption which)
{
  switch (which) {
  case KueuePreemption::lower_priority:
    return "LowerPriority";
  case KueuePreemption::lower_or_newer_equal_priority:
    return "LowerOrNewerEqualPriority";
  case KueuePreemption::any:
    return "Any";
  case KueuePreemption::never:
    break;
  }
  return "Never";
}

std::string cluster_queue_line(const KueueClusterQueue& one)
{
  Rule rule{one.name};
  rule.text("cohort", one.cohort);
  rule.flow("quotas", quotas_flow(one.quotas));
  rule.choice("queueing_strategy", "StrictFIFO", one.strict_fifo);
  for (const auto& [key, which] : {std::pair{"within_cluster_queue", one.within_cluster_queue},
                                   std::pair{"reclaim_within_cohort", one.reclaim_within_cohort}})
    rule.choice(key, preemption_text(which), which != KueuePreemption::never);
  rule.choice("borrow_within_cohort", "LowerPriority", one.borrow_within_cohort);
  rule.number("max_priority_threshold", one.max_priority_threshold, std::numeric_limits<double>::infinity());
  rule.choice("when_can_borrow", "TryNextFlavor", one.try_next_before_borrowing);
  rule.choice("when_can_preempt", "Preempt", !one.try_next_before_preempting);
  rule.number("weight", one.weight, 1);
  return rule.line();
}

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
    if (reservation.end() <= Instant{0}) {
      context.report.ignored("reservation " + reservation.name, "it is over before the first submission");
      continue;
    }
    if (reservation.start < Seconds{0}) {
      reservation.length = seconds(reservation.end());
      reservation.start = Seconds{0};
    }
    kept.push_back(std::move(reservation));
  }
  draft.batch.rules.reservations = std::move(kept);
}

} // namespace

std::string bytes_flow(double bytes, const char* blank)
{
  constexpr double mib = 1024.0 * 1024, gib = 1024 * mib;
  const bool whole = bytes == std::floor(bytes / gib) * gib;
  return fmt::format("{:.0f}{}{}", std::floor(bytes / (whole ? gib : mib)), blank, whole ? "GiB" : "MiB");
}

std::string names_flow(const std::vector<std::string>& names)
{
  std::vector<std::string> quoted;
  quoted.reserve(names.size());
  for (const std::string& name : names)
    quoted.push_back(yaml_text(name));
  return fmt::format("[{}]", fmt::join(quoted, ", "));
}

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

std::string kueue_yaml(const KueueRules& rules)
{
  if (rules.cluster_queues.empty())
    return "";
  std::string text = "kueue:\n";
  if (rules.undeclared != KueueUndeclared::by_queue)
    text += fmt::format("  quota_check_strategy: {}\n",
                        rules.undeclared == KueueUndeclared::block ? "BlockUndeclared" : "IgnoreUndeclared");
  text += "  flavors:\n";
  for (const KueueFlavor& one : rules.flavors) {
    Rule rule{one.name};
    rule.text("gpu", one.gpu);
    rule.names("nodes", one.nodes);
    text += rule.line();
  }
  text += rules.cohorts.empty() ? "" : "  cohorts:\n";
  for (const KueueCohort& one : rules.cohorts) {
    Rule rule{one.name};
    rule.text("parent", one.parent);
    rule.flow("quotas", quotas_flow(one.quotas));
    rule.number("weight", one.weight, 1);
    text += rule.line();
  }
  text += "  cluster_queues:\n";
  for (const KueueClusterQueue& one : rules.cluster_queues)
    text += cluster_queue_line(one);
  return text;
}

} // namespace trainyard
